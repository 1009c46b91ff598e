import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import type { Kysely } from "kysely";
import { afterEach, beforeEach, describe, expect, test, vi } from "vitest";
import { openSqliteStore } from "../../src/adapters/store/open.js";
import type { Database } from "../../src/adapters/store/schema.js";
import { sqliteDatabases } from "../../src/adapters/store/sqlite.js";
import { atomically } from "../../src/adapters/store/transact.js";
import { gate } from "../support/job-workshop.js";

let folder: string;
let full: Kysely<Database>;
let background: Kysely<Database>;
let disk: ReturnType<typeof createDisk>;

beforeEach(async () => {
  disk = createDisk();
  folder = await mkdtemp(join(tmpdir(), "recollect-durability-"));
  const file = join(folder, "recollect.db");
  const connections = await openSqliteStore({ file, maxMegabytes: 0 });
  const care = { permit: () => undefined, committed: () => undefined, sync: () => disk.sync() };
  ({ full, normal: background } = sqliteDatabases(connections, { file, care }));
});
afterEach(async () => {
  await background.destroy();
  await full.destroy();
  await rm(folder, { recursive: true, force: true });
});

/** Simulates the time that the disk takes. */
function createDisk() {
  let busy: ReturnType<typeof gate> | undefined;
  let failure: Error | undefined;
  let waiting = 0;
  return {
    hold: () => (busy = gate()),
    release: () => busy?.open(),
    fail: (error: Error) => (failure = error),
    waiting: () => waiting,
    async sync() {
      waiting += 1;
      await busy?.opened;
      if (failure) throw failure;
    },
  };
}

const note = (db: Kysely<Database>, key: string) => db.insertInto("meta").values({ key, value: "1" }).execute();
const keysOf = async (db: Kysely<Database>) =>
  (await db.selectFrom("meta").select("key").where("key", "like", "test%").orderBy("key").execute()).map(
    ({ key }) => key,
  );

describe("one record for writes that wait for the disk and writes that do not", () => {
  test.each([
    ["a statement", (db: Kysely<Database>) => note(db, "test 1")],
    ["a transaction", (db: Kysely<Database>) => atomically(db, (transaction) => note(transaction, "test 1"))],
  ])("%s is acknowledged once it is on disk, and visible before", async (_, write) => {
    disk.hold();
    let isAcknowledged = false;
    const written = write(full).then(() => (isAcknowledged = true));
    await vi.waitFor(async () => expect(await keysOf(full)).toEqual(["test 1"]));
    await sleep(20);
    expect([isAcknowledged, disk.waiting()]).toEqual([false, 1]);
    disk.release();
    await written;
  });

  test("others can write while one write waits for the disk", async () => {
    disk.hold();
    const first = note(full, "test 1");
    await note(background, "test 2");
    const third = note(full, "test 3");
    await vi.waitFor(async () => expect(await keysOf(full)).toEqual(["test 1", "test 2", "test 3"]));
    disk.release();
    await Promise.all([first, third]);
  });

  test("background writes do not wait for the disk", async () => {
    disk.hold();
    await note(background, "test 1");
    await atomically(background, (transaction) => note(transaction, "test 2"));
    expect([await keysOf(full), disk.waiting()]).toEqual([["test 1", "test 2"], 0]);
  });

  test("the writer is told when the disk does not confirm", async () => {
    disk.fail(new Error("the disk is gone"));
    await expect(note(full, "test 1")).rejects.toThrow("the disk is gone");
    const transaction = atomically(full, (transaction) => note(transaction, "test 2"));
    await expect(transaction).rejects.toThrow("the disk is gone");
    await note(background, "test 3");
  });

  test("both see each other's writes, and nothing that was rolled back", async () => {
    await note(background, "test 1");
    await note(full, "test 2");
    const failing = atomically(background, async (transaction) => {
      await note(transaction, "test 3");
      throw new Error("taken back");
    });
    await expect(failing).rejects.toThrow("taken back");
    expect([await keysOf(full), await keysOf(background)]).toEqual([
      ["test 1", "test 2"],
      ["test 1", "test 2"],
    ]);
  });

  test("reads neither see half a transaction nor wait for its end", async () => {
    const [begun, end] = [gate(), gate()];
    const transaction = atomically(full, async (transaction) => {
      await note(transaction, "test 1");
      begun.open();
      await end.opened;
    });
    await begun.opened;
    expect([await keysOf(full), await keysOf(background)]).toEqual([[], []]);
    end.open();
    await transaction;
    expect([await keysOf(full), await keysOf(background)]).toEqual([["test 1"], ["test 1"]]);
  });

  test("each of many background transactions is applied whole or not at all", async () => {
    const writes = Array.from({ length: 12 }, (_, number) =>
      atomically(background, async (transaction) => {
        await note(transaction, `test ${number} first`);
        if (number % 3 === 0) throw new Error(`taken back ${number}`);
        if (number % 4 === 1) await sleep(5);
        await note(transaction, `test ${number} second`);
      }),
    );
    const outcomes = await Promise.allSettled(writes);
    expect(outcomes.map(({ status }) => status)).toEqual(
      outcomes.map((_, number) => (number % 3 === 0 ? "rejected" : "fulfilled")),
    );
    const kept = Array.from({ length: 12 }, (_, number) => number).filter((number) => number % 3 !== 0);
    expect(await keysOf(full)).toEqual(
      kept.flatMap((number) => [`test ${number} first`, `test ${number} second`]).toSorted(),
    );
  });

  test("callers go before the background, which is never kept waiting for long", async () => {
    const order: string[] = [];
    const writes = Array.from({ length: 30 }, (_, number) => [
      atomically(background, async (transaction) => {
        await note(transaction, `test background ${number}`);
        order.push("background");
      }),
      atomically(full, async (transaction) => {
        await note(transaction, `test caller ${number}`);
        order.push("caller");
      }),
    ]).flat();
    await Promise.all(writes);
    expect(order.slice(0, 30).filter((who) => who === "caller").length).toBeGreaterThan(20);
    expect(await keysOf(full)).toHaveLength(60);
  });

  test("both are refused once closed, every time, and no call waits forever", async () => {
    await note(full, "test 1");
    await full.destroy();
    for (const _ of [1, 2]) await expect(note(background, "test 2")).rejects.toThrow(/./);
  });
});
