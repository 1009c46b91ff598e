import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, test } from "vitest";
import * as z from "zod";
import { CheckpointExpired } from "../../src/core/connections/connector-errors.js";
import type { Connector } from "../../src/core/ports.js";
import { ManualClock } from "../support/clock.js";
import { type Connected, lastRun, ONLINE, TAG, textsOf } from "../support/connection.js";
import { fill, useExampleSources } from "../support/example-connection.js";
import { openCore } from "../support/open-core.js";
import { startSignedInSource } from "../support/signed-in-source.js";

/* What owners and sources do while a run of a connection goes on, or between two of them. */

const { startSource, connectTo } = useExampleSources();

/** A promise that is resolved from outside. */
function gate() {
  let open = () => {};
  const opened = new Promise<void>((resolve) => (open = resolve));
  return { open: () => open(), opened };
}

async function until(isSo: () => Promise<boolean> | boolean): Promise<void> {
  for (let count = 0; count < 400; count += 1) {
    if (await isSo()) return;
    await new Promise((resolve) => setTimeout(resolve, 25));
  }
  throw new Error("It did not come to that.");
}

test("an agreement to removals given during a run takes effect", async () => {
  const source = await startSource();
  const ids = await fill(source, 8);
  const { connector } = source;
  let held: ReturnType<typeof gate> | null = null;
  let isAsked = false;
  const slow: Connector = {
    ...connector,
    async *changes(access, checkpoint) {
      isAsked = true;
      await held?.opened;
      yield* connector.changes(access, checkpoint);
    },
  };
  const connected = await connectTo(source, { connectors: [slow] });
  const { core, actor, id } = connected;
  for (const one of ids) await source.remove(one);
  expect(await connected.sync()).toMatchObject({ status: "partial" });
  expect(await core.findConnection({ actor }, { id })).toMatchObject({ state: "held", documentCount: 8 });
  // A scheduled run, as every four hours; the owner agrees while it is running.
  held = gate();
  isAsked = false;
  await core.syncOneConnection({ actor }, { id });
  await until(() => isAsked);
  await core.syncOneConnection({ actor }, { id, confirmRemovals: true });
  held.open();
  await connected.settle();
  expect(await core.findConnection({ actor }, { id })).toMatchObject({ state: "active", documentCount: 0 });
});

test("resources chosen while a run ends are imported immediately", async () => {
  const source = await startSource();
  await fill(source, 1);
  const { connector } = source;
  const seen: string[][] = [];
  const connected: { now?: Connected } = {};
  let configured: unknown = null;
  const choosing: Connector = {
    ...connector,
    listResources: () => Promise.resolve({ resources: [] }),
    resourceSchema: z.looseObject({ id: z.string(), name: z.string() }),
    async *changes(access, checkpoint) {
      seen.push(access.resources.map(({ id }) => String(id)));
      try {
        yield* connector.changes(access, checkpoint);
      } finally {
        // The checkpoint of the last page is stored; the run continues with removals, and waits for this call.
        const { core, actor, id } = connected.now ?? {};
        const resources = [{ id: "new", name: "new" }];
        configured ??= await core?.configureConnection({ actor: actor! }, { id, resources });
      }
    },
  };
  connected.now = await connectTo(source, { connectors: [choosing] });
  await connected.now.sync();
  expect(configured).toMatchObject({ isSynced: true });
  expect(seen.at(-1)).toEqual(["new"]);
});

test("a listing that restarts within a run is a new listing", async () => {
  const source = await startSource();
  const ids = await fill(source, 12);
  const { connector } = source;
  let isBroken = false;
  const expiring: Connector = {
    ...connector,
    async *changes(access, checkpoint) {
      let pages = 0;
      for await (const page of connector.changes(access, checkpoint)) {
        yield page;
        pages += 1;
        if (isBroken && pages === 1 && page.kind === "listing") {
          // An item of the first page is removed, and the source loses the position of the listing.
          isBroken = false;
          await source.remove(ids[0] ?? "");
          throw new CheckpointExpired();
        }
      }
    },
  };
  const connected = await connectTo(source, { connectors: [expiring] });
  expect(Object.keys(await connected.texts())).toHaveLength(12);
  source.fail({ kind: "expired" }, 1);
  await source.put("Note 12", "Somebody plants a quince.");
  isBroken = true;
  // A connection whose settings changed is listed from the beginning.
  await connected.core.reconnectConnection({ actor: connected.actor }, { id: connected.id, metadata: { folder: "x" } });
  await connected.settle();
  expect(await lastRun(connected, connected.id)).toMatchObject({ status: "done" });
  await connected.sync();
  await connected.sync();
  expect(Object.keys(await connected.texts())).not.toContain("Note 0");
});

