import type { Browser } from "playwright-core";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { CHROMIUM, openChromium, openPage, startCallback } from "../support/chromium.js";
import { type App, createApp, register } from "../support/oauth-app.js";
import { useMcp } from "../support/oauth-use.js";
import { openRest, type OpenedRest } from "../support/rest.js";

/** Authorising an app in a real browser, with its cookies, policies and redirects. */
describe.skipIf(CHROMIUM === undefined)("in a real Chromium, if installed", { timeout: 60_000 }, () => {
  let browser: Browser;
  let rest: OpenedRest;
  let url: string;
  let callback: Awaited<ReturnType<typeof startCallback>>;
  let app: App;
  beforeAll(async () => {
    [browser, rest, callback] = await Promise.all([openChromium(), openRest(), startCallback()]);
    url = (await rest.listen()).url;
    await rest.core.createProject({ actor: rest.actor }, { name: "atlas" });
    const address = `http://127.0.0.1:${callback.port}/callback`;
    const { body } = await register(url, { client_name: "Atlas agent", redirect_uris: [address] });
    app = await createApp(url, { clientId: body.client_id, callback: address });
  }, 60_000);
  afterAll(async () => {
    await browser.close();
    await callback.close();
    await rest.close();
  });

  test.each([
    ["with scripts", { javaScriptEnabled: true }],
    ["without scripts", { javaScriptEnabled: false }],
  ])("%s the owner signs in, authorises an app, and declines", async (_words, options) => {
    const { page, complaints } = await openPage(browser, options);
    callback.arrivals.length = 0;
    const { secret } = await rest.core.createKey({ actor: rest.actor }, {});
    await page.goto(app.authorizeUrl().href);
    await page.getByLabel("A full-access key").fill(secret);
    await page.keyboard.press("Enter");
    await page.getByRole("heading", { name: /^Give Atlas agent/ }).waitFor();
    await page.getByLabel("Only these:").check();
    await page.getByLabel("Another container").fill("atlas");
    await page.getByLabel("Read only").check();
    await page.getByLabel("When does the access expire?").selectOption("after 180 days");
    await page.getByRole("button", { name: "Allow" }).click();
    await page.getByRole("heading", { name: "You can close this window" }).waitFor();

    await page.goto(app.authorizeUrl().href);
    await page.getByRole("button", { name: "Decline" }).click();
    await page.getByRole("heading", { name: "You can close this window" }).waitFor();

    const [allowed, declined, ...more] = callback.arrivals;
    expect(more).toEqual([]);
    const answered = new URL(`${url}/?${allowed?.parameters.toString() ?? ""}`);
    const { body } = await app.redeem(answered);
    const { tools } = await useMcp(url, body.access_token);
    expect([tools.includes("search"), tools.includes("add-memory")]).toEqual([true, false]);
    expect(Object.fromEntries(declined?.parameters ?? [])).toMatchObject({ error: "access_denied", iss: url });
    const { grants } = await rest.core.listGrants({ actor: rest.actor });
    expect(grants[0]).toMatchObject({ clientName: "Atlas agent", containerTags: ["atlas"], permission: "read" });
    // A program on another port of this host receives neither the owner's session nor the referring page.
    for (const { cookie, referrer } of callback.arrivals) expect([cookie, referrer]).toEqual([undefined, undefined]);
    expect(complaints).toEqual([]);
    await page.context().close();
  });
});
