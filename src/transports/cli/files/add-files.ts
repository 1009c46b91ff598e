import { basename, extname, relative } from "node:path";
import type { AddDocumentInput, ExplainedReceipt, ReadingStatus } from "../../../core/index.js";
import { AppError, isPassing } from "../../../core/errors.js";
import { groupBy } from "../../../lib/group-by.js";
import type { Access, Cli } from "../cli.js";
import { printableLine } from "../style.js";
import { count } from "../../../lib/count.js";
import { pathIdentity } from "./path-identity.js";
import { sendFile } from "./send-file.js";

/** Files that are sent before the first of them is awaited. */
const SENT_TOGETHER = 16;
const MOST_NAMED = 10;
const BAR_WIDTH = 20;

/** The outcome of one file. */
export interface FileOutcome {
  readonly path: string;
  readonly outcome: "added" | "updated" | "unchanged" | "skipped" | "failed";
  readonly id?: string;
  /** How many facts it has; absent until that is known. */
  readonly facts?: number;
  /** Why it was skipped or failed. */
  readonly reason?: string;
  /** Set where it may succeed later without a change to the file. */
  readonly isPassing?: true;
  /** What its owner should know, such as that it contains a secret. */
  readonly warnings?: readonly string[];
}

/** A file to be added. */
export interface FileToAdd {
  readonly path: string;
  /** The real path of the folder in which it was found; null for a file named explicitly, which may be a link or a pipe. */
  readonly root: string | null;
  /** The subtitle file beside it that holds its spoken words. */
  readonly subtitles?: string;
}

/** Which files are added, and how. */
export interface Adding {
  readonly files: readonly FileToAdd[];
  /** What applies to all of them. */
  readonly shared: Omit<AddDocumentInput, "content" | "title" | "customId">;
  readonly waits: boolean;
}

/** Adds files and shows the progress. @param onSent is told of each one that is stored, and of each one that is refused */
export async function addFiles(
  cli: Cli,
  access: Access,
  adding: Adding,
  onSent?: Listener["onSent"],
): Promise<readonly FileOutcome[]> {
  const { files } = adding;
  const progress = cli.output.progress(`adding ${count(files.length, "file")}`);
  let done = 0;
  try {
    return await sendFiles(access, adding, {
      ...(onSent && { onSent }),
      onOutcome: (outcome) => {
        done += 1;
        progress.update(cli.output.isTerminal ? bar(done, files) : lineOf(outcome));
      },
      onState: (state) => {
        if (cli.output.isTerminal) progress.update(`${bar(done, files)}: ${state}`);
      },
    });
  } finally {
    progress.stop();
  }
}

/** Is told about files while they are added. */
export interface Listener {
  onOutcome: (outcome: FileOutcome) => void;
  /** About the file whose outcome comes next. */
  onState?: (state: string) => void;
  onSent?: (isKept: boolean) => void;
}

/** Adds files one after another, each as the document of its path; one that fails does not stop the others. */
export async function sendFiles(
  access: Access,
  { files, shared, waits }: Adding,
  { onOutcome, onState = () => undefined, onSent = () => undefined }: Listener,
): Promise<readonly FileOutcome[]> {
  const { reading } = await access.core.status(access.read);
  const outcomes: FileOutcome[] = [];
  for (let start = 0; start < files.length; start += SENT_TOGETHER) {
    const some: (() => Promise<FileOutcome>)[] = [];
    for (const file of files.slice(start, start + SENT_TOGETHER)) {
      access.ended.throwIfAborted();
      some.push(await send(access, reading, { file, shared, waits, onState, onSent }));
    }
    for (const outcomeOf of some) {
      const outcome = await outcomeOf();
      // A failure because the command ends is not the file's fault.
      access.ended.throwIfAborted();
      outcomes.push(outcome);
      onOutcome(outcome);
    }
  }
  return outcomes;
}

interface Sending extends Omit<Adding, "files"> {
  readonly file: FileToAdd;
  readonly onState: (state: string) => void;
  readonly onSent: (isKept: boolean) => void;
}

/** Sends a file. @returns a way to await its outcome */
async function send(
  access: Access,
  reading: ReadingStatus,
  { file, shared, waits, onState, onSent }: Sending,
): Promise<() => Promise<FileOutcome>> {
  const { path } = file;
  try {
    const document = { ...shared, customId: await pathIdentity(path) };
    const sent = await sendFile(access, reading, { ...file, document, waits });
    onSent(sent !== null);
    if (!sent) return () => Promise.resolve({ path, outcome: "skipped", reason: `${path} is empty.` });
    return async () => {
      try {
        return fileOutcomeOf(path, await sent(onState));
      } catch (error) {
        return fileRefusalOf(path, error);
      }
    };
  } catch (error) {
    const refusal = fileRefusalOf(path, error);
    onSent(false);
    return () => Promise.resolve(refusal);
  }
}

