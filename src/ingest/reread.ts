import * as z from "zod";
import { formsMemories } from "../core/documents/memory-paths.js";
import { MISSING_JOB } from "../core/embeddings/roles.js";
import { forgetNotFound, withoutPast, type Reread } from "../core/memories/read-again.js";
import type { AppError } from "../core/errors.js";
import type { JobContext, Repositories } from "../core/ports.js";
import type { Document } from "../core/types.js";
import { createId } from "../lib/ids.js";
import { findCandidates, submissionsOf, withPlaces } from "./candidates.js";
import type { IngestContext } from "./context.js";
import { dropFound, findOnce } from "./found-candidates.js";
import { chunkForSender, keepChunks, prepareChunks } from "./index-chunks.js";
import { resolveForContainers, writeResolved, type Resolved } from "./keep-facts.js";
import { hasToDescribe } from "./look-at-messages.js";
import { isToDescribe } from "./look.js";
import { noteModelFailure } from "./model-failures.js";
import { extractorOf } from "./readings.js";
import { commitStep, loadCurrent, stepSchema } from "./step.js";

export const rereadSchema = stepSchema.extend({
  replace: z.boolean(),
  /** Whether its facts are extracted again; the default keeps older jobs valid, which did nothing else. */
  reads: z.boolean().default(true),
  /** Whether it is cut into chunks again. */
  cuts: z.boolean().default(false),
});
export type RereadPayload = z.output<typeof rereadSchema>;

/** An extractor stops at this many facts per document: the rest may still be in it. */
const MOST_FACTS = 500;

/**
 * Reads a document that is already remembered as a whole, with the current extractor. New facts join the known ones;
 * those already stated are not counted again, and forgotten or replaced ones stay so. A document is cut anew if the
 * settings demand it; its chunks are found by their words until they have vectors. A picture without a description is
 * described afterwards. Does nothing when the document was deleted or replaced, or is about to be read anyway.
 */
export async function rereadDocument(context: IngestContext, payload: RereadPayload, job: JobContext): Promise<void> {
  const current = await loadCurrent(context, payload);
  const cut = payload.cuts && current?.status === "done" ? await chunkForSender(context, current) : null;
  if (current && cut) await prepareChunks(context, current, cut, job.signal);
  const reading =
    payload.reads && current && isReadable(current) ? await read(context, current, payload, job.signal) : null;
  await commitStep(context, job, payload, async (repositories, document) => {
    if (cut && document.status === "done") {
      await keepChunks(repositories, document, cut, job.signal);
      await repositories.jobs.enqueue([MISSING_JOB]);
    }
    if (reading && isReadable(document))
      await keep(context, repositories, document, { ...reading, replace: payload.replace });
    const isToLook = isToDescribe(context, document) || (await hasToDescribe(context, repositories, document));
    return isToLook ? "look" : null;
  });
  if (current) dropFound(context, asUnread(current));
}

function isReadable({ taskType, facts, dreamingStatus }: Document): boolean {
  return taskType === "memory" && !facts && dreamingStatus === "done";
}

interface Reading {
  readonly resolved: readonly Resolved[];
  readonly texts: readonly string[];
  /** The time at which the document speaks (ISO). */
  readonly statedAt: string;
  /** False when there was nothing to read. */
  readonly isRead: boolean;
  /** True when rules had to read some of it in place of the language model. */
  readonly isRefused: boolean;
  /** False when it may contain more than was found. */
  readonly isComplete: boolean;
}

/** The document as if none of it had been remembered. */
function asUnread(document: Document): Document {
  return { ...document, rememberedRevision: 0 };
}

