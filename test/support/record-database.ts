import { createHash } from "node:crypto";
import pg from "pg";
import { migrate } from "../../src/adapters/store/postgres/migrate.js";

const TEMPLATE = "recollect_template";

/** Address of a server on which tests keep the record of each data folder in its own database; undefined for files. */
const SERVER = process.env["RECOLLECT_TEST_POSTGRES"];

let template: Promise<void> | undefined;

export function isRecordOnServer(): boolean {
  return SERVER !== undefined;
}

/** The settings that give a data folder its record: none if it is a file. */
export async function recordSettings(dataDirectory: string): Promise<Record<string, string>> {
  if (SERVER === undefined) return {};
  await (template ??= makeTemplate(SERVER));
  const name = `recollect_${createHash("sha256").update(dataDirectory).digest("hex").slice(0, 24)}`;
  await run(SERVER, `create database ${name} template ${TEMPLATE}`).catch(ignoreDuplicate);
  return { DATABASE_URL: addressOf(SERVER, name) };
}

async function makeTemplate(server: string): Promise<void> {
  await run(server, `create database ${TEMPLATE}`).catch(ignoreDuplicate);
  const pool = new pg.Pool({ connectionString: addressOf(server, TEMPLATE) });
  await migrate(pool, "of the template").finally(() => pool.end());
}

async function run(server: string, statement: string): Promise<void> {
  const client = new pg.Client(server);
  await client.connect();
  await client.query(statement).finally(() => client.end());
}

/** Created by another process of the tests, or by an earlier opening of the folder. */
function ignoreDuplicate(error: unknown): void {
  const isThere = error instanceof pg.DatabaseError && (error.code === "42P04" || error.code === "23505");
  if (!isThere) throw error;
}

function addressOf(server: string, database: string): string {
  return Object.assign(new URL(server), { pathname: `/${database}` }).href;
}