export function fileOutcomeOf(
  path: string,
  { id, status, facts, errorReason, isUnchanged, isUpdate, warnings }: ExplainedReceipt,
): FileOutcome {
  if (status === "failed")
    return { path, outcome: "failed", id, reason: errorReason ?? "unknown reason", ...(warnings && { warnings }) };
  const outcome = isUnchanged ? "unchanged" : isUpdate ? "updated" : "added";
  return { path, outcome, id, ...(facts && { facts: facts.length }), ...(warnings && { warnings }) };
}

/** Skips what this version reads no text from; only errors that concern all files end the work. */
export function fileRefusalOf(path: string, error: unknown): FileOutcome {
  if (!(error instanceof AppError) || STOPS.has(error.kind)) throw error;
  const outcome = error.kind === "unsupported_type" ? "skipped" : "failed";
  return { path, outcome, reason: error.publicMessage, ...(isPassing(error.kind) && { isPassing: true }) };
}

const STOPS: ReadonlySet<AppError["kind"]> = new Set(["unauthorized", "forbidden"]);

function bar(done: number, files: readonly FileToAdd[]): string {
  const filled = Math.round((done / files.length) * BAR_WIDTH);
  const next = files[done];
  const shown = `[${"#".repeat(filled)}${"-".repeat(BAR_WIDTH - filled)}] ${done} of ${files.length}`;
  return next === undefined ? shown : `${shown}  ${printableLine(basename(next.path))}`;
}

function lineOf({ path, outcome }: FileOutcome): string {
  return `${outcome}: ${printableLine(shortest(path))}`;
}

/** A path as people here would write it; a page's address is not a path. */
export function shortest(path: string): string {
  if (path.includes("://")) return path;
  const near = relative("", path);
  return near !== "" && near.length < path.length ? near : path;
}

/** The counts, and what a program wants to know about each file. */
export function filesSummaryOf(files: readonly FileOutcome[]) {
  const amount = (outcome: FileOutcome["outcome"]) => files.filter((file) => file.outcome === outcome).length;
  return {
    added: amount("added"),
    updated: amount("updated"),
    unchanged: amount("unchanged"),
    skipped: amount("skipped"),
    failed: amount("failed"),
    files,
  };
}

/** The same for people: one line of counts, then what was skipped, by kind, and what failed, with its reason. */
export function describeSummary(files: readonly FileOutcome[], invocation: string): readonly string[] {
  const { files: _, ...amounts } = filesSummaryOf(files);
  const counts = Object.entries(amounts).filter(([name, amount]) => amount > 0 || name === "added");
  const skipped = files.filter(({ outcome }) => outcome === "skipped");
  const failed = files.filter(({ outcome }) => outcome === "failed");
  return [
    counts.map(([name, amount]) => `${amount} ${name}`).join(", "),
    ...(skipped.length > 0 ? [`Skipped (empty or of an unsupported kind): ${kindsOf(skipped)}`] : []),
    ...named(skipped.map(({ path }) => `  ${printableLine(shortest(path))}`)),
    ...named(files.flatMap(describeWarnings)),
    ...(failed.length > 0 ? ["Failed:"] : []),
    ...named(failed.map(describeFailed)),
    ...(failed.some(({ id }) => id !== undefined)
      ? [`Those with an id are kept. After removing the cause, run: ${invocation} reprocess --failed`]
      : []),
  ];
}

function describeFailed({ path, reason = "", id }: FileOutcome): string {
  return `  ${printableLine(path)}: ${printableLine(reason)}${id === undefined ? "" : `  [${id}]`}`;
}

function describeWarnings({ path, warnings = [] }: FileOutcome): readonly string[] {
  return warnings.map((warning) => `Warning: ${printableLine(shortest(path))}: ${warning.replace(/^content: /, "")}`);
}

function named(lines: readonly string[]): readonly string[] {
  const more = lines.length - MOST_NAMED;
  return more > 0 ? [...lines.slice(0, MOST_NAMED), `  and ${more} more (--json lists all)`] : lines;
}

function kindsOf(files: readonly FileOutcome[]): string {
  const kinds = groupBy(files, ({ path }) => extname(path).toLowerCase() || "no extension");
  return [...kinds].map(([kind, members]) => `${members.length} ${printableLine(kind)}`).join(", ");
}
