import {
  accessSync,
  closeSync,
  constants,
  lstatSync,
  openSync,
  readdirSync,
  readlinkSync,
  readSync,
  statSync,
} from "node:fs";
import { basename, dirname, join } from "node:path";
import { FILES_FOLDER } from "../../lib/files-folder.js";
import { STORE_FILE } from "../../lib/store-file.js";
import { markerOf } from "./marker.js";
import {
  APPLICATION_ID,
  isTooNew,
  refuseDamaged,
  refuseFolder,
  refuseForeign,
  refuseLink,
  refuseNewer,
  refuseNoDatabase,
  refuseReadOnly,
} from "./refusals.js";

const HEADER_BYTES = 100;
/** How many file names the message about an empty store lists. */
const MOST_NAMES = 5;
const MAGIC = "SQLite format 3\0";

/** What the bytes of a store tell before SQLite touches it. */
export interface FileFacts {
  /**
   * The file does not exist and nothing suggests it ever did, or it is empty with nothing beside it, as a crash at the very
   * first start leaves it.
   */
  readonly isNew: boolean;
  /** The write-ahead log holds changes that the file does not have yet. */
  readonly hasLog: boolean;
}

/** @throws AppError for a file that cannot be a store of this version; see `openSqliteStore` */
export function inspectFile(file: string): FileFacts {
  const folder = dirname(file);
  refuseMarkedReadOnly(file, folder, statSync(folder).mode);
  // The log would lie beside the link's target, where nobody looks for it, and a copy of the folder would lack it.
  if (lstatSync(file, { throwIfNoEntry: false })?.isSymbolicLink()) throw refuseLink(file, readlinkSync(file));
  const status = statSync(file, { throwIfNoEntry: false });
  const hasLog = (statSync(`${file}-wal`, { throwIfNoEntry: false })?.size ?? 0) > 0;
  if (status?.isDirectory()) throw refuseFolder(file);
  if (status) refuseMarkedReadOnly(file, file, status.mode);
  if (!status || status.size === 0) {
    // SQLite would discard the log.
    if (hasLog)
      throw refuseDamaged(file, status ? "it is empty, but its log is not" : "it is gone, but its log is not");
    if (status) refuseEmptied(file, folder);
    else refuseLost(file, folder);
    return { isNew: true, hasLog };
  }
  if (status.size < HEADER_BYTES) throw refuseNoDatabase(file);
  inspectHeader(readHeader(file), { file, size: status.size, hasLog });
  return { isNew: false, hasLog };
}

/**
 * A crash at the very first start leaves nothing but an empty store; a service creates its other files only after the first
 * page.
 */
function refuseEmptied(file: string, folder: string): void {
  const name = basename(file);
  const early = new Set([name, `${name}-journal`, "owner.lock", "lost+found"]);
  const beside = readdirSync(folder).filter((entry) => !early.has(entry) && !entry.startsWith("."));
  if (beside.length === 0) return;
  const shown = beside.sort().slice(0, MOST_NAMES).join(", ");
  throw refuseDamaged(file, `it is empty, but beside it is ${shown}: a service was here before`);
}

/**
 * Looks for what only a service with a store leaves: no file is uploaded before the record has its document. A key, a model or a
 * log may have been put there for the first start.
 */
function refuseLost(file: string, folder: string): void {
  if (basename(file) !== STORE_FILE) return;
  const marker = basename(markerOf(file));
  const entries = readdirSync(folder, { withFileTypes: true });
  const left = entries.find(
    (entry) =>
      entry.name === marker ||
      (entry.name === FILES_FOLDER && entry.isDirectory() && !isEmpty(join(folder, FILES_FOLDER))),
  );
  if (left) throw refuseDamaged(file, `it is gone, but beside it is ${left.name}: a service was here before`);
}

function isEmpty(folder: string): boolean {
  return readdirSync(folder).length === 0;
}

function readHeader(file: string): Buffer {
  const header = Buffer.alloc(HEADER_BYTES);
  const descriptor = openSync(file, "r");
  try {
    readSync(descriptor, header, 0, HEADER_BYTES, 0);
  } finally {
    closeSync(descriptor);
  }
  return header;
}

/** Offsets: https://www.sqlite.org/fileformat.html#the_database_header */
function inspectHeader(header: Buffer, { file, size, hasLog }: { file: string; size: number; hasLog: boolean }): void {
  if (header.toString("latin1", 0, MAGIC.length) !== MAGIC) throw refuseNoDatabase(file);
  const applicationId = header.readUInt32BE(68);
  if (applicationId !== APPLICATION_ID && applicationId !== 0) throw refuseForeign(file);
  const version = header.readUInt32BE(60);
  if (applicationId === APPLICATION_ID && isTooNew(version)) throw refuseNewer(version, file);
  const pageSize = header.readUInt16BE(16) === 1 ? 65_536 : header.readUInt16BE(16);
  const expected = header.readUInt32BE(28) * pageSize;
  const isSizeCurrent = header.readUInt32BE(24) === header.readUInt32BE(92);
  // While the log is being moved into the file, the first page is ahead of the rest; the log still holds everything.
  if (isSizeCurrent && !hasLog && size < expected)
    throw refuseDamaged(file, `it is truncated: it has ${size} bytes instead of ${expected}`);
}

/** Permission bits bind administrators too: what is marked read-only is not written to. */
function refuseMarkedReadOnly(file: string, place: string, mode: number): void {
  if ((mode & 0o222) === 0) throw refuseReadOnly(file, place);
  try {
    accessSync(place, constants.W_OK);
  } catch {
    throw refuseReadOnly(file, place);
  }
}
