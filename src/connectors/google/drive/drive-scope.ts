import type { SourceChange, SourceItem } from "../../../core/ports.js";
import { type DriveFile, FOLDER, SHORTCUT } from "./drive-api.js";

/** A folder whose files are brought in: its parent (null at the top), its name, and its shared drive. */
export type KnownFolder = [parent: string | null, name: string, drive: string | null];
export type KnownFolders = Record<string, KnownFolder>;

/** Something to list: all folders or all files of a drive, or the direct content of some folders. */
export interface DriveListing {
  readonly drive: string | null;
  readonly kind: "folders" | "files" | "children";
  /** For kind `children`. */
  readonly parents: string[];
  /** What it lists is no longer brought in. */
  readonly isGone: boolean;
}

/** Which files count, and what must still be listed to know them all. Stored in the checkpoint. */
export interface DriveScope {
  /** Chosen ids; null if everything counts. */
  readonly chosen: readonly string[] | null;
  readonly folders: KnownFolders;
  readonly listings: DriveListing[];
}

const MOST_PARENTS = 20;
const DEEPEST = 100;

/** Lists a folder's direct content before anything else, and what lies below that afterwards. */
export function listFolder(scope: DriveScope, id: string, drive: string | null, isGone: boolean): void {
  // The first one may be half finished.
  const fitting = scope.listings
    .slice(1)
    .find(
      (one) =>
        one.kind === "children" && one.drive === drive && one.isGone === isGone && one.parents.length < MOST_PARENTS,
    );
  if (fitting) fitting.parents.push(id);
  else scope.listings.push({ drive, kind: "children", parents: [id], isGone });
}

export function isDriveFolder({ mimeType }: DriveFile): boolean {
  return mimeType === FOLDER;
}

export function counts({ chosen, folders }: DriveScope, file: DriveFile): boolean {
  if (file.trashed) return false;
  if (chosen === null || chosen.includes(file.id)) return true;
  return file.parents.some((parent) => folders[parent] !== undefined);
}

/**
 * Notes a folder that counts. @returns whether it is new, or has another name or place: then the paths of all its content change
 */
export function noteFolder({ chosen, folders }: DriveScope, folder: DriveFile): boolean {
  const before = folders[folder.id];
  const parent = chosen?.includes(folder.id) === true ? null : (folder.parents[0] ?? null);
  folders[folder.id] = [parent, folder.name, folder.driveId ?? null];
  return before === undefined || before[0] !== parent || before[1] !== folder.name;
}

/** The change for a file that counts; nothing for anything that is not a file. */
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

/** Files in Google's own formats have neither a checksum nor a revision; their `version` also counts renames and moves. */
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
