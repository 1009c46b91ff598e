import { createHash } from "node:crypto";
import { AppError, RetryLater } from "../core/errors.js";
import type { FactExtractor, FactSource, LanguageModel, Log } from "../core/ports.js";
import type { FactCandidate } from "../core/types.js";
import { factKey } from "../language/fact-key.js";
import { checkFact } from "./check-fact.js";
import { prepareQuoteFinder, type Place } from "../language/find-quote.js";
import { extractFactsPrompt, type ExtractFactsInput } from "./prompts/extract-facts.js";
import { noteUnusable } from "./note-unusable.js";
import type { StatedByModel } from "./prompts/fact-rules.js";
import { fenceOf } from "../lib/prompt-delimiter.js";
import { type WindowSizes, windowsOf } from "../language/windows.js";
import { truncate } from "../lib/truncate.js";

/** The same limit as for rules: a document that states more is neither a note nor a conversation. */
const MOST_CANDIDATES = 500;
const MOST_PER_WINDOW = 100;
/** Small enough for models with short contexts and for attention to detail; about 2,000 tokens. */
const WINDOWS: WindowSizes = { length: 8_000, overlap: 500 };
/** A window that is too large for a model is halved, down to this many characters. */
const SMALLEST_WINDOW = 1_000;
/** After this many failures in a row, a model is not asked about the rest of the document. */
const PATIENCE = 2;
const MOST_TOKENS = 16_000;
/** Characters of the running summary that are passed to the next window. */
const LONGEST_SUMMARY = 1_500;
/** Answers that are cached for a document that has to wait midway. */
const KEPT_ANSWERS = 500;
/** Seconds to wait when an unavailable provider gives no time itself. */
const PAUSE = 60;

export interface ModelExtractorOptions {
  readonly model: LanguageModel;
  /** Finds facts where the model refuses permanently. */
  readonly fallback: FactExtractor;
  readonly log: Log;
}

interface WindowAnswer {
  readonly facts: readonly StatedByModel[];
  readonly summary: string;
}

/**
 * A fact extractor that asks a language model, window by window, and believes only what the text says: a fact without a
 * quote from the text is an inference. At most 500 candidates per document. Throws `RetryLater` while the model is
 * unavailable; answers received by then are not asked for again.
 */
export function createModelExtractor(options: ModelExtractorOptions): FactExtractor {
  return new ModelExtractor(options);
}

class ModelExtractor implements FactExtractor {
  readonly name: string;
  readonly #model: LanguageModel;
  readonly #fallback: FactExtractor;
  readonly #log: Log;
  /** Keyed by question. */
  readonly #answered = new Map<string, WindowAnswer>();

  constructor({ model, fallback, log }: ModelExtractorOptions) {
    this.name = `${model.name}, rules where it refuses`;
    this.#model = model;
    this.#fallback = fallback;
    this.#log = log;
  }

  async extract(source: FactSource, signal?: AbortSignal): Promise<FactCandidate[]> {
    const reading = startReading(source, signal);
    const find = await prepareQuoteFinder(source.content, signal);
    const candidates = new Map<string, FactCandidate>();
    for (const window of reading.windows) {
      reading.part += 1;
      const stated = await this.#stateUnlessRefused(reading, window);
      const found =
        stated === null
          ? await this.#fallback.extract(partOf(source, window), signal)
          : stated.flatMap((fact) => checkFact(fact, source, find) ?? []);
      for (const candidate of found) addCandidate(candidates, candidate);
      if (candidates.size >= MOST_CANDIDATES) break;
    }
    for (const key of reading.questions) this.#answered.delete(key);
    if (reading.refusal) await source.onRefused?.(reading.refusal);
    return [...candidates.values()].slice(0, MOST_CANDIDATES);
  }

