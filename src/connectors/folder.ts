import { lstat, readFile, realpath } from "node:fs/promises";
import { basename, isAbsolute, join, relative, resolve, sep } from "node:path";
import { pathToFileURL } from "node:url";
import * as z from "zod";
import { ItemGone, ItemSkipped, readCheckpoint } from "../core/connections/connector-errors.js";
import { AppError } from "../core/errors.js";
import type { ChangePage, Connector, SourceAccess, SourceItem } from "../core/ports.js";
import { codeOf } from "../lib/error-code.js";
import { isMissingFile } from "../lib/file-identity.js";
import { allFilesIn, MOST_FILES } from "../lib/folder-files.js";

const PAGE = 200;

const fieldsSchema = z.object({
  path: z
    .string("must be the path of a folder on the server's machine")
    .min(1, "must be the path of a folder on the server's machine")
    .refine((path) => isAbsolute(path) && !path.includes("\0"), "must be an absolute path on the server's machine"),
});
const checkpointSchema = z.object({ after: z.string() });

/**
 * A folder of the server's own machine, as far as one of `roots` holds it. Files are known by their paths: one that is moved
 * is another one. Hidden files, links, and what `.gitignore` leaves out are not brought in.
 */
export function createFolderConnector({ roots }: { readonly roots: readonly string[] }): Connector {
  /** The real place of the folder. @throws AppError `forbidden` outside of the roots, `not_found` */
  const placeOf = async ({ settings }: SourceAccess): Promise<string> => {
    const path = resolve(String(settings["path"]));
    const place = await realpath(path).catch(() => null);
    const allowed = await Promise.all(roots.map((root) => realpath(root).catch(() => null)));
    // What is not allowed and what is not there are told in the same words.
    if (place === null || !allowed.some((root) => root !== null && isWithin(root, place)))
      throw new AppError(
        "forbidden",
        "The folder is not there, or lies outside of those that RECOLLECT_CONNECTION_FOLDERS names.",
      );
    if (!(await lstat(place)).isDirectory()) throw new AppError("invalid", "The path is not that of a folder.");
    return place;
  };

  async function* walk(access: SourceAccess, after: string | null): AsyncIterable<ChangePage> {
    const place = await placeOf(access);
    const ids = await listFiles(place);
    const left = after === null ? ids : ids.filter((id) => id > after);
    for (let start = 0; start === 0 || start < left.length; start += PAGE) {
      access.signal.throwIfAborted();
      const some = left.slice(start, start + PAGE);
      const items = (await Promise.all(some.map((id) => itemAt(place, id)))).flatMap((item) => item ?? []);
      const isLast = start + PAGE >= left.length;
      yield {
        kind: "listing",
        isFirst: after === null && start === 0,
        isLast,
        items: items.map((item) => ({ kind: "upsert" as const, item })),
        checkpoint: isLast ? null : { after: some.at(-1) },
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
      await placeOf(access);
      return { account: null };
    },
    changes: (access, checkpoint) =>
      walk(access, checkpoint === null ? null : readCheckpoint(checkpointSchema, checkpoint).after),
    async read(access, { id, title }) {
      const place = await placeOf(access);
      const file = join(place, ...id.split("/"));
      // A link may have been put in the place of a folder since it was listed.
      const real = await realpath(file).catch((error: unknown) => goneOrUnread(error, id));
      if (real === null || !isWithin(place, real)) throw new ItemGone();
      const found = await lstat(real).catch((error: unknown) => goneOrUnread(error, id));
      if (!found?.isFile()) throw new ItemGone();
      if (found.size > access.maximumBytes)
        throw new ItemSkipped(
          `The file has ${found.size} bytes, more than ${access.maximumBytes} (RECOLLECT_MAX_FILE_BYTES).`,
        );
      if (found.size === 0) throw new ItemSkipped("The file is empty.");
      return {
        content: await readFile(real).catch((error: unknown) => {
          throw unread(error, id);
        }),
        mimeType: null,
        fileName: basename(real),
        type: null,
        title,
        changedAt: found.mtime.toISOString(),
        metadata: { path: id },
      };
    },
  };
}

/** @throws AppError for a folder that cannot be listed to its end: what it does not name would count as gone */
async function listFiles(place: string): Promise<readonly string[]> {
  const files = await allFilesIn(place).catch((error: NodeJS.ErrnoException) => {
    const part = error.path === undefined ? "" : idOf(place, error.path);
    throw new AppError("unavailable", `The folder was not listed: ${part || "it"} cannot be read (${error.code}).`, {
      cause: error,
    });
  });
  if (files.length > MOST_FILES)
    throw new AppError("too_large", `The folder has more than ${MOST_FILES} files. Connect its parts one by one.`);
  return files.map((file) => idOf(place, file)).toSorted();
}

async function itemAt(place: string, id: string): Promise<SourceItem | null> {
  const file = join(place, ...id.split("/"));
  const found = await lstat(file).catch((error: unknown) => goneOrUnread(error, id));
  if (!found?.isFile()) return null;
  return {
    id,
    // What is put in its place by a rename may have the same size and time.
    version: `${found.size}-${found.mtimeMs}-${found.ino}`,
    title: basename(file),
    address: pathToFileURL(file).href,
    path: id,
  };
}

/** @returns null for what is not there @throws AppError for what may be there and cannot be looked at */
function goneOrUnread(error: unknown, id: string): null {
  if (isMissingFile(error) || codeOf(error) === "ENOTDIR") return null;
  throw unread(error, id);
}

function unread(error: unknown, id: string): AppError {
  return new AppError("unavailable", `${id} cannot be read (${codeOf(error) ?? "no reason"}). See who may read it.`, {
    cause: error,
  });
}

function idOf(place: string, file: string): string {
  return relative(place, file).split(sep).join("/");
}

function isWithin(root: string, path: string): boolean {
  const way = relative(root, path);
  return way === "" || (!isAbsolute(way) && way !== ".." && !way.startsWith(`..${sep}`));
}
