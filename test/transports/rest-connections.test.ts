import { afterAll, beforeAll, expect, test } from "vitest";
import { ONLINE } from "../support/connection.js";
import { LOOPBACK, type OpenedRest, openRest } from "../support/rest.js";
import { GITHUB_TOKEN, type ScriptedGithub, startGithub } from "../support/scripted-github.js";
import { type ExampleSource, startExampleSource } from "../support/scripted-source.js";

/* Every field of the connection endpoints, over HTTP: with a made-up provider in place of Granola, and with GitHub. */

let source: ExampleSource;
let github: ScriptedGithub;
let rest: OpenedRest;
let tags = 0;

beforeAll(async () => {
  source = await startExampleSource({ hasFeed: true });
  for (const name of ["Wells", "Orchard", "Barn"]) await source.put(name, `The ${name} has a keeper of its own.`);
  github = await startGithub();
  github.files.set("README.md", "# The farm\n\nForty pear trees stand here.");
  github.commit();
  const settings = { ...ONLINE, RECOLLECT_RATE_LIMIT: "0", RECOLLECT_PROVIDER_URLS: `github=${github.url}` };
  rest = await openRest({ asOwner: true, connectors: [source.connector], settings });
  await send("PATCH", "/v3/settings", { githubClientId: "client", githubClientSecret: "a secret of GitHub" });
});
afterAll(async () => {
  await rest.close();
  await source.close();
  await github.close();
});

const newTag = () => `farm-${(tags += 1)}`;
const send = async (method: string, path: string, body?: unknown) => rest.send(method, path, body);

async function ok(method: string, path: string, body?: unknown) {
  const answer = await send(method, path, body);
  expect(answer.status, JSON.stringify(answer.body)).toBeLessThan(400);
  return answer.body;
}

/** Connects the made-up provider, and waits for its first run. */
async function connect(body: Record<string, unknown> = {}): Promise<string> {
  const { id } = await ok("POST", "/v3/connections/granola", { metadata: { apiKey: "good" }, ...body });
  await rest.settle();
  return id;
}

const shown = (id: string) => ok("GET", `/v3/connections/${id}`);
const lastRun = async (id: string) => (await ok("GET", `/v3/connections/${id}/sync-runs`))[0];
const documentsIn = async (containerTag: string) =>
  (await ok("POST", "/v3/documents/list", { containerTags: [containerTag] })).pagination.totalItems;

test("shows the settings that a connection was created with", async () => {
  const [one, other] = [newTag(), newTag()];
  const id = await connect({
    containerTag: one,
    containerTags: [other],
    documentLimit: 2,
    endUserId: "mia",
    everyMinutes: 30,
    metadata: { apiKey: "good", folder: "notes" },
  });
  expect(await shown(id)).toMatchObject({
    provider: "granola",
    containerTags: [one, other],
    documentLimit: 2,
    documentCount: 2,
    everyMinutes: 30,
    email: "someone@example.com",
    state: "active",
    nextSyncAt: expect.any(String),
    metadata: { folder: "notes" },
    lastSyncRun: { status: "partial" },
  });
  expect(JSON.stringify(await shown(id))).not.toContain("good");
  expect(await documentsIn(one)).toBe(2);
  expect(await documentsIn(other)).toBe(2);
  const never = await shown(await connect({ containerTag: newTag(), everyMinutes: null }));
  expect([never.everyMinutes, never.nextSyncAt]).toEqual([undefined, undefined]);
});

test("creates no connection with invalid credentials", async () => {
  const containerTag = newTag();
  const refused = await send("POST", "/v3/connections/granola", { containerTag, metadata: { apiKey: "bad" } });
  expect(refused.status).toBe(400);
  expect(refused.body.error).toMatch(/401/);
  expect(await ok("POST", "/v3/connections/list", { containerTags: [containerTag] })).toEqual([]);
});

test("filters lists by provider, containers and end user", async () => {
  const containerTag = newTag();
  const endUserId = `user of ${containerTag}`;
  const id = await connect({ containerTag, endUserId });
  const ids = async (method: string, path: string, body?: unknown) =>
    (await ok(method, path, body)).map((one: { id: string }) => one.id);
  expect(await ids("POST", "/v3/connections/list", { containerTags: [containerTag] })).toEqual([id]);
  expect(await ids("POST", "/v3/connections/list", { containerTags: ["elsewhere"] })).toEqual([]);
  expect(await ids("POST", "/v3/connections/list", { provider: "granola" })).toContain(id);
  expect(await ids("POST", "/v3/connections/list", { provider: "notion" })).toEqual([]);
  expect(await ids("GET", `/v3/connections?endUserId=${encodeURIComponent(endUserId)}`)).toEqual([id]);
  expect(await ids("GET", "/v3/connections?endUserId=nobody")).toEqual([]);
});

