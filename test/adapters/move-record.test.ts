import { mkdtempSync } from "node:fs";
import { readdir, readFile, rename, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { takeFolder } from "../../src/adapters/owner/take-folder.js";
import type { MovedRecord, MoveOptions } from "../../src/adapters/store/move/move-options.js";
import { moveToFolder } from "../../src/adapters/store/move/move-to-folder.js";
import { moveToPostgres } from "../../src/adapters/store/move/move-to-postgres.js";
import { createPostgresStore } from "../../src/adapters/store/postgres/store.js";
import { ManualClock } from "../support/clock.js";
import { fillEmptyTables } from "../support/fill-tables.js";
import { openCore } from "../support/open-core.js";
import { findPostgres, type PostgresServer, startPostgres } from "../support/postgres.js";
import { rowsOfDatabase, rowsOfStore, withDatabase, withStore } from "../support/record-rows.js";

const programs = findPostgres();
const STARTS_WITHIN_MS = 60_000;
/** More than one block of any table. */
const MANY = 1_200;

if (programs === undefined)
  describe("moving the record", () =>
    test.skip("left out: PostgreSQL is not installed on this machine", () => undefined));
else
  describe("moving the record", () => {
    let server: PostgresServer;
    const folders: string[] = [];

    beforeAll(async () => {
      server = await startPostgres(programs);
    }, STARTS_WITHIN_MS);
    afterAll(async () => {
      await server.stop();
      for (const folder of folders) await rm(folder, { recursive: true, force: true });
    }, STARTS_WITHIN_MS);

    function newFolder(): string {
      const folder = mkdtempSync(join(tmpdir(), "recollect-move-"));
      folders.push(folder);
      return folder;
    }

    const storeIn = (folder: string): string => join(folder, "recollect.db");

    function optionsFor(folder: string, url: string, more: Partial<MoveOptions> = {}): MoveOptions {
      return {
        dataDirectory: folder,
        url,
        maxMegabytes: 0,
        waits: false,
        signal: new AbortController().signal,
        tell: () => undefined,
        takeFolder: () => takeFolder(folder),
        ...more,
      };
    }

    /** A folder with data that the service itself wrote: texts in several scripts, and a forgotten memory. */
    async function filledFolder(): Promise<string> {
      const folder = newFolder();
      const opened = await openCore({ dataDirectory: folder });
      const call = { actor: opened.actor };
      const { core } = opened;
      for (const [at, content] of [
        "The boiler in the cellar is a Vaillant from 2019. Anna lives in Porto.",
        "我住在北京。 Das Fahrrad steht im Keller. The spare key is under the third pot.",
        "Anna moved to Lisbon. The lighthouse keeper is called Oskar.",
      ].entries())
        await core.addDocument(call, {
          content,
          containerTags: at === 1 ? ["house", "garden"] : ["house"],
          metadata: { place: at, name: "Zoë's 'note'", list: ["a", "b"] },
        });
      await opened.settle();
      const { entries } = await core.listMemories(call, { containerTags: ["house"] });
      await core.forget(call, { ids: [entries[0]?.memory.id ?? ""] });
      await opened.settle();
      await opened.close();
      return folder;
    }

    /** The same with rows in every table, ids of deleted rows, and texts that PostgreSQL cannot store. */
    async function fullFolder(): Promise<string> {
      const folder = await filledFolder();
      await withStore(storeIn(folder), (store) => {
        fillEmptyTables(store, MANY);
        store.exec("insert into vector_changes (seq, space_id, container_id, unit) values (900000, 1, 1, 2)");
        store.exec("delete from vector_changes where seq = 900000");
        store.exec("update documents set title = 'before' || char(0) || 'after' where seq = 2");
        store.exec("update documents set summary = cast(x'61ff62' as text) where seq = 1");
      });
      return folder;
    }

    async function search(folder: string, settings: Record<string, string>): Promise<string[]> {
      const opened = await openCore({ dataDirectory: folder, settings });
      const answers: string[] = [];
      for (const q of ["boiler", "北京", "Fahrrad Keller", "Where does Anna live?"])
        for (const searchMode of ["hybrid", "memories", "documents"] as const) {
          const { results } = await opened.core.search(
            { actor: opened.actor },
            { q, containerTags: ["house"], searchMode, limit: 20 },
          );
          answers.push(JSON.stringify(results.map((result) => [result.id, result.similarity])));
        }
      await opened.close();
      return answers;
    }

    test("keeps every table there and back, numbering included, except for characters that PostgreSQL cannot hold", async () => {
      const folder = await fullFolder();
      const before = await rowsOfStore(storeIn(folder));
      const url = await server.createDatabase();
      const moved = await moveToPostgres(optionsFor(folder, url));
      const there = await rowsOfDatabase(url);
      const mended = JSON.parse(JSON.stringify(before).replaceAll("\\\\u0000", "\ufffd")) as typeof before;
      expect(Object.keys(there)).toEqual(Object.keys(before));
      for (const [table, rows] of Object.entries(mended)) expect(there[table], table).toEqual(rows);
      expect(moved.tables.find(({ name }) => name === "documents")).toMatchObject({ rows: 3, replaced: 2 });
      expect(moved.tables.filter(({ name, rows }) => rows === 0 && name !== "documents")).toEqual([]);
      expect(await readdir(folder)).toEqual([
        "database.txt",
        expect.stringMatching(/^recollect\.db\.moved-to-postgres-/),
      ]);
      const next = await withDatabase(url, async (client) => {
        const { rows } = await client.query<{ seq: string }>(
          "insert into vector_changes (space_id, container_id, unit) values (1, 1, 2) returning seq",
        );
        await client.query("delete from vector_changes where seq = $1", [rows[0]?.seq]);
        return rows[0]?.seq;
      });
      expect(next).toBe("900001");
      await moveToFolder(optionsFor(folder, url));
      expect((await readdir(folder)).filter((name) => !name.includes("moved-to-postgres"))).toEqual(["recollect.db"]);
      expect(await rowsOfStore(storeIn(folder))).toEqual(there);
      expect(
        await withStore(storeIn(folder), (store) =>
          store.prepare("select seq from sqlite_sequence where name = 'vector_changes'").all(),
        ),
      ).toEqual([{ seq: 900_001 }]);
    });

    test("keeps search results identical immediately, there and back", async () => {
      const folder = await filledFolder();
      const before = await search(folder, {});
      expect(before.join()).not.toBe("[]");
      const url = await server.createDatabase();
      await moveToPostgres(optionsFor(folder, url));
      expect(await search(folder, { DATABASE_URL: url })).toEqual(before);
      await moveToFolder(optionsFor(folder, url));
      expect(await search(folder, {})).toEqual(before);
    });

    test("leaves the source unchanged when interrupted anywhere; the next move completes it, and the copy is not served", async () => {
      const folder = await filledFolder();
      const url = await server.createDatabase();
      const before = await rowsOfStore(storeIn(folder));
      for (const steps of [1, 4, 12, 30, 48]) {
        const controller = new AbortController();
        let step = 0;
        const tell = (): void => {
          step += 1;
          if (step === steps) controller.abort(new Error("broken off"));
        };
        await expect(moveToPostgres(optionsFor(folder, url, { tell, signal: controller.signal }))).rejects.toThrow(
          "broken off",
        );
        expect(await rowsOfStore(storeIn(folder))).toEqual(before);
        const serving = createPostgresStore({ url, dataDirectory: newFolder(), clock: new ManualClock() });
        await expect(serving).rejects.toThrow(/contains the unfinished move of a record from the data folder/);
      }
      await moveToPostgres(optionsFor(folder, url));
      expect(await rowsOfDatabase(url)).toEqual(before);
    });

    test("skips rows that are already equal, replaces those that differ and removes those that are gone", async () => {
      const folder = await fullFolder();
      const url = await server.createDatabase();
      const held = await takeFolder(folder);
      await expect(moveToPostgres(optionsFor(folder, url))).rejects.toThrow(/is still where it was/);
      if ("release" in held) held.release();
      await withStore(storeIn(folder), (store) => {
        store.exec("delete from journal where seq % 2 = 0");
        store.exec("update jobs set reason = 'another' where id = 2");
        store.exec("update files set key = key || 'x' where key = (select max(key) from files)");
        // Two rows that swap a unique value.
        const ends = store.prepare("select id, hash from api_keys order by id").all() as { id: string; hash: string }[];
        const [first, last] = [ends[0], ends.at(-1)];
        const change = store.prepare("update api_keys set hash = ? where id = ?");
        change.run("aside", first?.id ?? "");
        change.run(first?.hash ?? "", last?.id ?? "");
        change.run(last?.hash ?? "", first?.id ?? "");
      });
      const before = await rowsOfStore(storeIn(folder));
      let written = 0;
      await moveToPostgres(optionsFor(folder, url, { tell: ({ rows }) => (written = Math.max(written, rows)) }));
      const total = Object.values(before).reduce((sum, rows) => sum + rows.length, 0);
      expect(written).toBeGreaterThan(0);
      expect(written).toBeLessThan(total / 5);
      const mended = JSON.parse(JSON.stringify(before).replaceAll("\\\\u0000", "\ufffd")) as typeof before;
      expect(await rowsOfDatabase(url)).toEqual(mended);
    });

    async function refused(move: () => Promise<MovedRecord>, url: string, reason: RegExp): Promise<void> {
      const before = await rowsOfDatabase(url);
      await expect(move()).rejects.toThrow(reason);
      expect(await rowsOfDatabase(url)).toEqual(before);
    }

    test("refuses a database with other tables, another record or another's move, and leaves it unchanged", async () => {
      const folder = await filledFolder();
      const foreign = await server.createDatabase();
      await withDatabase(foreign, (client) => client.query("create table orders (id int)"));
      await refused(
        () => moveToPostgres(optionsFor(folder, foreign)),
        foreign,
        /tables of another program, such as orders/,
      );

      const served = await server.createDatabase();
      const store = await createPostgresStore({ url: served, dataDirectory: newFolder(), clock: new ManualClock() });
      await refused(() => moveToPostgres(optionsFor(folder, served)), served, /in use by another service/);
      await store.close();
      await refused(() => moveToPostgres(optionsFor(folder, served)), served, /already contains a record/);

      const other = await filledFolder();
      const unfinished = await server.createDatabase();
      const held = await takeFolder(other);
      await expect(moveToPostgres(optionsFor(other, unfinished))).rejects.toThrow(/is still where it was/);
      if ("release" in held) held.release();
      await refused(() => moveToPostgres(optionsFor(folder, unfinished)), unfinished, /the move of another record/);
      await expect(moveToFolder(optionsFor(folder, served))).rejects.toThrow(/already contains a record/);
    });

    test("reports when the folder has no room for a move back, and resumes once it has", async () => {
      const folder = await fullFolder();
      const url = await server.createDatabase();
      await moveToPostgres(optionsFor(folder, url));
      const there = await rowsOfDatabase(url);
      await expect(moveToFolder(optionsFor(folder, url, { maxMegabytes: 1 }))).rejects.toMatchObject({
        kind: "storage_full",
        message: expect.stringMatching(/recollect\.db\.moving cannot grow: .* Free some space and try again/) as string,
      });
      expect(await rowsOfDatabase(url)).toEqual(there);
      await moveToFolder(optionsFor(folder, url));
      expect(await rowsOfStore(storeIn(folder))).toEqual(there);
    });

    test("completes an interrupted switch to the database with the next move, with what was added meanwhile", async () => {
      const folder = await filledFolder();
      const url = await server.createDatabase();
      const { setAside } = await moveToPostgres(optionsFor(folder, url));
      // The state if the process ends before the store is renamed.
      await rename(setAside ?? "", storeIn(folder));
      const opened = await openCore({ dataDirectory: folder });
      await opened.core.addDocument(
        { actor: opened.actor },
        { content: "Added to the folder.", containerTags: ["house"] },
      );
      await opened.settle();
      await opened.close();
      const before = await rowsOfStore(storeIn(folder));
      await moveToPostgres(optionsFor(folder, url));
      expect(await rowsOfDatabase(url)).toEqual(before);
      expect((await moveToPostgres(optionsFor(folder, url))).wasMoved).toBe(true);
    });

    test("completes an interrupted switch to the folder with the next move, after which the database is not served", async () => {
      const folder = await filledFolder();
      const url = await server.createDatabase();
      await moveToPostgres(optionsFor(folder, url));
      const noted = await readFile(join(folder, "database.txt"), "utf8");
      await moveToFolder(optionsFor(folder, url));
      // The state if the process ends before the database is marked.
      await writeFile(join(folder, "database.txt"), noted);
      await writeFile(join(folder, "move-to-folder.txt"), noted);
      await withDatabase(url, (client) => client.query("delete from meta where key = 'move'"));
      expect((await moveToFolder(optionsFor(folder, url))).wasMoved).toBe(true);
      expect((await readdir(folder)).filter((name) => !name.includes("moved-to"))).toEqual(["recollect.db"]);
      const serving = createPostgresStore({ url, dataDirectory: newFolder(), clock: new ManualClock() });
      await expect(serving).rejects.toThrow(/was moved to the data folder/);
      // It may be moved there again, over the rows left in the database.
      await moveToPostgres(optionsFor(folder, url));
      const settled = await openCore({ dataDirectory: folder, settings: { DATABASE_URL: url } });
      await settled.close();
    });
  });
