import { tmpdir } from "node:os";
import pg from "pg";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { createPostgresStore } from "../../src/adapters/store/postgres/store.js";
import { describeJobStore } from "../contract/jobs.js";
import { describeStore } from "../contract/store.js";
import { buildDocumentDraft, buildDocumentQuery } from "../support/builders.js";
import { ManualClock } from "../support/clock.js";
import { findPostgres, type PostgresServer, startPostgres } from "../support/postgres.js";
import { createTemplate } from "../support/postgres-template.js";

const programs = findPostgres();
/** Every step is some statements, each with its way to the server and back. */
const HISTORIES = 3;

if (programs === undefined)
  describe("store: PostgreSQL", () =>
    test.skip("left out: PostgreSQL is not installed on this machine", () => undefined));
else {
  let server: PostgresServer;
  let template: string;

  beforeAll(async () => {
    server = await startPostgres(programs);
    template = await createTemplate(server);
  });
  afterAll(() => server.stop());

  describeStore(
    "PostgreSQL",
    async (clock) => {
      const url = await server.createDatabase(template);
      const store = await createPostgresStore({ url, clock, dataDirectory: tmpdir() });
      return { store, everything: () => dump(url), close: () => store.close() };
    },
    HISTORIES,
  );

  test("characters that PostgreSQL's text cannot hold become the replacement character in texts, and stay in metadata", async () => {
    const store = await createPostgresStore({
      url: await server.createDatabase(template),
      clock: new ManualClock(),
      dataDirectory: tmpdir(),
    });
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

  describeJobStore("PostgreSQL", async (clock) => {
    const url = await server.createDatabase(template);
    const store = await createPostgresStore({ url, clock, dataDirectory: tmpdir() });
    return { jobs: store.jobs, close: () => store.close() };
  });
}

/** Everything that is in a database, as one text to look for traces in. */
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
