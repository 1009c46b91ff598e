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

/** A language model reads a large document for a long time, in milliseconds. */
const LONGEST_REMEMBERING = 4 * 3_600_000;

/** Addresses that are fetched at once. */
const FETCHERS = 2;
/** Files that are read at once: while one is written down by a service, others go on. */
const READERS = 3;
/** Of these, files of one container. */
const READERS_OF_CONTAINER = 2;
/** Reading a file, in milliseconds: more than any setting allows, and enough to have hours of speech written down. */
const LONGEST_READING = 6 * 3_600_000;

const READING_SLOTS = { slots: READERS, slotsOfGroup: READERS_OF_CONTAINER, timeoutMs: LONGEST_READING };

/** Documents that a language model reads at once. */
const MODEL_READERS = 4;
/** The same of documents that it reads again. */
const MODEL_REREADERS = 2;
/** Pictures that it looks at once more, at once. */
const MODEL_LOOKERS = 1;
/** Documents that it gives a title and a summary at once. */
const MODEL_DESCRIBERS = 2;

/**
 * The steps of ingestion by job kind, in order: extract, chunk, embed, remember, and read, fetch or pictures where something is to be read first. Each commits its result together with
 * the next job, so a crash repeats at most one step, and the failure of one never undoes another's result. Beside
 * remembering, a language model describes the document.
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
    // One process reads them, one after the other, and bounds the time of each by itself.
    read: { ...step(readDocumentFile), ...READING_SLOTS },
    pictures: { ...step(readMessagePictures), ...READING_SLOTS },
    chunk: step(indexChunks),
    embed: step(embedChunks),
    remember: {
      ...step(rememberDocument),
      timeoutMs: LONGEST_REMEMBERING,
      // Nobody's text waits to be found because a model is slow.
      ...(context.model && { slots: MODEL_READERS }),
    },
    describe: { ...step(describeDocument), ...(context.model && { slots: MODEL_DESCRIBERS }) },
    look: { ...step(lookAgain), slots: MODEL_LOOKERS },
    reprocess: {
      schema: rereadSchema,
      run: (payload: RereadPayload, job) => rereadDocument(context, payload, job),
      timeoutMs: LONGEST_REMEMBERING,
      // Beside all others: what is new never waits for what is old.
      slots: context.model ? MODEL_REREADERS : 1,
    },
    ...createEmbeddingJobs(context),
  };
}

/** Says on the document that one of its steps was given up, and why. What the steps before it made stays. Ends the job with it. */
export async function reportDead(
  context: IngestContext,
  job: Job,
  reason: string,
  bury: (jobs: JobStore) => Promise<void>,
): Promise<void> {
  // Nothing is wrong with a document that could not be read again.
  if (job.kind === "reprocess") return;
  const payload = stepSchema.safeParse(job.payload);
  // A document that nobody described is called as rules say, and a picture is found by its text.
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
