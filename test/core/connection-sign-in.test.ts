import { readFile, rm, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { afterEach, beforeEach, expect, test } from "vitest";
import { sleep } from "../../src/lib/time.js";
import { lastRun, ONLINE } from "../support/connection.js";
import { openCore, type OpenedCore } from "../support/open-core.js";
import { type SignedInSource, startSignedInSource } from "../support/signed-in-source.js";

/* What is kept of a sign-in by OAuth, and when, however many go on at once. */

const ORIGIN = "http://127.0.0.1:1";

let source: SignedInSource;
let opened: OpenedCore;
beforeEach(async () => {
  source = await startSignedInSource();
  opened = await openCore({ settings: ONLINE, connectors: [source.connector] });
  await opened.core.updateSettings({ actor: opened.actor }, { githubClientId: "client" });
});
afterEach(async () => {
  await opened.close();
  await source.close();
});

const stateOf = (authLink = "") => new URL(authLink).searchParams.get("state") ?? "";
const finish = (authLink: string | undefined, code = "good") =>
  opened.core.finishConnection({ actor: opened.actor }, { provider: "github", code, state: stateOf(authLink) });
const reconnect = (id: string, wish: Readonly<Record<string, unknown>> = {}) =>
  opened.core.reconnectConnection({ actor: opened.actor }, { id, origin: ORIGIN, ...wish });
const shown = (id: string) => opened.core.findConnection({ actor: opened.actor }, { id });
const refreshes = () => source.asked.filter((form) => form.get("grant_type") === "refresh_token").length;

async function begin() {
  return opened.core.createConnection({ actor: opened.actor }, { provider: "github", origin: ORIGIN });
}

async function signedIn(): Promise<string> {
  const { id, authLink } = await begin();
  expect(await finish(authLink)).toMatchObject({ problem: null });
  await opened.settle();
  return id;
}

/** The token used for requests to the source. */
async function usedToken(id: string): Promise<string> {
  const { resources } = await opened.core.listConnectionResources({ actor: opened.actor }, { id });
  return String(resources[0]?.id);
}

async function sync(id: string) {
  await opened.core.syncOneConnection({ actor: opened.actor }, { id });
  await opened.settle();
  return lastRun(opened, id);
}

test("of ten simultaneous callbacks with one state, one exchanges the code", async () => {
  const { id, authLink } = await begin();
  const all = await Promise.allSettled(Array.from({ length: 10 }, () => finish(authLink)));
  expect(all.filter(({ status }) => status === "fulfilled")).toHaveLength(1);
  expect(source.asked).toHaveLength(1);
  expect(await shown(id)).toMatchObject({ state: "active", account: "someone@example.com" });
});

test("requests with the same stale token cause one refresh, and all use the new token", async () => {
  const id = await signedIn();
  source.revoke();
  expect(await Promise.all(Array.from({ length: 8 }, () => usedToken(id)))).toEqual(Array(8).fill("access-2"));
  expect(refreshes()).toBe(1);
  source.revoke();
  expect([await usedToken(id), refreshes()]).toEqual(["access-3", 2]);
});

test("concurrent requests with a revoked token all get a new one from a single refresh", async () => {
  const id = await signedIn();
  for (let round = 1; round <= 5; round += 1) {
    source.revoke();
    const all = Array.from({ length: 40 }, async (_, index) => (await sleep(index), usedToken(id)));
    expect(new Set(await Promise.all(all))).toEqual(new Set([`access-${round + 1}`]));
    expect(refreshes()).toBe(round);
  }
});

/** Ends a sign-in while a token is being refreshed; `release` lets the refresh respond. */
async function signInDuringRefresh() {
  const id = await signedIn();
  const { authLink } = await reconnect(id);
  source.revoke();
  const release = source.holdRefreshes();
  const waiting = usedToken(id);
  await expect.poll(refreshes).toBe(1);
  expect(await finish(authLink)).toMatchObject({ problem: null });
  return { id, release, waiting };
}

test("stores the token of a sign-in that ends during a refresh", async () => {
  const { id, release, waiting } = await signInDuringRefresh();
  release();
  expect(await waiting).toBe("access-2");
  expect(await usedToken(id)).toBe("access-2");
});

test("uses the token of a sign-in that ends while a refresh is refused", async () => {
  const { release, waiting } = await signInDuringRefresh();
  source.answerNext({ status: 400, body: { error: "invalid_grant" } });
  release();
  expect(await waiting).toBe("access-2");
});

test("completes a sign-in that was started during a refresh", async () => {
  const id = await signedIn();
  source.revoke();
  const release = source.holdRefreshes();
  const waiting = usedToken(id);
  await expect.poll(refreshes).toBe(1);
  const { authLink } = await reconnect(id);
  release();
  expect(await waiting).toBe("access-2");
  expect(await finish(authLink)).toMatchObject({ problem: null });
  expect(await usedToken(id)).toBe("access-3");
});

test.each([
  { what: "temporarily_unavailable", answer: { status: 400, body: { error: "temporarily_unavailable" } } },
  { what: "a 500", answer: { status: 500, body: { error: "invalid_grant" } } },
  { what: "a 503 without JSON", answer: { status: 503, body: "out of order" } },
])("a token endpoint that returns $what does not require another sign-in", async ({ answer }) => {
  const id = await signedIn();
  source.revoke();
  source.answerNext(answer);
  await opened.core.syncOneConnection({ actor: opened.actor }, { id });
  await expect.poll(async () => (await opened.settle(), refreshes()), { timeout: 15_000 }).toBe(2);
  await expect.poll(async () => (await lastRun(opened, id)).status, { timeout: 15_000 }).toBe("done");
  expect(await shown(id)).toMatchObject({ state: "active", problem: null });
});

test.each([
  { status: 429, body: {}, headers: { "retry-after": "60" } },
  { status: 400, body: { error: "temporarily_unavailable" }, headers: { "retry-after": "60" } },
])("waits for a token endpoint that asks for time with $status", async (answer) => {
  const id = await signedIn();
  source.revoke();
  source.answerNext(answer);
  await expect(usedToken(id)).rejects.toMatchObject({ kind: "rate_limited", retryAfter: 60 });
  source.answerNext(answer);
  await opened.core.syncOneConnection({ actor: opened.actor }, { id });
  await opened.settle();
  expect(await lastRun(opened, id)).toMatchObject({ status: "running" });
  expect(await shown(id)).toMatchObject({ state: "active", problem: expect.any(String) });
  expect(refreshes()).toBe(2);
});

test.each([1e20, "3600", null, "soon", -5, 0])(
  "uses a token with a lifetime of %j seconds according to its provider",
  async (life) => {
    const { id, authLink } = await begin();
    source.answerNext({ status: 200, body: { access_token: "odd", refresh_token: null, expires_in: life } });
    source.allow("odd");
    expect(await finish(authLink)).toMatchObject({ problem: null });
    expect(await usedToken(id)).toBe("odd");
  },
);

test("a refused refresh token requires another sign-in", async () => {
  const id = await signedIn();
  source.revoke();
  source.answerNext({ status: 400, body: { error: "invalid_grant" } });
  expect(await sync(id)).toMatchObject({ status: "failed" });
  expect(await shown(id)).toMatchObject({ state: "reconnect", problem: expect.stringContaining("refused") });
});

test("a failed sign-in keeps the previous one and the settings", async () => {
  const id = await signedIn();
  const { authLink } = await reconnect(id, { metadata: { folder: "notes" } });
  expect((await shown(id)).settings).toEqual({});
  source.refuseAll(true);
  expect(await finish(authLink)).toMatchObject({ problem: expect.stringContaining("401") });
  source.refuseAll(false);
  expect(await usedToken(id)).toBe("access-1");
  expect(await shown(id)).toMatchObject({ state: "active", settings: {} });
  const again = await reconnect(id, { metadata: { folder: "notes" } });
  expect(await finish(again.authLink)).toMatchObject({ problem: null });
  expect(await shown(id)).toMatchObject({ state: "active", settings: { folder: "notes" } });
});

test("a paused connection can be signed in to again, and stays paused", async () => {
  const id = await signedIn();
  await opened.core.configureConnection({ actor: opened.actor }, { id, isPaused: true });
  const { authLink } = await reconnect(id);
  expect(await finish(authLink)).toMatchObject({ problem: null });
  await opened.settle();
  expect(await shown(id)).toMatchObject({ state: "paused" });
  expect((await opened.core.listSyncRuns({ actor: opened.actor }, { id })).runs).toHaveLength(1);
});

test("keeps the previous sign-in while a connection is signed in to on another device", async () => {
  const id = await signedIn();
  const { device, authLink } = await reconnect(id, { isDevice: true, metadata: { folder: "notes" } });
  expect([device?.userCode, authLink]).toEqual(["WXYZ", undefined]);
  const poll = () => opened.core.pollConnection({ actor: opened.actor }, { id });
  expect(await poll()).toEqual({ isConnected: false, isSlowDown: false });
  source.answerNext({ status: 503, body: {} });
  expect(await poll()).toEqual({ isConnected: false, isSlowDown: true });
  expect([await usedToken(id), (await shown(id)).settings]).toEqual(["access-1", {}]);
  source.device.isApproved = true;
  expect(await poll()).toEqual({ isConnected: true, isSlowDown: false });
  expect(await poll()).toEqual({ isConnected: true, isSlowDown: false });
  expect([await usedToken(id), (await shown(id)).settings]).toEqual(["access-2", { folder: "notes" }]);
});

test("keeps an approved code when the source fails at the moment of the exchange", async () => {
  const id = await signedIn();
  await reconnect(id, { isDevice: true });
  const poll = () => opened.core.pollConnection({ actor: opened.actor }, { id });
  source.device.isApproved = true;
  source.refuseAll(true, 503);
  expect(await poll()).toEqual({ isConnected: false, isSlowDown: true });
  expect(await poll()).toEqual({ isConnected: false, isSlowDown: true });
  source.refuseAll(false);
  expect(await poll()).toEqual({ isConnected: true, isSlowDown: false });
  expect(await usedToken(id)).toBe("access-2");
  await reconnect(id, { isDevice: true });
  source.refuseAll(true);
  await expect(poll()).rejects.toMatchObject({ kind: "invalid" });
  source.refuseAll(false);
  expect(await usedToken(id)).toBe("access-2");
});

test("reports a lost credential key, and a new sign-in repairs the connection", async () => {
  const id = await signedIn();
  await rm(join(opened.dataDirectory, "secret.key"));
  expect(await sync(id)).toMatchObject({ status: "failed", error: expect.stringContaining("key") });
  const { state, problem } = await shown(id);
  expect([state, problem]).toEqual(["active", expect.stringMatching(/key .* is missing.*sign in again/)]);
  expect(JSON.stringify([problem, await lastRun(opened, id)])).not.toContain(opened.dataDirectory);
  const { inTrouble } = (await opened.core.status({ actor: opened.actor })).connections;
  expect(inTrouble).toMatchObject([{ id }]);
  const { authLink } = await reconnect(id);
  expect(await finish(authLink)).toMatchObject({ problem: null });
  await opened.settle();
  expect(await shown(id)).toMatchObject({ state: "active", problem: null });
  expect(await usedToken(id)).toBe("access-2");
});

test("the next run works again once the credential key is restored", async () => {
  const id = await signedIn();
  const file = join(opened.dataDirectory, "secret.key");
  const key = await readFile(file);
  await rm(file);
  expect(await sync(id)).toMatchObject({ status: "failed" });
  await writeFile(file, key);
  expect(await sync(id)).toMatchObject({ status: "done" });
  expect(await shown(id)).toMatchObject({ state: "active", problem: null });
});

test("a sign-in that is only started without the key does not invalidate credentials of the restored key", async () => {
  const id = await signedIn();
  const file = join(opened.dataDirectory, "secret.key");
  const key = await readFile(file, "utf8");
  await rm(file);
  await reconnect(id);
  const made = await readFile(file, "utf8");
  await writeFile(file, `${made.trimEnd()}\n${key}`);
  expect(await sync(id)).toMatchObject({ status: "done" });
  expect(await usedToken(id)).toBe("access-1");
});
