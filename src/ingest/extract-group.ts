import { createHash } from "node:crypto";
import { AppError, RetryLater } from "../core/errors.js";
import type { FactSource, LanguageModel, Log, ModelUse } from "../core/ports.js";
import type { FactCandidate } from "../core/types.js";
import { factKey } from "../language/fact-key.js";
import { fenceOf } from "../lib/prompt-delimiter.js";
import { createQuoteFinder, type QuoteFinder } from "../language/find-quote.js";
import { checkFact } from "./check-fact.js";
import { noteUnusable } from "./note-unusable.js";
import { extractGroupPrompt, type StatedInGroup } from "./prompts/extract-group.js";

/** Limits of one question: as many characters as a window of a long document has. */
export const TOGETHER = { characters: 8_000, documents: 20 } as const;

const MOST_FACTS = 100;
const MOST_TOKENS = 16_000;
/** Seconds to wait when an unavailable provider gives no time itself. */
const PAUSE = 60;

/** Answers that are cached for documents that have to wait again after they were read. */
const KEPT_ANSWERS = 500;

/**
 * The candidates of each text, in order; null when the model refuses to read them together. Throws `RetryLater` while
 * the model is unavailable.
 */
export type GroupExtractor = (
  sources: readonly FactSource[],
  signal?: AbortSignal,
) => Promise<(readonly FactCandidate[])[] | null>;

/**
 * Asks a language model about several short texts at once, oldest first. A fact belongs to the text that contains its
 * quote, preferably the one the model named; without a quote it is an inference from the named text. Cached answers are
 * not asked for again.
 */
export function createGroupExtractor({
  model,
  log,
}: {
  readonly model: LanguageModel;
  readonly log: Log;
}): GroupExtractor {
  const answered = new Map<string, readonly FactCandidate[]>();

  async function askModel(sources: readonly FactSource[], signal: AbortSignal | undefined): Promise<void> {
    const texts = sources.map(textOf);
    const { name, version, schema, messages } = extractGroupPrompt;
    const { guidance = {}, known = [] } = sources[0] ?? {};
    const question = messages({
      texts,
      fence: fenceOf(JSON.stringify(texts.map(({ text }) => text))),
      guidance,
      known,
    });
    const subject = sources.map(keyOf).join();
    const request = { name, schema, messages: question, effort: "careful", maxTokens: MOST_TOKENS, subject } as const;
    const { value, ...spent } = await model.generate(request, signal);
    await noteShares(sources, { ...spent, prompt: `${name}/${version}` });
    noteUnusable(log, value.facts);
    const handles = texts.map(({ handle }) => handle);
    const found = candidatesOf(value.facts.slice(0, MOST_FACTS), handles, sources);
    for (const [index, source] of sources.entries()) answered.set(keyOf(source), found[index] ?? []);
    for (const oldest of answered.keys()) if (answered.size > KEPT_ANSWERS) answered.delete(oldest);
  }

  return async (sources, signal) => {
    const unread = sources.filter((source) => !answered.has(keyOf(source)));
    try {
      if (unread.length > 0) await askModel(unread, signal);
      return sources.map((source) => answered.get(keyOf(source)) ?? []);
    } catch (error) {
      signal?.throwIfAborted();
      if (!(error instanceof AppError)) throw error;
      if (error.kind === "unavailable") throw new RetryLater(error.retryAfter ?? PAUSE, error.publicMessage);
      log.warn("documents are read one by one", { documents: sources.length, reason: error.message });
      return null;
    }
  };
}

/** Known memories accumulate while a document waits, and it may get a title; neither is a reason to ask again. */
function keyOf({ content, date, isUndated, guidance }: FactSource): string {
  return createHash("sha256")
    .update(JSON.stringify([content, isUndated ? null : date, guidance]))
    .digest("base64");
}

function textOf({ content, date, isUndated, title }: FactSource, index: number) {
  return {
    handle: `d${index + 1}`,
    text: content,
    date: isUndated ? null : date,
    // Most titles are the first words of the text.
    title: title && !content.includes(title) ? title : null,
  };
}

/** Charges each document with its share of the question, by length. */
async function noteShares(sources: readonly FactSource[], { cost, ...use }: ModelUse): Promise<void> {
  const length = sources.reduce((sum, { content }) => sum + content.length, 0);
  let before = 0;
  for (const source of sources) {
    const after = before + source.content.length / length;
    const shareOf = (amount: number) => Math.round(amount * after) - Math.round(amount * before);
    await source.onModelUse?.({
      ...use,
      inputTokens: shareOf(use.inputTokens),
      outputTokens: shareOf(use.outputTokens),
      ...(typeof cost === "number" && { cost: cost * (after - before) }),
    });
    before = after;
  }
}

function candidatesOf(
  stated: readonly StatedInGroup[],
  handles: readonly string[],
  sources: readonly FactSource[],
): FactCandidate[][] {
  const finders = sources.map(({ content }) => createQuoteFinder(content));
  const found = sources.map(() => new Map<string, FactCandidate>());
  for (const fact of stated) {
    const at = indexOfSource(fact, handles.indexOf(fact.document), finders);
    const [source, find, own] = [sources[at], finders[at], found[at]];
    const candidate = source && find ? checkFact(fact, source, find) : null;
    if (candidate && own) addCandidate(own, candidate);
  }
  return found.map((candidates) => [...candidates.values()]);
}

/** Index of the text that a fact is from, -1 for none: nothing is believed about a text that the model did not see. */
function indexOfSource({ quote }: StatedInGroup, named: number, finders: readonly QuoteFinder[]): number {
  if (quote === null || finders[named]?.(quote)) return named;
  const quoted = finders.findIndex((find) => find(quote));
  return quoted === -1 ? named : quoted;
}

/** Models repeat themselves; a quoted fact takes precedence over an inference of the same. */
function addCandidate(candidates: Map<string, FactCandidate>, candidate: FactCandidate): void {
  const key = factKey(candidate.text);
  const known = candidates.get(key);
  if (!known || (known.isInference === true && candidate.isInference !== true)) candidates.set(key, candidate);
}
