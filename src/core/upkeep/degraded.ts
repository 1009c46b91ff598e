import type { Status } from "./status.js";

/** Every part that may be degraded. */
export const PARTS = ["embedder", "rerank", "llm", "vectors", "store", "files", "jobs"] as const;

/** A degraded part of the service, and why. */
export interface DegradedPart {
  readonly part: (typeof PARTS)[number];
  readonly reason: string;
}

/** How long a store counts as full after it ran out of room. */
const FULL_MS = 60 * 60_000;

/** The degraded parts, as far as known without checking any of them again. */
export function degradedParts(status: Omit<Status, "degraded">, now: Date): DegradedPart[] {
  const { embedding, rerank, llmFailures, llmBudget, vectors, store, files, jobs } = status;
  const isSpent = llmBudget !== null && llmBudget.spent >= llmBudget.limit;
  const isFull = store.fullAt !== null && now.getTime() - Date.parse(store.fullAt) < FULL_MS;
  const reasons: Readonly<Record<DegradedPart["part"], string | null>> = {
    embedder:
      embedding.problem ?? (embedding.isAnswering ? null : "the embedder is unavailable; searches use words only"),
    rerank: rerank.problem,
    llm: llmFailures?.problem ?? (isSpent ? "the budget of this month is spent" : null),
    vectors: vectors.state === "degraded" ? (vectors.reason ?? "the vector index does not answer") : null,
    store: store.problems[0] ?? (isFull ? `there was no room for the store at ${store.fullAt}` : null),
    files: files.problem,
    jobs: jobs.dead === jobs.unreadable ? null : `${jobs.dead - jobs.unreadable} given up`,
  };
  return PARTS.flatMap((part) => {
    const reason = reasons[part];
    return reason === null ? [] : [{ part, reason }];
  });
}
