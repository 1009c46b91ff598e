import { isLasting } from "../core/memories/lasting.js";
import { checkEntities } from "../core/memories/entities.js";
import { unsaidYears } from "../core/memories/unsaid-years.js";
import type { FactSource } from "../core/ports.js";
import { chosenAmong } from "../core/profile/bucket-verdict.js";
import type { FactCandidate } from "../core/types.js";
import { dayIn, endOfDay, instantOf } from "../lib/time-zone.js";
import { parseIso } from "../lib/time.js";
import type { QuoteFinder } from "../language/find-quote.js";
import type { StatedByModel } from "./prompts/fact-rules.js";
import { lineOfModel } from "./line-of-model.js";

/** A fact is one sentence. Anything longer was not split properly. */
const LONGEST_FACT = 500;
const MOST_EVENT_DATES = 10;

/**
 * The credible parts of a model's statement: a quote that is really in the source, valid dates, an end, names, and
 * buckets that the model was shown.
 * @returns null when it is not a fact at all
 */
export function checkFact(stated: StatedByModel, source: FactSource, find: QuoteFinder): FactCandidate | null {
  const text = lineOfModel(stated.text);
  if (!/[\p{L}\p{N}]/u.test(text) || text.length > LONGEST_FACT) return null;
  const place = stated.quote === null ? null : find(stated.quote);
  const forgetAfter = endOf(stated.forgetAfter, source);
  const eventDates = daysOf(stated.eventDates, source);
  const entities = checkEntities(stated.entities);
  const quote = place ? source.content.slice(place.start, place.end) : undefined;
  return {
    text,
    kind: stated.kind,
    isStatic: (stated.isStatic || isLasting(text)) && forgetAfter === null,
    ...(forgetAfter !== null && { forgetAfter }),
    ...(eventDates.length > 0 && { eventDates }),
    ...(entities.length > 0 && { entities }),
    ...chosenAmong(source.guidance?.buckets ?? [], stated.buckets),
    ...unsaidYears(eventDates, quote),
    ...(quote === undefined ? { isInference: true } : { quote }),
  };
}

/** The moment a fact ends, possibly in the past: the end of the day when no time is given. */
function endOf(text: string | null, { timeZone }: FactSource): string | null {
  const moment = text === null ? null : instantOf(text, timeZone);
  if (text === null || !moment) return null;
  const day = text.trim();
  return day.length === "YYYY-MM-DD".length ? endOfDay(day, timeZone) : moment.toISOString();
}

function daysOf(texts: readonly string[], { timeZone }: FactSource): string[] {
  const days = texts.flatMap((text) => (parseIso(text) ? dayIn(text, timeZone) : []));
  return [...new Set(days)].slice(0, MOST_EVENT_DATES);
}
