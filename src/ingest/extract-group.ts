import { createHash } from "node:crypto";
import { AppError, RetryLater } from "../core/errors.js";
import type { FactSource, LanguageModel, Log, ModelUse } from "../core/ports.js";
import type { FactCandidate } from "../core/types.js";
import { factKey } from "../lib/fact-key.js";
import { createQuoteFinder, type QuoteFinder } from "../lib/find-quote.js";
import { checkFact } from "./check-fact.js";
import { extractGroupPrompt, type StatedInGroup } from "./prompts/extract-group.js";

/** The most that is read in one question: as many characters as a window of a long document has. */
export const TOGETHER = { characters: 8_000, documents: 20 } as const;

const MOST_FACTS = 100;
const MOST_TOKENS = 16_000;
/** Seconds, when a provider that is away does not say for how long. */
const PAUSE = 60;

/**
 * Asks a language model about several short texts at once, oldest first. A fact belongs to the text that holds its quote,
 * the one that the model named before all others; without a quote it is an inference of the one that was named.
 * @returns candidates of each text, in order; null when the model refuses to read them together
 * @throws RetryLater while the model is away
 */
export async function extractTogether(
  { model, log }: { readonly model: LanguageModel; readonly log: Log },
  sources: readonly FactSource[],
  signal?: AbortSignal,
): Promise<FactCandidate[][] | null> {
  const texts = sources.map(textOf);
  const { name, version, schema, messages } = extractGroupPrompt;
  const question = messages({
    texts,
    fence: fenceOf(texts),
    guidance: sources[0]?.guidance ?? {},
    known: sources[0]?.known ?? [],
  });
  const request = { name, schema, messages: question, effort: "careful", maxTokens: MOST_TOKENS } as const;
  try {
    const { value, ...spent } = await model.generate(request, signal);
    await noteShares(sources, { ...spent, prompt: `${name}/${version}` });
    return candidatesOf(
      value.facts.slice(0, MOST_FACTS),
      texts.map(({ handle }) => handle),
      sources,
    );
  } catch (error) {
    signal?.throwIfAborted();
    if (!(error instanceof AppError)) throw error;
    if (error.kind === "unavailable") throw new RetryLater(error.retryAfter ?? PAUSE, error.message);
    log.warn("documents are read one by one", { documents: sources.length, reason: error.message });
    return null;
  }
}

function textOf({ content, date, title }: FactSource, index: number) {
  // Most titles are the first words of the text.
  return { handle: `d${index + 1}`, text: content, date, title: title && !content.includes(title) ? title : null };
}

/** A mark that no text can hold, because it is made of all of them. */
function fenceOf(texts: readonly { readonly text: string }[]): string {
  return createHash("sha256")
    .update(JSON.stringify(texts.map(({ text }) => text)))
    .digest("hex")
    .slice(0, 16);
}

/** Every document costs its share of the question, by its length. */
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
    const at = sourceOf(fact, handles.indexOf(fact.document), finders);
    const [source, find, own] = [sources[at], finders[at], found[at]];
    const candidate = source && find ? checkFact(fact, source, find) : null;
    if (candidate && own) addCandidate(own, candidate);
  }
  return found.map((candidates) => [...candidates.values()]);
}

/** Which text a fact is from, -1 for none: nothing is taken for true of a text that the model did not see. */
function sourceOf({ quote }: StatedInGroup, named: number, finders: readonly QuoteFinder[]): number {
  if (quote === null || finders[named]?.(quote)) return named;
  const quoted = finders.findIndex((find) => find(quote));
  return quoted === -1 ? named : quoted;
}

/** Models repeat themselves; a quoted statement of a fact counts more than a guess of the same. */
function addCandidate(candidates: Map<string, FactCandidate>, candidate: FactCandidate): void {
  const key = factKey(candidate.text);
  const known = candidates.get(key);
  if (!known || (known.isInference === true && candidate.isInference !== true)) candidates.set(key, candidate);
}
