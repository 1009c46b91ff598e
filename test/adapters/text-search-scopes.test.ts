import { mkdtempSync } from "node:fs";
import { rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { Kysely } from "kysely";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import type { Database } from "../../src/adapters/store/schema.js";
import { sqliteDatabases } from "../../src/adapters/store/sqlite.js";
import { createSqliteStore } from "../../src/adapters/store/store.js";
import { STORE_FILE } from "../../src/lib/store-file.js";
import { createTextSearch, type TextSearch } from "../../src/adapters/store/text-search.js";
import type { Store, UnitScope } from "../../src/core/ports.js";
import { unitOf, type Unit } from "../../src/core/types.js";
import { loadSqlite } from "../../src/lib/sqlite.js";
import { noCare } from "../support/no-care.js";
import { seededRandom } from "../support/vectors.js";

const WORDS = ["lighthouse", "keeper", "harbour", "wall", "friend", "paint", "rare"];
const random = seededRandom(31);
const anyOf = <T>(values: readonly T[]): T => values[Math.floor(random() * values.length)]!;

let dataDirectory: string;
let store: Store;
/** Caches nothing, so that the index itself decides what belongs to a scope. */
let plain: TextSearch;
let db: Kysely<Database>;

beforeEach(async () => {
  dataDirectory = mkdtempSync(join(tmpdir(), "recollect-test-"));
  store = await createSqliteStore({ dataDirectory, maxMegabytes: 0, clock: { now: () => new Date() } });
  const { DatabaseSync } = await loadSqlite();
  const open = () => new DatabaseSync(join(dataDirectory, STORE_FILE), { readOnly: true });
  const file = join(dataDirectory, STORE_FILE);
  db = sqliteDatabases({ writer: open(), reader: open() }, { file, care: noCare }).full;
  plain = createTextSearch(db);
});

afterEach(async () => {
  await db.destroy();
  await store.close();
  await rm(dataDirectory, { recursive: true, force: true });
});

/** Writes units 1 to `count`: most into container 1, and many into 2 and 3. */
async function fill(count: number): Promise<void> {
  const numbers = Array.from({ length: count }, (_, index) => index + 1);
  await store.transaction(async ({ units }) => {
    for (const number of numbers) await units.indexText(entryOf(number));
  });
}

function entryOf(number: number) {
  const unit = unitOf(random() < 0.5 ? "chunk" : "memory", number);
  const text = Array.from({ length: 4 }, () => anyOf(WORDS.slice(0, -1))).join(" ");
  return {
    unit,
    containerIds: [anyOf([1, 1, 1, 2, 3])],
    text: number % 40 === 0 ? `${text} rare` : text,
    context: anyOf(WORDS),
  };
}

const scopeOf = (containerIds: readonly number[], more: Partial<UnitScope> = {}): UnitScope => ({
  containerIds,
  kinds: ["chunk", "memory"],
  includeForgotten: false,
  ...more,
});

const SCOPES = [
  scopeOf([1]),
  scopeOf([2]),
  scopeOf([1, 3]),
  scopeOf([1], { kinds: ["memory"] }),
  scopeOf([1, 2, 3], { kinds: ["chunk"] }),
  scopeOf([1], { includeForgotten: true }),
];

async function expectSameAnswers(): Promise<void> {
  for (const scope of SCOPES)
    for (const words of [["lighthouse", "rare"], ["paint", "keeper", "friend"], ["nothing"]]) {
      const found = await store.units.searchText(scope, words, { limit: 5_000 });
      const expected = await plain.search(scope, words, { limit: 5_000 });
      expect(found.hits).toEqual(expected.hits);
      expect(found.counted.counts).toEqual(expected.counted.counts);
    }
}

describe("a scope with a large share of all units", () => {
  test("is searched with the same results as the whole index, and none of another scope", async () => {
    await fill(400);
    await expectSameAnswers();
  });

  test("follows additions, removals, moves and forgetting", async () => {
    await fill(300);
    await expectSameAnswers();
    let next = 301;
    const some = (): Unit => unitOf(anyOf(["chunk", "memory"] as const), 1 + Math.floor(random() * 300));
    for (let round = 0; round < 25; round++) {
      await store.transaction(async ({ units }) => {
        await units.indexText(entryOf(next++));
        await units.indexText({ ...entryOf(1), unit: some() });
        await units.unindex(some());
      });
      await expectSameAnswers();
    }
  });

  test("is reread after very many changes", async () => {
    await fill(200);
    await expectSameAnswers();
    await fill(1_500);
    await expectSameAnswers();
  });

  test("is correct for concurrent callers while it is written to", async () => {
    await fill(300);
    const expected = await plain.search(SCOPES[0]!, ["rare"], { limit: 5_000 });
    const searches = Array.from({ length: 20 }, () => store.units.searchText(SCOPES[0]!, ["rare"], { limit: 5_000 }));
    for (const found of await Promise.all(searches)) expect(found.hits).toEqual(expected.hits);
    const added = unitOf("chunk", 5_000);
    const write = store.transaction(({ units }) =>
      units.indexText({ unit: added, containerIds: [1], text: "rare", context: "" }),
    );
    await Promise.all([write, ...searches]);
    const { hits } = await store.units.searchText(SCOPES[0]!, ["rare"], { limit: 5_000 });
    expect(hits.map(({ unit }) => unit)).toContain(added);
  });

  test("returns no more matches of a common word than needed, and still counts it correctly", async () => {
    await fill(900);
    for (const scope of [SCOPES[0]!, SCOPES[2]!]) {
      const words = ["keeper", "rare"];
      const found = await store.units.searchText(scope, words, { limit: 5_000, mostMatches: 60 });
      const expected = await plain.search(scope, words, { limit: 5_000, mostMatches: 60 });
      expect(found.counted.counts).toEqual(expected.counted.counts);
      expect(found.hits.slice(0, 10)).toEqual(expected.hits.slice(0, 10));
    }
  });
});
