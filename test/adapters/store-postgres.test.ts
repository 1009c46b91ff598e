import { createHash } from "node:crypto";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import pg from "pg";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { beginSession, preparedName } from "../../src/adapters/store/postgres/prepared.js";
import { createPostgresStore } from "../../src/adapters/store/postgres/store.js";
import type { Store } from "../../src/core/ports.js";
import { describeJobStore } from "../contract/jobs.js";
import { describeStore } from "../contract/store.js";
import {
  buildChunkDrafts,
  buildDocumentDraft,
  buildDocumentQuery,
  buildMemoryDraft,
  FIRST_VERSION,
} from "../support/builders.js";
import { ManualClock } from "../support/clock.js";
import { findPostgres, type PostgresServer, startPostgres } from "../support/postgres.js";
import { createDatabases, type PostgresDatabases } from "../support/postgres-databases.js";

const programs = findPostgres();
/** Every step takes several statements, each with a round trip to the server. */
const HISTORIES = 3;
/** Time to create and start a server, and to stop it. */
const STARTS_WITHIN_MS = 60_000;

if (programs === undefined)
  describe("store: PostgreSQL", () =>
    test.skip("left out: PostgreSQL is not installed on this machine", () => undefined));
else {
  let server: PostgresServer;
  let databases: PostgresDatabases;

  beforeAll(async () => {
    server = await startPostgres(programs);
    databases = await createDatabases(server);
  }, STARTS_WITHIN_MS);
  afterAll(() => server.stop(), STARTS_WITHIN_MS);

  describeStore(
    "PostgreSQL",
    async (clock) => {
      const { url, store } = await openStore(databases, clock);
      return { store, everything: () => dump(url), close: () => store.close() };
    },
    HISTORIES,
  );

  test.each([
    ["options=-c%20statement_timeout%3D1", /ended a statement .* statement_timeout/],
    ["sslmode=verify-full&sslrootcert=/nowhere/root.crt", /A file named in its address .*\/nowhere\/root\.crt/],
  ])("an address parameter that does not work, such as %s, is explained in a sentence", async (parameters, reason) => {
    const url = `${await server.createDatabase()}?${parameters}`;
    const dataDirectory = await mkdtemp(join(tmpdir(), "recollect-address-"));
    try {
      const opening = createPostgresStore({ url, dataDirectory, clock: new ManualClock() });
      await expect(opening).rejects.toMatchObject({
        kind: "unavailable",
        message: expect.stringMatching(reason) as string,
      });
    } finally {
      await rm(dataDirectory, { recursive: true, force: true });
    }
  });

  test("characters that PostgreSQL's text cannot store are replaced in texts and kept in metadata", async () => {
    const { store } = await openStore(databases, new ManualClock());
    try {
      const metadata = { "zero\0": "a\0b", half: "\ud800!", list: ["\udc00", "\\u0000"], whole: "🜁" };
      const draft = buildDocumentDraft({ content: "before\0after \ud800", metadata, containerTags: ["a"] });
      const { id } = await store.documents.insert(store.organizationId, draft);
      const [found] = await store.documents.headsByIds(store.organizationId, [id, "\ud800", "\0"]);
      expect(found?.metadata).toEqual(metadata);
      expect((await store.documents.byId(store.organizationId, id))?.content).toBe("before\ufffdafter \ufffd");
      const condition = { type: "metadata", key: "half", value: "\ud800!", operator: "=", negate: false } as const;
      const { total } = await store.documents.list(
        store.organizationId,
        buildDocumentQuery({ filters: { ...condition, ignoreCase: false } }),
      );
      expect(total).toBe(1);
    } finally {
      await store.close();
    }
  });

  test("a failed write that was not awaited rolls back its whole transaction", async () => {
    const { store } = await openStore(databases, new ManualClock());
    try {
      const { organizationId } = store;
      const draft = buildDocumentDraft({ containerTags: ["a"] });
      const twice = buildChunkDrafts("one", "another").map((chunk) => ({ ...chunk, id: "same" }));
      const writing = store.transaction(async ({ documents, chunks }) => {
        await documents.insert(organizationId, draft);
        await chunks.replace(organizationId, draft.id, 1, twice);
      });
      await expect(writing).rejects.toThrow(/duplicate key/);
      expect(await store.documents.byId(organizationId, draft.id)).toBeNull();
      await store.documents.insert(organizationId, draft);
    } finally {
      await store.close();
    }
  });

  test("frequent statements are prepared on session connections, except those that select all columns", async () => {
    const client = new pg.Client(await databases.take());
    await client.connect();
    try {
      const often = (statement: string): (string | undefined)[] =>
        Array.from({ length: 10 }, () => preparedName(client, statement));
      const statement = "select count(*) from documents where seq * 2 > $1";
      expect(often(statement)).not.toContainEqual(expect.any(String));
      await beginSession(client, "set application_name = 'recollect'");
      expect(often(statement).at(-1)).toMatch(/^recollect_\d+$/);
      for (const all of ["select * from documents", "select chunks.* from chunks", "delete from jobs returning *"])
        expect(often(all).at(-1)).toBeUndefined();
    } finally {
      await client.end();
    }
  });

  test("statements invalidated by another version's migration fail once, inside a transaction and outside of one", async () => {
    const { url, store } = await openStore(databases, new ManualClock());
    const client = new pg.Client(url);
    try {
      await client.connect();
      const { organizationId } = store;
      const outside = () => store.settings.read(organizationId, "");
      const within = () => store.transaction(({ settings }) => settings.read(organizationId, ""));
      for (let asked = 0; asked < 20; asked += 1) await Promise.all([outside(), within()]);
      await client.query("alter table settings alter column value type varchar");
      const failures = { outside: 0, within: 0 };
      for (let asked = 0; asked < 20; asked += 1) {
        await outside().catch(() => (failures.outside += 1));
        await within().catch(() => (failures.within += 1));
      }
      expect(failures).toEqual({ outside: 1, within: 1 });
    } finally {
      await client.end();
      await store.close();
    }
  });

  test("a filtered search considers everything in a large container", async () => {
    const { store } = await openStore(databases, new ManualClock());
    try {
      const { organizationId } = store;
      await store.containers.ensure(organizationId, ["a"]);
      const long = (seed: number) =>
        Array.from({ length: 900 }, (_, at) => createHash("md5").update(`${seed} ${at}`).digest("hex"))
          .join(" ")
          .slice(0, 9_000);
      await store.transaction(async ({ memories }) => {
        for (let index = 0; index < 2_300; index += 1)
          await memories.insert(
            organizationId,
            buildMemoryDraft({
              text: index < 3 ? long(index) : `fact ${index}`,
              isStatic: index % 3 === 0,
              metadata: { size: index },
            }),
            FIRST_VERSION,
          );
      });
      const [container] = await store.containers.ensure(organizationId, ["a"]);
      const scope = { containerIds: [container?.id ?? 0], kinds: ["memory"], includeForgotten: true } as const;
      const condition = { type: "numeric", key: "size", value: "5", operator: ">=", negate: false } as const;
      const found = await store.units.matching(organizationId, scope, { filters: { ...condition, ignoreCase: false } });
      expect(found).toHaveLength(2_295);
    } finally {
      await store.close();
    }
  });

  test("only the newest registered apps are kept", async () => {
    const { store } = await openStore(databases, new ManualClock());
    const record = { kind: "client", uidHash: null, grantId: null, payload: "{}", consumedAt: null };
    const dayOf = (day: number) => `2026-01-0${day}T00:00:00.000Z`;
    try {
      for (const day of [3, 1, 4, 2])
        await store.oauth.save({ ...record, hash: `h${day}`, createdAt: dayOf(day), expiresAt: dayOf(9) });
      expect(await store.oauth.trim("client", 2)).toBe(2);
      const left = await Promise.all([1, 2, 3, 4].map((day) => store.oauth.byHash("client", `h${day}`)));
      expect(left.map((one) => one?.hash)).toEqual([undefined, undefined, "h3", "h4"]);
    } finally {
      await store.close();
    }
  });

  describeJobStore("PostgreSQL", async (clock) => {
    const { url, store } = await openStore(databases, clock);
    return { jobs: store.jobs, elapse: (ms) => elapseLeases(url, ms), close: () => store.close() };
  });
}

