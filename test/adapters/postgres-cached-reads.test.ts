import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { CompiledQuery } from "kysely";
import pg from "pg";
import { afterAll, beforeAll, describe, expect, test, vi } from "vitest";
import { ExclusiveReads } from "../../src/adapters/store/postgres/exclusive-reads.js";
import { createPostgresStore } from "../../src/adapters/store/postgres/store.js";
import { QueryCache } from "../../src/adapters/store/query-cache.js";
import type { Store } from "../../src/core/ports.js";
import { buildDocumentDraft } from "../support/builders.js";
import { ManualClock } from "../support/clock.js";
import { findPostgres, type PostgresServer, startPostgres } from "../support/postgres.js";

const programs = findPostgres();
const STARTS_WITHIN_MS = 60_000;
const draft = () => buildDocumentDraft({ content: "Ada keeps bees.", containerTags: ["a"] });
const countWaiting = (store: Store) => store.documents.countWaiting(store.organizationId, "all");

if (programs === undefined)
  describe("frequent reads: PostgreSQL", () =>
    test.skip("left out: PostgreSQL is not installed on this machine", () => undefined));
else {
  let server: PostgresServer;
  const folders: string[] = [];
  const opened: Store[] = [];

  beforeAll(async () => {
    server = await startPostgres(programs);
  }, STARTS_WITHIN_MS);
  afterAll(async () => {
    await Promise.all(opened.map((store) => store.close()));
    await server.stop();
    await Promise.all(folders.map((folder) => rm(folder, { recursive: true, force: true })));
  }, STARTS_WITHIN_MS);

  const open = async (url: string, isShared: boolean): Promise<Store> => {
    const dataDirectory = await mkdtemp(join(tmpdir(), "recollect-reads-"));
    folders.push(dataDirectory);
    const store = await createPostgresStore({ url, dataDirectory, clock: new ManualClock(), isShared });
    opened.push(store);
    return store;
  };

  test("a service that has the database to itself sees its own writes at once, also those of the background", async () => {
    const store = await open(await server.createDatabase(), false);
    expect(await countWaiting(store)).toBe(0);
    for (let count = 1; count <= 10; count += 1) {
      const { documents } = count % 2 === 0 ? store.background : store;
      await documents.insert(store.organizationId, draft());
      expect(await countWaiting(store)).toBe(count);
      expect(await countWaiting(store.background)).toBe(count);
    }
  });

  test("it sees a write whose answer was lost soon afterwards", async () => {
    const url = await server.createDatabase();
    const store = await open(url, false);
    await store.documents.insert(store.organizationId, draft());
    expect(await countWaiting(store)).toBe(1);
    const client = new pg.Client(url);
    await client.connect();
    // Stands for a commit of this service that the server carried out after the connection had broken.
    await client.query("update documents set waiting = 0");
    await client.end();
    await vi.waitFor(async () => expect(await countWaiting(store)).toBe(0), { timeout: 5_000, interval: 100 });
  });

  test("nothing is answered from memory while another service may have taken the database", async () => {
    const pool = new pg.Pool({ connectionString: await server.createDatabase() });
    try {
      await pool.query("create table notes (text text)");
      const lost = new Promise<never>(() => undefined);
      const possession = { isHeld: () => false, require: () => undefined, lost, close: async () => undefined };
      const cache = new QueryCache(new ExclusiveReads(pool, "a database", possession));
      const counting = CompiledQuery.raw("select count(*) as total from notes");
      for (let total = 0; total < 20; total += 1) {
        expect((await cache.run(counting)).rows).toEqual([{ total }]);
        await pool.query("insert into notes values ('from another service')");
      }
    } finally {
      await pool.end();
    }
  });

  test("services that share a database see each other's writes at once", async () => {
    const url = await server.createDatabase();
    const [one, other] = [await open(url, true), await open(url, true)];
    for (let count = 1; count <= 10; count += 1) {
      await one.documents.insert(one.organizationId, draft());
      expect(await countWaiting(other)).toBe(count);
      expect(await countWaiting(one)).toBe(count);
    }
  });
}
