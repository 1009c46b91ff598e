import { existsSync, readFileSync, renameSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { AppError } from "../../../core/errors.js";
import { STORE_FILE } from "../../../lib/store-file.js";
import { syncFolder } from "../../../lib/sync-folder.js";
import { sleep } from "../../../lib/time.js";
import { describePostgresError } from "../postgres/errors.js";
import { isSameDatabase, placeOf } from "../postgres/place.js";
import { type DatabasePossession, possessDatabase } from "../postgres/possession.js";
import { forgetDatabase, requireRecordPlace } from "../record-place.js";
import { describeFileError } from "../sqlite-errors.js";
import { gatherStore, removeBeside } from "./gather-store.js";
import { readNote, requireServable, retire } from "./move-note.js";
import { folderOnceFree, type MovedRecord, type MoveOptions } from "./move-options.js";
import {
  connect,
  lacksTable,
  noRecord,
  openPostgresSource,
  openSqliteSource,
  openSqliteTarget,
  organizationIn,
} from "./open-sides.js";
import type { TargetSide } from "./record-side.js";
import { copyRecord, settleRecord } from "./settle-record.js";
import { INDEXED_TABLE } from "./table-shape.js";

/** The store's name while it is being copied. */
const DRAFT_FILE = `${STORE_FILE}.moving`;
/** Names the database whose record has come to the folder, until that database has noted the move. */
const ENDING_FILE = "move-to-folder.txt";
const DATABASE_LOOKED_AT_AGAIN_MS = 500;

/**
 * The reverse of `moveToPostgres`: from a database back into the data folder. Until the store has its final name there, the
 * database is the record.
 * @throws AppError `conflict` where the folder has a record of its own, and as `moveToPostgres` says
 */
export async function moveToFolder(options: MoveOptions): Promise<MovedRecord> {
  const { dataDirectory, url, maxMegabytes } = options;
  const place = placeOf(url);
  const file = join(dataDirectory, STORE_FILE);
  if (existsSync(file)) return endMove(options, place);
  requireRecordPlace(dataDirectory, place);
  const source = await openPostgresSource(url, place);
  try {
    await requireRecord(url, place);
    const draft = join(dataDirectory, DRAFT_FILE);
    const target = await openSqliteTarget(draft, maxMegabytes);
    try {
      await requireSameRecord(await organizationIn(source), target, place);
      const pass = { ...options, source, target };
      const possession = await possessed(options, () => copyRecord(pass));
      try {
        const settled = await settleRecord(pass);
        possession.require();
        await makeRecord(target, { dataDirectory, place });
        await tellDatabase(dataDirectory, { url, place });
        return { ...settled, from: place, to: file, setAside: null, wasMoved: false };
      } finally {
        await possession.close();
      }
    } finally {
      await target.close();
    }
  } catch (error) {
    throw describePostgresError(error, place);
  } finally {
    await source.close();
  }
}

interface Possessed {
  require(): void;
  close(): Promise<void>;
}

/** Takes the folder and the database for this process; where a service holds one of them, runs `meanwhile` before waiting. */
async function possessed(options: MoveOptions, meanwhile: () => Promise<void>): Promise<Possessed> {
  const early = await options.takeFolder();
  if (!("release" in early)) await meanwhile();
  const folder = "release" in early ? early : await folderOnceFree(options);
  try {
    const database = await databaseOnceFree(options);
    return {
      require: () => database.require(),
      async close() {
        await database.close();
        folder.release();
      },
    };
  } catch (error) {
    folder.release();
    throw error;
  }
}

/** A service with another data folder may use the database. */
async function databaseOnceFree({ url, waits, signal, tell }: MoveOptions): Promise<DatabasePossession> {
  const place = placeOf(url);
  for (;;) {
    signal.throwIfAborted();
    try {
      return await possessDatabase(url, { place, isShared: false });
    } catch (error) {
      if (!(error instanceof AppError) || error.kind !== "conflict" || !waits) throw error;
      tell({ step: "waiting", of: `the database ${place}`, rows: 0 });
      await sleep(DATABASE_LOOKED_AT_AGAIN_MS, { signal });
    }
  }
}

/** @throws AppError `conflict` where the database holds no record, or its record has moved elsewhere */
async function requireRecord(url: string, place: string): Promise<void> {
  const client = await connect(url, place);
  try {
    await requireServable(client, place);
  } finally {
    await client.end();
  }
}

async function requireSameRecord(organization: string | null, target: TargetSide, place: string): Promise<void> {
  if (organization === null) throw noRecord(`the database ${place}`);
  const begun = await organizationIn(target);
  if (begun === null || begun === organization) return;
  throw new AppError(
    "conflict",
    `${target.place} is the unfinished move of another record than that of the database ${place}. Nothing was changed. Remove that file, with those that begin with its name, and move again.`,
    { paths: [target.place] },
  );
}

/** The store is the record from the moment it has its final name. */
async function makeRecord(
  target: TargetSide,
  { dataDirectory, place }: { dataDirectory: string; place: string },
): Promise<void> {
  const draft = target.place;
  const file = join(dataDirectory, STORE_FILE);
  await target.write([{ statement: `drop table if exists ${INDEXED_TABLE}`, parameters: [] }]);
  await target.close();
  await gatherStore(draft);
  try {
    writeFileSync(join(dataDirectory, ENDING_FILE), `${place}\n`, { mode: 0o600 });
    removeBeside(draft);
    renameSync(draft, file);
    await syncFolder(dataDirectory);
  } catch (error) {
    throw describeFileError(error, file);
  }
}

/** Prevents anyone from starting with the former record again, whatever their data folder. */
async function tellDatabase(dataDirectory: string, { url, place }: { url: string; place: string }): Promise<void> {
  const client = await connect(url, place);
  try {
    const { rows } = await client.query<{ value: string }>("select value from meta where key = 'organization_id'");
    const organization = rows[0]?.value ?? "";
    await retire(client, { organization, place: `the data folder ${dataDirectory}` });
  } finally {
    await client.end();
  }
  forgetDatabase(dataDirectory);
  rmSync(join(dataDirectory, ENDING_FILE), { force: true });
  await syncFolder(dataDirectory);
}

/** Completes a move whose store is in place; a record that was never moved here is left alone. */
async function endMove(options: MoveOptions, place: string): Promise<MovedRecord> {
  const { dataDirectory, url } = options;
  const file = join(dataDirectory, STORE_FILE);
  const moved: MovedRecord = { from: place, to: file, setAside: null, wasMoved: true, tables: [], indexed: 0 };
  const ending = join(dataDirectory, ENDING_FILE);
  if (existsSync(ending) && isSameDatabase(readFileSync(ending, "utf8").trim(), place)) {
    const possession = await databaseOnceFree(options);
    await tellDatabase(dataDirectory, { url, place }).finally(() => possession.close());
    return moved;
  }
  const client = await connect(url, place);
  const note = await readNote(client, place)
    .catch((error: unknown) => {
      throw lacksTable(error) ? noRecord(`the database ${place}`) : error;
    })
    .finally(() => client.end());
  const store = await openSqliteSource(file);
  const organization = await organizationIn(store).finally(() => store.close());
  if (note?.state === "moved" && note.organization === organization) return moved;
  throw new AppError(
    "conflict",
    `The data folder ${dataDirectory} already contains a record, ${STORE_FILE}. Nothing was changed. Choose another data folder to move the record of the database ${place} to.`,
    { paths: [dataDirectory] },
  );
}
