import { tmpdir } from "node:os";
import pg from "pg";
import { afterAll, beforeAll, describe, test } from "vitest";
import { createPostgresStore } from "../../src/adapters/store/postgres/store.js";
import { describeJobStore } from "../contract/jobs.js";
import { describeStore } from "../contract/store.js";
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
