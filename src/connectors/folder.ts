import { lstat, realpath } from "node:fs/promises";
import { basename, dirname, isAbsolute, join, relative, resolve, sep } from "node:path";
import { pathToFileURL } from "node:url";
import * as z from "zod";
import {
  CheckpointExpired,
  ItemGone,
  ItemSkipped,
  ItemTooLarge,
  readCheckpoint,
} from "../core/connections/connector-errors.js";
import { AppError } from "../core/errors.js";
import type { ChangePage, Connector, SourceAccess, SourceContent, SourceItem } from "../core/ports.js";
import { codeOf } from "../lib/error-code.js";
import { identityOf, isFileError, isMissingFile } from "../lib/file-identity.js";
import { allFilesIn, describeLeftOut, isDataFolder, MOST_FILES } from "../lib/folder-files.js";
import { isWithin } from "../lib/path-within.js";
import { readContainedFile } from "../lib/read-contained-file.js";

const PAGE = 200;

const fieldsSchema = z.object({
  path: z
    .string("must be the path of a folder on the server's machine")
    .min(1, "must be the path of a folder on the server's machine")
    .refine((path) => isAbsolute(path) && !path.includes("\0"), "must be an absolute path on the server's machine"),
});
const checkpointSchema = z.object({ after: z.string(), folder: z.string() });

/** A folder as a run first found it. */
interface Place {
  /** With links resolved. */
  readonly path: string;
  readonly identity: string;
}

/**
 * A folder on the server's own machine, inside one of `roots`. Files are identified by path: a moved file is a new one. Hidden
 * files, links, and whatever `.gitignore` excludes are not brought in.
 */
export function createFolderConnector({ roots }: { readonly roots: readonly string[] }): Connector {
  const begun = new WeakMap<SourceAccess, Place>();

  const begin = async (access: SourceAccess): Promise<Place> => {
    const place = await placeOf(roots, String(access.settings["path"]));
    begun.set(access, place);
    return place;
  };

  async function* walk(access: SourceAccess, checkpoint: unknown): AsyncIterable<ChangePage> {
    const stopped = checkpoint === null ? null : readCheckpoint(checkpointSchema, checkpoint);
    const place = await begin(access);
    // Another folder's content says nothing about this one.
    if (stopped !== null && stopped.folder !== place.identity)
      throw new CheckpointExpired("The folder was replaced, so everything was listed again.");
    const after = stopped?.after ?? null;
    const { ids, leftOut } = await listFiles(place.path, access.signal);
    const left = after === null ? ids : ids.filter((id) => id > after);
    for (let start = 0; start === 0 || start < left.length; start += PAGE) {
      access.signal.throwIfAborted();
      const some = left.slice(start, start + PAGE);
      const items = (await Promise.all(some.map((id) => itemAt(place.path, id)))).flatMap((item) => item ?? []);
      await requireSame(place);
      const isLast = start + PAGE >= left.length;
      yield {
        kind: "listing",
        isFirst: after === null && start === 0,
        isLast,
        items: items.map((item) => ({ kind: "upsert" as const, item })),
        checkpoint: isLast ? null : { after: some.at(-1), folder: place.identity },
        ...(isLast && { leftOut }),
      };
    }
  }

  return {
    provider: "folder",
    title: "Folder",
    signIn: { kind: "none" },
    fields: fieldsSchema,
    secretFields: [],
    isKnownByAddress: true,
    sync: { everyMinutes: 15, absences: 1, readsAtOnce: 4 },
    async check(access) {
      await begin(access);
      return { account: null };
    },
    changes: walk,
    read: async (access, item) => readFileIn(begun.get(access) ?? (await begin(access)), access, item),
  };
}

/** As `Connector.read`. */
async function readFileIn(
  place: Place,
  { maximumBytes }: SourceAccess,
  { id, title }: SourceItem,
): Promise<SourceContent> {
  const path = join(place.path, ...id.split("/"));
  const found = await readContainedFile(path, { root: place.path, maximumBytes }).catch((error: unknown) => {
    throw unread(error, id);
  });
  await requireSame(place);
  if (found.kind === "absent") throw new ItemGone();
  if (found.kind === "too_large") throw new ItemTooLarge("The file", found.bytes, maximumBytes);
  if (found.bytes.byteLength === 0) throw new ItemSkipped("The file is empty.");
  return {
    content: found.bytes,
    mimeType: null,
    fileName: basename(path),
    type: null,
    title,
    changedAt: found.changedAt.toISOString(),
    metadata: { path: id },
  };
}

