import { afterEach, beforeEach, expect, test } from "vitest";
import { ONLINE } from "../support/connection.js";
import { openBrowser, type OwnerBrowser, type SeenPage } from "../support/owner-browser.js";
import { type OpenedRest, openRest } from "../support/rest.js";
import { FOLDER, type ScriptedGoogleDrive, startScriptedGoogleDrive } from "../support/scripted-google-drive.js";

/* The page on which a user chooses what a Google Drive connection imports, without a key. */

let drive: ScriptedGoogleDrive;
let rest: OpenedRest;
let browser: OwnerBrowser;
let plans: string;

beforeEach(async () => {
  drive = await startScriptedGoogleDrive("good");
  plans = await drive.put("Plans <b>2026</b>", "", { mimeType: FOLDER });
  await drive.put("orchard.txt", "Forty pear trees stand in the orchard.", { parent: plans });
  await drive.put("barn.txt", "The barn has a new roof.", { parent: plans });
  await drive.put("private.txt", "Nobody shall read this.");
  const settings = { ...ONLINE, RECOLLECT_PROVIDER_URLS: `google-drive=${drive.url}` };
  rest = await openRest({ asOwner: true, settings });
  browser = openBrowser(rest);
  await rest.send("PATCH", "/v3/settings", { googleDriveClientId: "client", googleDriveClientSecret: "secret" });
});
afterEach(async () => {
  await rest.close();
  await drive.close();
});

const ok = async (method: string, path: string, body?: unknown) => {
  const answer = await rest.send(method, path, body);
  expect(answer.status, JSON.stringify(answer.body)).toBeLessThan(400);
  return answer.body;
};

/** Signs in as a user who returns from the provider. @returns the id, and where the browser was redirected */
async function connect(body: Record<string, unknown> = {}): Promise<{ id: string; location: string }> {
  const { id, authLink } = await ok("POST", "/v3/connections/google-drive", { containerTag: "farm", ...body });
  const link = new URL(authLink);
  const back = new URL(link.searchParams.get("redirect_uri") ?? "");
  const query = new URLSearchParams({ code: "good", state: link.searchParams.get("state") ?? "" });
  const { location } = await browser.get(`${back.pathname}?${query.toString()}`);
  return { id, location };
}

const pathOf = (url: string) => new URL(url, "http://127.0.0.1:6767").pathname + new URL(url, "http://x").search;

const unescaped = (text: string) =>
  text.replaceAll("&quot;", '"').replaceAll("&lt;", "<").replaceAll("&gt;", ">").replaceAll("&amp;", "&");

/** The form on a page: its hidden fields, check boxes and buttons, by name. */
function formOf({ text }: SeenPage) {
  const valuesOf = (pattern: RegExp) => [...text.matchAll(pattern)].map((match) => unescaped(match[1] ?? ""));
  return {
    pick: valuesOf(/name="pick" value="([^"]*)"/g)[0] ?? "",
    trail: valuesOf(/name="trail" value="([^"]*)"/g),
    chosen: valuesOf(/name="choice"\s+value="([^"]*)"\s+checked/g),
    offered: valuesOf(/name="choice"\s+value="([^"]*)"\s+\/>/g),
    buttons: valuesOf(/name="go" value="([^"]*)"/g),
  };
}

/** Presses a button with these boxes checked. */
function press(page: SeenPage, go: string, choice: readonly string[] = formOf(page).chosen): Promise<SeenPage> {
  const { pick, trail } = formOf(page);
  return browser.post("/auth/pick", { pick, trail, choice, go });
}

const named = (offered: readonly string[], name: string) => offered.find((text) => text.includes(name)) ?? "";
const titles = async () =>
  (await ok("POST", "/v3/documents/list", { containerTags: ["farm"] })).memories.map(
    ({ title }: { title: string }) => title,
  );

