import type { DeadJob } from "./job-ports.js";

/** Kinds of jobs that read the source of a document. */
export const READING_KINDS = ["fetch", "read"] as const;
/**
 * Prefix of the reason of a job abandoned after repeated attempts; errors that no retry can fix give their own reason
 * immediately.
 */
export const GAVE_UP = "Gave up after";

/** True for a job that died because of a document's source, such as a dead link or a damaged file: not the service's fault. */
export function isUnreadable({ kind, reason }: Pick<DeadJob, "kind" | "reason">): boolean {
  return READING_KINDS.some((one) => one === kind) && !reason.startsWith(GAVE_UP);
}
