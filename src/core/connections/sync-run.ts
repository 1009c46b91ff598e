import { createId } from "../../lib/ids.js";
import { iso } from "../../lib/time.js";
import { truncate } from "../../lib/truncate.js";
import type { CoreContext } from "../context.js";
import type { SourceItem } from "../ports.js";
import type { Connection, SyncCounts, SyncErrorCode, SyncFailure, SyncRun, SyncTrigger } from "../types.js";

/** Failures that a run reports individually. */
const MOST_FAILURES = 100;
const MOST_NOTES = 20;
/** Longest reason or note, since some contain what a source has said; UTF-16 units. */
const LONGEST_SENTENCE = 1_000;

/** Why a run failed. */
export interface SyncError {
  readonly code: SyncErrorCode;
  readonly message: string;
}

/** A run in progress. */
export interface RunningSync {
  count(what: keyof SyncCounts, by?: number): void;
  fail(item: Pick<SourceItem, "id" | "title">, documentId: string | null, reason: string): void;
  /**
   * Records an item that is permanently not imported: counted, and reported with its reason; the run still counts as complete.
   */
  skip(item: Pick<SourceItem, "id" | "title">, reason: string): void;
  /** Records that it was read after all. */
  recover(item: Pick<SourceItem, "id">): void;
  /** Records something that the owner should know, once. `cut`: makes the run incomplete. */
  note(sentence: string, meaning?: "cut"): void;
  /** Stores what is known so far. */
  save(): Promise<void>;
  /** @returns the finished run */
  finish(error: SyncError | null): Promise<SyncRun>;
  readonly now: SyncRun;
}

/** A connection's run that a process left unfinished, or a new one. */
export async function openRun(
  { store, clock }: Pick<CoreContext, "store" | "clock">,
  { id: connectionId }: Connection,
  trigger: SyncTrigger,
): Promise<RunningSync> {
  const [last] = await store.connections.runs(connectionId, 1);
  if (last?.status !== "running") {
    const run = newRun(connectionId, trigger, iso(clock.now()));
    await store.connections.insertRun(run);
    return new OpenRun({ store, clock }, run, new Set());
  }
  const told = last.failures.flatMap(({ itemId, isSkipped }) => (isSkipped ? [] : [itemId]));
  const kept = await store.connections.failedItemIds(connectionId, last.startedAt);
  const failed = new Set([...told, ...kept]);
  return new OpenRun({ store, clock }, { ...last, failed: failed.size }, failed);
}

class OpenRun implements RunningSync {
  readonly #context: Pick<CoreContext, "store" | "clock">;
  #run: SyncRun;
  /** All failures, including those not reported individually. */
  readonly #failed: Set<string>;

  constructor(context: Pick<CoreContext, "store" | "clock">, run: SyncRun, failed: Set<string>) {
    this.#context = context;
    this.#run = run;
    this.#failed = failed;
  }

  get now(): SyncRun {
    return this.#run;
  }

  count(what: keyof SyncCounts, by = 1): void {
    this.#change({ [what]: this.#run[what] + by });
  }

  fail({ id: itemId, title }: Pick<SourceItem, "id" | "title">, documentId: string | null, sentence: string): void {
    const reason = truncate(sentence, LONGEST_SENTENCE);
    const isNew = !this.#failed.has(itemId);
    this.#failed.add(itemId);
    this.#change({ failed: this.#run.failed + (isNew ? 1 : 0) });
    this.#tell({ itemId, documentId, title, reason, failedAt: this.#time() });
  }

  skip({ id: itemId, title }: Pick<SourceItem, "id" | "title">, sentence: string): void {
    const reason = truncate(sentence, LONGEST_SENTENCE);
    this.count("skipped");
    this.#tell({ itemId, documentId: null, title, reason, failedAt: this.#time(), isSkipped: true });
  }

  recover({ id }: Pick<SourceItem, "id">): void {
    if (!this.#failed.delete(id)) return;
    const failures = this.#run.failures.filter(({ itemId }) => itemId !== id);
    this.#change({ failed: this.#run.failed - 1, failures });
  }

  note(text: string, meaning?: "cut"): void {
    const sentence = truncate(text, LONGEST_SENTENCE);
    const { notes, cut } = this.#run;
    if (notes.includes(sentence)) return;
    this.#change({ cut: cut + (meaning === "cut" ? 1 : 0), notes: [...notes, sentence].slice(0, MOST_NOTES) });
  }

  save(): Promise<void> {
    return this.#context.store.connections.updateRun(this.#run);
  }

  async finish(error: SyncError | null): Promise<SyncRun> {
    const isWhole = this.#run.failed === 0 && this.#run.cut === 0;
    const status = error !== null ? "failed" : isWhole ? "done" : "partial";
    const message = error === null ? null : truncate(error.message, LONGEST_SENTENCE);
    this.#change({ error: message, errorCode: error?.code ?? null, status, completedAt: this.#time() });
    await this.save();
    return this.#run;
  }

  /** Lists a failure or a skipped item, up to a hundred of each. */
  #tell(failure: SyncFailure): void {
    const others = this.#run.failures.filter((one) => one.itemId !== failure.itemId);
    const alike = others.filter(({ isSkipped = false }) => isSkipped === (failure.isSkipped ?? false));
    this.#change({ failures: alike.length < MOST_FAILURES ? [...others, failure] : others });
  }

  #change(changes: Partial<SyncRun>): void {
    this.#run = { ...this.#run, ...changes };
  }

  #time(): string {
    return iso(this.#context.clock.now());
  }
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
