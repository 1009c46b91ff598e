import { AppError, forOthers, ServiceRefusal } from "../../core/errors.js";
import type { Clock, LanguageModel, ModelAnswer, ModelRequest, ModelStanding } from "../../core/ports.js";

/** How long a service is left alone that refuses everybody, in milliseconds: at first, and at most. */
const FIRST_REST = 5 * 60_000;
const LONGEST_REST = 60 * 60_000;

interface Rest {
  readonly refusal: AppError;
  readonly until: number;
  readonly ms: number;
}

/**
 * The same language model, of which is known how it did lately. One whose service refuses the key, or knows no such model, is
 * left alone for five minutes and after each further refusal for twice as long, at most an hour: until then every question
 * fails at once as the last one did, except a trial. The careful and the fast model rest apart.
 */
export function createWatchedModel(model: LanguageModel, { clock }: { readonly clock: Clock }): LanguageModel {
  const rests = new Map<ModelRequest<unknown>["effort"], Rest>();
  let last: Omit<ModelStanding, "restsUntil"> = { isAnswering: null, problem: null };

  function noteFailure(effort: ModelRequest<unknown>["effort"], error: AppError): void {
    // That one text is too long for it says nothing of the model.
    if (error.kind === "too_large") return;
    last = { isAnswering: false, problem: error.publicMessage };
    if (!(error instanceof ServiceRefusal)) return;
    const before = rests.get(effort);
    const ms = before ? Math.min(2 * before.ms, LONGEST_REST) : FIRST_REST;
    rests.set(effort, { refusal: forOthers(error), until: clock.now().getTime() + ms, ms });
  }

  return {
    ...model,

    standing: () => {
      const until = Math.max(0, ...[...rests.values()].map((rest) => rest.until));
      return { ...last, restsUntil: until > clock.now().getTime() ? new Date(until) : null };
    },

    async generate<T>(request: ModelRequest<T>, signal?: AbortSignal): Promise<ModelAnswer<T>> {
      const rest = rests.get(request.effort);
      if (rest && request.isTrial !== true && clock.now().getTime() < rest.until) throw rest.refusal;
      try {
        const answer = await model.generate(request, signal);
        rests.delete(request.effort);
        last = { isAnswering: true, problem: null };
        return answer;
      } catch (error) {
        if (error instanceof AppError && signal?.aborted !== true) noteFailure(request.effort, error);
        throw error;
      }
    },
  };
}
