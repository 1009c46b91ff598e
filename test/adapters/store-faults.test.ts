import { statSync } from "node:fs";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { afterAll, afterEach, beforeEach, describe, expect, test } from "vitest";
import { createSqliteStore } from "../../src/adapters/store/store.js";
import { STORE_FILE } from "../../src/lib/store-file.js";
import { AppError } from "../../src/core/errors.js";
import type { Store } from "../../src/core/ports.js";
import { createId } from "../../src/lib/ids.js";
import { buildDocumentDraft, buildDocumentQuery, buildJobDraft, buildJournalEntry } from "../support/builders.js";
import { ManualClock } from "../support/clock.js";
import { mountSmallDisk } from "../support/small-disk.js";
import { letGoOfFiles, openDatabase, type StoreChild, startStoreChild } from "../support/store-folder.js";

const PATIENCE_MS = 400;

let folder: string;
let file: string;
let opened: Store[];
let children: StoreChild[];

beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), "recollect-faults-"));
  file = join(folder, STORE_FILE);
  opened = [];
  children = [];
});
afterEach(async () => {
  await Promise.all(children.map((child) => child.kill()));
  for (const store of opened) await store.close();
  await rm(folder, { recursive: true, force: true });
});

async function open(maxMegabytes = 0, dataDirectory = folder): Promise<Store> {
  const options = { dataDirectory, maxMegabytes, clock: new ManualClock(), patienceMs: PATIENCE_MS };
  const store = await createSqliteStore(options);
  opened.push(store);
  return store;
}

async function close(store: Store): Promise<void> {
  opened = opened.filter((other) => other !== store);
  await store.close();
  await letGoOfFiles(dirname(file));
}

/** A document with its journal entry and job, in one transaction, as the core adds it. */
async function add(store: Store, content = "text"): Promise<string> {
  const draft = buildDocumentDraft({ content });
  await store.transaction(async (repositories) => {
    await repositories.documents.insert(store.organizationId, draft);
    await repositories.journal.append(store.organizationId, [buildJournalEntry({ subjectId: draft.id })]);
    await repositories.jobs.enqueue([buildJobDraft({ payload: { documentId: draft.id } })]);
  });
  return draft.id;
}

const ids = async (store: Store): Promise<string[]> => {
  const page = await store.documents.list(store.organizationId, buildDocumentQuery({ limit: 100_000, order: "asc" }));
  return page.documents.map((document) => document.id);
};

/** Nothing is half-written: as many journal entries and jobs as documents, and an intact file. */
async function expectWhole(store: Store, documents: number): Promise<void> {
  expect((await store.health({ deep: true })).problems).toEqual([]);
  const connection = await openDatabase(file, { readOnly: true });
  const counts = ["documents", "journal", "jobs"].map(
    (table) => (connection.prepare(`select count(*) as n from ${table}`).all()[0] as { n: number }).n,
  );
  connection.close();
  expect(counts).toEqual([documents, documents, documents]);
}

describe("locked by another program", () => {
  async function hold(mode: "exclusive" | "immediate"): Promise<StoreChild> {
    const child = startStoreChild("hold", file, mode);
    children.push(child);
    expect(await child.nextLine()).toBe("held");
    return child;
  }

  /** The number of 5 ms turns of the event loop meanwhile. */
  async function ticksDuring(work: Promise<unknown>): Promise<number> {
    let ticks = 0;
    const timer = setInterval(() => (ticks += 1), 5);
    await work.catch(() => undefined);
    clearInterval(timer);
    return ticks;
  }

  test.each(["exclusive", "immediate"] as const)(
    "a write waits without blocking anything else, says so, and works once the lock is released: %s",
    async (mode) => {
      const store = await open();
      await add(store);
      const child = await hold(mode);
      const refused = add(store);
      const ticks = await ticksDuring(refused);
      await expect(refused).rejects.toMatchObject({
        kind: "unavailable",
        retryAfter: 2,
        message: expect.stringMatching(/locked by another program.*Close that program, or wait/) as string,
      });
      await expect(refused).rejects.toThrow(file);
      expect(ticks).toBeGreaterThan(5);
      await child.finish();
      await add(store);
      await expectWhole(store, 2);
    },
  );

  test("a lock released in time goes unnoticed", async () => {
    const store = await open();
    const child = await hold("immediate");
    const added = add(store);
    await sleep(30);
    await child.finish();
    await added;
    await expectWhole(store, 1);
  });

  test("reads continue", async () => {
    const store = await open();
    const id = await add(store);
    await hold("immediate");
    expect(await ids(store)).toEqual([id]);
  });

  test("callers queued behind the first share its wait", async () => {
    const store = await open();
    await hold("immediate");
    const errors: unknown[] = await Promise.all(
      Array.from({ length: 40 }, () => add(store).catch((error: unknown) => error)),
    );
    // Otherwise they would wait one after another: 16 s, more than the time limit of a test.
    expect(errors).toHaveLength(40);
    for (const error of errors) expect(error).toMatchObject({ kind: "unavailable" });
  });

  test("the next lock is waited for as well", async () => {
    const store = await open();
    const first = await hold("immediate");
    await expect(add(store)).rejects.toMatchObject({ kind: "unavailable" });
    await first.finish();
    await add(store);
    const second = await hold("immediate");
    const added = add(store);
    await sleep(30);
    await second.finish();
    await added;
    await expectWhole(store, 2);
  });

  test("opening waits, says so, leaves nothing open, and works once the lock is released", async () => {
    const store = await open();
    await close(store);
    const child = await hold("exclusive");
    const refused = open();
    expect(await ticksDuring(refused)).toBeGreaterThan(5);
    await expect(refused).rejects.toMatchObject({ kind: "unavailable", retryAfter: 2 });
    await child.finish();
    await add(await open());
  });

  test("closing does not wait forever, and loses nothing", async () => {
    const store = await open();
    const id = await add(store);
    const child = await hold("immediate");
    await close(store);
    await child.finish();
    expect(await ids(await open())).toEqual([id]);
  });
});

