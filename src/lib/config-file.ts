import { randomBytes } from "node:crypto";
import { constants } from "node:fs";
import { chmod, copyFile, lstat, mkdir, open, readFile, rename, rm, rmdir } from "node:fs/promises";
import { basename, dirname, join } from "node:path";
import { codeOf } from "./error-code.js";

/** Another program's file that cannot be edited safely. The message names it, and says why and what to do. */
export class ConfigFileError extends Error {
  override readonly name = "ConfigFileError";
}

export interface ConfigFile {
  readonly path: string;
  /** Without a byte order mark; undefined when there is no such file. */
  readonly text: string | undefined;
  /** The original bytes, to detect changes by others. */
  readonly bytes: Buffer | undefined;
  /** Permission bits; undefined when there is no such file. */
  readonly mode: number | undefined;
}

const LARGEST_BYTES = 32 * 1024 * 1024;
const BYTE_ORDER_MARK = "\ufeff";
const NEW_FILE_MODE = 0o600;

/**
 * Reads a file for editing. A missing file is not an error.
 * @throws ConfigFileError for a link, a folder, or a file that is too large, not UTF-8, or inaccessible
 */
export async function readConfigFile(path: string): Promise<ConfigFile> {
  const stats = await lstat(path).catch((error: unknown) => {
    if (codeOf(error) === "ENOENT") return undefined;
    throw refuse(path, error, "read");
  });
  if (!stats) return { path, text: undefined, bytes: undefined, mode: undefined };
  if (stats.isSymbolicLink())
    throw new ConfigFileError(`${path} is a symbolic link. Name the file it points to with --file.`);
  if (!stats.isFile())
    throw new ConfigFileError(`${path} is not a file. Move it away, or name another file with --file.`);
  if (stats.size > LARGEST_BYTES)
    throw new ConfigFileError(`${path} is larger than 32 MB, too large for a configuration file. Check its content.`);
  const bytes = await readFile(path).catch((error: unknown) => {
    throw refuse(path, error, "read");
  });
  return { path, text: decode(path, bytes), bytes, mode: stats.mode & 0o777 };
}

function decode(path: string, bytes: Buffer): string {
  try {
    return new TextDecoder("utf-8", { fatal: true }).decode(bytes);
  } catch {
    throw new ConfigFileError(`${path} is not UTF-8 text. Save it as UTF-8 first.`);
  }
}

export interface WrittenConfig {
  /** Copy of the previous content, beside the file; undefined when there was no file. */
  readonly backup: string | undefined;
  /** The topmost folder that had to be created. */
  readonly madeFolder: string | undefined;
}

/**
 * Replaces the content of the file atomically, and keeps a copy beside it. Permissions and a byte order mark stay; a
 * new file is for its owner only.
 * @param stamp part of the name of the copy
 * @throws ConfigFileError when the file may not be written, or changed since it was read
 */
export async function replaceConfigFile(file: ConfigFile, text: string, stamp: string): Promise<WrittenConfig> {
  requireWritable(file);
  try {
    const madeFolder = await mkdir(dirname(file.path), { recursive: true });
    const backup = file.bytes && (await keepCopy(file, stamp));
    await swap(file, text);
    return { backup, madeFolder };
  } catch (error) {
    throw error instanceof ConfigFileError ? error : refuse(file.path, error, "written");
  }
}

/** Removes a file; its copy stays. @throws ConfigFileError when it changed since it was read, or cannot be removed */
export async function removeConfigFile(file: ConfigFile): Promise<void> {
  requireWritable(file);
  try {
    await requireUnchanged(file);
    await rm(file.path);
  } catch (error) {
    throw error instanceof ConfigFileError ? error : refuse(file.path, error, "removed");
  }
}

/** Removes the folders of the path, from the innermost to the topmost, as long as they are empty. */
export async function removeEmptyFolders(path: string, topmost: string): Promise<void> {
  for (let folder = dirname(path); folder.startsWith(topmost); folder = dirname(folder)) {
    const isGone = await rmdir(folder).then(
      () => true,
      () => false,
    );
    if (!isGone || folder === topmost) return;
  }
}

function requireWritable({ path, mode }: ConfigFile): void {
  if (mode !== undefined && (mode & 0o222) === 0)
    throw new ConfigFileError(`${path} is read-only. Make it writable first if it may be changed.`);
}

async function keepCopy(file: ConfigFile, stamp: string): Promise<string> {
  const free = await freeName(`${file.path}.${stamp}`);
  await copyFile(file.path, free, constants.COPYFILE_EXCL);
  await chmod(free, file.mode ?? NEW_FILE_MODE);
  return free;
}

async function freeName(stem: string): Promise<string> {
  for (let number = 1; ; number++) {
    const name = number === 1 ? `${stem}.bak` : `${stem}-${number}.bak`;
    const isTaken = await lstat(name).then(
      () => true,
      () => false,
    );
    if (!isTaken) return name;
  }
}

async function swap(file: ConfigFile, text: string): Promise<void> {
  const hasMark = file.bytes?.subarray(0, 3).equals(Buffer.from(BYTE_ORDER_MARK)) ?? false;
  const draft = join(dirname(file.path), `.${basename(file.path)}.${randomBytes(6).toString("hex")}`);
  try {
    const handle = await open(draft, "wx", file.mode ?? NEW_FILE_MODE);
    try {
      await handle.writeFile((hasMark ? BYTE_ORDER_MARK : "") + text);
      // The process's umask may remove permissions that the file had.
      if (file.mode !== undefined) await handle.chmod(file.mode);
      await handle.sync();
    } finally {
      await handle.close();
    }
    await requireUnchanged(file);
    await rename(draft, file.path);
  } catch (error) {
    await rm(draft, { force: true });
    throw error;
  }
}

async function requireUnchanged(file: ConfigFile): Promise<void> {
  const now = await readConfigFile(file.path);
  const isSame = file.bytes ? now.bytes?.equals(file.bytes) : now.bytes === undefined;
  if (!isSame)
    throw new ConfigFileError(`${file.path} was just changed by another program. Nothing was written; try again.`);
}

function refuse(path: string, error: unknown, done: string): ConfigFileError {
  const reason = error instanceof Error ? error.message : String(error);
  const advice = codeOf(error) === "EACCES" || codeOf(error) === "EPERM" ? " Check who owns it and its folder." : "";
  return new ConfigFileError(`${path} could not be ${done}: ${reason}.${advice}`);
}
