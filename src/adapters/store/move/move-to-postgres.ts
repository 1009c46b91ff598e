import { existsSync, renameSync } from "node:fs";
import { join } from "node:path";
import pg from "pg";
import { AppError } from "../../../core/errors.js";
import { STORE_FILE } from "../../../lib/store-file.js";
import { syncFolder } from "../../../lib/sync-folder.js";
import { describePostgresError } from "../postgres/errors.js";
import { migrate } from "../postgres/migrate.js";
import { isSameDatabase, placeOf } from "../postgres/place.js";
import { type DatabasePossession, possessDatabase } from "../postgres/possession.js";
import { noteDatabase, notedDatabase } from "../record-place.js";
import { describeFileError } from "../sqlite-errors.js";
import { gatherStore, removeBeside } from "./gather-store.js";
import { claimForMove, releaseToServe } from "./move-note.js";
import { folderOnceFree, type MovedRecord, type MoveOptions } from "./move-options.js";
import { connect, noRecord, openSqliteSource, organizationIn } from "./open-sides.js";
import { createPostgresSide } from "./postgres-side.js";
import type { TargetSide } from "./record-side.js";
import { copyRecord, settleRecord } from "./settle-record.js";

/** A database that only this process uses and that holds the note of the move. */
interface ClaimedDatabase {
  readonly client: pg.Client;
  readonly target: TargetSide;
  readonly possession: DatabasePossession;
}

/**
 * Copies a data folder's record to a PostgreSQL database, as far as possible beside a running service, compares both, and makes
 * the database the record. Until then the folder is the record, and is not written to; the next run continues one that was
 * interrupted.
 * @throws AppError `conflict` for a database that holds something else, `unavailable` when it cannot be reached or a service
 *   runs that is not waited for, the signal's reason
 */
export async function moveToPostgres(options: MoveOptions): Promise<MovedRecord> {
  const { dataDirectory, url } = options;
  const file = join(dataDirectory, STORE_FILE);
  const place = placeOf(url);
  if (!existsSync(file)) return movedBefore(dataDirectory, place);
  const source = await openSqliteSource(file);
  try {
    const organization = await organizationIn(source);
    if (organization === null) throw noRecord(`the data folder ${dataDirectory}`);
    const claimed = await claim({ url, place, organization, from: `the data folder ${dataDirectory}` });
    try {
      const pass = { ...options, source, target: claimed.target };
      const early = await options.takeFolder();
      if (!("release" in early)) await copyRecord(pass);
      const folder = "release" in early ? early : await folderOnceFree(options);
      try {
        const settled = await settleRecord(pass);
        await source.close();
        const setAside = await makeRecord(claimed, { dataDirectory, place, organization });
        // Without statistics, searches would be planned badly until the server gathers them, which it does without this too.
        await claimed.client.query("analyze").catch(() => undefined);
        return { ...settled, from: file, to: place, setAside, wasMoved: false };
      } finally {
        folder.release();
      }
    } finally {
      await claimed.target.close();
      await claimed.possession.close();
    }
  } catch (error) {
    throw describePostgresError(error, place);
  } finally {
    await source.close();
  }
}

/** @throws AppError `conflict` as `migrate` and `claimForMove` say */
async function claim(wanted: {
  url: string;
  place: string;
  organization: string;
  from: string;
}): Promise<ClaimedDatabase> {
  const { url, place } = wanted;
  const client = await connect(url, place);
  let possession: DatabasePossession | undefined;
  try {
    possession = await possessDatabase(url, { place, isShared: false });
    const pool = new pg.Pool({ connectionString: url, max: 1 });
    await migrate(pool, place).finally(() => pool.end());
    await claimForMove(client, wanted);
    return { client, target: createPostgresSide(client, place), possession };
  } catch (error) {
    await client.end();
    await possession?.close();
    throw describePostgresError(error, place);
  }
}

/**
 * The database is first allowed to be served; then the folder names it; it becomes the record when the store is renamed. If this
 * is interrupted, the store is still the record, and moving again completes it.
 * @returns the new name of the store
 */
async function makeRecord(
  { client, possession }: ClaimedDatabase,
  { dataDirectory, place, organization }: { dataDirectory: string; place: string; organization: string },
): Promise<string> {
  const file = join(dataDirectory, STORE_FILE);
  await gatherStore(file);
  possession.require();
  await releaseToServe(client, { organization, place: `the data folder ${dataDirectory}` });
  const aside = freeName(file);
  try {
    noteDatabase(dataDirectory, place);
    await syncFolder(dataDirectory);
    renameSync(file, aside);
    await syncFolder(dataDirectory);
    removeBeside(file);
  } catch (error) {
    throw describeFileError(error, file);
  }
  return aside;
}

function freeName(file: string): string {
  const moment = new Date().toISOString().slice(0, 19).replaceAll(":", "");
  return `${file}.moved-to-postgres-${moment}`;
}

function movedBefore(dataDirectory: string, place: string): MovedRecord {
  const noted = notedDatabase(dataDirectory);
  if (noted === null) throw noRecord(`the data folder ${dataDirectory}`);
  if (!isSameDatabase(noted, place))
    throw new AppError(
      "conflict",
      `The record of the data folder ${dataDirectory} is in the database ${noted}. Nothing was changed. Use \`pg_dump\` to move it to another PostgreSQL database.`,
      { paths: [dataDirectory] },
    );
  return { from: dataDirectory, to: place, setAside: null, wasMoved: true, tables: [], indexed: 0 };
}
