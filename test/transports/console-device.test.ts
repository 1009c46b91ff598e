import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { openBrowser, type OwnerBrowser } from "../support/owner-browser.js";
import { openRest, type OpenedRest, type RestAnswer } from "../support/rest.js";

let rest: OpenedRest;
let browser: OwnerBrowser;
beforeEach(async () => {
  rest = await openRest();
  browser = openBrowser(rest);
  await browser.signIn();
});
afterEach(() => rest.close());

const APPROVED = { containers: "all", permission: "write", expires: "", decision: "approve" };
const ask = (body: object = { client: "codex", hostname: "nas" }): Promise<RestAnswer> =>
  rest.send("POST", "/auth/device/code", body);

/** Polls for approval as the program does; its error responses have their own fields. */
async function poll(deviceCode: string): Promise<{ status: number; body: any }> {
  const { status, text } = await browser.post("/auth/device/token", { device_code: deviceCode });
  return { status, body: JSON.parse(text) };
}

describe("a machine without a browser", () => {
  test("receives a key for what the owner chose, once", async () => {
    const { body } = await ask({ client: "codex", hostname: "nas", os: "linux", cwd: "/srv" });
    expect(body).toEqual({
      device_code: expect.stringMatching(/^\w{40,}$/),
      user_code: expect.stringMatching(/^[BCDFGHJKLMNPQRSTVWXZ]{4}-[BCDFGHJKLMNPQRSTVWXZ]{4}$/),
      verification_uri: "http://127.0.0.1:6767/auth/device",
      verification_uri_complete: `http://127.0.0.1:6767/auth/device?user_code=${body.user_code}`,
      expires_in: 600,
      interval: 5,
    });
    expect(await poll(body.device_code)).toMatchObject({ status: 400, body: { error: "authorization_pending" } });
    expect(await poll(body.device_code)).toMatchObject({ status: 400, body: { error: "slow_down" } });

    const typed = body.user_code.toLowerCase().replace("-", " ");
    const page = await browser.get(`/auth/device?${new URLSearchParams({ user_code: typed }).toString()}`);
    for (const words of ["Codex asks to use your memory", "nas (linux)", "/srv"]) expect(page.text).toContain(words);
    const chosen = { ...APPROVED, containers: "some", new_container: "mia", expires: "7" };
    const done = await browser.post("/auth/device", { ...page.hidden, ...chosen });
    expect(done).toMatchObject({ status: 200, text: expect.stringContaining("Approved") });

    const told = await poll(body.device_code);
    expect(told).toEqual({
      status: 200,
      body: { apikey: expect.stringMatching(/^sm_/), api_url: "http://127.0.0.1:6767" },
    });
    expect((await rest.core.listKeys({ actor: rest.actor })).keys).toMatchObject([
      { client: "codex", kind: "plugin", name: "codex on nas", grants: [{ containerTag: "mia", permission: "write" }] },
    ]);
    expect(await poll(body.device_code)).toMatchObject({ status: 400, body: { error: "expired_token" } });
    expect(JSON.stringify(rest.log)).not.toContain(told.body.apikey);
  });

  test("is told when the owner declines, and receives no key", async () => {
    const { body } = await ask({});
    const page = await browser.get(`/auth/device?user_code=${body.user_code}`);
    expect(page.text).toContain("An unknown program asks");
    const declined = await browser.post("/auth/device", { ...page.hidden, decision: "decline" });
    expect(declined).toMatchObject({ status: 200, text: expect.stringContaining("Declined") });
    expect(await poll(body.device_code)).toMatchObject({ status: 400, body: { error: "access_denied" } });
    expect((await rest.core.listKeys({ actor: rest.actor })).keys).toEqual([]);
  });

  test("may send forms too, and gets an error for an invalid request", async () => {
    const form = await browser.post("/auth/device/code", { client: "codex" });
    expect(JSON.parse(form.text)).toMatchObject({ interval: 5 });
    expect((await ask({ client: "not a name!" })).status).toBe(400);
    expect((await ask({ hostname: "x".repeat(501) })).status).toBe(400);
    expect((await rest.send("POST", "/auth/device/code", "[1]")).status).toBe(400);
    expect((await rest.send("POST", "/auth/device/token", {})).status).toBe(400);
    expect((await rest.send("POST", "/auth/device/code", "x".repeat(20_000))).status).toBe(413);
  });

  test("may request ten codes before it has to wait", async () => {
    for (let count = 0; count < 10; count++) expect((await ask()).status).toBe(200);
    expect(await ask()).toMatchObject({ status: 429, body: { message: expect.stringContaining("Try again in") } });
  });
});

describe("the owner's page", () => {
  test("asks for a sign-in first, and keeps the code", async () => {
    const { location } = await openBrowser(rest).get("/auth/device?user_code=BCDF-GHJK");
    expect(location).toBe("/auth/sign-in?next=%2Fauth%2Fdevice%3Fuser_code%3DBCDF-GHJK");
  });

  test("rejects unknown codes and limits guesses", async () => {
    const statuses = [];
    for (let guess = 0; guess < 21; guess++)
      statuses.push((await browser.get(`/auth/device?user_code=BCDF-GHJ${"BCDFGHJKLMNPQRSTVWXZB"[guess]}`)).status);
    expect(statuses).toEqual([...Array<number>(20).fill(404), 429]);
  });

  test("approves nothing without its token, for another site, without a sign-in, or twice", async () => {
    const { body } = await ask();
    const { hidden } = await browser.get(`/auth/device?user_code=${body.user_code}`);
    expect((await browser.post("/auth/device", { ...hidden, ...APPROVED, form_token: "x" })).status).toBe(403);
    const foreign = { origin: "https://evil.example" };
    expect((await browser.post("/auth/device", { ...hidden, ...APPROVED }, foreign)).status).toBe(403);
    expect((await openBrowser(rest).post("/auth/device", { ...hidden, ...APPROVED })).location).toBe(
      "/auth/sign-in?next=%2Fauth%2Fdevice",
    );
    expect(await poll(body.device_code)).toMatchObject({ body: { error: "authorization_pending" } });
    expect((await browser.post("/auth/device", { ...hidden, ...APPROVED })).status).toBe(200);
    expect((await browser.post("/auth/device", { ...hidden, decision: "decline" })).status).toBe(404);
    expect(await poll(body.device_code)).toMatchObject({ status: 200 });
  });

  test("is shown again for an invalid choice", async () => {
    const { body } = await ask();
    const path = `/auth/device?user_code=${body.user_code}`;
    const again = await browser.fill(path, { ...APPROVED, containers: "some" });
    expect(again).toMatchObject({ status: 400, text: expect.stringContaining("Choose at least one container") });
    expect(again.text).toMatch(/value="some" checked/);
    expect((await browser.post("/auth/device", { ...again.hidden, ...APPROVED })).status).toBe(200);
  });

  test("escapes what programs say about themselves", async () => {
    const evil = `"><script>alert(1)</script>`;
    const { body } = await ask({ hostname: evil, cwd: evil, os: evil });
    const { text } = await browser.get(`/auth/device?user_code=${body.user_code}`);
    expect(text).toContain("&lt;script&gt;");
    expect(text).not.toContain("<script");
  });
});
