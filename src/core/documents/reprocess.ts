import * as z from "zod";
import { requireContainer, requireWhole } from "../auth.js";
import type { AuthorizedCall, CoreContext } from "../context.js";
import { notFound } from "../errors.js";
import { containerTagSchema, customIdSchema, parseInput } from "../input.js";
import { runOnce } from "../operations.js";
import type { DocumentCutting, DocumentReading, PutOffJob, Repositories, WorkedDocument } from "../ports.js";
import { chunkingMark, chunkingOf } from "./chunking.js";
import { readSettings } from "../upkeep/settings.js";
import type { Actor, Document } from "../types.js";
import { refuseMerging } from "../containers/merge.js";
import { enqueueReadings } from "./reading-jobs.js";
import { reviseDocument } from "./revise-document.js";
import { findDocument } from "./documents.js";
import { findPutOffReading } from "./put-off-reading.js";
import { findRereadable, rereadFile } from "./reread-files.js";

/** Documents that one call may name. */
const MOST_NAMED = 1_000;

export const reprocessSchema = z
  .object({
    /** Ids or customIds of documents. */
    ids: z
      .array(customIdSchema)
      .min(1, "must name at least one document")
      .max(MOST_NAMED, `must name at most ${MOST_NAMED} documents`)
      .optional(),
    containerTag: containerTagSchema.optional(),
    all: z.literal(true, "must be true, or left out").optional(),
    /**
     * Only documents that were read by something other than the current extractor, or that are cut differently. Default: true
     * unless ids are given.
     */
    onlyOutdated: z.boolean("must be true or false").optional(),
    /** Forget what only these documents state, nobody has changed or reviewed, and the new reading does not find. */
    replace: z.boolean("must be true or false").default(false),
    dryRun: z.boolean("must be true or false").default(false),
  })
  .superRefine((input, context) => {
    const ways = [input.ids, input.containerTag, input.all].filter((way) => way !== undefined);
    if (ways.length !== 1)
      context.addIssue({ code: "custom", message: "specify exactly one of ids, containerTag and all: true" });
  });
type Reprocessing = z.output<typeof reprocessSchema>;

/** A named document that is not read again. */
export interface NotReprocessed {
  readonly id: string;
  /** The reason, in words for people. */
  readonly reason: string;
}

export interface Reprocessed {
  readonly dryRun: boolean;
  /** The extractor, e.g. `extract-facts/2`. */
  readonly extractor: string;
  /** Number of documents that are (or would be) read again or rechunked. */
  readonly documents: number;
  /**
   * Those of them whose processing failed, which is retried from the beginning, or whose file was to be read later, which is
   * tried now.
   */
  readonly retried: number;
  /** Number of failed documents left out; failed documents are retried only if given by id. */
  readonly failedLeftOut: number;
  /** Size of the texts that are read again. */
  readonly bytes: number;
  /** Rough estimate for the language model; 0 where rules read. */
  readonly estimate: {
    readonly inputTokens: number;
    readonly outputTokens: number;
    /** US dollars; null when the price is not known. */
    readonly cost: number | null;
  };
  /** Named documents that are left out. */
  readonly skipped: readonly NotReprocessed[];
}

/**
 * Retries named documents whose processing failed, from their files if they came as such, and reads the files of the others
 * again: if that fails, they stay as they are. Queues documents to be read again by the current extractor, and rechunked if the
 * settings want it, each by a durable job that gives new documents priority. What they already state is not counted twice, and
 * nothing is forgotten unless `replace` says so.
 * @throws AppError `not_found` for a document or container that is missing, or that the actor may not see; `forbidden` for one
 * that the actor may not change as a whole; nothing is done then
 */
