import * as z from "zod";
import { CheckpointExpired, readCheckpoint } from "../../../core/connections/connector-errors.js";
import { requireNewPage } from "../../../core/connections/require-new-page.js";
import { AppError } from "../../../core/errors.js";
import type { ChangePage, SourceAccess, SourceChange } from "../../../core/ports.js";
import {
  ALL_DRIVES,
  type DriveApi,
  type DriveFile,
  driveListSchema,
  FILE_FIELDS,
  fileListSchema,
  fileSchema,
  FOLDER,
  parseDrive,
} from "./drive-api.js";
import { counts, type DriveScope, isDriveFolder, listFolder, noteFolder, upsert } from "./drive-scope.js";

const PAGE_SIZE = "1000";
const DRIVES_PAGE_SIZE = "100";

const checkpointSchema = z.object({
  phase: z.enum(["listing", "changes"]),
  chosen: z.array(z.string()).nullable(),
  /** For the account and for each shared drive, since the account's feed does not report everything in those. */
  feeds: z.array(z.object({ drive: z.string().nullable(), token: z.string() })).min(1),
  feed: z.int().min(0),
  folders: z.record(z.string(), z.tuple([z.string().nullable(), z.string(), z.string().nullable()])),
  listings: z.array(
    z.object({
      drive: z.string().nullable(),
      kind: z.enum(["folders", "files", "children"]),
      parents: z.array(z.string()),
      isGone: z.boolean(),
    }),
  ),
  /** Position in the first listing. */
  page: z.string().nullable(),
  isPartial: z.boolean(),
  /** Chosen ids that do not exist, or are not accessible to the account. */
  missing: z.array(z.string()).default([]),
});
type Checkpoint = z.infer<typeof checkpointSchema>;
type Feed = Checkpoint["feeds"][number];

/** As `Connector.changes`. Begins with a listing, before which the tokens of the change feeds are taken. */
export async function* driveChanges(api: DriveApi, access: SourceAccess, given: unknown): AsyncGenerator<ChangePage> {
  const chosen = chosenIds(access);
  let isFirst = given === null || given === undefined;
  const start = isFirst ? await begin(api, chosen) : { state: resume(given, chosen), items: [] };
  const { state } = start;
  const seen = new Set<string>();
  let items: SourceChange[] = start.items;
  let isLast = false;
  while (!isLast) {
    const kind = state.phase;
    if (!isFirst || items.length === 0)
      items = await (kind === "listing" || state.listings.length > 0
        ? listPage(api, state, seen)
        : changePage(api, state, seen));
    isLast = isFinished(state);
    yield {
      kind,
      isFirst,
      isLast,
      items,
      checkpoint: structuredClone(state),
      ...(isLast && state.missing.length > 0 && { missing: state.missing.map((id) => nameOf(access, id)) }),
      ...(kind === "listing" && state.isPartial && { cutShort: "Google Drive did not search all drives." }),
    };
    isFirst = false;
  }
}

function nameOf({ resources }: SourceAccess, wanted: string): string {
  return resources.find(({ id }) => String(id) === wanted)?.name ?? wanted;
}

/** Also prepares the state for the next run. */
function isFinished(state: Checkpoint): boolean {
  if (state.listings.length > 0) return false;
  if (state.phase === "changes" && state.feed < state.feeds.length) return false;
  state.phase = "changes";
  state.feed = 0;
  return true;
}

function chosenIds({ settings, resources }: SourceAccess): string[] | null {
  if (settings["syncScope"] === "full") return null;
  if (resources.length === 0)
    throw new AppError(
      "invalid",
      "No Google Drive folder or file has been chosen yet. Choose some, or create a connection with syncScope “full”.",
    );
  return resources.map(({ id }) => String(id)).sort();
}

function resume(given: unknown, chosen: string[] | null): Checkpoint {
  const state = readCheckpoint(checkpointSchema, given);
  if (JSON.stringify(state.chosen) !== JSON.stringify(chosen))
    throw new CheckpointExpired("Other folders or files were chosen.");
  return state;
}

