import { rm } from "node:fs/promises";
import { isDeepStrictEqual } from "node:util";
import {
  type ConfigFile,
  ConfigFileError,
  readConfigFile,
  removeConfigFile,
  removeEmptyFolders,
  replaceConfigFile,
} from "../../../lib/config-file.js";
import { type ConfigFormat, ConfigTextError, depthOf, valueAt } from "../../../lib/config-text.js";
import { spliceBetween, unsplice } from "../../../lib/splice.js";
import type { Surroundings } from "../starters.js";
import type { Client, ConfigEntry, Scope, WantedConnection } from "./client.js";
import { CONFIG_FORMATS } from "./formats.js";
import { textDigest, dropReceipt, keepReceipt, prepareReceipts, readReceipt, type Receipt } from "./receipt.js";
import { canAccess } from "../../../lib/can-access.js";

/** A client's file as it is now. */
export interface Opened {
  readonly client: Client;
  readonly scope: Scope;
  readonly file: ConfigFile;
  readonly document: unknown;
  /** What we last did to this file, if anything. */
  readonly receipt: Receipt | undefined;
}

/** A planned change to a client's file. */
export interface ConnectionPlan extends Opened {
  readonly entries: readonly ConfigEntry[];
  /** The text with the entries. */
  readonly text: string;
  readonly action: "create" | "change" | "none";
}

/**
 * Opens the file that a client reads, or `named` instead.
 * @throws ConfigFileError that names the file, for anything that is not safe to edit
 */
export async function openClient(client: Client, scope: Scope, around: Surroundings, named?: string): Promise<Opened> {
  const path = named ?? (await fileOf(client, scope, around));
  const file = await readConfigFile(path);
  const document = readDocument(client, file);
  return { client, scope, file, document, receipt: await readReceipt(around.home, path) };
}

async function fileOf(client: Client, scope: Scope, around: Surroundings): Promise<string> {
  const paths = client.files[scope]?.(around) ?? [];
  for (const path of paths) if (await canAccess(path)) return path;
  const last = paths.at(-1);
  if (last === undefined) throw new Error(`${client.name} has no file for the scope ${scope}.`);
  return last;
}

function readDocument({ format }: Client, { path, text }: ConfigFile): unknown {
  return naming(path, () => CONFIG_FORMATS[format].parse(text ?? ""));
}

/** Puts the file's name before errors about its text. */
function naming<T>(path: string, work: () => T): T {
  try {
    return work();
  } catch (error) {
    if (!(error instanceof ConfigTextError)) throw error;
    throw new ConfigFileError(`${path} ${error.message}. Fix it by hand first; nothing was changed.`);
  }
}

/** Works out the text with our entries. Reads and writes nothing. @throws ConfigFileError where they do not fit in */
export function planConnection(opened: Opened, wanted: WantedConnection): ConnectionPlan {
  const { client, scope, file, document } = opened;
  const entries = client.entries(wanted, scope, document);
  const isThere = entries.every(({ path, value }) => isDeepStrictEqual(valueAt(document, path), value));
  if (isThere) return { ...opened, entries, text: file.text ?? "", action: "none" };
  const text = naming(file.path, () => withEntries(CONFIG_FORMATS[client.format], withoutOurs(opened), entries));
  return { ...opened, entries, text, action: file.text === undefined ? "create" : "change" };
}

function withEntries(format: ConfigFormat, base: string, entries: readonly ConfigEntry[]): string {
  const text = entries.reduce((before, { path, value }) => format.set(before, path, value), base);
  const document = format.parse(text);
  for (const { path, value } of entries)
    if (!isDeepStrictEqual(valueAt(document, path), value))
      throw new ConfigTextError(`cannot be edited safely at ${path.join(".")}`);
  return text;
}

/** The text without what we wrote earlier, where that is unchanged, so that undoing leads back to before the first time. */
function withoutOurs({ client, file, receipt }: Opened): string {
  const text = file.text ?? "";
  return (receipt && cleanUndo(CONFIG_FORMATS[client.format], text, receipt)) ?? text;
}

/** Carries out a plan. @returns the copy of the former file, if there was one */
export async function writePlan(
  plan: ConnectionPlan,
  options: { home: string; now: Date; keyId?: string | undefined },
): Promise<string | undefined> {
  const { client, scope, file, receipt, entries, text } = plan;
  const base = withoutOurs(plan);
  const first = receipt && base !== (file.text ?? "") ? receipt : undefined;
  const baseDocument = CONFIG_FORMATS[client.format].parse(base);
  const writtenAt = options.now.toISOString();
  await prepareReceipts(options.home);
  const { backup, madeFolder } = await replaceConfigFile(
    file,
    text,
    `recollect-${writtenAt.replace(/[-:]|\.\d+/g, "")}`,
  );
  const keyId = options.keyId ?? first?.keyId;
  const topmost = first?.madeFolder ?? madeFolder;
  const copy = first?.backup ?? backup;
  await keepReceipt(options.home, {
    version: 1,
    client: client.name,
    scope,
    file: file.path,
    writtenAt,
    existed: first?.existed ?? file.text !== undefined,
    ...(topmost !== undefined && { madeFolder: topmost }),
    ...(copy !== undefined && { backup: copy }),
    splice: spliceBetween(base, text),
    digest: textDigest(text),
    entries: entries.map(({ path, value }) => {
      const before = valueAt(baseDocument, path);
      const depth = depthOf(baseDocument, path);
      return { path: [...path], value: asJson(value), depth, ...(before !== undefined && { before: asJson(before) }) };
    }),
    ...(keyId !== undefined && { keyId }),
  });
  return backup;
}