test("addresses a connection, its documents, its runs and its removal by provider and containers", async () => {
  const containerTag = newTag();
  const id = await connect({ containerTag });
  const of = { containerTags: [containerTag] };
  expect(await ok("POST", "/v3/connections/granola/connection", of)).toMatchObject({ id });
  expect(await ok("POST", "/v3/connections/granola/documents", of)).toHaveLength(3);
  expect(await ok("POST", "/v3/connections/granola/documents", { containerTags: ["elsewhere"] })).toEqual([]);
  const headers = await rest.ownerKey();
  const init = {
    method: "POST",
    headers: { ...headers, "content-type": "application/json" },
    body: JSON.stringify(of),
  };
  const imported = await rest.app.request("/v3/connections/granola/import", init, LOOPBACK);
  expect([imported.status, await imported.text()]).toEqual([202, "Syncing 1 connection."]);
  expect((await send("POST", "/v3/connections/granola/import", { containerTags: ["elsewhere"] })).status).toBe(400);
  await rest.settle();
  expect(await ok("GET", `/v3/connections/${id}/sync-runs`)).toHaveLength(2);
  for (const nothing of [{}, { containerTags: [] }, { containerTags: null }])
    expect((await send("DELETE", "/v3/connections/granola", nothing)).status).toBe(400);
  expect(await ok("DELETE", "/v3/connections/granola", of)).toEqual({ id, provider: "granola" });
  await rest.settle();
  expect((await send("GET", `/v3/connections/${id}`)).status).toBe(404);
  expect(await documentsIn(containerTag)).toBe(0);
});

test("memory graphs say which connection a document came from", async () => {
  const containerTag = newTag();
  const id = await connect({ containerTag });
  await ok("POST", "/v3/documents", { content: "Nobody brought this in.", containerTags: [containerTag] });
  await rest.settle();
  const { documents } = await ok("POST", "/v3/documents/documents", { containerTags: [containerTag] });
  const origins = documents.map((one: { connectionId: string | null }) => one.connectionId);
  const sorted = (ids: readonly (string | null)[]) =>
    ids.toSorted((one, other) => String(one).localeCompare(String(other)));
  expect(sorted(origins)).toEqual(sorted([id, id, id, null]));
});

test("a document shows the imported version, and when the source was last seen to have it", async () => {
  const containerTag = newTag();
  await connect({ containerTag });
  const sent = await ok("POST", "/v3/documents", { content: "Nobody brought this in.", containerTags: [containerTag] });
  await rest.settle();
  const [one] = await ok("POST", "/v3/connections/granola/documents", { containerTags: [containerTag] });
  expect((await ok("GET", `/v3/documents/${one.id}`)).atSource).toEqual({ version: "1", seenAt: expect.any(String) });
  expect((await ok("GET", `/v3/documents/${sent.id}`)).atSource).toBeUndefined();
});

test("keeps documents on removal if asked to, with their address at the source", async () => {
  const containerTag = newTag();
  const id = await connect({ containerTag });
  const [before] = await ok("POST", "/v3/connections/granola/documents", { containerTags: [containerTag] });
  const one = await ok("GET", `/v3/documents/${before.id}`);
  expect(one).toMatchObject({ connectionId: id, url: expect.stringMatching(/item-\d+$/) });
  await ok("DELETE", `/v3/connections/${id}?deleteDocuments=false`);
  await rest.settle();
  expect((await send("GET", `/v3/connections/${id}`)).status).toBe(404);
  expect(await documentsIn(containerTag)).toBe(3);
  expect(await ok("GET", `/v3/documents/${one.id}`)).toEqual({ ...one, connectionId: null });
});

test("changes the interval and the limit of a connection, and pauses it", async () => {
  const id = await connect({ containerTag: newTag(), documentLimit: 2 });
  const configure = async (body: unknown) => (await ok("POST", `/v3/connections/${id}/configure`, body)).message;
  const runs = async () => (await ok("GET", `/v3/connections/${id}/sync-runs`)).length;
  expect(await configure({})).toBe("Nothing was changed.");
  const before = Date.now();
  expect(await configure({ everyMinutes: 45 })).toBe("The change is saved.");
  const { nextSyncAt } = await shown(id);
  expect((Date.parse(nextSyncAt) - before) / 60_000).toBeCloseTo(45, 0);
  expect(await configure({ documentLimit: 1 })).toMatch(/already has 2 documents: they stay/);
  await rest.settle();
  expect(await runs()).toBe(1);
  expect(await configure({ documentLimit: 7 })).toBe("The change is saved, and the connection is synced.");
  await rest.settle();
  expect(await runs()).toBe(2);
  expect(await shown(id)).toMatchObject({ everyMinutes: 45, documentLimit: 7 });
  expect(await configure({ isPaused: true })).toBe("The change is saved. The connection is paused.");
  expect(await shown(id)).toMatchObject({ state: "paused" });
  expect((await shown(id)).nextSyncAt).toBeUndefined();
  expect((await send("POST", `/v3/connections/${id}/sync`)).status).toBe(409);
  expect(await configure({ isPaused: false })).toBe("The change is saved, and the connection is synced.");
  expect(await shown(id)).toMatchObject({ state: "active", nextSyncAt: expect.any(String) });
  expect((await send("POST", `/v3/connections/${id}/configure`, { resources: [{ id: "1" }] })).status).toBe(501);
});

