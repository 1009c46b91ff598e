import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import pg from "pg";
import { afterAll, beforeAll, describe, expect, test, vi } from "vitest";
import { createPostgresStore } from "../../src/adapters/store/postgres/store.js";
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