/** Adds documents until one is refused. @returns the accepted ones */
async function fill(store: Store, bytes: number): Promise<string[]> {
  const accepted: string[] = [];
  for (;;) {
    try {
      accepted.push(await add(store, createId().repeat(bytes / 22)));
    } catch (error) {
      expect(error).toBeInstanceOf(AppError);
      expect(error).toMatchObject({ kind: "storage_full" });
      expect(String(error)).toContain(file);
      expect(String(error)).toMatch(/disk is full or its quota is reached.*Free some space/);
      return accepted;
    }
  }
}

describe("full", () => {
  test("by quota: additions are refused whole, the rest works, and a larger quota makes room", async () => {
    const store = await open(1);
    const { bytes: size } = await store.health({ deep: false });
    expect(size).toBe(statSync(file).size + statSync(`${file}-wal`).size);
    const accepted = await fill(store, 20_000);
    expect((await store.health({ deep: false })).fullAt).toEqual(expect.any(String));
    expect(accepted.length).toBeGreaterThan(10);
    await expectWhole(store, accepted.length);
    expect(await ids(store)).toHaveLength(accepted.length);
    await expect(add(store, "x".repeat(50_000))).rejects.toMatchObject({ kind: "storage_full" });

    await store.documents.remove(store.organizationId, accepted[0] ?? "");
    await add(store, "small again");
    expect(await ids(store)).toHaveLength(accepted.length);

    await close(store);
    const larger = await open(3);
    const found = new Set(await ids(larger));
    expect(accepted.slice(1).filter((id) => !found.has(id))).toEqual([]);
    await add(larger, "x".repeat(500_000));
  });

  test("by a quota smaller than the store: its contents stay, and deleting makes room", async () => {
    const store = await open();
    const added: string[] = [];
    for (let number = 0; number < 40; number++) added.push(await add(store, "x".repeat(50_000)));
    await close(store);
    const small = await open(1);
    expect(await ids(small)).toHaveLength(40);
    const { id, content } = { id: added[0] ?? "", content: "x".repeat(50_000) };
    await expect(add(small, "x".repeat(500_000))).rejects.toMatchObject({ kind: "storage_full" });
    await small.documents.remove(small.organizationId, id);
    await add(small, content.slice(0, 20_000));
  });

  const mounted = mountSmallDisk("4m");
  // A separate disk, since one cannot shrink below files that the previous test may not have released yet.
  const tiny = mountSmallDisk("64k");
  test.skipIf(mounted === null)("the disk itself", async () => {
    const disk = mounted?.path ?? "";
    file = join(disk, STORE_FILE);
    const store = await open(0, disk);
    const accepted = await fill(store, 20_000);
    expect(accepted.length).toBeGreaterThan(10);
    expect(await ids(store)).toHaveLength(accepted.length);
    await expectWhole(store, accepted.length);
    await close(store);

    const full = await open(0, disk);
    expect(await ids(full)).toHaveLength(accepted.length);
    await expect(add(full, "x".repeat(2_000_000))).rejects.toMatchObject({ kind: "storage_full" });
    mounted?.resize("16m");
    await add(full, "x".repeat(2_000_000));
    await expectWhole(full, accepted.length + 1);
    await close(full);
  });

  test.skipIf(tiny === null)("the disk at the very first start", async () => {
    const place = tiny?.path ?? "";
    await expect(open(0, place)).rejects.toMatchObject({ name: "AppError", kind: "storage_full" });
    tiny?.resize("16m");
    file = join(place, STORE_FILE);
    const store = await open(0, place);
    await add(store);
    await expectWhole(store, 1);
    await close(store);
  });

  afterEach(() => letGoOfFiles(dirname(file)));
  afterAll(() => {
    mounted?.remove();
    tiny?.remove();
  });
});

test(
  "writes acknowledged by a process survive repeated kills, and nothing is half-written",
  { timeout: 120_000 },
  async () => {
    const acknowledged: string[] = [];
    const documents = [1, 2, 3, 5, 8, 13, 21];
    for (const [round, written] of documents.entries()) {
      const child = startStoreChild("write", folder, `r${round}x`);
      children.push(child);
      for (let line = 0; line < written; line++) await child.nextLine();
      await child.kill();
      acknowledged.push(...child.lines());
    }
    expect(acknowledged.length).toBeGreaterThanOrEqual(documents.reduce((sum, written) => sum + written));
    const store = await open();
    const found = await ids(store);
    const kept = new Set(found);
    expect(acknowledged.filter((id) => !kept.has(id))).toEqual([]);
    await expectWhole(store, found.length);
    for (const id of found) {
      expect((await store.containers.ofDocument(store.organizationId, id)).map((row) => row.tag)[0]).toBe("a");
      expect(await store.chunks.ofDocument(store.organizationId, id, 1)).toHaveLength(1);
    }
    const rows = await store.containers.find(store.organizationId, ["a"]);
    const scope = { containerIds: rows.map((row) => row.id), kinds: ["chunk"] as const, includeForgotten: false };
    const { total } = (await store.units.searchText(scope, ["x"], { limit: 1 })).counted;
    expect(total).toBe(found.length);
  },
);
