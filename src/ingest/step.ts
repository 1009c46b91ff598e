import * as z from "zod";
import type { JobContext, JobDraft, StoreNouns } from "../core/ports.js";
import type { Document } from "../core/types.js";
import type { IngestContext } from "./context.js";

/** Payload of every step: one revision of one document. */
export const stepSchema = z.object({ documentId: z.string(), revision: z.number().int() });
export type StepPayload = z.output<typeof stepSchema>;

/** The document, unless it was deleted or replaced since the job was written. */
export async function loadCurrent(
  context: IngestContext,
  { documentId, revision }: StepPayload,
  nouns: Pick<StoreNouns, "documents"> = context.store,
): Promise<Document | null> {
  const document = await nouns.documents.byId(context.store.organizationId, documentId);
  return document?.revision === revision ? document : null;
}

/** Whether the revision is still the newest, without reading its text. */
export async function isCurrent(
  { store }: IngestContext,
  { documentId, revision }: StepPayload,
  nouns: Pick<StoreNouns, "documents">,
): Promise<boolean> {
  const [head] = await nouns.documents.headsByIds(store.organizationId, [documentId]);
  return head?.revision === revision;
}

/**
 * Commits the result of a step, the end of its job and the next job together. Does nothing but end the job when the
 * document was deleted or replaced while the step worked.
 */
export async function commitStep(
  context: IngestContext,
  job: JobContext,
  payload: StepPayload,
  write: (nouns: StoreNouns, document: Document) => Promise<string | null>,
): Promise<void> {
  await context.store.transaction(async (nouns) => {
    const document = await loadCurrent(context, payload, nouns);
    await job.finish(nouns.jobs);
    if (!document) return;
    const next = await write(nouns, document);
    if (next !== null) await nouns.jobs.enqueue([nextJob(job, payload, next)]);
  });
  context.events.changed(payload.documentId);
}

/** Due when its predecessor was, so that a document goes through before a younger one of its group begins. */
function nextJob({ job }: JobContext, payload: StepPayload, kind: string): JobDraft {
  return {
    kind,
    payload,
    group: job.group,
    key: `${kind}:${payload.documentId}:${payload.revision}`,
    exclusive: kind === "remember",
    runAt: job.runAt,
  };
}
