import pg from "pg";
import { migrate } from "../../src/adapters/store/postgres/migrate.js";
import type { PostgresServer } from "./postgres.js";

/** Makes a database with the record's tables, to copy: each test would make the same ones. @returns its address */
export async function createTemplate(server: PostgresServer): Promise<string> {
  const url = await server.createDatabase();
  const pool = new pg.Pool({ connectionString: url });
  await migrate(pool, "of the template");
  await pool.end();
  return url;
}
