import { AppError } from "../../core/errors.js";
import type { Clock, LanguageModel, ModelAnswer, ModelRequest, ModelUse } from "../../core/ports.js";
import { iso } from "../../lib/time.js";

export interface BudgetOptions {
  /** US dollars per month, in UTC. */
  readonly limit: number;
  /** What was spent since a time (ISO), before this process. */
  readonly spentSince: (moment: string) => Promise<number>;
  readonly clock: Clock;
}

/** Seconds until waiting work tries again: the limit may have been raised. */
const PAUSE = 3_600;

/**
 * A language model that is no longer called once its answers of this month have cost the limit; calls in progress are completed.
 * It then throws `unavailable`, so that work waits for the next month or a higher limit.
 */
export function createBudgetedModel(model: LanguageModel, { limit, spentSince, clock }: BudgetOptions): LanguageModel {
  let month = "";
  let before: Promise<number> = Promise.resolve(0);
  let here = 0;

  async function spent(): Promise<number> {
    const now = clock.now();
    const start = iso(new Date(Date.UTC(now.getUTCFullYear(), now.getUTCMonth(), 1)));
    if (start !== month) {
      month = start;
      here = 0;
      before = spentSince(start);
      // After a failed read, the next call reads again.
      before.catch(() => (month = ""));
    }
    return (await before) + here;
  }

  return {
    ...model,
    budget: async () => ({ limit, spent: await spent() }),

    async generate<T>(request: ModelRequest<T>, signal?: AbortSignal): Promise<ModelAnswer<T>> {
      if ((await spent()) >= limit)
        throw new AppError(
          "unavailable",
          `The language model is not used for the rest of this month: RECOLLECT_LLM_MONTHLY_BUDGET, $${limit}, is spent. Raise it, or wait for the next month.`,
          { retryAfter: PAUSE },
        );
      try {
        const answer = await model.generate(request, signal);
        here += answer.cost ?? 0;
        return answer;
      } catch (error) {
        if (error instanceof AppError) here += error.unusable?.cost ?? 0;
        throw error;
      }
    },
  };
}

/** The same model, which also notes unusable answers: callers note only those that they could use. */
export function notingUnusable(model: LanguageModel, note: (use: ModelUse) => Promise<void>): LanguageModel {
  return {
    ...model,
    async generate<T>(request: ModelRequest<T>, signal?: AbortSignal): Promise<ModelAnswer<T>> {
      try {
        return await model.generate(request, signal);
      } catch (error) {
        if (error instanceof AppError && error.unusable)
          await note({ ...error.unusable, prompt: `${request.name}/unusable` });
        throw error;
      }
    },
  };
}
