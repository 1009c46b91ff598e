import { AppError } from "../core/errors.js";
import type { Clock, ExtractionGuidance, LanguageModel, Log, ModelPicture, ModelUse } from "../core/ports.js";
import { checkPictureDescription } from "./check-description.js";
import { describePicturePrompt } from "./prompts/describe-picture.js";

/** The part of a language model that looks at pictures. */
export interface Sight {
  /**
   * A description of a picture, on one line.
   * @throws AppError `unsupported` if the model cannot see or does not accept this picture, `unavailable` while it is
   * unavailable or too
   *   slow, `invalid` if its answer cannot be used, `too_large`, or the signal's reason
   */
  look(picture: ModelPicture, wishes: LookingWishes, signal: AbortSignal): Promise<string>;
}

export interface LookingWishes {
  /** The owner's guidance on how to read texts. */
  readonly guidance: ExtractionGuidance;
  /** Called with the cost of an answer, even of one that cannot be used. */
  readonly onModelUse: (use: ModelUse) => Promise<void>;
}

export interface SightOptions {
  readonly model: LanguageModel;
  readonly clock: Clock;
  readonly log: Log;
  /** Time limit for one picture, in milliseconds: its other content waits for it. Default: one minute. */
  readonly patienceMs?: number;
}

const PATIENCE = 60_000;
/** How long a model that cannot see is shown nothing, in milliseconds: by then another may have taken its place. */
const BLIND_MS = 60 * 60_000;
const MOST_TOKENS = 1_000;
/** Seconds until a picture that took too long is tried again. */
const SLOW_PAUSE = 15 * 60;
/** More bytes than any service accepts for one picture. */
const MOST_BYTES = 10 * 1024 * 1024;

/** Squares in two shades of grey, which every model with vision can look at. */
const PLAIN_PICTURE: ModelPicture = {
  mimeType: "image/png",
  bytes: Buffer.from(
    "iVBORw0KGgoAAAANSUhEUgAAAEAAAABACAAAAACPAi4CAAAAOUlEQVR42u3WoQ0AQAgDQAZj//xY+Bryllxtw8mG6siLbH0BAIAzwO9B9gAA4A5gEwEAgP8AAABEBu6pIHnAUoYvAAAAAElFTkSuQmCC",
    "base64",
  ),
};

const BLIND =
  "The language model does not accept pictures, so this one has no description. Choose a model that does (RECOLLECT_LLM_FAST_MODEL), or set RECOLLECT_LLM_PICTURES to off.";

/**
 * Shows pictures to the model for small questions. If it refuses one before it has described any, it is shown a plain
 * one: if it refuses that too, it cannot see, and is not asked again for an hour.
 */
export function createSight(options: SightOptions): Sight {
  return new ModelSight(options);
}

class ModelSight implements Sight {
  readonly #model: LanguageModel;
  readonly #clock: Clock;
  readonly #log: Log;
  readonly #patienceMs: number;
  #hasSeen = false;
  #blindUntil = 0;
  #trial: Promise<boolean> | null = null;

  constructor({ model, clock, log, patienceMs = PATIENCE }: SightOptions) {
    this.#model = model;
    this.#clock = clock;
    this.#log = log;
    this.#patienceMs = patienceMs;
  }

  async look(picture: ModelPicture, { guidance, onModelUse }: LookingWishes, signal: AbortSignal): Promise<string> {
    if (this.#clock.now().getTime() < this.#blindUntil) throw new AppError("unsupported", BLIND);
    if (picture.bytes.length > MOST_BYTES)
      throw new AppError("unsupported", "The picture is too large to be described: it exceeds 10 MB.");
    const answer = await this.#ask(picture, guidance, signal).catch(async (error: unknown) => {
      throw error instanceof AppError && error.kind === "unsupported" ? await this.#judge(error) : error;
    });
    const { value, ...spent } = answer;
    await onModelUse({ ...spent, prompt: `${describePicturePrompt.name}/${describePicturePrompt.version}` });
    if (!value.sees) throw new AppError("unsupported", "The language model says that it cannot see the picture.");
    this.#hasSeen = true;
    return checkPictureDescription(value.description);
  }

  async #judge(refusal: AppError): Promise<AppError> {
    if (this.#hasSeen || (await this.#seesPlainPicture())) return refusal;
    this.#log.info("the language model does not accept pictures", { reason: refusal.message });
    this.#blindUntil = this.#clock.now().getTime() + BLIND_MS;
    return new AppError("unsupported", BLIND, { cause: refusal });
  }

  /** Asked once for all pictures that were refused meanwhile. */
  #seesPlainPicture(): Promise<boolean> {
    this.#trial ??= this.#ask(PLAIN_PICTURE, {})
      .then(
        () => true,
        (error: unknown) => {
          if (!(error instanceof AppError) || error.kind === "unavailable") throw error;
          return error.kind !== "unsupported";
        },
      )
      .finally(() => (this.#trial = null));
    return this.#trial;
  }

  async #ask(picture: ModelPicture, guidance: ExtractionGuidance, signal?: AbortSignal) {
    const { name, schema, messages } = describePicturePrompt;
    const question = {
      name,
      schema,
      messages: messages(guidance),
      picture,
      effort: "fast",
      maxTokens: MOST_TOKENS,
    } as const;
    const late = AbortSignal.timeout(this.#patienceMs);
    try {
      return await this.#model.generate(question, signal ? AbortSignal.any([signal, late]) : late);
    } catch (error) {
      signal?.throwIfAborted();
      if (!late.aborted) throw error;
      const what = `The language model took longer than ${this.#patienceMs / 1_000} seconds to look at the picture.`;
      throw new AppError("unavailable", what, { cause: error, retryAfter: SLOW_PAUSE });
    }
  }
}