test("an item that is edited and moved to another container in one step ends up there", async () => {
  const source = await startSource();
  const [first = "", second = ""] = await fill(source, 2);
  const { connector } = source;
  let container = TAG;
  const moving: Connector = {
    ...connector,
    async *changes(access, checkpoint) {
      for await (const page of connector.changes(access, checkpoint))
        yield {
          ...page,
          items: page.items.map((one) =>
            one.kind === "upsert" ? { ...one, item: { ...one.item, containerTag: container } } : one,
          ),
        };
    },
  };
  const connected = await connectTo(source, { connectors: [moving] });
  container = "user-2";
  await source.rename(first, "Only moved");
  await source.edit(second, "Person number 1 has sold the orchard.");
  await connected.sync();
  const { core, actor } = connected;
  const { documents } = await core.listDocuments({ actor }, { containerTags: ["user-2"], limit: 9 });
  expect(new Set(documents.map(({ title }) => title))).toEqual(new Set(["Note 1", "Only moved"]));
  expect(Object.keys(await textsOf(connected))).toEqual([]);
});

test("another account is listed from the beginning", async () => {
  const source = await startSource();
  await fill(source, 3);
  const { connector } = source;
  const asked: unknown[] = [];
  let account = "first@example.com";
  const own: Connector = {
    ...connector,
    check: () => Promise.resolve({ account }),
    changes(access, checkpoint) {
      asked.push(checkpoint);
      return connector.changes(access, checkpoint);
    },
  };
  const connected = await connectTo(source, { connectors: [own] });
  const { core, actor, id } = connected;
  account = "second@example.com";
  await core.reconnectConnection({ actor }, { id, metadata: { apiKey: "good" } });
  await connected.settle();
  expect(await core.findConnection({ actor }, { id })).toMatchObject({ account: "second@example.com" });
  expect(asked.at(-1)).toBeNull();
});

test("a pause before the removals of a run keeps the documents", async () => {
  const source = await startSource();
  const ids = await fill(source, 12);
  const { connector } = source;
  const connected: { now?: Connected } = {};
  let isPausing = false;
  const pausing: Connector = {
    ...connector,
    async *changes(access, checkpoint) {
      try {
        yield* connector.changes(access, checkpoint);
      } finally {
        // The last page is imported, and missing items are not yet removed.
        const { core, actor, id } = connected.now ?? {};
        if (isPausing) await core?.configureConnection({ actor: actor! }, { id, isPaused: true });
      }
    },
  };
  connected.now = await connectTo(source, { connectors: [pausing] });
  for (const one of ids.slice(0, 5)) await source.remove(one);
  isPausing = true;
  await connected.now.sync();
  const { core, actor, id } = connected.now;
  expect(await core.findConnection({ actor }, { id })).toMatchObject({ state: "paused", documentCount: 12 });
});

test("an item that reappears at the source is not removed because it cannot be moved", async () => {
  const source = await startSource();
  const ids = await fill(source, 8);
  const { connector } = source;
  let container = TAG;
  let isHidden = false;
  const odd: Connector = {
    ...connector,
    async *changes(access) {
      for await (const page of connector.changes(access, null))
        yield {
          ...page,
          checkpoint: page.isLast ? null : page.checkpoint,
          items: isHidden
            ? []
            : page.items.map((one) =>
                one.kind === "upsert" && one.item.id === ids[0]
                  ? { ...one, item: { ...one.item, containerTag: container } }
                  : one,
              ),
        };
    },
  };
  const connected = await connectTo(source, { connectors: [odd] });
  const { core, actor, id } = connected;
  isHidden = true;
  await connected.sync();
  expect(await core.findConnection({ actor }, { id })).toMatchObject({ state: "held", documentCount: 8 });
  isHidden = false;
  container = "a container whose name nobody may have \u0000";
  const run = await connected.sync();
  expect(run).toMatchObject({ failed: 1, removed: 0 });
  expect(await core.findConnection({ actor }, { id })).toMatchObject({ documentCount: 8 });
});

