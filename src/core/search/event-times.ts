import type { TimeZone } from "../../lib/time-zone.js";
import { isStopWord, tokenise } from "../../language/words.js";
import type { Evidence, UnitWords } from "./evidence.js";
import { dateSaidIn, momentsOf } from "./query-dates.js";
import type { Query } from "./query.js";

/** A time that a query names by what happened then: `before the move`, `after she started at the bakery`. */
export interface EventMention {
  readonly side: "before" | "after";
  /** The folded words that name the event and carry a subject. */
  readonly words: ReadonlySet<string>;
}

/** A question shows at its beginning what time it is about. */
const LONGEST_READ = 1_000;
const LONGEST_PHRASE = 8;
const SIDE = /(?:(\w+)[^\S\n]+)?\b(before|prior to|leading up to|until|till|after|since)\s+([^?!.,;:\n]+)/i;
/** Verbs and adverbs that make another meaning of `after` and `since`: `look after`, `named after`, `ever since then`. */
const OTHER_MEANING =
  /^(?:look\w*|nam(?:ed|ing)|call(?:ed|ing)|t[ao]k(?:e|es|en|ing)|took|chas\w+|ask\w*|go|goes|went|search\w*|day)$/i;
/** Where a question goes on behind a time that it began with: `After moving to Rome what did she do`. */
const QUESTION_WORD = /^(?:what|which|who|whom|where|when|why|how|did|do|does|was|were|is|are|has|have|had)$/i;
/** Times that come round every day or week happen too often to part a life in two. */
const RECURRING: ReadonlySet<string> = new Set(
  (
    "work school class lunch dinner breakfast supper meal meals bed bedtime sleep midnight noon dark dawn sunrise sunset sunday monday " +
    "tuesday wednesday thursday friday saturday weekend morning evening night hours minutes week weeks month months day days year " +
    "years long many few then now today tomorrow yesterday time times later"
  ).split(" "),
);

/** What is still to come has no date, and nothing was told behind it. */
const PLANNED = /\b(?:will|would|could|might|may|should|wants?|plans?|planning|hopes?|going to|gonna|next)\b/i;

/** The event by which a query names a time, or null. English only. */
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

/** From this share of the event's words on, by weight, a passage is about the event. */
const ABOUT = 0.75;
/** A passage counts for so much more when somebody speaks whom the query names. */
const NAMED_SPEAKER = 0.1;
/** Passages that are as good as the best. */
const AS_GOOD = 0.05;
/** Talk of one event may spread over so many days; when it goes on for longer, nobody knows when the event was. */
const LONGEST_TALK_DAYS = 45;
const DAY_MS = 86_400_000;

/**
 * Which candidates are from the side of the event that the query asks for: 1 for these and for what tells of the event itself,
 * 0 for others. The event's time is that which the candidates say that tell of it, else when they were told. Null when the
 * query names no event, or when the candidates do not clearly say when it was.
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

/** The query with its event's words counting for less: they say when, and not what. */
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

/** Which share of the event's words a unit has, by weight, and a little more when somebody speaks whom the query names. */
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
  /** Milliseconds since 1970 by a clock of the zone. */
  readonly at: number;
  /** False for the time when it was told. */
  readonly isSaid: boolean;
}

function timeOf({ detail, tellsTime }: UnitWords, timeZone: TimeZone): UnitTime | null {
  const [told] = momentsOf(detail, { withTold: true, timeZone });
  const said = tellsTime ? dateSaidIn(detail.text, told ?? null) : null;
  if (said) return { at: said.getTime(), isSaid: true };
  return told ? { at: told.getTime(), isSaid: false } : null;
}
