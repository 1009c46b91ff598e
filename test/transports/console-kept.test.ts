import { afterAll, beforeAll, expect, test } from "vitest";
import { openBrowser, type OwnerBrowser } from "../support/owner-browser.js";
import { type OpenedRest, openRest } from "../support/rest.js";

const HOSTILE = '<img src=x onerror="alert(1)">';

let rest: OpenedRest;
let browser: OwnerBrowser;
beforeAll(async () => {
  rest = await openRest();
  const call = { actor: rest.actor };
  for (const [containerTag, content] of [
    ["garden", "Mia keeps bees in Ghent."],
    ["work", `The gateway is called ${HOSTILE} Heron.`],
  ] as const)
    await rest.core.addDocument(call, { content, containerTags: [containerTag], title: HOSTILE });
  await rest.core.updateContainer(call, { containerTag: "work", name: HOSTILE });
  await rest.settle();
  browser = openBrowser(rest);
  await browser.signIn();
});
afterAll(() => rest.close());

const html = { accept: "text/html,application/xhtml+xml,*/*;q=0.8" };

test("the owner sees what is stored by container, and the contents of one of them", async () => {
  const page = await browser.get("/auth");
  expect(page.status).toBe(200);
  expect(page.text).toContain('<a href="/auth?container=garden">garden</a>');
  expect(page.text).toMatch(/1 document, [1-9]\d* memor(?:y|ies); last used \d{4}-/);
  expect(page.headers.get("content-security-policy")).toMatch(/^default-src 'none'; style-src 'sha256-[^']+'; /);
  const garden = await browser.get("/auth?container=garden");
  expect(garden.text).toContain("Ghent");
  expect(garden.text).not.toContain("Heron");
  expect((await browser.get("/auth?container=%3Cb%3Enone")).text).toContain("There is no container with that name.");
});

test("a search is a form with a token, and its query appears in no address", async () => {
  const page = await browser.fill("/auth", { q: "who keeps bees?", container: "garden" });
  expect([page.status, page.location]).toEqual([200, ""]);
  expect(page.text).toContain("Mia keeps bees in Ghent");
  expect((await browser.fill("/auth", { q: "who keeps bees?", container: "work" })).text).not.toContain("Ghent");
  expect((await browser.post("/auth", { q: "bees", form_token: "forged" })).status).toBe(403);
  const { hidden } = await browser.get("/auth");
  expect((await browser.post("/auth", { ...hidden, q: "bees" }, { origin: "https://evil.example" })).status).toBe(403);
  expect((await browser.fill("/auth", { q: "" })).status).toBe(400);
  expect((await openBrowser(rest).post("/auth", { ...hidden, q: "bees" })).location).toContain("/auth/sign-in");
});

test("a guess is marked as such, in its container and in search results", async () => {
  const facts = [{ text: "Petra owns a yacht", quote: "Petra owns a yacht" }];
  const fields = { content: "Petra works in Ghent.", containerTags: ["guesses"], facts, wait: 30 };
  await rest.core.addDocument({ actor: rest.actor }, fields);
  const shown = /Petra owns a yacht <span class="soft">[^<]*waits for review/;
  expect((await browser.get("/auth?container=guesses")).text).toMatch(shown);
  expect((await browser.fill("/auth", { q: "yacht", container: "guesses" })).text).toMatch(shown);
  expect((await browser.get("/auth?container=garden")).text).not.toContain("waits for review");
});

test("escapes stored text", async () => {
  const pages = [
    await browser.get("/auth"),
    await browser.get("/auth?container=work"),
    await browser.fill("/auth", { q: `gateway called ${HOSTILE}`, container: "" }),
  ];
  for (const { text } of pages) {
    expect(text).toContain("&lt;img src=x");
    expect(text).not.toMatch(/<img|<script/);
  }
});

test("at / browsers are redirected to the owner's page, and programs get a description of the service", async () => {
  const people = await browser.get("/", html);
  // Without TLS, the cookie is limited to the owner's pages, so that programs on other ports never receive it.
  expect([people.status, people.location]).toEqual([303, "/auth"]);
  expect(people.headers.get("vary")).toContain("accept");
  const stranger = openBrowser(rest);
  expect((await stranger.get("/auth")).location).toBe("/auth/sign-in?next=%2Fauth");
  for (const headers of [{ accept: "*/*" }, { ...html, host: "rebound.example" }] as Record<string, string>[]) {
    const { status, text } = await stranger.get("/", headers);
    expect([status, (JSON.parse(text) as { name: string }).name]).toEqual([200, "Recollect"]);
  }
});

test("at / of a public address, the owner sees the page itself, others are redirected to it", async () => {
  const open = await openRest({ settings: { RECOLLECT_PUBLIC_URL: "https://memory.example" } });
  try {
    const owner = openBrowser(open, { host: "memory.example" });
    expect((await owner.get("/", html)).location).toBe("/auth");
    const { code } = await open.core.createSignInCode({ actor: open.actor });
    const { hidden } = await owner.get(`/auth/sign-in?code=${code}`);
    await owner.post("/auth/sign-in", hidden, { origin: "https://memory.example" });
    const page = await owner.get("/", html);
    expect([page.status, page.headers.get("cache-control")]).toEqual([200, "no-store"]);
    expect(page.text).toContain("What is stored here");
  } finally {
    await open.close();
  }
});
