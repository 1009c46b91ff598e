import { afterEach, beforeEach, expect, test, vi } from "vitest";
import { SignInRefused } from "../../src/core/connections/connector-errors.js";
import type { Connector } from "../../src/core/ports.js";
import { connect, type Connected, lastRun } from "../support/connection.js";
import { type MailServer, startMailServer } from "../support/mail-server.js";
import { type ExampleSource, startExampleSource } from "../support/scripted-source.js";

/* What the owner is told by mail of a connection that waits for them, and a sign-in that comes while an older one fails. */

let server: MailServer;
let source: ExampleSource;
let connected: Connected;

async function open(connector: Connector = source.connector): Promise<void> {
  connected = await connect({
    provider: "granola",
    metadata: { apiKey: "good", folder: "notes" },
    connectors: [connector],
    settings: {
      RECOLLECT_SMTP_URL: `smtp://${server.host}:${server.port}`,
      RECOLLECT_OWNER_EMAIL: "owner@example.org",
    },
  });
}

beforeEach(async () => {
  server = await startMailServer({ encryption: "plain" });
  source = await startExampleSource({ hasFeed: true });
  for (let index = 0; index < 6; index += 1) await source.put(`Note ${index}`, `Somebody plants pear tree ${index}.`);
});
afterEach(async () => {
  await connected.close();
  await source.close();
  await server.close();
});

const shown = () => connected.core.findConnection({ actor: connected.actor }, { id: connected.id });
const subjects = () => server.taken.map(({ headers }) => headers.get("subject"));
const reconnect = () =>
  connected.core.reconnectConnection(
    { actor: connected.actor },
    { id: connected.id, metadata: { apiKey: "good", folder: "notes" } },
  );

test("reports a refused sign-in once, with what to do, and again when it is refused anew", async () => {
  await open();
  expect(server.taken).toEqual([]);
  source.fail({ kind: "status", status: 401 }, 2);
  await connected.sync();
  expect(await shown()).toMatchObject({ state: "reconnect" });
  expect(subjects()).toEqual(["Recollect: the connection to granola (someone@example.com) has to be signed in again"]);
  expect(server.taken[0]?.text).toContain(`recollect connections reconnect ${connected.id}`);
  source.heal();
  await reconnect();
  await connected.settle();
  expect(await shown()).toMatchObject({ state: "active" });
  source.fail({ kind: "status", status: 401 }, 2);
  await connected.sync();
  expect(server.taken).toHaveLength(2);
});

test("reports held removals once, however many runs hold them", async () => {
  await open();
  for (const id of source.entries.keys()) await source.remove(id);
  await connected.sync();
  await connected.sync();
  expect(await shown()).toMatchObject({ state: "held" });
  expect(subjects()).toEqual([
    "Recollect: the connection to granola (someone@example.com) is waiting for your agreement",
  ]);
  expect(server.taken[0]?.text).toContain(`recollect connections sync ${connected.id} --confirm-removals`);
});

test("retries a mail that could not be sent", async () => {
  await open();
  server.refuseWith(451);
  source.fail({ kind: "status", status: 401 }, 2);
  await connected.core.syncOneConnection({ actor: connected.actor }, { id: connected.id });
  await vi.waitFor(async () => expect(await shown()).toMatchObject({ state: "reconnect" }));
  server.refuseWith(null);
  await vi.waitFor(() => expect(server.taken).toHaveLength(1), { timeout: 15_000, interval: 50 });
});

test("a run whose sign-in is refused does not undo a new sign-in made in the meantime", async () => {
  let during: (() => Promise<unknown>) | null = null;
  await open({
    ...source.connector,
    async *changes(access, checkpoint) {
      const work = during;
      during = null;
      await work?.();
      if (work) throw new SignInRefused("The old key is over.");
      yield* source.connector.changes(access, checkpoint);
    },
  });
  during = reconnect;
  await connected.sync();
  const ended = async () => expect(await lastRun(connected, connected.id)).toMatchObject({ status: "done" });
  await vi.waitFor(ended, { timeout: 15_000, interval: 50 });
  expect(await shown()).toMatchObject({ state: "active", problem: null });
  expect(server.taken).toEqual([]);
});
