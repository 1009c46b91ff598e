import { statSync } from "node:fs";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { createSqliteStore } from "../../src/adapters/store/store.js";
import { STORE_FILE } from "../../src/lib/store-file.js";
import type { Store } from "../../src/core/ports.js";
import { buildDocumentDraft } from "../support/builders.js";
import { ManualClock } from "../support/clock.js";
import { startStoreChild } from "../support/store-folder.js";

const MEGABYTE = 1024 * 1024;

let folder: string;
let store: Store;

beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), "recollect-log-"));
  store = await open();
});
afterEach(async () => {
  await store.close();
  await rm(folder, { recursive: true, force: true });
});

const open = () => createSqliteStore({ dataDirectory: folder, maxMegabytes: 0, clock: new ManualClock() });
const logSize = () => statSync(join(folder, `${STORE_FILE}-wal`)).size;
const add = (written: number) =>
  store.documents.insert(
    store.organizationId,
    buildDocumentDraft({ id: `d${written}`, content: `${written} `.padEnd(MEGABYTE, "long text ") }),
  );

async function writeMegabytes(count: number, from = 0): Promise<void> {
  for (let written = from; written < from + count; written++) {
    await add(written);
    await sleep(20);
  }
}

describe("the log of the store", () => {
  test("is checkpointed during writing, and shrinks back to its former size", { timeout: 60_000 }, async () => {
    let largest = 0;
    for (let round = 0; round < 6; round++) {
      await writeMegabytes(12, round * 12);
      largest = Math.max(largest, logSize());
    }
    expect(largest).toBeLessThan(60 * MEGABYTE);
    expect(statSync(join(folder, STORE_FILE)).size).toBeGreaterThan(16 * MEGABYTE);
    expect((await store.health({ deep: true })).problems).toEqual([]);
    await store.close();
    store = await open();
    expect((await store.health({ deep: true })).documents).toBe(72);
  });

  test(
    "is not checkpointed while another program reads the store, and writes do not wait",
    { timeout: 60_000 },
    async () => {
      await add(0);
      const reader = startStoreChild("hold", join(folder, STORE_FILE), "deferred");
      try {
        expect(await reader.nextLine()).toBe("held");
        await writeMegabytes(30, 1);
        expect(logSize()).toBeGreaterThan(16 * MEGABYTE);
      } finally {
        await reader.kill();
      }
      // How soon depends on the disk: the log restarts with a write after all of it was checkpointed.
      for (let written = 31; logSize() >= 30 * MEGABYTE && written < 200; written++) await writeMegabytes(1, written);
      expect(logSize()).toBeLessThan(30 * MEGABYTE);
    },
  );
});
