import { enqueueReadings } from "../core/documents/reading-jobs.js";
import type { DueFailure, JobDraft, LanguageModel, ModelStep } from "../core/ports.js";
import { iso } from "../lib/time.js";
import type { IngestContext } from "./context.js";

/** Maximum number of documents queued for rereading while the model answers; otherwise only one, as a probe. */
const MOST_IN_LINE = 20;
/** First and longest pause after a probe that failed, in milliseconds. */
const FIRST_PAUSE = 5 * 60_000;
const LONGEST_PAUSE = 60 * 60_000;
/** Time in milliseconds after which a job that came to nothing is written anew. */
const TAKEN_MS = 6 * 60 * 60_000;

/** Which of the two models does a step, and in which kind of job. */
const STEPS = {
  facts: { effort: "careful", kind: "reprocess" },
  description: { effort: "fast", kind: "describe" },
  picture: { effort: "fast", kind: "look" },
} as const;

/**
 * Has documents that were read by rules, because the language model would not or could not read them, read again; to be
 * called periodically. A few at a time, after everything new, and only one while the model does not answer or its state
 * is unknown. The careful model, which finds facts, and the fast one, which describes, are judged separately. The cost
 * is bounded by the number of attempts per document (`noteModelFailure`) and by the monthly budget.
 */
export function createModelRetrial(context: RetrialContext): () => Promise<void> {
  const { model, log, wakeJobs } = context;
  if (!model) return async () => {};
  const steps = ["facts", "description", "picture"] as const;
  const retrials = steps.map((step) => createStepRetrial(context, model, step));
  return async () => {
    let taken = 0;
    for (const retry of retrials) taken += await retry();
    if (taken === 0) return;
    log.info("read again with the language model", { documents: taken });
    wakeJobs();
  };
}

type RetrialContext = Pick<IngestContext, "store" | "model" | "clock" | "log" | "wakeJobs">;

/** Returns how many documents were queued. */
function createStepRetrial(
  { store, clock }: RetrialContext,
  model: LanguageModel,
  step: ModelStep,
): () => Promise<number> {
  const { effort, kind } = STEPS[step];
  let pause = FIRST_PAUSE;
  let notBefore = 0;

  /** How many may be tried now. */
  function allowance(now: Date): number {
    const { isAnswering = null, restsUntil = null } = model.standing?.(effort) ?? {};
    if (restsUntil && now < restsUntil) return 0;
    if (isAnswering === true) {
      pause = FIRST_PAUSE;
      return MOST_IN_LINE;
    }
    return now.getTime() < notBefore ? 0 : 1;
  }

  return async () => {
    const now = clock.now();
    const allowed = allowance(now);
    if (allowed === 0) return 0;
    const inLine = await store.jobs.countOf(kind);
    if (inLine >= allowed) return 0;
    const { mark } = model;
    const taken = await store.transaction(async ({ modelFailures, jobs }) => {
      const query = { step, mark, now: iso(now), limit: allowed - inLine };
      const due = await modelFailures.due(store.organizationId, query);
      await modelFailures.putOff(due, { mark, until: iso(new Date(now.getTime() + TAKEN_MS)) });
      if (step === "facts")
        await enqueueReadings(
          jobs,
          due.map((one) => ({ ...one, replace: false, reads: true })),
        );
      else await jobs.enqueue(due.map(jobFor));
      return due.length;
    });
    if (taken > 0 && allowed === 1) {
      notBefore = now.getTime() + pause;
      pause = Math.min(2 * pause, LONGEST_PAUSE);
    }
    return taken;
  };
}

function jobFor({ documentId, step, revision, containerTag: group }: DueFailure): JobDraft {
  const { kind } = STEPS[step];
  return { kind, payload: { documentId, revision }, group, key: `${kind}:${documentId}:${revision}` };
}