test("a sign-in that was started earlier keeps settings saved in the meantime", async () => {
  const source = await startSignedInSource();
  const opened = await openCore({ settings: ONLINE, connectors: [source.connector] });
  const { core, actor } = opened;
  try {
    await core.updateSettings({ actor }, { githubClientId: "client" });
    const origin = "http://127.0.0.1:1";
    const finish = (link = "") =>
      core.finishConnection(
        { actor },
        { provider: "github", code: "good", state: new URL(link).searchParams.get("state") ?? "" },
      );
    const { id, authLink } = await core.createConnection({ actor }, { provider: "github", origin });
    await finish(authLink);
    // Started in one tab, without other settings.
    const link = (await core.reconnectConnection({ actor }, { id, origin })).authLink;
    // In the meantime other settings, on another device.
    await core.reconnectConnection({ actor }, { id, isDevice: true, metadata: { folder: "notes" } });
    source.device.isApproved = true;
    expect(await core.pollConnection({ actor }, { id })).toMatchObject({ isConnected: true });
    expect((await core.findConnection({ actor }, { id })).settings).toEqual({ folder: "notes" });
    expect(await finish(link)).toMatchObject({ problem: null });
    expect((await core.findConnection({ actor }, { id })).settings).toEqual({ folder: "notes" });
  } finally {
    await opened.close();
    await source.close();
  }
});

test("another account that signs in during a run is listed from the beginning", async () => {
  const source = await startSource();
  await fill(source, 3);
  const { connector } = source;
  let account = "first@example.com";
  let held: ReturnType<typeof gate> | null = null;
  let isAsked = false;
  const asked: unknown[] = [];
  const own: Connector = {
    ...connector,
    check: () => Promise.resolve({ account }),
    async *changes(access, checkpoint) {
      asked.push(checkpoint);
      for await (const page of connector.changes(access, checkpoint)) {
        isAsked = true;
        await held?.opened;
        yield page;
      }
    },
  };
  const connected = await connectTo(source, { connectors: [own] });
  const { core, actor, id } = connected;
  await source.put("Late", "A late word of the first account.");
  held = gate();
  isAsked = false;
  await core.syncOneConnection({ actor }, { id });
  await until(() => isAsked);
  account = "second@example.com";
  await core.reconnectConnection({ actor }, { id, metadata: { apiKey: "good" } });
  held.open();
  await connected.settle();
  await connected.sync();
  // The first run, the overtaken one, and the first of the second account.
  expect([asked[0], asked[1], asked[2]]).toEqual([null, expect.anything(), null]);
});

test("pausing a connection ends a waiting run and clears the problem it waited for", async () => {
  const source = await startSource();
  await fill(source, 2);
  const clock = new ManualClock("2026-01-01T00:00:00Z");
  const connected = await connectTo(source, { clock });
  const { core, actor, id } = connected;
  source.fail({ kind: "status", status: 429, retryAfter: 3_600 }, 1);
  expect(await connected.sync()).toMatchObject({ status: "running" });
  await core.configureConnection({ actor }, { id, isPaused: true });
  await connected.settle();
  expect(await core.findConnection({ actor }, { id })).toMatchObject({
    state: "paused",
    problem: null,
    lastRun: { status: "partial", notes: [expect.stringContaining("paused")] },
  });
});

test("a folder that may no longer be read is reported as a problem", async () => {
  const place = await mkdtemp(join(tmpdir(), "recollect-notes-"));
  const dataDirectory = await mkdtemp(join(tmpdir(), "recollect-races-"));
  await writeFile(join(place, "one.md"), "Ann plants a pear tree.");
  const open = (folders: string, now: string) =>
    openCore({
      dataDirectory,
      settings: { ...ONLINE, RECOLLECT_CONNECTION_FOLDERS: folders },
      clock: new ManualClock(now),
    });
  const first = await open(place, "2026-01-01T00:00:00Z");
  const made = { provider: "folder", containerTag: TAG, metadata: { path: place } };
  const { id } = await first.core.createConnection({ actor: first.actor }, made);
  await first.settle();
  await first.close();
  const second = await open("", "2026-01-01T03:00:00Z");
  try {
    const problem = expect.stringContaining("RECOLLECT_CONNECTION_FOLDERS");
    await expect
      .poll(async () => (await second.settle(), await second.core.findConnection({ actor: second.actor }, { id })), {
        timeout: 15_000,
      })
      .toMatchObject({ state: "active", documentCount: 1, problem, lastRun: { status: "failed" } });
  } finally {
    await second.close();
    await Promise.all([place, dataDirectory].map((folder) => rm(folder, { recursive: true })));
  }
});
