import { mkdtempSync, readFileSync, existsSync } from "node:fs";
import { rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, describe, expect, test } from "vitest";
import { noCare } from "../support/no-care.js";
import { sqliteDatabases } from "../../src/adapters/store/sqlite.js";
import { createSqliteStore } from "../../src/adapters/store/store.js";
import { STORE_FILE } from "../../src/lib/store-file.js";
import { createTextSearch } from "../../src/adapters/store/text-search.js";
import { unitOf } from "../../src/core/types.js";
import { loadSqlite } from "../../src/lib/sqlite.js";
import { queryWords } from "../../src/language/words.js";

/** Bytes that this process has read by any means; only some systems count them. */
const COUNTER = "/proc/self/io";
const SMALL = 20;
const folders: string[] = [];

afterAll(() => Promise.all(folders.map((folder) => rm(folder, { recursive: true, force: true }))));

function bytesRead(): number {
  return Number(/^rchar: (\d+)$/m.exec(readFileSync(COUNTER, "utf8"))?.[1]);
}

/** A store with a small container next to one of `neighbours` units with the same words. */
async function fill(neighbours: number): Promise<string> {
  const dataDirectory = mkdtempSync(join(tmpdir(), "recollect-test-"));
  folders.push(dataDirectory);
  const store = await createSqliteStore({ dataDirectory, maxMegabytes: 0, clock: { now: () => new Date() } });
  await store.transaction(async ({ units }) => {
    for (let seq = 1; seq <= neighbours + SMALL; seq += 1)
      await units.indexText({
        unit: unitOf("chunk", seq),
        containerIds: [seq <= neighbours ? 1 : 2],
        text: `The lighthouse keeper number ${seq} paints the harbour wall with friend ${seq % 97}. 灯塔看守人在港口`,
        context: "Notes of the harbour",
      });
  });
  await store.close();
  const file = join(dataDirectory, STORE_FILE);
  // SQLite merges the parts of the index now and then; their current number must not affect the result.
  const { DatabaseSync } = await loadSqlite();
  const connection = new DatabaseSync(file);
  connection.exec("insert into text_index (text_index) values ('optimize')");
  connection.close();
  return file;
}

/** The minimum number of bytes that a search of the small container reads, with nothing cached. */
async function workOf(file: string, query: string): Promise<number> {
  const { DatabaseSync } = await loadSqlite();
  const [writer, reader] = [new DatabaseSync(file, { readOnly: true }), new DatabaseSync(file, { readOnly: true })];
  reader.exec("pragma cache_size = 1");
  const { full: db } = sqliteDatabases({ writer, reader }, { file, care: noCare });
  const scope = { containerIds: [2], kinds: ["chunk"] as const, includeForgotten: false };
  const works: number[] = [];
  for (let round = 0; round < 4; round += 1) {
    // Opened anew each time, since a search caches its counts.
    const search = createTextSearch(db);
    const before = bytesRead();
    const { hits } = await search.search(scope, queryWords(query), { limit: 200, mostMatches: 1_000 });
    works.push(bytesRead() - before);
    expect(hits).toHaveLength(SMALL);
  }
  await db.destroy();
  return Math.min(...works);
}

describe.skipIf(!existsSync(COUNTER))("a search of a small container reads no more next to a large one", () => {
  const queries = [
    ["common words", "Where does the lighthouse keeper paint the harbour wall with a friend?"],
    ["Chinese", "灯塔看守人在哪里"],
    ["many words", Array.from({ length: 80 }, (_, place) => `lighthouse keeper harbour word${place}`).join(" ")],
  ] as const;

  test("of ten times the size", { timeout: 60_000 }, async () => {
    const [some, many] = [await fill(3_000), await fill(30_000)];
    for (const [, query] of queries) expect(await workOf(many, query)).toBeLessThan(2 * (await workOf(some, query)));
  });
});
