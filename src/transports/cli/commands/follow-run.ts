import type { SyncFailure, SyncRun } from "../../../core/types.js";
import { sleep } from "../../../lib/time.js";
import type { Access, Cli } from "../cli.js";
import { printableLine } from "../style.js";

/** Milliseconds between two checks of the progress. */
const POLL_MS = 300;

/** The latest run of a connection; null where there was none. */
export async function newestRun({ core, read }: Access, id: string): Promise<SyncRun | null> {
  const { runs } = await core.listSyncRuns(read, { id });
  return runs[0] ?? null;
}

/** Shows a run's progress until it ends. @param before the latest run before this one was ordered */
export async function followRun(cli: Cli, access: Access, id: string, before: SyncRun | null): Promise<void> {
  const progress = cli.output.progress("waiting for the run to start");
  try {
    for (;;) {
      const run = await newestRun(access, id);
      const isNew = run !== null && (run.id !== before?.id || before.status === "running");
      if (isNew && run.status !== "running") {
        progress.stop();
        if (run.status === "failed") cli.exitWith(1);
        return cli.output.answer({ id, run }, () => runSummaryOf(run));
      }
      if (isNew) progress.update(countsOf(run));
      await sleep(POLL_MS);
    }
  } finally {
    progress.stop();
  }
}

function countsOf({ listed, read, unchanged, removed, skipped, failed }: SyncRun): string {
  const left = Math.max(0, listed - read - unchanged - removed - skipped - failed);
  const amounts = { listed, read, unchanged, removed, skipped, failed, left };
  const told = Object.entries(amounts).filter(([name, amount]) => amount > 0 || name === "listed");
  return told.map(([name, amount]) => `${amount} ${name}`).join(", ");
}

const MOST_NAMED = 10;

/** How a run went, as lines for people. */
export function runSummaryOf(run: SyncRun): readonly string[] {
  const { status, error, notes, failures, failed, skipped } = run;
  const ofFailed = failures.filter(({ isSkipped }) => !isSkipped);
  const ofSkipped = failures.filter(({ isSkipped }) => isSkipped);
  return [
    `${status}: ${countsOf(run)}`,
    ...(error === null ? [] : [printableLine(error)]),
    ...notes.map(printableLine),
    ...named("failed", ofFailed, failed),
    ...named("skipped", ofSkipped, ofSkipped.length === 0 ? 0 : skipped),
  ];
}

/** The first few that failed or were skipped, each with its reason. */
function named(what: string, some: readonly SyncFailure[], count: number): string[] {
  const shown = some.slice(0, MOST_NAMED);
  const more = count - shown.length;
  return [
    ...shown.map(
      ({ title, itemId, reason }) => `  ${what}: ${printableLine(title ?? itemId)}: ${printableLine(reason)}`,
    ),
    ...(more > 0 ? [`  and ${more} more ${what}`] : []),
  ];
}
