import { AppError, RetryLater } from "../core/errors.js";
import type { FactSource, JobContext } from "../core/ports.js";
import type { Document, FactCandidate } from "../core/types.js";
import { asRead, findCandidates, type Submission, submissionsOf } from "./candidates.js";
import type { IngestContext } from "./context.js";
import { TOGETHER } from "./extract-group.js";
import { dropFound, findOnce } from "./found-candidates.js";
import { keepFacts, resolveForContainers, saidWhen } from "./keep-facts.js";
import { noteRefusedRelations } from "./model-failures.js";
import { isInstantWaiting, type QuietMember } from "./quiet.js";
import { loadCurrent } from "./step.js";

/** Seconds: long enough for jobs that are already due to go first. */
const A_MOMENT = 0.01;
/** Seconds: after this time at most, a waiting job checks again whether it still has to wait. */
const DAY = 86_400;

/** A document of the group, with what has to be read of it. */
interface Reading {
  readonly member: QuietMember;
  readonly document: Document;
  readonly submissions: readonly Submission[];
}

/** The progress of a group. */
interface Pass {
  readonly context: IngestContext;
  readonly job: JobContext;
  /** Documents still to be read, in order. */
  readonly left: QuietMember[];
  /** The failure of the document whose job is running. */
  ownFailure?: unknown;
}

/**
 * Remembers documents that waited together, in this order, so that later ones update earlier ones. Short ones are read
 * in one question to the model. Each is committed by itself, and remembered only once: a crash repeats only the rest.
 * One that fails is left to its own job, and delays none. Makes way for a document that is to be remembered at once.
 */
export async function rememberGroup(
  context: IngestContext,
  members: readonly QuietMember[],
  job: JobContext,
): Promise<void> {
  const pass: Pass = { context, job, left: [...members] };
  const unfinished = new Set(members);
  try {
    for (;;) {
      const batch = await nextBatch(pass);
      if (batch.length === 0) break;
      await rememberBatch(pass, batch, unfinished);
      if (pass.left.length > 0 && (await isInstantWaiting(context, job)))
        throw new RetryLater(A_MOMENT, "A document in its container that must be remembered immediately goes first.");
    }
  } catch (error) {
    await holdOthers(pass, unfinished, error);
    throw error;
  }
  if (pass.ownFailure !== undefined) throw pass.ownFailure;
}

/** The next documents that can be read in one question, or the next one alone; none at the end. */
async function nextBatch(pass: Pass): Promise<Reading[]> {
  const batch: Reading[] = [];
  for (let member = pass.left[0]; member; member = pass.left[0]) {
    const reading = await attempt(pass, member, () => loadReading(pass.context, member));
    if (reading && !fits(pass.context, batch, reading)) break;
    pass.left.shift();
    if (reading) batch.push(reading);
  }
  return batch;
}

async function loadReading(context: IngestContext, member: QuietMember): Promise<Reading | null> {
  const document = await loadCurrent(context, member.payload);
  return document && { member, document, submissions: await submissionsOf(context, document) };
}

function fits({ extractTogether }: IngestContext, batch: readonly Reading[], reading: Reading): boolean {
  const [first] = batch;
  if (!first) return true;
  if (!extractTogether || batch.length === TOGETHER.documents) return false;
  const sources = [...batch, reading].map(onlySourceOf);
  const [one, ...others] = sources;
  const length = sources.reduce((sum, source) => sum + (source?.content.length ?? Infinity), 0);
  return length <= TOGETHER.characters && others.every((other) => one && other && isReadLike(one, other));
}

/** What has to be read of a document; undefined when the sender supplied its facts, or it came in several versions. */
function onlySourceOf({ submissions: [submission, ...more] }: Reading): FactSource | undefined {
  return more.length === 0 ? submission?.source : undefined;
}

/** Whether the same guidance and the same known memories apply to both. */
function isReadLike(one: FactSource, other: FactSource): boolean {
  return JSON.stringify([one.guidance, one.known]) === JSON.stringify([other.guidance, other.known]);
}

async function rememberBatch(pass: Pass, batch: readonly Reading[], unfinished: Set<QuietMember>): Promise<void> {
  const { context, job } = pass;
  const sources = batch.flatMap((reading) => onlySourceOf(reading) ?? []);
  const found = batch.length > 1 ? await context.extractTogether?.(sources, job.signal) : null;
  for (const [index, reading] of batch.entries()) {
    await attempt(pass, reading.member, () => rememberReading(pass, reading, found?.[index]));
    unfinished.delete(reading.member);
  }
}

async function rememberReading(
  { context, job }: Pass,
  { member, document, submissions }: Reading,
  found: readonly FactCandidate[] | undefined,
): Promise<void> {
  const [submission] = submissions;
  const candidates =
    found && submission
      ? await asRead(submission, found, job.signal)
      : await findOnce(context, document, () => findCandidates(context, submissions, job.signal));
  const resolved = await resolveForContainers(context, document, candidates, job.signal);
  await noteRefusedRelations(context, document, resolved);
  const statedAt = await saidWhen(context, document, member.payload.waits);
  await context.store.transaction(async (repositories) => {
    const current = await loadCurrent(context, member.payload, repositories);
    if (!current) return;
    await keepFacts(context, repositories, current, { resolved, statedAt });
    if (member.jobId !== null) await repositories.jobs.drop([member.jobId]);
  });
  dropFound(context, document);
  context.events.changed(document.id);
}

/** Works on one document; its failure does not affect the others, unless the service stops or has to wait. */
async function attempt<T>(pass: Pass, member: QuietMember, work: () => Promise<T>): Promise<T | null> {
  try {
    return await work();
  } catch (error) {
    pass.job.signal.throwIfAborted();
    if (secondsToWait(error) !== undefined) throw error;
    if (member.jobId === null) pass.ownFailure = error;
    else
      pass.context.log.warn("the facts of a document are left for its own job", {
        document: member.payload.documentId,
        error,
      });
    return null;
  }
}

function secondsToWait(error: unknown): number | undefined {
  if (error instanceof RetryLater) return error.seconds;
  return error instanceof AppError ? error.retryAfter : undefined;
}

/** Those that wait for the same need not ask themselves. */
async function holdOthers({ context, job }: Pass, unfinished: ReadonlySet<QuietMember>, error: unknown): Promise<void> {
  const seconds = secondsToWait(error);
  if (seconds === undefined || job.signal.aborted) return;
  const ids = [...unfinished].flatMap(({ jobId }) => jobId ?? []);
  const runAt = new Date(context.clock.now().getTime() + Math.min(seconds, DAY) * 1_000);
  await context.store.jobs.hold(
    ids,
    runAt,
    error instanceof AppError ? error.publicMessage : error instanceof Error ? error.message : "",
  );
}
