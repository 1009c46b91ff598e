import type pg from "pg";
import * as z from "zod";
import { AppError } from "../../../core/errors.js";
import { INDEXED_TABLE, NOTE_KEY } from "./table-shape.js";

const noteSchema = z.object({
  /**
   * `copying` while a record arrives and cannot be served, `ready` from its completion until it is first served, `moved` once
   * another place has become the record.
   */
  state: z.enum(["copying", "ready", "moved"]),
  organization: z.string(),
  /** The other end of the move: where the record came from, or where it went. */
  place: z.string(),
});

/** What a PostgreSQL database notes about a move in its `meta` table. */
export type MoveNote = z.output<typeof noteSchema>;

/** Whatever the server's setting, the switch is on its disk with the commit, along with everything written before. */
const BEGIN_SURELY = "begin; set local synchronous_commit = on";

type Client = Pick<pg.Client | pg.Pool, "query">;

/** @throws AppError `conflict` for a note from a later version */
export async function readNote(client: Client, place: string): Promise<MoveNote | null> {
  const text = await readMeta(client, NOTE_KEY);
  if (text === null) return null;
  const read = noteSchema.safeParse(parsed(text));
  if (read.success) return read.data;
  throw new AppError(
    "conflict",
    `The database ${place} contains a note of a move that this version cannot read. Nothing was changed. Use the version that wrote it.`,
  );
}

async function writeNote(client: Client, note: MoveNote): Promise<void> {
  await client.query(
    "insert into meta (key, value) values ($1, $2) on conflict (key) do update set value = excluded.value",
    [NOTE_KEY, JSON.stringify(note)],
  );
}

export async function organizationOf(client: Client): Promise<string | null> {
  return readMeta(client, "organization_id");
}

/**
 * Reserves a database for a record that is being moved to it.
 * @throws AppError `conflict` where it holds another record, or one that a service has used; nothing is changed then
 */
export async function claimForMove(
  client: Client,
  { organization, from, place }: { readonly organization: string; readonly from: string; readonly place: string },
): Promise<void> {
  const note = await readNote(client, place);
  if (note !== null && note.organization !== organization)
    throw new AppError(
      "conflict",
      `The database ${place} contains the move of another record, from ${note.place}. Nothing was changed. Name an empty database.`,
    );
  if (note === null && (await organizationOf(client)) !== null)
    throw new AppError(
      "conflict",
      `The database ${place} already contains a record. Nothing was changed. Name an empty database to move to.`,
    );
  await writeNote(client, { state: "copying", organization, place: from });
}

/**
 * Call before a database is served. A record that has arrived completely is from then on a record like any other.
 * @throws AppError `conflict` where it is not the record, or an incomplete one
 */
export async function requireServable(client: Client, place: string): Promise<void> {
  const note = await readNote(client, place);
  if (note?.state === "copying")
    throw new AppError(
      "conflict",
      `The database ${place} contains the unfinished move of a record from ${note.place}, where the record still is. Nothing was changed. Run \`recollect move\` again to finish it, or unset DATABASE_URL to continue there.`,
    );
  if (note?.state === "moved")
    throw new AppError(
      "conflict",
      `The record of the database ${place} was moved to ${note.place}. Nothing was changed. Unset DATABASE_URL to use it there, or move it back with \`recollect move\`.`,
    );
  if (note?.state === "ready") await client.query("delete from meta where key = $1", [NOTE_KEY]);
}

/** Allows the database to be served, and drops the move's temporary notes, in one transaction. */
export async function releaseToServe(client: Client, note: Omit<MoveNote, "state">): Promise<void> {
  await client.query(BEGIN_SURELY);
  await client.query(`drop table if exists ${INDEXED_TABLE}`);
  await writeNote(client, { ...note, state: "ready" });
  await client.query("commit");
}

/** Stops the database from being served: another place is now the record. */
export async function retire(client: Client, note: Omit<MoveNote, "state">): Promise<void> {
  await client.query(BEGIN_SURELY);
  await writeNote(client, { ...note, state: "moved" });
  await client.query("commit");
}

async function readMeta(client: Client, key: string): Promise<string | null> {
  const { rows } = await client.query<{ value: string }>("select value from meta where key = $1", [key]);
  return rows[0]?.value ?? null;
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return null;
  }
}
