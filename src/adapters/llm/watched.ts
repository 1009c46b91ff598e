import * as z from "zod";
import { AppError, forOthers, ServiceRefusal, UnclearFailure, UnclearRefusal } from "../../core/errors.js";
import type { Clock, LanguageModel, ModelAnswer, ModelRequest, ModelStanding } from "../../core/ports.js";

/** How long a service that refuses everybody is left alone, in milliseconds: at first, and at most. */
const FIRST_REST = 5 * 60_000;
const LONGEST_REST = 60 * 60_000;

/** How long a service may take for a neutral text, in milliseconds. */
const NEUTRAL_WITHIN_MS = 30_000;
/** How many subjects that the service failed on are remembered, newest first. */
const SUBJECTS_KEPT = 1_000;

type Effort = ModelRequest<unknown>["effort"];

/** Tests whether the service answers this key, without anybody's data. */
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

/** How one of the two models answered its latest call. */
type Lately = Pick<ModelStanding, "isAnswering" | "problem">;

const NOT_ASKED: Lately = { isAnswering: null, problem: null };

/**
 * The same language model, with its recent state known. One whose service refuses the key, or knows no such model, is left alone
 * for five minutes, and after each further refusal for twice as long, at most an hour: until then every call except a trial
 * fails at once with the last error. Calls made before the pause belong to the same outage, however many they are. Where a
 * service does not say whether it refuses the key or the text, a neutral text decides: if that is answered, the service stays in
 * use, and only the text was refused. The same applies when the service fails on a text for the second time, as some do on texts
 * that they cannot handle. The careful and the fast model pause separately.
 */
export function createWatchedModel(model: LanguageModel, { clock }: { readonly clock: Clock }): LanguageModel {
  const watch = new ModelWatch(model, clock);
  return {
    ...model,
    standing: (effort) => watch.standing(effort),
    generate: (request, signal) => watch.generate(request, signal),
  };
}

class ModelWatch {
  readonly #model: LanguageModel;
  readonly #clock: Clock;
  readonly #rests = new Map<Effort, Rest>();
  readonly #lately = new Map<Effort, Lately>();
  #newest = NOT_ASKED;
  /** Neutral requests in progress. */
  readonly #neutral = new Map<Effort, Promise<boolean>>();
  readonly #failedSubjects = new Set<string>();

  constructor(model: LanguageModel, clock: Clock) {
    this.#model = model;
    this.#clock = clock;
  }

  standing(effort?: Effort): ModelStanding {
    const rests = [...this.#rests.values()];
    const until = effort ? this.#rests.get(effort)?.until : Math.max(0, ...rests.map((rest) => rest.until));
    const restsUntil = until !== undefined && until > this.#clock.now().getTime() ? new Date(until) : null;
    return { ...(effort ? (this.#lately.get(effort) ?? NOT_ASKED) : this.#newest), restsUntil };
  }

  async generate<T>(request: ModelRequest<T>, signal?: AbortSignal): Promise<ModelAnswer<T>> {
    const { effort } = request;
    const began = this.#clock.now().getTime();
    const rest = this.#rests.get(effort);
    if (rest && request.isTrial !== true && began < rest.until) throw rest.refusal;
    try {
      const answer = await this.#model.generate(request, signal);
      this.#noteAnswer(request);
      return answer;
    } catch (error) {
      if (!(error instanceof AppError) || signal?.aborted === true) throw error;
      const failure = await this.#clarified(request, error);
      this.#noteFailure({ effort, began }, failure);
      throw failure;
    }
  }

  #noteAnswer({ effort, subject }: ModelRequest<unknown>): void {
    this.#rests.delete(effort);
    if (subject !== undefined) this.#failedSubjects.delete(subject);
    this.#note(effort, { isAnswering: true, problem: null });
  }

  #noteFailure({ effort, began }: { readonly effort: Effort; readonly began: number }, error: AppError): void {
    // That one text is too long for it, or that it takes no pictures, says nothing about other requests.
    if (error.kind === "too_large" || error.kind === "unsupported") return;
    this.#note(effort, { isAnswering: false, problem: error.publicMessage });
    if (!(error instanceof ServiceRefusal)) return;
    const before = this.#rests.get(effort);
    if (before && began < before.until) return;
    const ms = before ? Math.min(2 * before.ms, LONGEST_REST) : FIRST_REST;
    this.#rests.set(effort, { refusal: forOthers(error), until: this.#clock.now().getTime() + ms, ms });
  }

  #note(effort: Effort, seen: Lately): void {
    this.#newest = seen;
    this.#lately.set(effort, seen);
  }

  /** The actual cause of a failure, as far as it can be told. */
  async #clarified(request: ModelRequest<unknown>, error: AppError): Promise<AppError> {
    const { effort } = request;
    if (!this.#mayBeTheText(request, error) || !(await this.#answersOthers(effort))) return error;
    this.#rests.delete(effort);
    const { cause, quote } = error;
    const did = error instanceof UnclearRefusal ? "refused the text" : "failed on the text again";
    const message = `The language model ${this.#model.name} ${did}, but answers others.`;
    return new AppError("invalid", message, { cause, quote });
  }

  #mayBeTheText({ subject }: ModelRequest<unknown>, error: AppError): boolean {
    if (error instanceof UnclearRefusal) return true;
    return error instanceof UnclearFailure && subject !== undefined && this.#failsAgain(subject);
  }

  /** Notes a failure. @returns true when it is not the first one for this subject, as far as is known */
  #failsAgain(subject: string): boolean {
    const failed = this.#failedSubjects;
    if (failed.has(subject)) return true;
    failed.add(subject);
    for (const oldest of failed) if (failed.size > SUBJECTS_KEPT) failed.delete(oldest);
    return false;
  }

  /** True when the service answers a neutral text; one request serves all refusals that are unclear meanwhile. */
  #answersOthers(effort: Effort): Promise<boolean> {
    const asked = this.#neutral.get(effort);
    if (asked) return asked;
    const asking = askNeutral(this.#model, effort).finally(() => this.#neutral.delete(effort));
    this.#neutral.set(effort, asking);
    return asking;
  }
}

/** True for any answer: even one of the wrong form is an answer. */
async function askNeutral(model: LanguageModel, effort: Effort): Promise<boolean> {
  try {
    await model.generate({ ...NEUTRAL, effort }, AbortSignal.timeout(NEUTRAL_WITHIN_MS));
    return true;
  } catch (error) {
    return error instanceof AppError && error.kind === "invalid" && !(error instanceof ServiceRefusal);
  }
}
