import type { Browser } from "playwright-core";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { CHROMIUM, openChromium, openPage, startCallback } from "../support/chromium.js";
import { openRest, type OpenedRest } from "../support/rest.js";

/** The owner's pages in a real browser, with its cookies, policies and redirects. */
describe.skipIf(CHROMIUM === undefined)("in a real Chromium, if installed", { timeout: 60_000 }, () => {
  let browser: Browser;
  let rest: OpenedRest;
  let url: string;
  let callback: Awaited<ReturnType<typeof startCallback>>;
  beforeAll(async () => {
    [browser, rest, callback] = await Promise.all([openChromium(), openRest(), startCallback()]);
    url = (await rest.listen()).url;
  }, 60_000);
  afterAll(async () => {
    await browser.close();
    await callback.close();
    await rest.close();
  });

  const link = async () => `${url}/auth/sign-in?code=${(await rest.core.createSignInCode({ actor: rest.actor })).code}`;
  const connectUrl = (parameters: Record<string, string>) =>
    `${url}/auth/connect?${new URLSearchParams({ callback: `http://127.0.0.1:${callback.port}/callback?state=s1`, ...parameters }).toString()}`;

  test.each([
    ["with scripts", { javaScriptEnabled: true }],
    ["without scripts", { javaScriptEnabled: false }],
    ["in dark mode on a phone", { colorScheme: "dark" as const, viewport: { width: 360, height: 740 } }],
  ])("%s the owner signs in by link, approves, and declines", async (_words, options) => {
    const { page, complaints } = await openPage(browser, options);
    callback.arrivals.length = 0;
    await page.goto(await link());
    await page.getByRole("button", { name: "Sign in" }).click();
    await page.getByRole("heading", { name: "What is stored here" }).waitFor();

    await page.goto(connectUrl({ client: "codex", hostname: "mia's laptop", os: "linux", cwd: "/home/mia/atlas" }));
    await page.getByRole("heading", { name: "Codex asks to use your memory" }).waitFor();
    await page.getByLabel("Only these:").check();
    await page.getByLabel("Another container").fill("atlas");
    await page.getByLabel("Read only").check();
    await page.getByLabel("When does the access expire?").selectOption("after a week");
    await page.getByRole("button", { name: "Approve" }).click();
    await page.getByRole("heading", { name: "You can close this window" }).waitFor();

    await page.goto(connectUrl({ client: "nobody_knows" }));
    await page.getByText("does not know this program").waitFor();
    await page.getByRole("button", { name: "Decline" }).click();
    await page.getByRole("heading", { name: "You can close this window" }).waitFor();

    const [approved, declined, ...more] = callback.arrivals;
    expect(more).toEqual([]);
    expect(approved?.parameters.get("state")).toBe("s1");
    expect(approved?.parameters.get("apikey")).toMatch(/^sm_/);
    expect(approved?.parameters.get("api_url")).toBe(url);
    expect(declined?.parameters.get("error")).toBe("access_denied");
    // A program on another port of this host receives neither the owner's session nor the referring page.
    for (const { cookie, referrer } of callback.arrivals) expect([cookie, referrer]).toEqual([undefined, undefined]);
    expect(complaints).toEqual([]);
    await page.context().close();
  });

  test("an owner who is not signed in pastes a key and returns to the original request", async () => {
    const { page, complaints } = await openPage(browser);
    const { secret } = await rest.core.createKey({ actor: rest.actor }, {});
    await page.goto(connectUrl({ clients: "claude_code,cursor" }));
    await page.getByLabel("A full-access key").fill(secret);
    await page.keyboard.press("Enter");
    await page.getByRole("heading", { name: "2 programs ask to use your memory" }).waitFor();
    await page.getByRole("button", { name: "Sign out" }).click();
    await page.getByRole("heading", { name: "Sign in" }).waitFor();
    await page.goto(connectUrl({}));
    await page.getByRole("heading", { name: "Sign in" }).waitFor();
    expect(complaints).toEqual([]);
    await page.context().close();
  });

  test("the page cannot be framed, and a form on another page approves nothing", async () => {
    const { page, complaints } = await openPage(browser);
    await page.goto(await link());
    await page.getByRole("button", { name: "Sign in" }).click();
    const before = (await rest.core.listKeys({ actor: rest.actor })).keys.length;
    // A page on another port of this machine: the same site for cookies, but another origin.
    await page.goto(`http://127.0.0.1:${callback.port}/evil`);
    await page.setContent(
      `<iframe name="frame" src="${connectUrl({ client: "codex" }).replaceAll("&", "&amp;")}"></iframe>`,
    );
    await expect.poll(() => complaints.join(" ")).toMatch(/frame-ancestors|X-Frame-Options/i);
    await page.setContent(`<form method="post" action="${connectUrl({ client: "codex" }).replaceAll("&", "&amp;")}">
      <input name="decision" value="approve"><input name="containers" value="all"><input name="permission" value="write">
      <input name="expires" value=""><button>Go</button></form>`);
    await page.getByRole("button", { name: "Go" }).click();
    await page.getByText("sent from a page of another server").waitFor();
    expect((await rest.core.listKeys({ actor: rest.actor })).keys).toHaveLength(before);
    await page.context().close();
  });

  test("a machine without a browser is admitted with its code", async () => {
    const { page, complaints } = await openPage(browser);
    const post = async (path: string, body: object) => {
      const headers = { "content-type": "application/json" };
      return (await fetch(`${url}${path}`, { method: "POST", headers, body: JSON.stringify(body) })).json() as any;
    };
    const { device_code, user_code, verification_uri } = await post("/auth/device/code", {
      client: "hermes",
      hostname: "nas",
    });
    await page.goto(await link());
    await page.getByRole("button", { name: "Sign in" }).click();
    await page.goto(verification_uri);
    await page.getByLabel("Code").fill(user_code.toLowerCase().replace("-", ""));
    await page.getByRole("button", { name: "Continue" }).click();
    await page.getByRole("heading", { name: "Hermes asks to use your memory" }).waitFor();
    await page.getByRole("button", { name: "Approve" }).click();
    await page.getByRole("heading", { name: "Approved" }).waitFor();
    expect(await post("/auth/device/token", { device_code })).toEqual({
      apikey: expect.stringMatching(/^sm_/),
      api_url: url,
    });
    expect(complaints).toEqual([]);
    await page.context().close();
  });
});
