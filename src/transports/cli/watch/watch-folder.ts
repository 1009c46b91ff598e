import { AppError } from "../../../core/errors.js";
import { withCore, type Access, type Cli } from "../cli.js";
import {
  addFiles,
  describeSummary,
  sendFiles,
  shortest,
  filesSummaryOf,
  type Adding,
  type FileOutcome,
  type FileToAdd,
} from "../files/add-files.js";
import { pathIdentity } from "../files/path-identity.js";
import { Interrupted } from "../interrupt.js";
import { printableLine } from "../style.js";
import { count } from "../../../lib/count.js";
import { followFolder, type Mirror } from "./follow-folder.js";
import { openRoot, scanFolder, type WatchedRoot, type SeenFolder } from "./scan-folder.js";

/** A folder to follow, and how its files are added. */
export interface Watching extends Omit<Adding, "files"> {
  readonly folder: string;
  readonly container: string;
  /** Called before anything is added. */
  readonly mayAdd: (files: number) => Promise<boolean>;
}

/** What happened to a file and its document. */
interface WatchEvent extends Omit<FileOutcome, "outcome"> {
  readonly outcome: FileOutcome["outcome"] | "deleted" | "moved";
  /** The former path of a moved file. */
  readonly from?: string;
}

/**
 * Adds the files of a folder and then follows it, one line per event, until the user ends it.
 * @throws AppError `not_found` when the folder does not exist, or no longer
 */
export async function watchFolder(cli: Cli, watching: Watching): Promise<void> {
  const root = await openRoot(watching.folder);
  try {
    const first = await scanFolder(root.path);
    for (const sentence of first.leftOut) cli.output.note(cli.output.style.yellow(`warning: ${sentence}`));
    if (await watching.mayAdd(first.files.size)) await watchFrom(cli, root, first, watching);
    else cli.output.note("Nothing was added.");
  } finally {
    await root.close();
  }
}

async function watchFrom(cli: Cli, root: WatchedRoot, first: SeenFolder, watching: Watching): Promise<void> {
  const ending = new AbortController();
  try {
    await withCore(
      cli,
      async (access) => {
        const outcomes = await addFiles(cli, access, { ...watching, files: filesOf(root, first.files.keys(), first) });
        cli.output.answer({ ...filesSummaryOf(outcomes), leftOut: first.leftOut }, () =>
          describeSummary(outcomes, cli.invocation),
        );
        cli.output.note(`Following ${root.path}; press Ctrl-C to stop.`);
        const mirror = createMirror(cli, access, { ...watching, root });
        await followFolder(root, withoutPassing(first, outcomes), mirror, ending.signal);
      },
      { begins: true, stays: true, engine: "background" },
    );
  } catch (error) {
    if (!(error instanceof Interrupted)) throw error;
    cli.output.note(`No longer following ${root.path}. Its documents are kept.`);
  } finally {
    ending.abort();
  }
}

/** Files that could not be added for a temporary reason count as not seen yet. */
function withoutPassing({ files, ...seen }: SeenFolder, outcomes: readonly FileOutcome[]): SeenFolder {
  const passing = new Set(outcomes.filter(({ isPassing }) => isPassing).map(({ path }) => path));
  return { files: new Map([...files].filter(([path]) => !passing.has(path))), ...seen };
}

function createMirror(
  cli: Cli,
  access: Access,
  { container, root, ...adding }: Watching & { readonly root: WatchedRoot },
): Mirror {
  /** What was said about files that are retried again and again, so that it is said only once. */
  const told = new Map<string, string>();
  const tell = (event: WatchEvent): void => {
    const said = `${event.outcome}: ${event.reason ?? ""}`;
    if (event.isPassing && told.get(event.path) === said) return;
    if (event.isPassing) told.set(event.path, said);
    else told.delete(event.path);
    cli.output.answer(event, () => [describe(event)]);
  };
  return {
    /** New files come first, so that a fact which a moved file states is never without a document. */
    async apply({ added, changed, deleted }, moves, seen) {
      const again = new Set<string>();
      const arrived = new Map<string, FileOutcome>();
      const moved = new Set(moves.values());
      await sendFiles(
        access,
        { ...adding, files: filesOf(root, [...added, ...changed], seen) },
        {
          onOutcome: (outcome) => {
            if (outcome.isPassing) again.add(outcome.path);
            if (moved.has(outcome.path) && isTaken(outcome)) arrived.set(outcome.path, outcome);
            else tell(outcome);
          },
        },
      );
      for (const path of deleted) {
        const to = moves.get(path);
        const successor = to === undefined ? undefined : arrived.get(to);
        const failure = await remove(access, path, container);
        if (failure) {
          again.add(path);
          tell({ path, outcome: "failed", reason: failure.publicMessage, isPassing: true });
          if (successor) tell(successor);
        } else tell(successor ? { ...successor, outcome: "moved", from: path } : { path, outcome: "deleted" });
      }
      return again;
    },
  };
}

function filesOf(
  { path: root }: WatchedRoot,
  paths: Iterable<string>,
  { sidecars: { chosen } }: SeenFolder,
): readonly FileToAdd[] {
  return Array.from(paths, (path) => {
    const subtitles = chosen.get(path);
    return { path, root, ...(subtitles !== undefined && { subtitles }) };
  });
}

function isTaken({ outcome }: FileOutcome): boolean {
  return outcome === "added" || outcome === "updated" || outcome === "unchanged";
}

/** Removes the document of a file. @returns why it could not; null also where there was none */
async function remove({ core, newWrite }: Access, path: string, within: string): Promise<AppError | null> {
  try {
    await core.deleteDocument(newWrite(), { id: await pathIdentity(path), within });
    return null;
  } catch (error) {
    if (!(error instanceof AppError)) throw error;
    return error.kind === "not_found" ? null : error;
  }
}

function describe({ outcome, path, from, facts, reason }: WatchEvent): string {
  const where = printableLine(shortest(path));
  if (from !== undefined) return `${outcome}: ${printableLine(shortest(from))} -> ${where}`;
  if (reason !== undefined) return `${outcome}: ${where}: ${printableLine(reason)}`;
  return `${outcome}: ${where}${facts ? `, ${count(facts, "fact")}` : ""}`;
}
