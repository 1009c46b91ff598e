import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { Kysely, sql } from "kysely";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { openSqliteStore } from "../../src/adapters/store/open.js";
import type { Database } from "../../src/adapters/store/schema.js";
import { sqliteDialects } from "../../src/adapters/store/sqlite.js";

let folder: string;
let full: Kysely<Database>;
let background: Kysely<Database>;

beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), "recollect-durability-"));
  const file = join(folder, "recollect.db");
  const connection = await openSqliteStore({ file, maxMegabytes: 0 });
  const dialects = sqliteDialects(connection, file);
  full = new Kysely<Database>({ dialect: dialects.full });
  background = new Kysely<Database>({ dialect: dialects.normal });
});
afterEach(async () => {
  await background.destroy();
  await full.destroy();
  await rm(folder, { recursive: true, force: true });
});

/** 2: a commit waits for the disk; 1: it does not (https://www.sqlite.org/pragma.html#pragma_synchronous). */
async function levelOf(db: Kysely<Database>): Promise<unknown> {
  return (await sql<{ synchronous: number }>`pragma synchronous`.execute(db)).rows[0]?.synchronous;
}

const note = (db: Kysely<Database>, key: string) => db.insertInto("meta").values({ key, value: "1" }).execute();
const keysOf = async (db: Kysely<Database>) =>
  (await db.selectFrom("meta").select("key").where("key", "like", "test%").orderBy("key").execute()).map(
    ({ key }) => key,
  );

describe("one connection for what waits for the disk and for what need not", () => {
  test("each has its own level, however they take turns", async () => {
    expect(await levelOf(full)).toBe(2);
    const levels = await Promise.all([full, background, background, full, background, full].map(levelOf));
    expect(levels).toEqual([2, 1, 1, 2, 1, 2]);
  });

  test("a transaction keeps its level while others wait", async () => {
    const inside: unknown[] = [];
    await Promise.all([
      full.transaction().execute(async (transaction) => {
        inside.push(await levelOf(transaction));
        await note(transaction, "test 1");
        inside.push(await levelOf(transaction));
      }),
      background.transaction().execute(async (transaction) => {
        inside.push(await levelOf(transaction));
        await note(transaction, "test 2");
        inside.push(await levelOf(transaction));
      }),
    ]);
    expect(inside).toEqual([2, 2, 1, 1]);
  });

  test("both see what the other has written, and nothing that was taken back", async () => {
    await note(background, "test 1");
    await note(full, "test 2");
    const failing = background.transaction().execute(async (transaction) => {
      await note(transaction, "test 3");
      throw new Error("taken back");
    });
    await expect(failing).rejects.toThrow("taken back");
    expect([await keysOf(full), await keysOf(background)]).toEqual([
      ["test 1", "test 2"],
      ["test 1", "test 2"],
    ]);
  });

  test("after the end both are refused, again and again, and nobody waits for ever", async () => {
    await note(full, "test 1");
    await full.destroy();
    for (const _ of [1, 2]) await expect(note(background, "test 2")).rejects.toThrow(/./);
  });
});
