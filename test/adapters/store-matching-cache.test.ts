import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { type ChangeFeed, createChangeFeed } from "../../src/adapters/store/change-feed.js";
import { createMatchingCache, type Finder } from "../../src/adapters/store/matching-cache.js";
import { openSqliteStore } from "../../src/adapters/store/open.js";
import type { SqliteConnections } from "../../src/adapters/store/sqlite.js";
import { STORE_FILE } from "../../src/lib/store-file.js";
import type { Unit } from "../../src/core/types.js";

const MOST_UNITS = 5;

let folder: string;
let connections: SqliteConnections;
let feed: ChangeFeed;

beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), "recollect-matching-"));
  connections = await openSqliteStore({ file: join(folder, STORE_FILE), maxMegabytes: 0 });
  feed = createChangeFeed(connections.writer);
});
afterEach(async () => {
  feed.close();
  connections.writer.close();
  connections.reader.close();
  await rm(folder, { recursive: true, force: true });
});

/** Finds these units, and counts complete lookups. */
function finderOf(units: readonly Unit[]): Finder & { looked: number } {
  return {
    looked: 0,
    async all() {
      this.looked += 1;
      return units;
    },
    some: async (among) => among.filter((unit) => units.includes(unit)),
  };
}

function changeDocument(): void {
  connections.writer.exec("insert into document_containers (document_id, container_id, position) values ('d', 1, 0)");
  connections.writer.exec(`insert into chunks (id, document_id, revision, position, content, context, created_at)
    values ('c', 'd', 1, 0, 'text', '', '2020-01-01T00:00:00.000Z')`);
  feed.publish();
}

describe("cached answers", () => {
  test("are shared by all callers, also during the lookup", async () => {
    const cache = createMatchingCache(feed, MOST_UNITS);
    const find = finderOf([2, 4]);
    const answers = await Promise.all([1, 2, 3].map(() => cache.answer("a", find)));
    expect(answers).toEqual([
      [2, 4],
      [2, 4],
      [2, 4],
    ]);
    changeDocument();
    await Promise.all([1, 2, 3].map(() => cache.answer("a", find)));
    expect(find.looked).toBe(1);
  });

  test("are limited to the newest ones, and answers too large for the cache are still returned", async () => {
    const cache = createMatchingCache(feed, MOST_UNITS);
    const [one, two, large] = [finderOf([2, 4, 6]), finderOf([8, 10, 12]), finderOf([2, 4, 6, 8, 10, 12])];
    await cache.answer("one", one);
    await cache.answer("two", two);
    await cache.answer("two", two);
    await cache.answer("one", one);
    expect([one.looked, two.looked]).toEqual([2, 1]);
    for (const looked of [1, 2]) {
      expect(await cache.answer("large", large)).toHaveLength(6);
      expect(large.looked).toBe(looked);
    }
  });

  test("are not stored when the lookup failed", async () => {
    const cache = createMatchingCache(feed, MOST_UNITS);
    const failing: Finder = { all: () => Promise.reject(new Error("disk")), some: async () => [] };
    const asked = await Promise.allSettled([cache.answer("a", failing), cache.answer("a", failing)]);
    expect(asked.map(({ status }) => status)).toEqual(["rejected", "rejected"]);
    expect(await cache.answer("a", finderOf([2]))).toEqual([2]);
  });
});

describe("when a change cannot be recorded", () => {
  test("no commit fails, no cached answer is used, and later changes are recorded again", async () => {
    const cache = createMatchingCache(feed, MOST_UNITS);
    const find = finderOf([2, 4]);
    await cache.answer("a", find);
    // Drops every temporary table and trigger of the connection.
    connections.writer.exec("pragma temp_store = file");
    changeDocument();
    await cache.answer("a", find);
    expect(find.looked).toBe(2);
    const notices: unknown[] = [];
    feed.watch({ "insert on meta": "select 7 as unit" }, (units) => notices.push(units));
    connections.writer.exec("insert into meta (key, value) values ('test', '1')");
    feed.publish();
    await cache.answer("a", find);
    expect([notices, find.looked]).toEqual([[[7]], 2]);
  });
});
