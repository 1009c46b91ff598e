import { createId } from "../../lib/ids.js";
import { iso } from "../../lib/time.js";
import { truncate } from "../../lib/truncate.js";
import type { CoreContext } from "../context.js";
import type { SourceItem } from "../ports.js";
import type { Connection, SyncCounts, SyncErrorCode, SyncFailure, SyncRun, SyncTrigger } from "../types.js";

/** Failures that a run tells one by one. */
const MOST_FAILURES = 100;
const MOST_NOTES = 20;
/** Of a reason or a note, some of which hold what a source has said; UTF-16 units. */
const LONGEST_SENTENCE = 1_000;

/** Why a run failed. */
export interface SyncError {
  readonly code: SyncErrorCode;
  readonly message: string;
}

/** A run while it goes on. */
export interface RunningSync {
  count(what: keyof SyncCounts, by?: number): void;
  fail(item: Pick<SourceItem, "id" | "title">, documentId: string | null, reason: string): void;
  /** Something that is not brought in for good: counted, and told with its reason; the run is complete all the same. */
  skip(item: Pick<SourceItem, "id" | "title">, reason: string): void;
  /** It was read after all. */
  recover(item: Pick<SourceItem, "id">): void;
  /** Something that its owner should know; said once. `cut`: for want of which the run is not complete. */
  note(sentence: string, meaning?: "cut"): void;
  /** Keeps what is known so far. */
  save(): Promise<void>;
  /** @returns it as it ended */
  finish(error: SyncError | null): Promise<SyncRun>;
  readonly now: SyncRun;
}

/** The run of a connection that a process left behind, or a new one. */
export async function openRun(
  { store, clock }: Pick<CoreContext, "store" | "clock">,
  { id: connectionId }: Connection,
  trigger: SyncTrigger,
): Promise<RunningSync> {
  const [last] = await store.connections.runs(connectionId, 1);
  let run: SyncRun;
  /** All that failed, also beyond those that are told one by one. */
  const failed = new Set<string>();
  if (last?.status === "running") {
    for (const { itemId, isSkipped } of last.failures) if (!isSkipped) failed.add(itemId);
    for (const itemId of await store.connections.failedItemIds(connectionId, last.startedAt)) failed.add(itemId);
    run = { ...last, failed: failed.size };
  } else {
    run = newRun(connectionId, trigger, iso(clock.now()));
    await store.connections.insertRun(run);
  }
  /** The first hundred of what failed, and of what was skipped. */
  function tell(failure: SyncFailure): void {
    const others = run.failures.filter((one) => one.itemId !== failure.itemId);
    const alike = others.filter(({ isSkipped = false }) => isSkipped === (failure.isSkipped ?? false));
    run = { ...run, failures: alike.length < MOST_FAILURES ? [...others, failure] : others };
  }

  return {
    get now() {
      return run;
    },
    count(what, by = 1) {
      run = { ...run, [what]: run[what] + by };
    },
    fail({ id: itemId, title }, documentId, sentence) {
      const reason = truncate(sentence, LONGEST_SENTENCE);
      const isNew = !failed.has(itemId);
      failed.add(itemId);
      run = { ...run, failed: run.failed + (isNew ? 1 : 0) };
      tell({ itemId, documentId, title, reason, failedAt: iso(clock.now()) });
    },
    skip({ id: itemId, title }, sentence) {
      const reason = truncate(sentence, LONGEST_SENTENCE);
      run = { ...run, skipped: run.skipped + 1 };
      tell({ itemId, documentId: null, title, reason, failedAt: iso(clock.now()), isSkipped: true });
    },
    recover({ id }) {
      if (!failed.delete(id)) return;
      const failures = run.failures.filter(({ itemId }) => itemId !== id);
      run = { ...run, failed: run.failed - 1, failures };
    },
    note(text, meaning) {
      const sentence = truncate(text, LONGEST_SENTENCE);
      if (run.notes.includes(sentence)) return;
      const cut = run.cut + (meaning === "cut" ? 1 : 0);
      run = { ...run, cut, notes: [...run.notes, sentence].slice(0, MOST_NOTES) };
    },
    save: () => store.connections.updateRun(run),
    async finish(error) {
      const isWhole = run.failed === 0 && run.cut === 0;
      const status = error !== null ? "failed" : isWhole ? "done" : "partial";
      const message = error === null ? null : truncate(error.message, LONGEST_SENTENCE);
      const failure = { error: message, errorCode: error?.code ?? null };
      run = { ...run, ...failure, status, completedAt: iso(clock.now()) };
      await store.connections.updateRun(run);
      return run;
    },
  };
}

function newRun(connectionId: string, trigger: SyncTrigger, startedAt: string): SyncRun {
  return {
    id: createId(),
    connectionId,
    status: "running",
    trigger,
    startedAt,
    completedAt: null,
    listed: 0,
    read: 0,
    unchanged: 0,
    removed: 0,
    skipped: 0,
    failed: 0,
    cut: 0,
    error: null,
    errorCode: null,
    notes: [],
    failures: [],
  };
}