/** @throws AppError `forbidden` for a folder outside the roots or missing */
async function placeOf(roots: readonly string[], wanted: string): Promise<Place> {
  const path = await realpath(resolve(wanted)).catch(() => null);
  const allowed = await Promise.all(roots.map((root) => realpath(root).catch(() => null)));
  const around = allowed.flatMap((root) => (root !== null && path !== null && isWithin(root, path) ? [root] : []));
  // Forbidden and missing folders get the same message.
  if (path === null || around.length === 0)
    throw new AppError(
      "forbidden",
      "The folder does not exist, or is outside those that RECOLLECT_CONNECTION_FOLDERS names.",
    );
  if (around.every((root) => isHiddenIn(root, path)))
    throw new AppError(
      "forbidden",
      "The folder is hidden, or inside a hidden one. To connect it, name it in RECOLLECT_CONNECTION_FOLDERS itself.",
    );
  for (let folder = path; ; folder = dirname(folder)) {
    if (await isDataFolder(folder))
      throw new AppError("forbidden", "The folder is a data folder of Recollect, or inside one. These are never read.");
    if (folder === dirname(folder)) break;
  }
  const found = await lstat(path, { bigint: true });
  if (!found.isDirectory()) throw new AppError("invalid", "The path does not lead to a folder.");
  return { path, identity: identityOf(found) };
}

function isHiddenIn(root: string, path: string): boolean {
  const parts = relative(root, path).split(sep);
  return parts.some((part) => part.startsWith(".") || part === "node_modules");
}

/**
 * Nothing may be concluded from another folder's content, or from the empty folder that an unmounted drive leaves. @throws
 * AppError `unavailable`
 */
async function requireSame({ path, identity }: Place): Promise<void> {
  const found = await lstat(path, { bigint: true }).catch(() => null);
  if (found === null || identityOf(found) !== identity)
    throw new AppError("unavailable", "The folder disappeared or was replaced while it was being read.");
}

interface Listing {
  readonly ids: readonly string[];
  /** What was left out, as sentences. */
  readonly leftOut: readonly string[];
}

/** @throws AppError for a folder that cannot be listed completely: files it does not list would count as gone */
async function listFiles(place: string, signal: AbortSignal): Promise<Listing> {
  const found = await allFilesIn(place, signal).catch((error: unknown) => {
    if (!isFileError(error)) throw error;
    const part = error.path === undefined ? "" : idOf(place, error.path);
    throw new AppError("unavailable", `The folder was not listed: ${part || "it"} cannot be read (${error.code}).`, {
      cause: error,
    });
  });
  if (found.files.length > MOST_FILES)
    throw new AppError("too_large", `The folder has more than ${MOST_FILES} files. Connect its subfolders separately.`);
  return {
    ids: found.files.map((file) => idOf(place, file)).toSorted(),
    leftOut: describeLeftOut(found, (folder) => idOf(place, folder) || "the whole folder"),
  };
}

async function itemAt(place: string, id: string): Promise<SourceItem | null> {
  const file = join(place, ...id.split("/"));
  const found = await lstat(file).catch((error: unknown) => goneOrUnread(error, id));
  if (!found?.isFile()) return null;
  return {
    id,
    // A file that replaces another by renaming may have the same size and time.
    version: `${found.size}-${found.mtimeMs}-${found.ino}`,
    title: basename(file),
    address: pathToFileURL(file).href,
    path: id,
  };
}

/** @returns null for a missing file @throws AppError for one that may exist but cannot be examined */
function goneOrUnread(error: unknown, id: string): null {
  if (isMissingFile(error) || codeOf(error) === "ENOTDIR") return null;
  throw unread(error, id);
}

function unread(error: unknown, id: string): AppError {
  return new AppError(
    "unavailable",
    `${id} cannot be read (${codeOf(error) ?? "no reason given"}). Check its permissions.`,
    {
      cause: error,
    },
  );
}

function idOf(place: string, file: string): string {
  return relative(place, file).split(sep).join("/");
}
