import { DRINK } from "../../language/english/drinks.js";
import { fold } from "../../language/words.js";
import { isDate } from "./date-values.js";
import { endedStates, type EndedState } from "./ended-states.js";
import { readingOf, type Reading } from "./reading.js";
import { NOT_EMPLOYERS } from "./slot-words.js";
import type { Link } from "./stated-values.js";
import { datePartsOf, type Statement } from "./statement.js";
import { divideAtTail } from "./tails.js";
import { NAME, PRACTITIONER, type TransitionKind } from "./transition-patterns.js";

const LONGEST = 160;
/** With these words, a statement says more than its value: what was still so of the former one is new of the present one. */
const SAYS_MORE =
  /\b(?:still|always|again|just|recently|already|yet|finally|only|even|old|former|original)\b|[,;:()?](?!\d)/i;
/** What a move to somewhere, a switch or a new employer does not tell. */
const NOT_TOLD: Readonly<Partial<Record<TransitionKind, ReadonlySet<Link>>>> = {
  move: new Set(["work", "member", "habit"]),
  switch: new Set(["member"]),
  leave: new Set(["member", "with"]),
};
/** What was under the mat may be in the shed. */
const PLACED = /^(?:in|on|at|under|behind|beside|near|inside|by|with|for) /i;
const PLAIN_TOPIC = /^[\p{L}\p{N}][\p{L}\p{N} '-]{0,40}$/u;

/** A memory that a transition ends. */
interface Former {
  readonly id: string;
  readonly text: string;
}

/**
 * What memories that a text ends say of the new value, by id: "we renamed Heron to Kestrel" makes "the project is called Heron"
 * say "the project is called Kestrel". Without those of which that is uncertain.
 */
export function restatementsOf(mine: Reading, ended: readonly Former[]): ReadonlyMap<string, string> {
  const restated = ended.flatMap(({ id, text }) => {
    const one = restate(mine, text);
    return one ? [{ id, ...one }] : [];
  });
  // A new bank is perhaps not the new broker, unless the text names what became another.
  const isCertain = ({ isNamed, subject, former }: Restated) =>
    isNamed || restated.every((other) => other.former !== former || other.subject === subject);
  return new Map(restated.filter(isCertain).map(({ id, text }) => [id, text]));
}

interface Restated {
  readonly text: string;
  readonly subject: string;
  readonly former: string;
  readonly isNamed: boolean;
}

function restate(mine: Reading, text: string): Restated | null {
  const { statement, transitions, returns, statedValues } = readingOf(text);
  if (!statement || transitions.length > 0 || returns || text.length > LONGEST) return null;
  const plain = withoutSince(text, statement);
  if (plain === null || SAYS_MORE.test(plain)) return null;
  const [first, ...more] = endedStates(mine, { statedValues }).flatMap((ended) => {
    const said = mayCarry(ended, plain) ? withPresent(plain, ended) : null;
    const { transition, held } = ended;
    const isNamed = transition.thing !== "" || transition.kind === "rename";
    return said === null ? [] : [{ text: said, subject: fold(held.subject), former: transition.former, isNamed }];
  });
  return first && more.every((other) => other.text === first.text) ? first : null;
}

/** It is so since another day now. Null if it cannot be told where the text says since when. */
function withoutSince(text: string, { text: lasting, dated, since, hasSince, scope }: Statement): string | null {
  if (since === null) return text;
  const clause = dated.startsWith(lasting) ? dated.slice(lasting.length) : "";
  return hasSince && scope === "" && clause !== "" && text.includes(clause) ? text.replace(clause, "") : null;
}

function mayCarry({ transition, held }: EndedState, text: string): boolean {
  const { kind, former, present, thing, tells } = transition;
  if (tells === "nothing" || (tells === "possession" && held.link !== "own" && determinerOf(former) !== ""))
    return false;
  if (PLACED.test(former) || PLACED.test(present) || NOT_TOLD[kind]?.has(held.link)) return false;
  // Of what somebody does habitually, only drinks are known to take each other's place.
  if (held.link === "habit" && !(/ drinks? /i.test(text) && DRINK.test(lastWord(present)))) return false;
  if (held.topic !== "" && (!PLAIN_TOPIC.test(held.topic) || divideAtTail(held.topic).tail !== "")) return false;
  if (held.link === "work" && NOT_EMPLOYERS.test(fold(present))) return false;
  // Who moves from Lisbon to Spain lives there, but Spain is no town.
  if (kind === "move" && thing === "" && held.link === "is" && !transition.isThing) return false;
  return kind === "rename" || kind === "leave" || areOfOneKind({ transition, held });
}

const FIGURE = /^[€$£]?\d/u;
const TITLE = /^(?:dr|prof|mr|mrs|ms)\b/i;

/** True for two names written alike, two dates of equal precision, two figures, or two plain words for the thing that is named. */
function areOfOneKind({
  transition: { kind, thing, former, present },
  held: { link, subject },
}: Pick<EndedState, "transition" | "held">) {
  if (isDate(former) || isDate(present))
    return isDate(former) && isDate(present) && shapeOf(former) === shapeOf(present);
  const [one, other] = [bareOf(former), bareOf(present)];
  const [figure, otherFigure] = [FIGURE.test(one), FIGURE.test(other)];
  if (figure || otherFigure) return figure && otherFigure;
  // "My Pixel for Bitcoin", "Dr. Wolf to Homeopathy"
  const isOne = thing === "" && (kind === "switch" || kind === "replace");
  if (isOne && (determinerOf(former) === "") !== (determinerOf(present) === "")) return false;
  if (PRACTITIONER.test(subject) && ![one, other].every((named) => TITLE.test(named))) return false;
  if (NAME.test(one) || NAME.test(other)) return NAME.test(one) && NAME.test(other);
  const arePlain = !/[\p{Lu}\d._/]/u.test(`${one}${other}`);
  return arePlain && (thing !== "" || link === "habit" || lastWord(one) === lastWord(other));
}

function shapeOf(date: string): string {
  return Object.keys(datePartsOf(date)).join(" ");
}

function lastWord(value: string): string {
  return fold(value).split(" ").at(-1) ?? "";
}

const DETERMINER = /^(?<determiner>an?|the|their|his|her|its|my|our) (?=\S)/i;
const ARTICLE = /^(?:an?|the)$/i;
/** Words of the present value that mean somebody else once another says them. */
const OF_A_SPEAKER = /\b(?:my|our|your|their|his|her|its|me|us|it|them)\b|['’]s\b/i;

function bareOf(value: string): string {
  return value.trim().replace(DETERMINER, "");
}

function determinerOf(value: string): string {
  return DETERMINER.exec(value.trim())?.groups?.["determiner"]?.toLowerCase() ?? "";
}

/** The text with the present value in place of the former one; null if that occurs other than once, or would not be English. */
function withPresent(text: string, { transition, held }: EndedState): string | null {
  const { kind, former, present } = transition;
  const value = kind === "rename" ? held.value.trim() : bareOf(former);
  const place = [held.value, held.subject].some((part) => part.includes(value)) ? findOnce(text, value) : null;
  const bare = bareOf(present);
  if (place === null || OF_A_SPEAKER.test(bare) || (place.before === "" && !/^\p{Lu}/u.test(present))) return null;
  const [, start = "", article = ""] = /^(.*?)(?:\b(an?|the) )?$/iu.exec(place.before) ?? [];
  const fitting = articleFor(bare, {
    held: article.toLowerCase(),
    former: determinerOf(former),
    present: determinerOf(present),
  });
  if (fitting === null || (held.link === "name" && fitting !== "")) return null;
  return `${start}${fitting === "" ? "" : `${fitting} `}${bare}${place.after}`;
}

function findOnce(text: string, value: string): { readonly before: string; readonly after: string } | null {
  const at = text.indexOf(value);
  if (value === "" || at === -1 || fold(text).split(fold(value)).length !== 2) return null;
  const [before, after] = [text.slice(0, at), text.slice(at + value.length)];
  return /(?:^|[ "“])$/.test(before) && /^(?:["”]?[.!]?$| )/.test(after) ? { before, after } : null;
}

/** The article of the present value where the former one stood; null if it is uncertain which. */
function articleFor(
  bare: string,
  { held, former, present }: Readonly<Record<"held" | "former" | "present", string>>,
): string | null {
  const isOwn = present !== "" && !ARTICLE.test(present);
  if (isOwn && (former === "" || ARTICLE.test(former))) return null;
  const own = isOwn ? "" : present;
  if (own !== "" || held === "") return own;
  if (held === "the") return former === "the" ? null : "the";
  return NAME.test(bare) ? indefiniteArticleOf(bare) : null;
}

function indefiniteArticleOf(name: string): "a" | "an" | null {
  if (/^[bcdfgjklmnpqrstvwxyz]\p{Ll}/iu.test(name)) return "a";
  return /^(?:[ai]|e(?!u)|o(?!ne))\p{L}/iu.test(name) ? "an" : null;
}
