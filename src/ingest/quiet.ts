import type { JobContext, Repositories, WaitingJob } from "../core/ports.js";
import type { Document, DocumentHead } from "../core/types.js";
import { iso } from "../lib/time.js";
import type { IngestContext } from "./context.js";
import { nextJob, type NextStep, stepSchema, type StepPayload, type QuietWait } from "./step.js";

const REMEMBER = "remember";

/** A document whose turn it is, and its own job if that is not the one that runs. */
export interface QuietMember {
  readonly payload: StepPayload;
  readonly jobId: number | null;
}

/**
 * How a document moves on to remembering: at once, or together with others of its containers when it is quiet around
 * them. What needs no reading does not wait. A document that is already waiting keeps its start time.
 */
export async function rememberStep(
  { limits, clock }: IngestContext,
  repositories: Pick<Repositories, "jobs">,
  document: Document,
  group: string,
): Promise<NextStep> {
  const { dreaming, facts, revision, rememberedRevision } = document;
  if (dreaming === "instant" || facts !== null || limits.dreamQuiet === 0 || rememberedRevision >= revision)
    return REMEMBER;
  const last = iso(clock.now());
  const earlier = revision === 1 ? [] : (await waitingSteps(repositories, group)).filter(isOf(document.id));
  const since = earliest([last, ...earlier.map(({ payload }) => payload.waits.since)]);
  const waits = { since, last };
  return { kind: REMEMBER, waits, ...patienceFor(limits, [waits]) };
}

/**
 * The documents to remember in one pass, oldest first by content date: those that wait in the same containers as this
 * one, once none has arrived recently or one has waited for the maximum time. Until then it postpones all of them and
 * returns null. A job that failed before goes alone, so that it delays nobody.
 */
export async function gatherGroup(
  context: IngestContext,
  payload: StepPayload,
  job: JobContext,
): Promise<QuietMember[] | null> {
  const { store, limits, clock } = context;
  const { waits } = payload;
  const alone = [{ payload, jobId: null }];
  if (!waits || job.job.attempt > 1) return alone;
  const others = (await waitingSteps(store, job.job.group)).filter(({ attempt }) => attempt === 0);
  const own = { id: job.job.id, attempt: 0, payload: { ...payload, waits } };
  const group = await companions(context, own, others);
  if (group.length === 0) return alone;
  const patience = patienceFor(
    limits,
    group.map(({ step }) => step.payload.waits),
  );
  if (clock.now() < patience.runAt) {
    await putOff(context, job, { payload: own.payload, others: group.map(({ step }) => step.id), ...patience });
    return null;
  }
  return group
    .toSorted((left, right) => byContentDate(left.head, right.head))
    .map(({ step }) => ({ payload: step.payload, jobId: step.id === own.id ? null : step.id }));
}

/** Whether a document of the same container is to be remembered without waiting. */
export async function isInstantWaiting({ store }: IngestContext, { job }: JobContext): Promise<boolean> {
  const waiting = await store.jobs.waiting(REMEMBER, job.group);
  return waiting.some(({ payload }) => stepSchema.safeParse(payload).data?.waits === undefined);
}

interface WaitingStep extends Pick<WaitingJob, "id" | "attempt"> {
  readonly payload: StepPayload & { readonly waits: QuietWait };
}

async function waitingSteps({ jobs }: Pick<Repositories, "jobs">, group: string): Promise<WaitingStep[]> {
  const waiting = await jobs.waiting(REMEMBER, group);
  return waiting.flatMap((job) => {
    const { data } = stepSchema.safeParse(job.payload);
    return data?.waits ? [{ ...job, payload: { ...data, waits: data.waits } }] : [];
  });
}

function isOf(documentId: string): (step: WaitingStep) => boolean {
  return ({ payload }) => payload.documentId === documentId;
}

interface Companion {
  readonly step: WaitingStep;
  readonly head: DocumentHead;
}

/** This step and those of the other documents still to be remembered in exactly its containers; none when it is over. */
async function companions(
  { store }: IngestContext,
  own: WaitingStep,
  others: readonly WaitingStep[],
): Promise<Companion[]> {
  const steps = [own, ...others];
  const heads = await store.documents.headsByIds(store.organizationId, [
    ...new Set(steps.map(({ payload }) => payload.documentId)),
  ]);
  const current = heads.flatMap((head): Companion[] => {
    const step = steps.find(({ payload }) => payload.documentId === head.id && payload.revision === head.revision);
    return step && head.rememberedRevision < head.revision ? [{ step, head }] : [];
  });
  const place = current.find(({ step }) => step === own);
  if (!place) return [];
  const containers = containersOf(place.head);
  return current.filter(({ head }) => containersOf(head) === containers);
}

function containersOf({ containerTags }: DocumentHead): string {
  return JSON.stringify([containerTags[0], ...containerTags.toSorted()]);
}

/** How long documents wait at most if nothing else arrives, and the reason shown to people. */
function patienceFor(
  { dreamQuiet, dreamLongestWait }: IngestContext["limits"],
  waiting: readonly QuietWait[],
): { readonly runAt: Date; readonly reason: string } {
  const newest = Math.max(...waiting.map(({ last }) => Date.parse(last)));
  const oldest = Math.min(...waiting.map(({ since }) => Date.parse(since)));
  const latest = oldest + dreamLongestWait * 1_000;
  return {
    runAt: new Date(Math.min(newest + dreamQuiet * 1_000, latest)),
    reason: `It will be read together with other new documents in its container once none has arrived for ${dreamQuiet} s, at ${iso(new Date(latest))} at the latest.`,
  };
}

interface PuttingOff {
  readonly payload: StepPayload & { readonly waits: QuietWait };
  /** Jobs that wait for the same. */
  readonly others: readonly number[];
  readonly runAt: Date;
  readonly reason: string;
}

/**
 * Ends this job and writes it anew for later, so that waiting does not count as a failure; the others need not check
 * themselves.
 */
async function putOff(
  { store }: IngestContext,
  job: JobContext,
  { payload, others, runAt, reason }: PuttingOff,
): Promise<void> {
  await store.transaction(async ({ jobs }) => {
    await job.finish(jobs);
    await jobs.enqueue([nextJob(job, payload, { kind: REMEMBER, waits: payload.waits, runAt, reason })]);
    await jobs.hold(others, runAt, reason);
  });
}

/** Sorts by content date; ties stay in order of arrival. */
function byContentDate(left: DocumentHead, right: DocumentHead): number {
  const dateOf = ({ documentDate, createdAt }: DocumentHead) => Date.parse(documentDate ?? createdAt);
  return dateOf(left) - dateOf(right);
}

function earliest(moments: readonly string[]): string {
  return moments.reduce((first, moment) => (moment < first ? moment : first));
}
