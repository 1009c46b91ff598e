import type { Job, JobContext, JobHandler, JobStore } from "../core/ports.js";
import type { IngestContext } from "./context.js";
import { describeDocument } from "./describe.js";
import { goOnWithKnownText } from "../core/documents/reread-files.js";
import { createEmbeddingJobs } from "../core/embeddings/jobs.js";
import { embedChunks } from "./embed.js";
import { extractDocument } from "./extract.js";
import { fetchDocument } from "./fetch-document.js";
import { createGroupExtractor } from "./extract-group.js";
import { lookAgain } from "./look-again.js";
import { readMessagePictures } from "./message-pictures.js";
import { indexChunks } from "./index-chunks.js";
import { readDocumentFile } from "./read-file.js";
import { rememberDocument } from "./remember.js";
import { rereadDocument, rereadSchema, type RereadPayload } from "./reread.js";
import { stepSchema, type StepPayload } from "./step.js";

/** Limit in milliseconds: a language model takes long to read a large document. */
const LONGEST_REMEMBERING = 4 * 3_600_000;

/** Concurrent fetches of URLs. */
const FETCHERS = 2;
/** Concurrent readings of files: while a service transcribes one, others go on. */
const READERS = 3;
/** How many of these may be files of one container. */
const READERS_OF_CONTAINER = 2;
/** Limit for reading a file, in milliseconds: more than any setting allows, and enough to transcribe hours of speech. */
const LONGEST_READING = 6 * 3_600_000;

const READING_SLOTS = { slots: READERS, slotsOfGroup: READERS_OF_CONTAINER, timeoutMs: LONGEST_READING };

/** Documents that a language model reads concurrently. */
const MODEL_READERS = 4;
/** Documents that it rereads concurrently. */
const MODEL_REREADERS = 2;
/** Pictures that it looks at again concurrently. */
const MODEL_LOOKERS = 1;
/** Documents that it describes concurrently. */
const MODEL_DESCRIBERS = 2;

/**
 * The steps of ingestion by job kind, in order: extract, chunk, embed, remember, plus read, fetch or pictures where
 * something has to be read first. Each commits its result together with the next job, so a crash repeats at most one
 * step, and a failed step never undoes the result of another. In parallel with remembering, a language model describes
 * the document.
 */
export function createPipeline(given: IngestContext): Record<string, JobHandler> {
  const { model, log } = given;
  const context = model ? { ...given, extractTogether: createGroupExtractor({ model, log }) } : given;
  const step = (
    run: (context: IngestContext, payload: StepPayload, job: JobContext) => Promise<void>,
  ): JobHandler<StepPayload> => ({ schema: stepSchema, run: (payload, job) => run(context, payload, job) });
  return {
    extract: step(extractDocument),
    fetch: { ...step(fetchDocument), slots: FETCHERS, timeoutMs: LONGEST_READING },
    // One process reads them, one after the other, and enforces the time limit of each itself.
    read: { ...step(readDocumentFile), ...READING_SLOTS },
    pictures: { ...step(readMessagePictures), ...READING_SLOTS },
    chunk: step(indexChunks),
    embed: step(embedChunks),
    remember: {
      ...step(rememberDocument),
      timeoutMs: LONGEST_REMEMBERING,
      // A slow model must not keep other documents from being found.
      ...(context.model && { slots: MODEL_READERS }),
    },
    describe: { ...step(describeDocument), ...(context.model && { slots: MODEL_DESCRIBERS }) },
    look: { ...step(lookAgain), slots: MODEL_LOOKERS },
    reprocess: {
      schema: rereadSchema,
      run: (payload: RereadPayload, job) => rereadDocument(context, payload, job),
      timeoutMs: LONGEST_REMEMBERING,
      // Separate slots: new documents never wait for old ones.
      slots: context.model ? MODEL_REREADERS : 1,
    },
    ...createEmbeddingJobs(context),
  };
}

/** Records on the document that one of its steps was given up, and why, and ends the job. The results of earlier steps stay. */
export async function reportDead(
  context: IngestContext,
  job: Job,
  reason: string,
  bury: (jobs: JobStore) => Promise<void>,
): Promise<void> {
  // A document that could not be reread is not faulty.
  if (job.kind === "reprocess") return;
  const payload = stepSchema.safeParse(job.payload);
  // A document without a description keeps the title made by rules, and a picture is found by its text.
  if (!payload.success || job.kind === "describe" || job.kind === "look") return;
  const { documentId, revision } = payload.data;
  const { store, events } = context;
  await store.transaction(async (repositories) => {
    const { documents, jobs } = repositories;
    await bury(jobs);
    const [head] = await documents.headsByIds(store.organizationId, [documentId]);
    if (head?.revision !== revision) return;
    if (
      job.kind === "read" &&
      (await goOnWithKnownText(repositories, { ...head, organizationId: store.organizationId }, reason))
    )
      return;
    await documents.update(store.organizationId, documentId, {
      errorReason: `${job.kind}: ${reason}`,
      dreamingStatus: "done",
      ...(job.kind !== "remember" && { status: "failed" }),
    });
  });
  events.changed(documentId);
  context.wakeJobs();
}