test("after sign-in, the user browses a folder in the picker, saves a choice and returns to their page", async () => {
  const { location } = await connect({ redirectUrl: "https://app.example/done" });
  expect(pathOf(location)).toMatch(/^\/auth\/pick\?pick=/);
  const top = await browser.get(pathOf(location));
  expect(top.status).toBe(200);
  expect(top.text).not.toContain("<b>2026</b>");
  expect(top.headers.get("content-security-policy")).toMatch(
    /default-src 'none'.*form-action 'self' https:\/\/app\.example;.*frame-ancestors 'none'/,
  );
  const folder = await press(top, named(formOf(top).buttons, plans));
  const { offered } = formOf(folder);
  expect(new Set(offered.map((text) => JSON.parse(text).name))).toEqual(new Set(["barn.txt", "orchard.txt"]));
  const back = await press(folder, "up:0", [named(offered, "orchard.txt")]);
  expect(formOf(back).chosen).toHaveLength(1);
  expect(back.text).toContain("Plans");
  const done = await press(back, "save");
  expect([done.status, done.location]).toEqual([303, "https://app.example/done"]);
  await rest.settle();
  expect(await titles()).toEqual(["orchard.txt"]);
});

test("the picker opens with a key, shows earlier choices, and closes once a choice is saved", async () => {
  const { id, location } = await connect();
  const first = await browser.get(pathOf(location));
  const opened = await ok("POST", `/v3/connections/${id}/google-drive/hosted-picker`);
  expect(Date.parse(opened.expiresAt) - Date.now()).toBeGreaterThan(59 * 60_000);
  // The first address is no longer valid.
  expect((await press(first, "save")).status).toBe(404);
  const page = await browser.get(pathOf(opened.url));
  const saved = await press(page, "save", [named(formOf(page).offered, plans)]);
  expect([saved.status, saved.text]).toEqual([200, expect.stringContaining("1 chosen")]);
  await rest.settle();
  expect((await titles()).toSorted()).toEqual(["barn.txt", "orchard.txt"]);
  expect((await browser.get(pathOf(opened.url))).status).toBe(404);
  expect((await press(page, "save", [named(formOf(page).offered, "private")])).status).toBe(404);
  const again = await ok("POST", `/v3/connections/${id}/google-drive/hosted-picker`, { returnUrl: null });
  expect(formOf(await browser.get(pathOf(again.url))).chosen).toHaveLength(1);
});

test("the picker refuses other addresses, other sites and invalid choices", async () => {
  const { id, location } = await connect();
  for (const pick of ["", "x", id, `${id}.x`, `nobody.${"x".repeat(43)}`, "x".repeat(2_000)])
    expect((await browser.get(`/auth/pick?${new URLSearchParams({ pick }).toString()}`)).status).toBeGreaterThan(399);
  const page = await browser.get(pathOf(location));
  const { pick } = formOf(page);
  const foreign = await browser.post(
    "/auth/pick",
    { pick, go: "save" },
    { origin: "https://evil.example", "sec-fetch-site": "cross-site" },
  );
  expect(foreign.status).toBe(403);
  for (const choice of ["{", "[]", "null", '{"id":"../x","name":"x"}', '{"id":7,"name":"x"}'])
    expect((await press(page, "save", [choice])).status).toBe(400);
  expect((await press(page, 'open:{"id":"\' or name contains \'","name":"x"}')).status).toBe(400);
  expect((await press(page, "page:99999999999")).status).toBe(400);
  expect(JSON.stringify(rest.log)).not.toContain(pick.split(".")[1]);
});

test("the picker exists only where there is something to choose, and only after sign-in", async () => {
  const full = await connect({ metadata: { syncScope: "full" }, redirectUrl: "https://app.example/done" });
  expect(full.location).toBe("https://app.example/done");
  const { id } = await ok("POST", "/v3/connections/google-drive", { containerTag: "other" });
  expect((await rest.send("POST", `/v3/connections/${id}/google-drive/hosted-picker`)).status).toBe(400);
  expect((await rest.send("POST", "/v3/connections/nobody/google-drive/hosted-picker")).status).toBe(404);
});

test("of several choices saved concurrently through one address, only one succeeds", async () => {
  const { location } = await connect();
  const page = await browser.get(pathOf(location));
  const choice = [named(formOf(page).offered, "private")];
  const answers = await Promise.all(Array.from({ length: 5 }, () => press(page, "save", choice)));
  expect(answers.filter(({ status }) => status === 200)).toHaveLength(1);
});

test("the picker of a connection that is being removed is gone", async () => {
  const { id, location } = await connect();
  await ok("DELETE", `/v3/connections/${id}`);
  expect((await browser.get(pathOf(location))).status).toBe(404);
});
