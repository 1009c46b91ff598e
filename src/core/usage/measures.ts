import type { AuthorizedCall, CoreContext } from "../context.js";
import { type DegradedPart, PARTS } from "../upkeep/degraded.js";
import { getStatus, type Status } from "../upkeep/status.js";

/** Numbers for monitoring programs: no names, no containers, no content. */
export interface Measures extends Pick<Status, "version" | "jobs" | "waitingDocuments" | "unsearchableDocuments"> {
  readonly documents: number;
  readonly chunks: number;
  readonly memories: number;
  readonly storeBytes: number;
  readonly freeBytes: number;
  /** Number of documents that rules read because the language model did not. */
  readonly readByRules: number;
  /** Each part, and whether it is degraded. */
  readonly parts: readonly { readonly part: DegradedPart["part"]; readonly isDegraded: boolean }[];
}

/** @throws AppError `forbidden` for a caller who may not read everything */
export async function getMeasures(context: CoreContext, call: AuthorizedCall): Promise<Measures> {
  const status = await getStatus(context, call);
  const { version, jobs, waitingDocuments, unsearchableDocuments, store, llmFailures } = status;
  const degraded = new Set(status.degraded.map(({ part }) => part));
  return {
    version,
    jobs,
    waitingDocuments,
    unsearchableDocuments,
    documents: store.documents,
    chunks: store.chunks,
    memories: store.memories,
    storeBytes: store.bytes,
    freeBytes: store.freeBytes,
    readByRules: llmFailures?.documents ?? 0,
    parts: PARTS.map((part) => ({ part, isDegraded: degraded.has(part) })),
  };
}