export async function reprocess(context: CoreContext, call: AuthorizedCall, raw: unknown): Promise<Reprocessed> {
  const input = parseInput(reprocessSchema, raw);
  if (input.dryRun) return (await plan(context, context.store, call.actor, input)).answer;
  const done = await runOnce(context, call, "reprocess", async (repositories) => {
    const { answer, work, retried, reread, putOff } = await plan(context, repositories, call.actor, input);
    const { replace } = input;
    await enqueueReadings(
      repositories.jobs,
      work.map(({ id: documentId, ...one }) => ({ ...one, documentId, replace })),
    );
    for (const { id, reason } of putOff) await repositories.jobs.hold([id], context.clock.now(), reason);
    for (const document of retried) {
      await refuseMerging(repositories, call.actor, document.containerTags);
      await reviseDocument(repositories, call.actor, document, {
        change: {},
        reads: "addition",
        action: "document.retried",
      });
    }
    for (const document of reread) {
      await refuseMerging(repositories, call.actor, document.containerTags);
      await rereadFile(repositories, call.actor, document);
    }
    return answer;
  });
  context.wakeJobs();
  return done;
}

/** What is done with a document. */
interface Work extends WorkedDocument {
  /** Whether its facts are found again. */
  readonly reads: boolean;
  /** How it is to be cut, null for as is usual; absent where it stays as it is. */
  readonly chunking?: string | null;
}

async function plan(
  context: CoreContext,
  repositories: Repositories,
  actor: Actor,
  input: Reprocessing,
): Promise<{
  answer: Reprocessed;
  work: readonly Work[];
  retried: readonly Document[];
  /** Documents whose files are read again. */
  reread: readonly Document[];
  putOff: readonly PutOffJob[];
}> {
  const { extractions: versions, factExtractor } = context.about;
  const [extractor = factExtractor] = versions;
  const named = input.ids && (await findNamed(repositories, actor, input.ids));
  if (input.containerTag !== undefined) await requireExisting(repositories, actor, input.containerTag);
  const scope = {
    ids: named?.map(({ id }) => id),
    containerTags: input.containerTag === undefined ? undefined : [input.containerTag],
    within: actor.containers,
  };
  const readings = await repositories.extractions.readings(actor.organizationId, {
    ...scope,
    exceptBy: (input.onlyOutdated ?? !input.ids) ? versions : undefined,
  });
  const cuttings = await findCutOtherwise(
    repositories,
    actor,
    await repositories.extractions.cuttings(actor.organizationId, scope),
  );
  const work = joined(readings, cuttings);
  const retried = (named ?? []).filter(({ status }) => status === "failed");
  const hastened = await findPutOff(repositories, named ?? []);
  // What is to be forgotten is determined against the current text.
  const readsFiles = input.onlyOutdated !== true && !input.replace;
  const rereadable = await findRereadable(repositories, readsFiles ? (named ?? []) : []);
  const chosen = new Set([...[...work, ...retried].map(({ id }) => id), ...hastened.keys(), ...rereadable]);
  const skipped = (named ?? []).filter(({ id }) => !chosen.has(id));
  const bytes = work.reduce((sum, one) => sum + one.bytes, 0);
  return {
    work: work.filter(({ id }) => !rereadable.has(id) && !retried.some((document) => document.id === id)),
    retried,
    reread: (named ?? []).filter(({ id }) => rereadable.has(id)),
    putOff: [...hastened.values()],
    answer: {
      dryRun: input.dryRun,
      extractor,
      documents: chosen.size,
      retried: retried.length + hastened.size,
      failedLeftOut: input.ids ? 0 : await countFailed(repositories, actor, scope.containerTags),
      bytes,
      estimate: estimate(context, readings),
      skipped: skipped.map((document) => ({ id: document.id, reason: reasonOf(document, extractor) })),
    },
  };
}

/** The jobs waiting to read the sources of documents, by document. */
async function findPutOff(repositories: Repositories, documents: readonly Document[]): Promise<Map<string, PutOffJob>> {
  const found = new Map<string, PutOffJob>();
  for (const document of documents) {
    const job = await findPutOffReading(repositories, document);
    if (job) found.set(document.id, job);
  }
  return found;
}

