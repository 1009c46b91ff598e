import * as z from "zod";
import { AppError, forOthers, ServiceRefusal, UnclearFailure, UnclearRefusal } from "../../core/errors.js";
import type { Clock, LanguageModel, ModelAnswer, ModelRequest, ModelStanding } from "../../core/ports.js";

/** How long a service is left alone that refuses everybody, in milliseconds: at first, and at most. */
const FIRST_REST = 5 * 60_000;
const LONGEST_REST = 60 * 60_000;

/** How long a service may take over a neutral text, in milliseconds. */
const NEUTRAL_WITHIN_MS = 30_000;
/** Of so many subjects that the service failed at once is known that it did, the newest. */
const SUBJECTS_KEPT = 1_000;

type Effort = ModelRequest<unknown>["effort"];

/** Asks whether the service answers this key, with nothing of anybody. */
const NEUTRAL = {
  name: "trial",
  schema: z.object({ word: z.string() }),
  messages: [{ role: "user", content: 'Answer with {"word": "tea"} and nothing else.' }],
  maxTokens: 200,
} as const satisfies Partial<ModelRequest<unknown>>;

interface Rest {
  readonly refusal: AppError;
  readonly until: number;
  readonly ms: number;
}

/** How one of both models answered the newest question to it. */
type Lately = Pick<ModelStanding, "isAnswering" | "problem">;

const NOT_ASKED: Lately = { isAnswering: null, problem: null };

/**
 * The same language model, of which is known how it did lately. One whose service refuses the key, or knows no such model, is
 * left alone for five minutes and after each further refusal for twice as long, at most an hour: until then every question
 * fails at once as the last one did, except a trial. Questions that were asked before it began to rest are part of the same
 * outage, however many they are. Where a service does not say whether it refuses the key or the text, a neutral text decides:
 * one that is answered keeps the service in use, and the text alone was refused. So it does where the service fails at a text
 * for the second time, as some do at texts that they cannot take. The careful and the fast model rest apart.
 */
export function createWatchedModel(model: LanguageModel, { clock }: { readonly clock: Clock }): LanguageModel {
  const rests = new Map<Effort, Rest>();
  const lately = new Map<Effort, Lately>();
  let newest = NOT_ASKED;

  function note(effort: Effort, seen: Lately): void {
    newest = seen;
    lately.set(effort, seen);
  }

  function noteFailure({ effort, began }: { readonly effort: Effort; readonly began: number }, error: AppError): void {
    // That one text is too long for it, or that it takes no picture, says nothing of how it answers others.
    if (error.kind === "too_large" || error.kind === "unsupported") return;
    note(effort, { isAnswering: false, problem: error.publicMessage });
    if (!(error instanceof ServiceRefusal)) return;
    const before = rests.get(effort);
    if (before && began < before.until) return;
    const ms = before ? Math.min(2 * before.ms, LONGEST_REST) : FIRST_REST;
    rests.set(effort, { refusal: forOthers(error), until: clock.now().getTime() + ms, ms });
  }

  const neutral = new Map<Effort, Promise<boolean>>();

  /** True when the service answers a neutral text; asked once for all whose refusal is unclear meanwhile. */
  function answersOthers(effort: Effort): Promise<boolean> {
    const asked = neutral.get(effort);
    if (asked) return asked;
    const asking = askNeutral(model, effort).finally(() => neutral.delete(effort));
    neutral.set(effort, asking);
    return asking;
  }

  const failedSubjects = new Set<string>();

  /** Notes a failure. @returns true when it is not the first one of this subject, as far as that is known */
  function failsAgain(subject: string): boolean {
    if (failedSubjects.has(subject)) return true;
    failedSubjects.add(subject);
    for (const oldest of failedSubjects) if (failedSubjects.size > SUBJECTS_KEPT) failedSubjects.delete(oldest);
    return false;
  }

  function mayBeTheText({ subject }: ModelRequest<unknown>, error: AppError): boolean {
    if (error instanceof UnclearRefusal) return true;
    return error instanceof UnclearFailure && subject !== undefined && failsAgain(subject);
  }

  /** What a question failed with, as far as that can be told. */
  async function clarified(request: ModelRequest<unknown>, error: AppError): Promise<AppError> {
    const { effort } = request;
    if (!mayBeTheText(request, error) || !(await answersOthers(effort))) return error;
    rests.delete(effort);
    const { cause, quote } = error;
    const did = error instanceof UnclearRefusal ? "refused the text" : "failed at the text again";
    return new AppError("invalid", `The language model ${model.name} ${did}, and answers others.`, { cause, quote });
  }

  return {
    ...model,

    standing: (effort) => {
      const until = effort ? rests.get(effort)?.until : Math.max(0, ...[...rests.values()].map((rest) => rest.until));
      const restsUntil = until !== undefined && until > clock.now().getTime() ? new Date(until) : null;
      return { ...(effort ? (lately.get(effort) ?? NOT_ASKED) : newest), restsUntil };
    },

    async generate<T>(request: ModelRequest<T>, signal?: AbortSignal): Promise<ModelAnswer<T>> {
      const { effort } = request;
      const began = clock.now().getTime();
      const rest = rests.get(effort);
      if (rest && request.isTrial !== true && began < rest.until) throw rest.refusal;
      try {
        const answer = await model.generate(request, signal);
        rests.delete(effort);
        if (request.subject !== undefined) failedSubjects.delete(request.subject);
        note(effort, { isAnswering: true, problem: null });
        return answer;
      } catch (error) {
        if (!(error instanceof AppError) || signal?.aborted === true) throw error;
        const failure = await clarified(request, error);
        noteFailure({ effort, began }, failure);
        throw failure;
      }
    },
  };
}

/** True when it is answered, with whatever: what is no answer of the right form is an answer all the same. */
async function askNeutral(model: LanguageModel, effort: Effort): Promise<boolean> {
  try {
    await model.generate({ ...NEUTRAL, effort }, AbortSignal.timeout(NEUTRAL_WITHIN_MS));
    return true;
  } catch (error) {
    return error instanceof AppError && error.kind === "invalid" && !(error instanceof ServiceRefusal);
  }
}