test("holds a run that would remove most documents until it is approved", async () => {
  const many = await startExampleSource({ hasFeed: true });
  const made: string[] = [];
  for (let index = 0; index < 60; index += 1) made.push(await many.put(`Note ${index}`, `Tree number ${index} bears.`));
  const containerTag = newTag();
  const id = await connect({ containerTag, metadata: { apiKey: "good", url: many.url } });
  for (const one of made.slice(0, 55)) await many.remove(one);
  await ok("POST", `/v3/connections/${id}/sync`);
  await rest.settle();
  expect(await shown(id)).toMatchObject({ state: "held", problem: expect.stringContaining("--confirm-removals") });
  expect(await documentsIn(containerTag)).toBe(60);
  // Without approval, a run checks whether the documents are back.
  await ok("POST", `/v3/connections/${id}/sync`);
  await rest.settle();
  expect(await shown(id)).toMatchObject({ state: "held" });
  expect(await documentsIn(containerTag)).toBe(60);
  await ok("POST", `/v3/connections/${id}/sync`, { confirmRemovals: true });
  await rest.settle();
  expect(await documentsIn(containerTag)).toBe(5);
  await many.close();
});

test("replaces credentials that no longer work", async () => {
  const id = await connect({ containerTag: newTag() });
  const reconnect = (apiKey: string) => send("POST", `/v3/connections/${id}/reconnect`, { metadata: { apiKey } });
  expect((await reconnect("bad")).status).toBe(400);
  expect((await reconnect("good")).body).toEqual({ id });
});

test("names the wishes for a sign-in that a reconnection with credentials does not need", async () => {
  const id = await connect({ containerTag: newTag() });
  const wishes = { metadata: { apiKey: "good" }, redirectUrl: "https://app.example/back", isDevice: true };
  expect((await send("POST", `/v3/connections/${id}/reconnect`, wishes)).body).toEqual({
    id,
    warnings: [
      "redirectUrl: has no effect: no sign-in in a browser is needed",
      "isDevice: has no effect: no sign-in is needed",
    ],
  });
});

test("lists repositories by page and lets the user choose", async () => {
  const { id } = await ok("POST", "/v3/connections/github", {
    containerTag: newTag(),
    metadata: { token: GITHUB_TOKEN },
  });
  const resources = (query = "") => ok("GET", `/v3/connections/${id}/resources${query}`);
  expect((await resources()).resources).toMatchObject([{ id: github.repositoryId, name: "farm" }]);
  expect((await resources("?page=2")).resources).toEqual([]);
  expect((await send("GET", `/v3/connections/${id}/resources?per_page=101`)).body.error).toMatch(/per_page/);
  const [chosen] = (await resources()).resources;
  expect(await ok("POST", `/v3/connections/${id}/configure`, { resources: [chosen] })).toMatchObject({ success: true });
  await rest.settle();
  expect(await shown(id)).toMatchObject({
    documentCount: 1,
    metadata: { repositories: [{ id: github.repositoryId }] },
  });
});

test("redirects a returning browser, and only for a sign-in that was started here", async () => {
  const redirectUrl = "https://app.example/done";
  const begin = async () => ok("POST", "/v3/connections/github", { containerTag: newTag(), redirectUrl });
  const { id, authLink, redirectsTo } = await begin();
  expect(redirectsTo).toBe(redirectUrl);
  const back = (query: Record<string, string>) =>
    rest.app.request(`/v3/connections/auth/callback/github?${new URLSearchParams(query).toString()}`, {}, LOOPBACK);
  const stateOf = (link: string) => new URL(link).searchParams.get("state") ?? "";
  expect((await send("GET", "/v3/connections/auth/callback/github?code=good&state=other")).status).toBe(400);
  const refused = await begin();
  const denied = await back({ error: "access_denied", state: stateOf(refused.authLink) });
  expect(denied.status).toBe(302);
  expect(denied.headers.get("location")).toMatch(/^https:\/\/app\.example\/done\?error=.*access_denied/);
  const done = await back({ code: "good", state: stateOf(authLink) });
  expect([done.status, done.headers.get("location")]).toEqual([302, redirectUrl]);
  expect(await shown(id)).toMatchObject({ state: "active", email: "mia" });
  const { authLink: again } = await ok("POST", `/v3/connections/${id}/reconnect`, { redirectUrl });
  expect((await back({ code: "good", state: stateOf(again) })).headers.get("location")).toBe(redirectUrl);
});

test("supports signing in by a code on another device", async () => {
  const { id, device } = await ok("POST", "/v3/connections/github", { containerTag: newTag(), isDevice: true });
  expect(device).toMatchObject({ userCode: "WXYZ-1234", verificationUrl: expect.any(String) });
  expect(await ok("POST", `/v3/connections/${id}/device`)).toMatchObject({ isConnected: false });
  github.device.isApproved = true;
  expect(await ok("POST", `/v3/connections/${id}/device`)).toMatchObject({ isConnected: true });
});

test("reports the newest run with its results", async () => {
  const id = await connect({ containerTag: newTag() });
  expect(await lastRun(id)).toMatchObject({ connectionId: id, status: "done", itemsRead: 3, triggerType: "event" });
});