function asJson(value: unknown): Receipt["entries"][number]["value"] {
  return JSON.parse(JSON.stringify(value)) as Receipt["entries"][number]["value"];
}

/** A planned removal of our entry from a client's file. */
export interface UndoPlan extends Opened {
  readonly text: string;
  /** True when the file is deleted, because it was created for the entry and holds nothing else. */
  readonly removes: boolean;
}

/**
 * Plans to remove what we put into the file and to restore what was there before; changes nothing.
 * @param force even where the entry has changed since, or where we do not know what we wrote
 * @throws ConfigFileError when there is nothing of ours, or it was changed
 */
export function planUndo(
  opened: Opened,
  { force, paths }: { force: boolean; paths: readonly (readonly string[])[] },
): UndoPlan {
  const { client, file, document, receipt } = opened;
  const ours = receipt?.entries ?? paths.map((path) => ({ path, depth: path.length - 1 }));
  if (ours.every(({ path }) => valueAt(document, path) === undefined))
    throw new ConfigFileError(`${file.path} has no Recollect entry. There is nothing to undo.`);
  if (!receipt && !force)
    throw new ConfigFileError(
      `${file.path} has an entry that was not written by this command. Remove it by hand, or with --force.`,
    );
  if (receipt && !force && !isAsWritten(document, receipt))
    throw new ConfigFileError(
      `The entry in ${file.path} has changed since it was written. Undo it anyway with --force.`,
    );
  const text = naming(file.path, () => undoneText(client, file.text ?? "", ours, receipt));
  return { ...opened, text, removes: receipt?.existed === false && isEmpty(client, text) };
}

export async function undoConnection(plan: UndoPlan, { home, now }: { home: string; now: Date }): Promise<void> {
  const { file, text, receipt, removes } = plan;
  if (removes) await removeConfigFile(file);
  else await restore(file, text, now, receipt?.backup);
  if (removes && receipt?.madeFolder !== undefined) await removeEmptyFolders(file.path, receipt.madeFolder);
  await dropReceipt(home, file.path);
}

/** Once the file equals its first backup again, byte for byte, the backups are useless and removed. */
async function restore(file: ConfigFile, text: string, now: Date, backup: string | undefined): Promise<void> {
  const stamp = `recollect-${now.toISOString().replace(/[-:]|\.\d+/g, "")}`;
  const { backup: latest } = await replaceConfigFile(file, text, stamp);
  const first = backup === undefined ? undefined : await readConfigFile(backup).catch(() => undefined);
  const restored = await readConfigFile(file.path);
  if (backup === undefined || latest === undefined || !first?.bytes || !restored.bytes?.equals(first.bytes)) return;
  await rm(backup, { force: true });
  await rm(latest, { force: true });
}

type Ours = Pick<Receipt["entries"][number], "path" | "before" | "depth">;

function undoneText(
  client: Client,
  text: string,
  ours: readonly { readonly path: readonly string[]; readonly depth: number; readonly before?: Ours["before"] }[],
  receipt: Receipt | undefined,
): string {
  const format = CONFIG_FORMATS[client.format];
  const exact = receipt && cleanUndo(format, text, receipt);
  if (exact !== undefined) return exact;
  return ours.reduce((current, { path, depth, before }) => {
    if (before !== undefined) return format.set(current, path, before);
    return withoutEmptyTables(format, format.remove(current, path), path, depth);
  }, text);
}

/** Removes tables on the path to an entry that were created for it and are empty now. */
function withoutEmptyTables(format: ConfigFormat, text: string, path: readonly string[], depth: number): string {
  let current = text;
  for (let length = path.length - 1; length > depth; length--) {
    const table = valueAt(format.parse(current), path.slice(0, length));
    if (typeof table !== "object" || table === null || Object.keys(table).length > 0) return current;
    current = format.remove(current, path.slice(0, length));
  }
  return current;
}

/** The text as it was but for our change, to the byte; undefined where that can no longer be told. */
function cleanUndo(format: ConfigFormat, text: string, receipt: Receipt): string | undefined {
  const { offset, removed, inserted } = receipt.splice;
  if (textDigest(text) === receipt.digest)
    return text.slice(0, offset) + removed + text.slice(offset + inserted.length);
  if (!isAsWritten(parseOrNothing(format, text), receipt)) return undefined;
  const candidate = unsplice(text, receipt.splice);
  if (candidate === undefined) return undefined;
  const before = parseOrNothing(format, candidate);
  const isRight = receipt.entries.every(({ path, before: value }) => isDeepStrictEqual(valueAt(before, path), value));
  // What others wrote meanwhile must still be there.
  const again = isRight && receipt.entries.reduce((now, { path, value }) => format.set(now, path, value), candidate);
  return again !== false && isDeepStrictEqual(parseOrNothing(format, again), parseOrNothing(format, text))
    ? candidate
    : undefined;
}

function parseOrNothing(format: ConfigFormat, text: string): unknown {
  try {
    return format.parse(text);
  } catch {
    return undefined;
  }
}

/** Whether the entries are as we wrote them. */
export function isAsWritten(document: unknown, receipt: Receipt): boolean {
  return receipt.entries.every(({ path, value }) => isDeepStrictEqual(valueAt(document, path), value));
}

function isEmpty({ format }: Client, text: string): boolean {
  const document = CONFIG_FORMATS[format].parse(text);
  return (
    document === undefined || (typeof document === "object" && document !== null && Object.keys(document).length === 0)
  );
}