async function read(
  context: IngestContext,
  document: Document,
  { replace }: RereadPayload,
  signal: AbortSignal,
): Promise<Reading> {
  const { store, clock } = context;
  let isRefused = false;
  const submissions = (await formsAny(store, document)) ? await submissionsOf(context, asUnread(document)) : [];
  const heard = submissions.map(({ source, ...rest }) => {
    const onRefused = async (why: AppError) => {
      isRefused = true;
      await source?.onRefused?.(why);
    };
    return { ...rest, ...(source && { source: { ...source, onRefused } }) };
  });
  const find = () => findCandidates(context, heard, signal);
  // Whatever decides what to forget has to be read in one go.
  const stated = replace ? await find() : await findOnce(context, asUnread(document), find);
  const found = await withPlaces(stated, document.content, signal);
  const candidates = await withoutPast(store, rereadOf(document), found, clock.now());
  const resolved = await resolveForContainers(context, document, candidates, signal);
  const refusal = resolved.find((one) => one.refusal !== null)?.refusal;
  // One reading with failures of the model counts once.
  if (refusal && !isRefused) await noteModelFailure(context, document, "facts", refusal);
  return {
    resolved,
    texts: found.map(({ text }) => text),
    statedAt: await saidAt(store, document),
    isRead: submissions.some(({ source }) => source !== undefined),
    isRefused,
    isComplete: !isRefused && found.length < MOST_FACTS,
  };
}

async function formsAny(store: Pick<Repositories, "containers">, document: Document): Promise<boolean> {
  const { organizationId, containerTags, filepath } = document;
  for (const tag of containerTags) if (await formsMemories(store, organizationId, tag, filepath)) return true;
  return false;
}

/**
 * Old statements must not replace newer ones: without a date of its own, a document speaks from when its facts were
 * first found or, if it has changed since, from when it arrived.
 */
async function saidAt({ memories }: Pick<Repositories, "memories">, document: Document): Promise<string> {
  const { organizationId, id, documentDate, createdAt, revision, receipt } = document;
  if (documentDate !== null) return documentDate;
  if (revision > 1 || !receipt) return createdAt;
  const first = new Set(receipt.map((fact) => fact.id));
  const stated = await memories.ofDocuments(organizationId, [id]);
  const times = stated.flatMap(({ memory, addedAt }) => (first.has(memory.id) ? [addedAt] : []));
  return times.reduce((latest, time) => (time > latest ? time : latest), createdAt);
}

async function keep(
  context: IngestContext,
  repositories: Repositories,
  document: Document,
  { resolved, texts, statedAt, isRead, isRefused, isComplete, replace }: Reading & { readonly replace: boolean },
): Promise<void> {
  const { organizationId, id, revision } = document;
  const [present = ""] = context.about.extractions;
  const extractor = isRead ? await extractorOf(context, repositories, document) : present;
  const readAgain = { batchId: createId(), cause: `reprocessed with ${extractor}` };
  const told = { resolved, statedAt, readAgain, now: context.clock.now() };
  const { facts, leftOut } = await writeResolved(context, repositories, document, told);
  const ids = new Set(facts.map((fact) => fact.id));
  if (replace && isRead && isComplete)
    await forgetNotFound(repositories, rereadOf(document), { ...readAgain, ids, texts });
  if (isRead) await repositories.documents.update(organizationId, id, { factsLeftOut: leftOut });
  await repositories.extractions.noteReading(id, extractor);
  const isRelated = resolved.every(({ refusal }) => refusal === null);
  if (!isRefused && isRelated && context.model) await repositories.modelFailures.end(id, "facts");
  await endGivenUp(repositories, document);
  await repositories.documents.settleRevisions(organizationId, id, revision);
}

/** Ends what was given up, since it could be remembered now. */
async function endGivenUp({ documents, jobs }: Repositories, document: Document): Promise<void> {
  const { organizationId, id, revision, rememberedRevision, errorReason } = document;
  await jobs.dropDead(id);
  if (rememberedRevision >= revision) return;
  await documents.update(organizationId, id, {
    rememberedRevision: revision,
    ...(errorReason?.startsWith("remember:") && { errorReason: null }),
  });
}

function rereadOf({ organizationId, id }: Document): Reread {
  return { organizationId, documentId: id };
}
