import { afterEach, beforeEach, expect, test } from "vitest";
import { openBrowser, type OwnerBrowser } from "../support/owner-browser.js";
import { type OpenedRest, openRest } from "../support/rest.js";

let rest: OpenedRest;
let browser: OwnerBrowser;

beforeEach(async () => {
  rest = await openRest();
  browser = openBrowser(rest);
  await browser.signIn();
});
afterEach(() => rest.close());

const allow = (clientName: string, input: object = {}) =>
  rest.core.allowApp(
    { actor: rest.actor },
    {
      issuer: "http://127.0.0.1:6767",
      clientId: "x",
      clientName,
      clientHost: "app.example",
      permission: "write",
      ...input,
    },
  );
const names = async () =>
  (await rest.core.listGrants({ actor: rest.actor })).grants.map(({ clientName }) => clientName);

test("the owner sees the authorised apps with their limits, and revokes one of them", async () => {
  expect((await browser.get("/auth/apps")).text).toContain("There are none.");
  await allow("<b>Hostile</b>");
  const narrow = await allow("Narrow", { containerTags: ["mia"], permission: "read", expiresInDays: 7 });
  const page = await browser.get("/auth/apps");
  expect(page.text).toContain("&lt;b&gt;Hostile&lt;/b&gt;");
  expect(page.text).toContain("only mia; reads; authorised");
  expect(page.text).toContain("all containers; reads and writes; authorised");
  const { form_token = "" } = page.hidden;
  const after = await browser.post("/auth/apps", { form_token, grant: narrow.id });
  expect([after.status, after.location]).toEqual([303, "/auth/apps"]);
  expect(await names()).toEqual(["<b>Hostile</b>"]);
  expect((await browser.get("/auth")).text).toContain('href="/auth/apps"');
});

test("a form of another page, or of a browser that is not signed in, revokes nothing", async () => {
  const { id } = await allow("Kept");
  expect((await browser.post("/auth/apps", { form_token: "forged", grant: id })).status).toBe(403);
  const { form_token = "" } = (await browser.get("/auth/apps")).hidden;
  const foreign = await browser.post("/auth/apps", { form_token, grant: id }, { origin: "https://evil.example" });
  expect(foreign.status).toBe(403);
  expect((await openBrowser(rest).post("/auth/apps", { form_token, grant: id })).location).toContain("/auth/sign-in");
  expect((await browser.post("/auth/apps", { form_token, grant: "unknown" })).status).toBe(404);
  expect(await names()).toEqual(["Kept"]);
});
