import * as z from "zod";
import { createId } from "../../lib/ids.js";
import type { CoreContext } from "../context.js";
import type { JobDraft, JobStore, Repositories } from "../ports.js";
import type { Actor, JournalEntry } from "../types.js";

/** How long an answer waits until nothing is left in any file, in milliseconds; after that a job continues. */
export const PATIENCE_MS = 20_000;
/** With an hour between attempts, more than a month: a purge that was promised is not abandoned because a disk is full. */
const MAX_ATTEMPTS = 1_000;
const GROUP = "system";

/** What is left to do of a purge. Contains only ids. */
export const remainderSchema = z.object({
  containerIds: z.array(z.number().int()),
  files: z.array(z.string()).readonly(),
  /** Containers of the actor who purged. */
  within: z.union([z.literal("all"), z.array(z.string()).readonly()]).default("all"),
  /** A memory still to be cut out of documents. */
  memory: z.object({ id: z.string(), by: z.string(), key: z.string() }).optional(),
});
export type Remainder = z.output<typeof remainderSchema>;

export interface Purged {
  readonly documents: number;
  /** Counts every version. */
  readonly memories: number;
  readonly files: number;
  /** Passages cut out of documents that stay. */
  readonly passages: number;
  /**
   * Ids of documents that may still say it: at an unknown place, within a sentence that says more, because they are also in
   * containers other than the caller's, or because the memory does not come from them.
   */
  readonly statedIn: readonly string[];
  /** False while words are still to be overwritten in files; a job does that, even after a restart. */
  readonly complete: boolean;
}

/** What was committed: what was named is gone for every reader, and a job has been written for the rest. */
export interface Begun {
  readonly counts: Omit<Purged, "complete">;
  readonly remainder: Remainder;
  /** Documents that were removed, by our own ids. */
  readonly documentIds: readonly string[];
}

/** To be called in the transaction that removes what was named: its words are still in the files afterwards. */
export async function leaveRest(context: CoreContext, repositories: Repositories, begun: Begun): Promise<Begun> {
  await repositories.purges.mark();
  await enqueueRest(context, repositories.jobs, begun.remainder);
  return begun;
}

/** Writes a job that starts once nobody is waiting any more. */
export async function enqueueRest(context: CoreContext, jobs: JobStore, remainder: Remainder): Promise<void> {
  await jobs.enqueue([{ ...jobFor(remainder), runAt: afterPatience(context) }]);
}

export function jobFor(remainder: Remainder): JobDraft {
  return { kind: "purge", payload: remainder, group: GROUP, maxAttempts: MAX_ATTEMPTS };
}

/** Postpones the job that would cut a memory out of documents, while that is being done. */
export async function holdJob(context: CoreContext, { jobs }: Repositories, key: string): Promise<void> {
  await jobs.hold(await jobsOf(jobs, key), afterPatience(context), "this is already being done for the caller");
}

/** Removes the job that would cut a memory out of documents. */
export async function dropJob({ jobs }: Repositories, key: string): Promise<void> {
  await jobs.drop(await jobsOf(jobs, key));
}

async function jobsOf(jobs: JobStore, key: string): Promise<number[]> {
  const waiting = await jobs.waiting("purge", GROUP);
  return waiting
    .filter(({ payload }) => remainderSchema.safeParse(payload).data?.memory?.key === key)
    .map(({ id }) => id);
}

function afterPatience({ clock }: CoreContext): Date {
  return new Date(clock.now().getTime() + PATIENCE_MS);
}

/** The remaining journal entry of a purge. */
export function entryOf(
  actor: Actor,
  subject: JournalEntry["subject"],
  subjectId: string,
  containerTag: string | null,
): JournalEntry {
  return {
    batchId: createId(),
    actor: actor.name,
    action: `${subject}.purged`,
    subject,
    subjectId,
    containerTag,
    cause: null,
    before: null,
    after: null,
  };
}
