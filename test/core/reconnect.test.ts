import { mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, expect, test } from "vitest";
import { createImapConnector } from "../../src/connectors/imap/imap.js";
import { createS3Connector } from "../../src/connectors/s3/s3.js";
import { connect, type Connected, lastRun, ONLINE } from "../support/connection.js";
import { openCore } from "../support/open-core.js";
import { type ExampleSource, startExampleSource } from "../support/scripted-source.js";

/* Other credentials and settings of a connection whose credentials are among its fields. */

let source: ExampleSource;
let connected: Connected;
beforeEach(async () => {
  source = await startExampleSource({ hasFeed: true });
  await source.put("Note", "Somebody plants a pear tree.");
  const metadata = { apiKey: "good", folder: "notes" };
  connected = await connect({ provider: "granola", metadata, connectors: [source.connector] });
});
afterEach(async () => {
  await connected.close();
  await source.close();
});

const reconnect = (metadata: Readonly<Record<string, string>>, wish: Readonly<Record<string, unknown>> = {}) =>
  connected.core.reconnectConnection({ actor: connected.actor }, { id: connected.id, metadata, ...wish });
const shown = () => connected.core.findConnection({ actor: connected.actor }, { id: connected.id });

test("credentials that are refused leave those before, and the settings", async () => {
  await expect(reconnect({ apiKey: "bad", folder: "others" })).rejects.toThrow(/401/);
  expect(await shown()).toMatchObject({ state: "active", settings: { folder: "notes" } });
  expect(await connected.sync()).toMatchObject({ status: "done" });
  await reconnect({ folder: "others" });
  expect(await shown()).toMatchObject({ state: "active", settings: { folder: "others" } });
});

test("a source that is out of order leaves the credentials before", async () => {
  source.fail({ kind: "status", status: 500 }, 1);
  await expect(reconnect({ apiKey: "bad" })).rejects.toMatchObject({ kind: "unavailable" });
  expect(await connected.sync()).toMatchObject({ status: "done" });
});

test("a paused connection stays paused, and goes on with the new credentials once it is resumed", async () => {
  const { core, actor, id } = connected;
  await core.configureConnection({ actor }, { id, isPaused: true });
  await expect(reconnect({ apiKey: "bad" })).rejects.toThrow(/401/);
  await reconnect({ apiKey: "good", folder: "others" });
  await connected.settle();
  expect(await shown()).toMatchObject({ state: "paused", settings: { folder: "others" } });
  expect((await core.listSyncRuns({ actor }, { id })).runs).toHaveLength(1);
  await core.configureConnection({ actor }, { id, isPaused: false });
  await connected.settle();
  expect(await lastRun(connected, id)).toMatchObject({ status: "done" });
});

test("a kept secret is sent to no other place", async () => {
  const other = await startExampleSource({ hasFeed: true });
  await expect(reconnect({ url: other.url })).rejects.toMatchObject({
    kind: "invalid",
    issues: [{ path: ["metadata", "apiKey"], message: expect.stringContaining("given again: url changed") as string }],
  });
  expect(other.requests()).toBe(0);
  expect((await shown()).settings).toEqual({ folder: "notes" });
  await reconnect({ url: other.url, apiKey: "good" });
  expect(other.requests()).toBeGreaterThan(0);
  await reconnect({ url: other.url, folder: "others" });
  expect((await shown()).settings).toEqual({ url: other.url, folder: "others" });
  await connected.settle();
  await other.close();
});

test("connectors whose settings name a host say so", () => {
  for (const { placeFields = [], fields } of [createImapConnector(), createS3Connector(), source.connector]) {
    expect(placeFields).not.toEqual([]);
    expect(Object.keys(fields.shape)).toEqual(expect.arrayContaining([...placeFields]));
  }
});

test("an address to go to afterwards is one of the web", async () => {
  const issues = [{ path: ["redirectUrl"], message: expect.stringContaining("http") as string }];
  for (const redirectUrl of ["javascript:alert(1)", "/done", "file:///etc/passwd"])
    await expect(reconnect({ apiKey: "good" }, { redirectUrl })).rejects.toMatchObject({ kind: "invalid", issues });
});

test("where the key of the credentials is cut off, nothing is lost once it is put back", async () => {
  const file = join(connected.dataDirectory, "secret.key");
  const key = await readFile(file, "utf8");
  await writeFile(file, key.slice(0, 20));
  expect(await connected.sync()).toMatchObject({ status: "failed", error: expect.stringContaining("cut off") });
  await expect(reconnect({ apiKey: "good" })).rejects.toMatchObject({ kind: "corrupt" });
  expect(await shown()).toMatchObject({ state: "active", problem: expect.stringContaining("Restore it") });
  await writeFile(file, key);
  expect(await connected.sync()).toMatchObject({ status: "done" });
  expect(await shown()).toMatchObject({ state: "active", problem: null });
});

test("a service begins with a key that is cut off", async () => {
  const dataDirectory = await mkdtemp(join(tmpdir(), "recollect-key-"));
  const options = { provider: "granola", metadata: { apiKey: "good" }, connectors: [source.connector], dataDirectory };
  const first = await connect(options);
  const { actor } = first;
  await first.core.updateSettings({ actor }, { githubClientSecret: "a secret of GitHub" });
  await first.close();
  await writeFile(join(dataDirectory, "secret.key"), "");
  const again = await openCore({ settings: ONLINE, connectors: [source.connector], dataDirectory });
  expect((await again.core.listConnections({ actor }, {})).connections).toMatchObject([{ state: "active" }]);
  await again.close();
  await rm(dataDirectory, { recursive: true });
});

test("where the key of the credentials is lost, they are given anew", async () => {
  await rm(join(connected.dataDirectory, "secret.key"));
  expect(await connected.sync()).toMatchObject({ status: "failed" });
  expect(await shown()).toMatchObject({ state: "active", problem: expect.stringContaining("is missing") });
  await expect(reconnect({ folder: "others" })).rejects.toMatchObject({ issues: [{ path: ["metadata", "apiKey"] }] });
  await reconnect({ apiKey: "good" });
  await connected.settle();
  expect(await shown()).toMatchObject({ state: "active", problem: null });
  expect(await lastRun(connected, connected.id)).toMatchObject({ status: "done" });
});
