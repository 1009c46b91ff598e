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

test("rejected credentials leave the previous ones and the settings unchanged", async () => {
  await expect(reconnect({ apiKey: "bad", folder: "others" })).rejects.toThrow(/401/);
  expect(await shown()).toMatchObject({ state: "active", settings: { folder: "notes" } });
  expect(await connected.sync()).toMatchObject({ status: "done" });
  await reconnect({ folder: "others" });
  expect(await shown()).toMatchObject({ state: "active", settings: { folder: "others" } });
});

test("an outage of the source leaves the previous credentials unchanged", async () => {
  source.fail({ kind: "status", status: 500 }, 1);
  await expect(reconnect({ apiKey: "bad" })).rejects.toMatchObject({ kind: "unavailable" });
  expect(await connected.sync()).toMatchObject({ status: "done" });
});

test("a paused connection stays paused, and uses the new credentials once resumed", async () => {
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

test("a stored secret is not sent to a different address", async () => {
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

test("connectors declare the settings that name a host", () => {
  for (const { placeFields = [], fields } of [createImapConnector(), createS3Connector(), source.connector]) {
    expect(placeFields).not.toEqual([]);
    expect(Object.keys(fields.shape)).toEqual(expect.arrayContaining([...placeFields]));
  }
});

test("the redirect URL must be a web address", async () => {
  const issues = [{ path: ["redirectUrl"], message: expect.stringContaining("http") as string }];
  for (const redirectUrl of ["javascript:alert(1)", "/done", "file:///etc/passwd"])
    await expect(reconnect({ apiKey: "good" }, { redirectUrl })).rejects.toMatchObject({ kind: "invalid", issues });
});

test("with a truncated credential key nothing is lost once the key is restored", async () => {
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

test("the service starts with a truncated credential key", async () => {
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

test("after the credential key is lost, new credentials repair the connection", async () => {
  await rm(join(connected.dataDirectory, "secret.key"));
  expect(await connected.sync()).toMatchObject({ status: "failed" });
  expect(await shown()).toMatchObject({ state: "active", problem: expect.stringContaining("is missing") });
  await expect(reconnect({ folder: "others" })).rejects.toMatchObject({ issues: [{ path: ["metadata", "apiKey"] }] });
  await reconnect({ apiKey: "good" });
  await connected.settle();
  expect(await shown()).toMatchObject({ state: "active", problem: null });
  expect(await lastRun(connected, connected.id)).toMatchObject({ status: "done" });
});