  /** Null when the model refuses permanently; after several refusals in a row it is no longer asked. */
  async #stateUnlessRefused(reading: Reading, window: Place): Promise<StatedByModel[] | null> {
    if (reading.refusal && reading.refusalsInARow >= PATIENCE) return null;
    const stated = await this.#tryWindow(reading, window);
    if (!(stated instanceof AppError)) {
      reading.refusalsInARow = 0;
      return stated;
    }
    reading.refusalsInARow += 1;
    reading.refusal = stated;
    return null;
  }

  /** The reason, when the model refuses permanently. */
  async #tryWindow(reading: Reading, window: Place): Promise<StatedByModel[] | AppError> {
    try {
      return await this.#askOrHalve(reading, window);
    } catch (error) {
      reading.signal?.throwIfAborted();
      if (!(error instanceof AppError)) throw error;
      if (error.kind === "unavailable") throw new RetryLater(error.retryAfter ?? PAUSE, error.publicMessage);
      const { part, windows } = reading;
      this.#log.warn("facts are found by rules", { part, parts: windows.length, reason: error.message });
      return error;
    }
  }

  /** Asks about a window, or about each half if it is too large. */
  async #askOrHalve(reading: Reading, window: Place): Promise<StatedByModel[]> {
    const input = inputOf(reading, window);
    try {
      const { facts, summary } = await this.#ask(reading, input);
      if (input.parts > 1) reading.summary = truncate(summary, LONGEST_SUMMARY);
      return facts.slice(0, MOST_PER_WINDOW);
    } catch (error) {
      if (!(error instanceof AppError) || error.kind !== "too_large") throw error;
      const length = window.end - window.start;
      if (length < 2 * SMALLEST_WINDOW) throw error;
      this.#log.debug("a text is halved for the language model", { characters: length });
      const facts: StatedByModel[] = [];
      const sizes = { length: Math.ceil(length / 2) + 200, overlap: 200 };
      for (const half of windowsOf(input.text, sizes)) {
        const place = { start: window.start + half.start, end: window.start + half.end };
        facts.push(...(await this.#askOrHalve(reading, place)));
      }
      return facts;
    }
  }

  async #ask(reading: Reading, input: ExtractFactsInput): Promise<WindowAnswer> {
    const { source, signal } = reading;
    const { name, version, schema, messages } = extractFactsPrompt;
    // Known memories accumulate while a document waits, and it may get a title; neither is a reason to ask again.
    const question = messages({ ...input, known: [], title: null });
    const key = createHash("sha256").update(JSON.stringify(question)).digest("base64");
    reading.questions.add(key);
    const known = this.#answered.get(key);
    if (known) return known;
    const request = {
      name,
      schema,
      messages: messages(input),
      effort: "careful",
      maxTokens: MOST_TOKENS,
      subject: key,
    } as const;
    const { value, ...spent } = await this.#model.generate(request, signal);
    await source.onModelUse?.({ ...spent, prompt: `${name}/${version}` });
    noteUnusable(this.#log, value.facts);
    this.#keep(key, value);
    return value;
  }

  #keep(key: string, answer: WindowAnswer): void {
    this.#answered.set(key, answer);
    for (const oldest of this.#answered.keys()) if (this.#answered.size > KEPT_ANSWERS) this.#answered.delete(oldest);
  }
}

/** The progress of reading a document. */
interface Reading {
  readonly source: FactSource;
  readonly signal: AbortSignal | undefined;
  readonly windows: readonly Place[];
  readonly fence: string;
  part: number;
  summary: string;
  /** Keys of the answers that are cached until the document is read. */
  readonly questions: Set<string>;
  /** The model's most recent refusal. */
  refusal: AppError | null;
  refusalsInARow: number;
}

function startReading(source: FactSource, signal: AbortSignal | undefined): Reading {
  return {
    source,
    signal,
    windows: windowsOf(source.content, WINDOWS),
    fence: fenceOf(source.content),
    part: 0,
    summary: "",
    questions: new Set(),
    refusal: null,
    refusalsInARow: 0,
  };
}

function inputOf({ source, windows, fence, part, summary }: Reading, window: Place): ExtractFactsInput {
  return {
    text: source.content.slice(window.start, window.end),
    fence,
    date: source.isUndated ? null : source.date,
    // Most titles are the first words of the text.
    title: source.title && !source.content.includes(source.title) ? source.title : null,
    isForeign: source.isOwn === false,
    guidance: source.guidance ?? {},
    known: source.known ?? [],
    part,
    parts: windows.length,
    summary,
  };
}

/** What rules may read in place of the model: a window, and the turns that start in it. */
function partOf(source: FactSource, window: Place): FactSource {
  const content = source.content.slice(window.start, window.end);
  if (content === source.content) return source;
  return { ...source, content, turns: source.turns?.filter(({ text }) => content.includes(text.slice(0, 200))) };
}

/** Windows overlap, and models repeat themselves; a quoted fact takes precedence over an inference of the same. */
function addCandidate(candidates: Map<string, FactCandidate>, candidate: FactCandidate): void {
  const key = factKey(candidate.text);
  const known = candidates.get(key);
  if (!known || (known.isInference === true && candidate.isInference !== true)) candidates.set(key, candidate);
}
