import type { DeadJob } from "./job-ports.js";

/** Kinds of jobs that read what a document is made of. */
export const READING_KINDS = ["fetch", "read"] as const;
/** How the reason begins of a job that was tried again and again; what no retry can mend gives its own reason at once. */
export const GAVE_UP = "Gave up after";

/** True for a job that died for what a document is made of, such as a dead link or a damaged file: no fault of the service. */
export function isUnreadable({ kind, reason }: Pick<DeadJob, "kind" | "reason">): boolean {
  return READING_KINDS.some((one) => one === kind) && !reason.startsWith(GAVE_UP);
}
