import { AppError } from "../../core/errors.js";
import { MIGRATIONS } from "./migrations/index.js";

/** "Recl": marks a SQLite file as ours (https://www.sqlite.org/fileformat.html, offset 68). */
export const APPLICATION_ID = 0x5265636c;

/** True for a schema that this version does not know. */
export function isTooNew(version: number): boolean {
  return version > MIGRATIONS.length;
}

export function refuseNewer(version: number, file: string): AppError {
  return new AppError(
    "unavailable",
    `The store ${file} was written by a newer version of Recollect (schema ${version}; this version knows ${MIGRATIONS.length}). Nothing was changed. Install the newer version, or choose another data folder.`,
    { paths: [file] },
  );
}

export function refuseForeign(file: string): AppError {
  return new AppError(
    "corrupt",
    `The file ${file} belongs to another program. Nothing was written. Choose another data folder.`,
    { paths: [file] },
  );
}

export function refuseNoDatabase(file: string): AppError {
  return new AppError(
    "corrupt",
    `The file ${file} is not a SQLite database, or its beginning is damaged. Nothing was written. Replace its folder with a backup (“Back up, restore, move, upgrade” in docs/operation.md), or move it away to start afresh.`,
    { paths: [file] },
  );
}

export function refuseDamaged(file: string, what: string): AppError {
  return new AppError(
    "corrupt",
    `The store ${file} is damaged (${what}). Nothing was written. Replace its folder with a backup (“Back up, restore, move, upgrade” in docs/operation.md), or move it away to start afresh.`,
    { paths: [file] },
  );
}

/** @param place what is read-only: the file or its folder */
export function refuseReadOnly(file: string, place: string): AppError {
  return new AppError(
    "unavailable",
    `The store ${file} cannot be written: ${place === file ? "it" : "its folder"} is read-only. Nothing was written. Give this user write permission, or choose another data folder.`,
    { paths: [file] },
  );
}

export function refuseFolder(file: string): AppError {
  return new AppError(
    "unavailable",
    `The store ${file} cannot be opened: a folder is in its place. Move it away, or choose another data folder.`,
    { paths: [file] },
  );
}

export function refuseLink(file: string, target: string): AppError {
  return new AppError(
    "unavailable",
    `The store ${file} is a symbolic link to ${target}, and a store is opened only in its own folder. Nothing was written. Name the folder of that file as the data folder, or move the file here; the data folder itself may be a link.`,
    { paths: [file, target] },
  );
}
