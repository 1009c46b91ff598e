import type { Kysely, Selectable } from "kysely";
import type { Job, JobDraft } from "../../core/ports.js";
import { iso } from "../../lib/time.js";
import { readRows, type Value } from "./fixed-query.js";
import { columnsOfTable, packedRows } from "./packed-rows.js";
import type { Database } from "./schema.js";

const DEFAULT_MAX_ATTEMPTS = 8;

/** The columns that a job draft fills, in the order of `draftValues`. */
export const DRAFT_COLUMNS = [
  "kind",
  "payload",
  "group_key",
  "dedupe_key",
  "exclusive",
  "run_at",
  "max_attempts",
  "reason",
  "created_at",
] as const;

/** The columns read for a job that is taken. */
type JobRow = Pick<
  Selectable<Database["jobs"]>,
  "id" | "kind" | "payload" | "group_key" | "exclusive" | "attempt" | "max_attempts" | "run_at" | "crashes"
>;

/** Jobs that are taken, as one column. */
export const PACKED_JOBS = packedRows<JobRow>(
  columnsOfTable("jobs", [
    "id",
    "kind",
    "payload",
    "group_key",
    "exclusive",
    "attempt",
    "max_attempts",
    "run_at",
    "crashes",
  ]),
);

/** A draft's values for `DRAFT_COLUMNS`. */
export function draftValues(draft: JobDraft, now: string): (string | number | null)[] {
  return [
    draft.kind,
    JSON.stringify(draft.payload ?? null),
    draft.group,
    draft.key ?? null,
    draft.exclusive ? 1 : 0,
    draft.runAt ? iso(draft.runAt) : now,
    draft.maxAttempts ?? DEFAULT_MAX_ATTEMPTS,
    draft.reason ?? null,
    now,
  ];
}

/** Jobs of a statement that returns `PACKED_JOBS` as `job`. */
export async function readJobs(db: Kysely<Database>, statement: string, parameters: readonly Value[]): Promise<Job[]> {
  const rows = await readRows<{ job: string }>(db, statement, parameters);
  return rows.map(({ job }) => toJob(PACKED_JOBS.unpack(job)));
}

function toJob(row: JobRow): Job {
  return {
    id: row.id,
    kind: row.kind,
    payload: readPayload(row.payload),
    group: row.group_key,
    exclusive: row.exclusive === 1,
    attempt: row.attempt,
    maxAttempts: row.max_attempts,
    crashes: row.crashes,
    runAt: new Date(row.run_at),
  };
}

/** A payload that is not JSON reaches the handler as text and is refused there, by name, rather than blocking the claim. */
export function readPayload(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return text;
  }
}
