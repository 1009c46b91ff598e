import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setImmediate, setTimeout as sleep } from "node:timers/promises";
import pg from "pg";
import { afterAll, beforeAll, expect, test } from "vitest";
import { createSliceTurns } from "../../src/adapters/store/postgres/slice-turns.js";
import { createPostgresStore } from "../../src/adapters/store/postgres/store.js";
import type { FilterExpression } from "../../src/core/types.js";
import type { Store } from "../../src/core/ports.js";
import {
  buildChunkDrafts,
  buildCondition,
  buildDocumentDraft,
  buildDocumentQuery,
  buildMemoryDraft,
  FIRST_VERSION,
} from "../support/builders.js";
import { ManualClock } from "../support/clock.js";
import { describeOnPostgres } from "../support/describe-on-postgres.js";

const STARTS_WITHIN_MS = 60_000;
const DOCUMENTS = 5;
const CONDITIONS: FilterExpression = {
  any: Array.from({ length: 200 }, (_, at) => buildCondition(`key${at}`, `no ${at}`, { type: "string_contains" })),
};

describeOnPostgres("filters on PostgreSQL, with two hundred conditions on large metadata", (server) => {
  let dataDirectory: string;
  let url: string;

  const open = (options = {}): Promise<Store> =>
    createPostgresStore({ url, dataDirectory, clock: new ManualClock(), ...options });
  /** Every way to read with a filter. */
  const reads = ({ units, documents, memories, organizationId: organization }: Store, containerId: number) => {
    const scope = { containerIds: [containerId], kinds: ["chunk", "memory"], includeForgotten: true } as const;
    const page = { containerTags: ["a"], limit: 10, offset: 0, sort: "createdAt", order: "desc" } as const;
    return {
      matching: () => units.matching(organization, scope, { filters: CONDITIONS }),
      documents: () => documents.list(organization, buildDocumentQuery({ filters: CONDITIONS })),
      memories: () => memories.list(organization, { ...page, filters: CONDITIONS }),
      active: () => memories.active(organization, "a", { filters: CONDITIONS, limit: 10 }),
    };
  };
  let containerId: number;

  beforeAll(async () => {
    url = await server.createDatabase();
    dataDirectory = await mkdtemp(join(tmpdir(), "recollect-postgres-filters-"));
    const store = await open();
    const { organizationId: organization } = store;
    const [container] = await store.containers.ensure(organization, ["a"]);
    containerId = container?.id ?? 0;
    const metadata = Object.fromEntries(Array.from({ length: 200 }, (_, at) => [`key${at}`, "x".repeat(300)]));
    for (let number = 0; number < DOCUMENTS; number += 1) {
      const { id } = await store.documents.insert(organization, buildDocumentDraft({ containerTags: ["a"], metadata }));
      await store.chunks.replace(organization, id, 1, buildChunkDrafts("text"));
      const memory = await store.memories.insert(organization, buildMemoryDraft({ metadata: {} }), FIRST_VERSION);
      await store.memories.addSource(organization, memory.id, id, null);
    }
    await store.close();
  }, STARTS_WITHIN_MS);
  afterAll(async () => {
    await rm(dataDirectory, { recursive: true, force: true });
  }, STARTS_WITHIN_MS);

  const ask = async <Row extends pg.QueryResultRow>(statement: string): Promise<Row[]> => {
    const client = new pg.Client(url);
    await client.connect();
    return (await client.query<Row>(statement).finally(() => client.end())).rows;
  };

  test("the metadata of a document is parsed once for all conditions, whatever is read", async () => {
    await ask(`alter database ${new URL(url).pathname.slice(1)} set track_functions = 'all'`);
    const store = await open();
    for (const read of Object.values(reads(store, containerId))) await read();
    // The server counts calls when connections end.
    await store.close();
    const [{ calls } = { calls: 0 }] = await ask<{ calls: number }>(
      "select calls::int from pg_stat_user_functions where funcname = 'sqlite_parsed'",
    );
    // Four reads, some of them in several statements, whose other parameters are parsed as well.
    expect(calls).toBeGreaterThanOrEqual(DOCUMENTS);
    expect(calls).toBeLessThanOrEqual(DOCUMENTS * 30);
  });

  test("a read of one container gets its turn before further reads of another, whatever these name besides", async () => {
    const pool = new pg.Pool({ connectionString: url });
    const inTurn = createSliceTurns({ pool, place: "the test's database" });
    const order: string[] = [];
    const ends: (() => void)[] = [];
    const read = (...containers: string[]): Promise<unknown> =>
      inTurn({ containers, spentMs: 0 }, () => {
        order.push(containers[0] ?? "");
        return new Promise<void>((resolve) => ends.push(resolve));
      });
    try {
      const all = [...Array.from({ length: 6 }, (_, at) => read("a", `new ${at}`)), read("b")];
      await expect.poll(() => ends.length, { timeout: STARTS_WITHIN_MS }).toBe(3);
      ends[0]?.();
      await expect.poll(() => order.length, { timeout: STARTS_WITHIN_MS }).toBe(4);
      expect(order).toEqual(["a", "a", "a", "b"]);
      while (order.length < all.length) {
        for (const end of ends) end();
        await setImmediate();
      }
      for (const end of ends) end();
      await Promise.all(all);
    } finally {
      await pool.end();
    }
  });

  test("the time that a read waits for others does not count towards its limit", async () => {
    const pool = new pg.Pool({ connectionString: url });
    const inTurn = createSliceTurns({ pool, place: "the test's database" }, 1_000);
    const ends: (() => void)[] = [];
    const hold = () => new Promise<void>((resolve) => ends.push(resolve));
    try {
      const others = ["a", "b", "c"].map((container) => inTurn({ containers: [container], spentMs: 0 }, hold));
      await expect.poll(() => ends.length, { timeout: STARTS_WITHIN_MS }).toBe(3);
      const waiting = inTurn({ containers: ["d"], spentMs: 900 }, () => Promise.resolve("read"));
      await sleep(1_200);
      for (const end of ends) end();
      expect(await waiting).toMatchObject({ result: "read" });
      await Promise.all(others);
      await expect(inTurn({ containers: ["d"], spentMs: 1_000 }, hold)).rejects.toMatchObject({ kind: "unavailable" });
    } finally {
      await pool.end();
    }
  });

  test("the server is told to stop what takes too long, and the caller what to do", async () => {
    const store = await open({ longestFilterMs: 1 });
    try {
      for (const [name, read] of Object.entries(reads(store, containerId)))
        await expect(read(), name).rejects.toMatchObject({
          kind: "unavailable",
          message: expect.stringMatching(
            /^The database did not finish this filter within .*1 second at most\), .* Use fewer conditions/,
          ) as string,
        });
      const unfiltered = await store.documents.list(store.organizationId, buildDocumentQuery());
      expect(unfiltered.total).toBe(DOCUMENTS);
    } finally {
      await store.close();
    }
  });
});