/** A store in an empty database, with its own data folder. */
async function openStore(databases: PostgresDatabases, clock: ManualClock): Promise<{ url: string; store: Store }> {
  const url = await databases.take();
  const dataDirectory = await mkdtemp(join(tmpdir(), "recollect-postgres-store-"));
  const store = await createPostgresStore({ url, clock, dataDirectory });
  const close = async (): Promise<void> => {
    await store.close();
    await databases.giveBack(url);
    await rm(dataDirectory, { recursive: true, force: true });
  };
  return { url, store: { ...store, close } };
}

/** Moves the ends of all leases, since the server's clock, which decides about them, cannot be moved. */
async function elapseLeases(url: string, ms: number): Promise<void> {
  const client = new pg.Client(url);
  await client.connect();
  const { rows } = await client.query<{ id: string; until: string }>(
    "select id, lease_until as until from jobs where lease_until is not null",
  );
  for (const { id, until } of rows) {
    const earlier = new Date(Date.parse(until) - ms).toISOString();
    await client.query("update jobs set lease_until = $1 where id = $2", [earlier, id]);
  }
  await client.end();
}

/** The contents of a database as one text in which to look for traces. */
async function dump(url: string): Promise<string> {
  const client = new pg.Client(url);
  await client.connect();
  try {
    const { rows: tables } = await client.query<{ name: string }>(
      "select table_name as name from information_schema.tables where table_schema = 'public' and table_type = 'BASE TABLE'",
    );
    const texts: string[] = [];
    for (const { name } of tables) {
      const { rows } = await client.query<{ row: string }>(`select t::text as row from "${name}" t order by 1`);
      texts.push(...rows.map(({ row }) => `${name} ${row}`));
    }
    return texts.join("\n");
  } finally {
    await client.end();
  }
}
