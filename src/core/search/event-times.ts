import type { TimeZone } from "../../lib/time-zone.js";
import { isStopWord, tokenise } from "../../language/words.js";
import type { Evidence, UnitWords } from "./evidence.js";
import { dateSaidIn, momentsOf } from "./query-dates.js";
import type { Query } from "./query.js";

/** A time that a query names by an event: `before the move`, `after she started at the bakery`. */
export interface EventMention {
  readonly side: "before" | "after";
  /** The folded content words that name the event. */
  readonly words: ReadonlySet<string>;
}

/** The beginning of a question shows what time it is about. */
const LONGEST_READ = 1_000;
const LONGEST_PHRASE = 8;
const SIDE = /(?:(\w+)[^\S\n]+)?\b(before|prior to|leading up to|until|till|after|since)\s+([^?!.,;:\n]+)/i;
/** Verbs and adverbs that give `after` and `since` another meaning: `look after`, `named after`, `ever since then`. */
const OTHER_MEANING =
  /^(?:look\w*|nam(?:ed|ing)|call(?:ed|ing)|t[ao]k(?:e|es|en|ing)|took|chas\w+|ask\w*|go|goes|went|search\w*|day)$/i;
/** Where the actual question begins after an opening time clause: `After moving to Rome what did she do`. */
const QUESTION_WORD = /^(?:what|which|who|whom|where|when|why|how|did|do|does|was|were|is|are|has|have|had)$/i;
/** Daily or weekly events recur too often to divide time into before and after. */
const RECURRING: ReadonlySet<string> = new Set(
  (
    "work school class lunch dinner breakfast supper meal meals bed bedtime sleep midnight noon dark dawn sunrise sunset sunday monday " +
    "tuesday wednesday thursday friday saturday weekend morning evening night hours minutes week weeks month months day days year " +
    "years long many few then now today tomorrow yesterday time times later"
  ).split(" "),
);

/** Future events have no date yet, and nothing was said after them. */
const PLANNED = /\b(?:will|would|could|might|may|should|wants?|plans?|planning|hopes?|going to|gonna|next)\b/i;

/** The event by which a query names a time; null if there is none. English only. */
export function findEventMention(text: string): EventMention | null {
  const [, previous = "", sign = "", rest = ""] = SIDE.exec(text.slice(0, LONGEST_READ)) ?? [];
  if (rest === "" || OTHER_MEANING.test(previous) || PLANNED.test(text.slice(0, LONGEST_READ))) return null;
  const phrase = rest.trim().split(/\s+/);
  const end = phrase.findIndex((word, index) => index > 0 && QUESTION_WORD.test(word));
  const words = phrase
    .slice(0, end < 0 ? LONGEST_PHRASE : Math.min(end, LONGEST_PHRASE))
    .flatMap((word) => tokenise(word))
    .filter((word) => !isStopWord(word) && !RECURRING.has(word) && !/^\d/.test(word));
  if (words.length === 0) return null;
  return { side: /^(?:after|since)$/i.test(sign) ? "after" : "before", words: new Set(words) };
}

/** At or above this share of the event's words, by weight, a passage is about the event. */
const ABOUT = 0.75;
/** Bonus for a passage whose speaker the query names. */
const NAMED_SPEAKER = 0.1;
/** Passages within this of the best count as equally good. */
const AS_GOOD = 0.05;
/** Talk about one event may spread over this many days; if it goes on longer, the time of the event is unclear. */
const LONGEST_TALK_DAYS = 45;
const DAY_MS = 86_400_000;

/**
 * Which candidates lie on the side of the event that the query asks for: 1 for these and for passages about the event itself, 0
 * for others. The time of the event is what those passages say; failing that, when they were told. Null when the query names no
 * event, or when the candidates do not clearly say when it was.
 */
export function findSides(
  query: Query,
  units: readonly UnitWords[],
  evidence: Evidence,
  timeZone: TimeZone = "UTC",
): Float64Array | null {
  const { event } = query;
  if (!event) return null;
  const shares = units.map((unit, index) => shareOf(unit, query, event.terms, presencesOf(evidence, index)));
  const moment = findMoment(units, shares, timeZone);
  if (moment === null) return null;
  return Float64Array.from(units, (unit, index) => {
    if ((shares[index] ?? 0) >= ABOUT) return 1;
    const at = timeOf(unit, timeZone)?.at;
    if (at === undefined) return 0;
    return (event.side === "after" ? at >= moment : at < moment) ? 1 : 0;
  });
}

/** The query with a lower weight for the event's words: they say when, not what. */
export function weighEvent(query: Query, share: number): Query {
  const inEvent = new Set(query.event?.terms);
  const terms = query.terms.map((term, place) =>
    inEvent.has(place) ? { ...term, weight: share * term.weight } : term,
  );
  return { ...query, terms };
}

function presencesOf({ presences, terms }: Evidence, unit: number): Float64Array {
  return presences.subarray(unit * terms, (unit + 1) * terms);
}

/** The share of the event's words that a unit contains, by weight, with a bonus if the query names its speaker. */
function shareOf(unit: UnitWords, { terms }: Query, event: readonly number[], presences: Float64Array): number {
  let found = 0;
  let total = 0;
  for (const term of event) {
    const weight = terms[term]?.weight ?? 0;
    found += weight * (presences[term] ?? 0);
    total += weight;
  }
  if (found === 0) return 0;
  const isNamed = terms.some(({ root, isName }) => isName && unit.speakers.includes(root));
  return found / total + (isNamed ? NAMED_SPEAKER : 0);
}

function findMoment(units: readonly UnitWords[], shares: readonly number[], timeZone: TimeZone): number | null {
  const about = units.flatMap((unit, index) => {
    const share = shares[index] ?? 0;
    return share >= ABOUT && !unit.isQuestion ? [{ unit, share }] : [];
  });
  const best = Math.max(...about.map(({ share }) => share));
  const times = about
    .filter(({ share }) => share >= best - AS_GOOD)
    .flatMap(({ unit }) => timeOf(unit, timeZone) ?? []);
  const said = times.filter(({ isSaid }) => isSaid);
  const telling = (said.length > 0 ? said : times).map(({ at }) => at);
  if (telling.length === 0) return null;
  const first = Math.min(...telling);
  return Math.max(...telling) - first <= LONGEST_TALK_DAYS * DAY_MS ? first : null;
}

interface UnitTime {
  /** Milliseconds since 1970 on a clock of the zone. */
  readonly at: number;
  /** False when this is the time it was told. */
  readonly isSaid: boolean;
}

function timeOf({ detail, tellsTime }: UnitWords, timeZone: TimeZone): UnitTime | null {
  const [told] = momentsOf(detail, { withTold: true, timeZone });
  const said = tellsTime ? dateSaidIn(detail.text, told ?? null) : null;
  if (said) return { at: said.getTime(), isSaid: true };
  return told ? { at: told.getTime(), isSaid: false } : null;
}
