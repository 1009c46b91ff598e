import * as z from "zod";
import { prepareQuoteFinder, type Place } from "../../language/find-quote.js";
import type { TimeZone } from "../../lib/time-zone.js";
import { isLasting } from "./lasting.js";
import { customIdSchema, dateSchema, momentIn, textSchema } from "../input.js";
import type { StatedFact } from "../types.js";
import { createLikelyPlaceFinder } from "./likely-place.js";
import type { StatedCandidate } from "./resolve-facts.js";

/** What any caller may say about a fact. */
export const factShape = {
  text: textSchema({ maxLength: 2_000 }),
  kind: z.enum(["fact", "preference", "episode"], "must be fact, preference or episode").optional(),
  isStatic: z.boolean("must be true or false").optional(),
  forgetAfter: dateSchema.optional(),
  /** The words of the document that state it. If they are not in the document, the fact becomes a guess that waits for review. */
  quote: textSchema({ maxLength: 2_000 }).optional(),
};

/** A fact that comes ready-made with its document. */
export const statedFactSchema = z.object({ ...factShape, updates: customIdSchema.optional() });

/**
 * Reads the ready-made facts of a document as candidates, with their expiries as moments in the zone. Quotes are verified:
 * words that are not in the document make the fact a guess, which replaces nothing and is never a lasting trait. If nothing is
 * quoted, the passage that most likely says the fact is only recorded, so that searches can leave it out with the fact.
 */
export async function candidatesOfStated(
  facts: readonly StatedFact[],
  { content, timeZone }: { readonly content: string; readonly timeZone: TimeZone },
): Promise<StatedCandidate[]> {
  const find = await prepareQuoteFinder(content);
  const findLikely = createLikelyPlaceFinder(content, find);
  return facts.map((fact) => candidateOf(fact, { content, find, findLikely, timeZone }));
}

type PlaceFinder = (words: string) => Place | null;

interface Reading {
  readonly content: string;
  readonly find: PlaceFinder;
  readonly findLikely: PlaceFinder;
  readonly timeZone: TimeZone;
}

function candidateOf(fact: StatedFact, { content, find, findLikely, timeZone }: Reading): StatedCandidate {
  const { text, kind = "fact", forgetAfter, quote, updates } = fact;
  const { isStatic = forgetAfter === undefined && isLasting(text) } = fact;
  const place = quote === undefined ? null : find(quote);
  const likely = quote === undefined ? findLikely(text) : null;
  const isDoubtful = quote !== undefined && place === null;
  return {
    text,
    kind,
    isStatic: isStatic && !isDoubtful,
    ...(forgetAfter !== undefined && { forgetAfter: momentIn(forgetAfter, timeZone) }),
    ...(place && { quote: content.slice(place.start, place.end) }),
    ...(likely && { likelyQuote: content.slice(likely.start, likely.end) }),
    ...(isDoubtful ? { isInference: true } : updates !== undefined && { updates }),
  };
}
