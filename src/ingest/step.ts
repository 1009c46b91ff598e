import * as z from "zod";
import type { JobContext, JobDraft, Repositories } from "../core/ports.js";
import type { Document } from "../core/types.js";
import type { IngestContext } from "./context.js";

/** How long a document has been waiting for its container to become quiet (ISO). */
const waitingSchema = z.object({
  /** When the first unread submission arrived. */
  since: z.string(),
  /** When the latest one arrived. */
  last: z.string(),
});
export type QuietWait = z.output<typeof waitingSchema>;

/** Payload of every step: one revision of one document. */
export const stepSchema = z.object({
  documentId: z.string(),
  revision: z.number().int(),
  /** Set if it is remembered together with other documents, when it is quiet around them. */
  waits: waitingSchema.optional(),
});
export type StepPayload = z.output<typeof stepSchema>;

/** The next step, by its kind alone if it is due at once. */
export type NextStep =
  | string
  | {
      readonly kind: string;
      readonly waits: QuietWait;
      readonly runAt: Date;
      /** The reason for waiting, for people to read. */
      readonly reason: string;
    };

/** The document, unless it was deleted or replaced since the job was written. */
export async function loadCurrent(
  context: IngestContext,
  { documentId, revision }: StepPayload,
  repositories: Pick<Repositories, "documents"> = context.store,
): Promise<Document | null> {
  const document = await repositories.documents.byId(context.store.organizationId, documentId);
  return document?.revision === revision ? document : null;
}

/** Whether the revision is still the newest, without reading its text. */
export async function isCurrent(
  { store }: IngestContext,
  { documentId, revision }: StepPayload,
  repositories: Pick<Repositories, "documents">,
): Promise<boolean> {
  return (await repositories.documents.newestRevision(store.organizationId, documentId)) === revision;
}

/**
 * Commits the result of a step, the end of its job and the next job together. Only ends the job when the document was
 * deleted or replaced while the step ran.
 */
export async function commitStep(
  context: IngestContext,
  job: JobContext,
  payload: StepPayload,
  write: (repositories: Repositories, document: Document) => Promise<NextStep | null>,
): Promise<void> {
  await context.store.transaction(async (repositories) => {
    const document = await loadCurrent(context, payload, repositories);
    const next = document && (await write(repositories, document));
    await (next === null ? job.finish(repositories.jobs) : job.follow(repositories.jobs, nextJob(job, payload, next)));
  });
  context.events.changed(payload.documentId);
}

/** Due at the same time as its predecessor, so that a document goes through before a younger one of its group starts. */
export function nextJob({ job }: JobContext, { documentId, revision }: StepPayload, next: NextStep): JobDraft {
  const { kind, waits, runAt, reason } = typeof next === "string" ? { kind: next } : next;
  return {
    kind,
    payload: { documentId, revision, ...(waits && { waits }) },
    group: job.group,
    key: `${kind}:${documentId}:${revision}`,
    exclusive: kind === "remember",
    runAt: runAt ?? job.runAt,
    ...(reason !== undefined && { reason }),
  };
}