/** Documents that the settings want cut differently, with how. */
async function findCutOtherwise(
  repositories: Repositories,
  { organizationId }: Actor,
  cuttings: readonly DocumentCutting[],
): Promise<DocumentCutting[]> {
  const wanted = new Map<string | null, string | null>();
  for (const client of new Set(cuttings.map((cutting) => cutting.client)))
    wanted.set(client, chunkingMark(chunkingOf(await readSettings(repositories, organizationId, client))));
  return cuttings.flatMap((cutting) => {
    const chunking = wanted.get(cutting.client) ?? null;
    return chunking === cutting.chunking ? [] : [{ ...cutting, chunking }];
  });
}

function joined(readings: readonly DocumentReading[], cuttings: readonly DocumentCutting[]): Work[] {
  const chunkings = new Map(cuttings.map(({ id, chunking }) => [id, chunking]));
  const read = new Set(readings.map(({ id }) => id));
  return [
    ...readings.map((reading) => {
      const chunking = chunkings.get(reading.id);
      return { ...reading, reads: true, ...(chunking !== undefined && { chunking }) };
    }),
    ...cuttings.filter(({ id }) => !read.has(id)).map((cutting) => ({ ...cutting, reads: false })),
  ];
}

async function findNamed(repositories: Repositories, actor: Actor, ids: readonly string[]): Promise<Document[]> {
  const found = new Map<string, Document>();
  for (const id of new Set(ids)) {
    const document = await findDocument(repositories, actor, { id });
    requireWhole(actor, document);
    found.set(document.id, document);
  }
  return [...found.values()];
}

async function requireExisting({ containers }: Repositories, actor: Actor, tag: string): Promise<void> {
  requireContainer(actor, tag);
  if (!(await containers.get(actor.organizationId, tag))) throw notFound("container", tag);
}

async function countFailed(
  { documents }: Repositories,
  { organizationId, containers }: Actor,
  named: readonly string[] | undefined,
): Promise<number> {
  const containerTags = named ?? (containers === "all" ? undefined : containers);
  const query = { statuses: ["failed"], operator: "any", sort: "createdAt", order: "desc" } as const;
  const page = { offset: 0, limit: 1, includeContent: false };
  return (await documents.list(organizationId, { ...query, ...page, containerTags })).total;
}

function reasonOf({ taskType, facts, status, dreamingStatus }: Document, extractor: string): string {
  if (taskType !== "memory") return "it forms no memories (taskType superrag)";
  if (facts) return "its facts were stated by its sender";
  if (status !== "done" || dreamingStatus !== "done") return "it is being read";
  return `${extractor} has already read it`;
}

const BYTES_PER_TOKEN = 4;
/** A language model reads a text in pieces of about this size, */
const BYTES_PER_QUESTION = 7_500;
/** each with instructions and what is known, */
const TOKENS_OF_INSTRUCTIONS = 1_800;
/** and answers with about so much. */
const TOKENS_OF_ANSWER = 500;

function estimate({ model }: CoreContext, readings: readonly DocumentReading[]): Reprocessed["estimate"] {
  if (!model) return { inputTokens: 0, outputTokens: 0, cost: 0 };
  let [inputTokens, outputTokens] = [0, 0];
  for (const { bytes } of readings) {
    const questions = Math.max(1, Math.ceil(bytes / BYTES_PER_QUESTION));
    inputTokens += Math.ceil(bytes / BYTES_PER_TOKEN) + questions * TOKENS_OF_INSTRUCTIONS;
    outputTokens += questions * TOKENS_OF_ANSWER;
  }
  const { prices } = model;
  const cost = prices ? (inputTokens * prices.input + outputTokens * prices.output) / 1_000_000 : null;
  return { inputTokens, outputTokens, cost };
}
