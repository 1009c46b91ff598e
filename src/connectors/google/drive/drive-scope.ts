import type { SourceChange, SourceItem } from "../../../core/ports.js";
import { type DriveFile, FOLDER, SHORTCUT } from "./drive-api.js";

/** A folder whose files are brought in: in which folder it lies (null at the top), its name, and its shared drive. */
export type KnownFolder = [parent: string | null, name: string, drive: string | null];
export type KnownFolders = Record<string, KnownFolder>;

/** Something to be listed: all folders or all files of a drive, or what lies directly in some folders. */
export interface Listing {
  readonly drive: string | null;
  readonly kind: "folders" | "files" | "children";
  /** Of kind `children`. */
  readonly parents: string[];
  /** What it names is no longer brought in. */
  readonly isGone: boolean;
}

/** Which files count, and what is still to be listed to know them all. Kept in the checkpoint. */
export interface DriveScope {
  /** Ids that were chosen; null: everything counts. */
  readonly chosen: readonly string[] | null;
  readonly folders: KnownFolders;
  readonly listings: Listing[];
}

const MOST_PARENTS = 20;
const DEEPEST = 100;

/** Lists what lies in a folder before anything else is asked for, and what lies below it afterwards. */
export function listFolder(scope: DriveScope, id: string, drive: string | null, isGone: boolean): void {
  // The first one may be half done.
  const fitting = scope.listings
    .slice(1)
    .find(
      (one) =>
        one.kind === "children" && one.drive === drive && one.isGone === isGone && one.parents.length < MOST_PARENTS,
    );
  if (fitting) fitting.parents.push(id);
  else scope.listings.push({ drive, kind: "children", parents: [id], isGone });
}

export function isFolder({ mimeType }: DriveFile): boolean {
  return mimeType === FOLDER;
}

export function counts({ chosen, folders }: DriveScope, file: DriveFile): boolean {
  if (file.trashed) return false;
  if (chosen === null || chosen.includes(file.id)) return true;
  return file.parents.some((parent) => folders[parent] !== undefined);
}

/**
 * Takes note of a folder that counts. @returns whether it was unknown, or known by another name or in another place: then
 * all that lies in it has another path
 */
export function noteFolder({ chosen, folders }: DriveScope, folder: DriveFile): boolean {
  const before = folders[folder.id];
  const parent = chosen?.includes(folder.id) === true ? null : (folder.parents[0] ?? null);
  folders[folder.id] = [parent, folder.name, folder.driveId ?? null];
  return before === undefined || before[0] !== parent || before[1] !== folder.name;
}

/** What a file that counts is to the engine; nothing for what is no file. */
export function upsert({ folders }: DriveScope, file: DriveFile): SourceChange[] {
  if (file.mimeType === FOLDER || file.mimeType === SHORTCUT) return [];
  const item: SourceItem = {
    id: file.id,
    version: versionOf(file),
    title: file.name,
    address: file.webViewLink ?? null,
    path: pathOf(folders, file),
    ...(file.size !== undefined && { size: file.size }),
    detail: {
      name: file.name,
      mimeType: file.mimeType,
      size: file.size ?? null,
      modifiedTime: file.modifiedTime ?? null,
    },
  };
  return [{ kind: "upsert", item }];
}

/** What Google edits itself has neither a checksum nor a revision; its `version` counts renames and moves as well. */
function versionOf({ md5Checksum, headRevisionId, modifiedTime, version }: DriveFile): string {
  return md5Checksum ?? headRevisionId ?? modifiedTime ?? version ?? "1";
}

function pathOf(folders: KnownFolders, file: DriveFile): string {
  const names = [file.name];
  let parent = file.parents[0] ?? null;
  while (parent !== null && names.length < DEEPEST) {
    const folder: KnownFolder | undefined = folders[parent];
    if (folder === undefined) break;
    names.unshift(folder[1]);
    parent = folder[0];
  }
  return names.map((name) => name.replaceAll("/", "_")).join("/");
}