async function begin(api: DriveApi, chosen: string[] | null): Promise<{ state: Checkpoint; items: SourceChange[] }> {
  const account = await startFeed(api, null);
  const state: Checkpoint = {
    phase: "listing",
    chosen,
    feeds: [account],
    feed: 0,
    folders: {},
    listings: [],
    page: null,
    isPartial: false,
    missing: [],
  };
  if (chosen === null) {
    for (const { id, name } of await sharedDrives(api)) {
      state.feeds.push(await startFeed(api, id));
      state.folders[id] = [null, name, id];
    }
    for (const kind of ["folders", "files"] as const)
      for (const { drive } of state.feeds) state.listings.push({ drive, kind, parents: [], isGone: false });
    return { state, items: [] };
  }
  let files = await findFiles(api, chosen);
  const drives = [...new Set(files.flatMap(({ driveId }) => driveId ?? []))];
  for (const drive of drives) state.feeds.push(await startFeed(api, drive));
  // Fetched again where their feed has only just begun, so that no edit is lost in between.
  if (drives.length > 0) files = await findFiles(api, chosen);
  const open = files.filter((file) => !file.trashed);
  state.missing = chosen.filter((id) => !open.some((file) => file.id === id));
  for (const folder of open.filter(isDriveFolder)) {
    noteFolder(state, folder);
    listFolder(state, folder.id, folder.driveId ?? null, false);
  }
  return { state, items: open.flatMap((file) => upsert(state, file)) };
}

/** Where the changes of the account, or of a shared drive, continue from now. */
export async function startFeed(api: DriveApi, drive: string | null): Promise<Feed> {
  const { startPageToken } = await api.read(z.object({ startPageToken: z.string() }), "changes/startPageToken", {
    supportsAllDrives: "true",
    driveId: drive ?? undefined,
  });
  return { drive, token: startPageToken };
}

/** Drives shared with the account. */
export async function sharedDrives(api: DriveApi): Promise<{ id: string; name: string }[]> {
  const found: { id: string; name: string }[] = [];
  const seen = new Set<string>();
  let page: string | undefined;
  do {
    const { drives, nextPageToken } = await api.read(driveListSchema, "drives", {
      pageSize: DRIVES_PAGE_SIZE,
      pageToken: page,
      fields: "nextPageToken,drives(id,name)",
    });
    found.push(...drives);
    page = nextPage(nextPageToken, seen);
  } while (page !== undefined);
  return found;
}

async function findFiles(api: DriveApi, ids: readonly string[]): Promise<DriveFile[]> {
  const files: DriveFile[] = [];
  for (const id of ids) {
    const query = { supportsAllDrives: "true", fields: FILE_FIELDS };
    const answer = await api.get(`files/${encodeURIComponent(id)}`, query, [404]);
    if (answer.status !== 404) files.push(parseDrive(fileSchema, answer));
  }
  return files;
}

/** The next page of what is to be listed. */
async function listPage(api: DriveApi, state: Checkpoint, seen: Set<string>): Promise<SourceChange[]> {
  const [listing] = state.listings;
  if (listing === undefined) return [];
  const { drive, kind, parents, isGone } = listing;
  const inFolders = parents.map((id) => `'${id}' in parents`).join(" or ");
  const wanted = kind === "children" ? `(${inFolders})` : `mimeType ${kind === "folders" ? "=" : "!="} '${FOLDER}'`;
  const query = {
    ...ALL_DRIVES,
    q: isGone ? wanted : `${wanted} and trashed = false`,
    corpora: drive === null ? "user" : "drive",
    driveId: drive ?? undefined,
    spaces: "drive",
    pageSize: PAGE_SIZE,
    pageToken: state.page ?? undefined,
    fields: `nextPageToken,incompleteSearch,files(${FILE_FIELDS})`,
  };
  const answer = await api.get("files", query, [400, 404, 410]);
  if (answer.status === 404 && kind === "children") {
    // One of the folders is gone: the others are listed one by one.
    const alone = parents.length === 1 ? [] : parents.map((id) => ({ ...listing, parents: [id] }));
    state.listings.splice(0, 1, ...alone);
    state.page = null;
    return [];
  }
  refuseExpired(answer.status);
  const { files, nextPageToken, incompleteSearch } = parseDrive(fileListSchema, answer);
  state.isPartial ||= incompleteSearch && !isGone;
  state.page = nextPage(nextPageToken, seen) ?? null;
  const items = files.flatMap((file) => (isGone ? dropFound(state, file) : takeFound(state, file, kind)));
  if (state.page === null) state.listings.shift();
  return items;
}

function takeFound(state: Checkpoint, file: DriveFile, kind: "folders" | "files" | "children"): SourceChange[] {
  if (!isDriveFolder(file)) return upsert(state, file);
  noteFolder(state, file);
  if (kind === "children") listFolder(state, file.id, file.driveId ?? null, false);
  return [];
}

/** Drops an item that lies in a folder which no longer counts, unless it was chosen itself. */
function dropFound(state: Checkpoint, file: DriveFile): SourceChange[] {
  if (state.chosen?.includes(file.id) === true) return [];
  if (!isDriveFolder(file)) return [{ kind: "remove", id: file.id }];
  delete state.folders[file.id];
  listFolder(state, file.id, file.driveId ?? null, true);
  return [];
}

const changeListSchema = z.object({
  changes: z
    .array(
      z.object({
        changeType: z.string().optional(),
        removed: z.boolean().default(false),
        fileId: z.string().optional(),
        driveId: z.string().optional(),
        file: fileSchema.optional(),
      }),
    )
    .default([]),
  nextPageToken: z.string().optional(),
  newStartPageToken: z.string().optional(),
});
type DriveChange = z.infer<typeof changeListSchema>["changes"][number];

async function changePage(api: DriveApi, state: Checkpoint, seen: Set<string>): Promise<SourceChange[]> {
  const feed = state.feeds[state.feed];
  if (feed === undefined) return [];
  const query = {
    ...ALL_DRIVES,
    driveId: feed.drive ?? undefined,
    pageToken: feed.token,
    includeRemoved: "true",
    // A file moved to another drive disappears from one feed but stays accessible: the feed then says where it is.
    includeCorpusRemovals: "true",
    spaces: "drive",
    pageSize: PAGE_SIZE,
    fields: `nextPageToken,newStartPageToken,changes(changeType,removed,fileId,driveId,file(${FILE_FIELDS}))`,
  };
  const answer = await api.get("changes", query, [400, 404, 410]);
  refuseExpired(answer.status);
  const { changes, nextPageToken, newStartPageToken } = parseDrive(changeListSchema, answer);
  const next = nextPage(nextPageToken, seen);
  const token = next ?? newStartPageToken;
  if (token === undefined) throw new AppError("unavailable", "Google Drive did not say where its changes continue.");
  feed.token = token;
  if (next === undefined) state.feed += 1;
  return itemsOf(state, changes);
}

function itemsOf(state: Checkpoint, changes: readonly DriveChange[]): SourceChange[] {
  for (const change of changes) {
    refuseUnfollowable(state, change);
    noteMissing(state, change);
  }
  const files = changes.flatMap(({ changeType, file }) => (changeType === "drive" || !file ? [] : [file]));
  followFolders(state, files.filter(isDriveFolder));
  return changes.flatMap(({ changeType, file, fileId }): SourceChange[] => {
    if (changeType === "drive") return [];
    if (file === undefined) return fileId === undefined ? [] : [{ kind: "remove", id: fileId }];
    if (isDriveFolder(file)) return [];
    return counts(state, file) ? upsert(state, file) : [{ kind: "remove", id: file.id }];
  });
}

function noteMissing(state: Checkpoint, { fileId, file }: DriveChange): void {
  const id = file?.id ?? fileId;
  if (id === undefined || state.chosen?.includes(id) !== true) return;
  const isHere = file !== undefined && !file.trashed;
  state.missing = [...state.missing.filter((one) => one !== id), ...(isHere ? [] : [id])];
}

/** @throws CheckpointExpired for changes that the feeds do not report file by file */
function refuseUnfollowable(state: Checkpoint, { changeType, removed, driveId, file, fileId }: DriveChange): void {
  if (changeType === "drive") {
    const isFed = state.feeds.some(({ drive }) => drive === driveId);
    if (removed && isFed) throw new CheckpointExpired("The account no longer has access to a shared drive.");
    if (!removed && !isFed && state.chosen === null) throw new CheckpointExpired("A shared drive was added.");
  } else if (file === undefined && fileId !== undefined && state.folders[fileId] !== undefined)
    throw new CheckpointExpired("A folder was deleted, or the account no longer has access to it.");
}

/** Google reports only the folder when one is moved, renamed, binned or restored, so its content is listed. */
function followFolders(state: DriveScope, changed: readonly DriveFile[]): void {
  let waiting = [...changed];
  let before = Number.POSITIVE_INFINITY;
  // A folder may be reported before its parent.
  while (waiting.length < before) {
    before = waiting.length;
    waiting = waiting.filter((folder) => {
      if (!counts(state, folder)) return true;
      if (noteFolder(state, folder)) listFolder(state, folder.id, folder.driveId ?? null, false);
      return false;
    });
  }
  for (const folder of waiting) {
    if (state.folders[folder.id] === undefined) continue;
    delete state.folders[folder.id];
    listFolder(state, folder.id, folder.driveId ?? null, true);
  }
}

function refuseExpired(status: number): void {
  if (status >= 400) throw new CheckpointExpired(`Google Drive no longer knows the page (status ${status}).`);
}

/** @throws AppError `unavailable` for pages that lead in a circle */
export function nextPage(token: string | undefined, seen: Set<string>): string | undefined {
  return token === undefined ? undefined : requireNewPage(token, seen, "Google Drive does not lead to a next page");
}
