import { sentenceSpans } from "../../language/sentences.js";
import { fold } from "../../language/words.js";
import { figuresConflict, readFigure, type Figure } from "../memories/figures.js";
import { readStatement } from "../memories/statement.js";
import type { UnitDetail } from "../ports.js";

/** Only this many first sentences of a longer passage are read. */
const MOST_SENTENCES = 40;
const SPEAKER = /^[^:\n]{1,40}: (?=\S)/;
const SAYING = /^(.{2,80}?) (?:is|are) (.{1,120})$/u;
/** Subjects about which many things can be true at once. */
const MANY_SIDED = /^(?:user|we|you|he|she|it|they|this|that|these|those|there|here|what|who|everything|everyone)$/;
const OWN = /^(?:user|we)\b/;
const NEWER = /\b(?:new|current) /g;

/** What a sentence says about something. */
export interface Saying {
  /** The thing it is about; the same for two sayings about the same thing. */
  readonly of: string;
  /** The part of it that is in the text, folded and in the third person. */
  readonly inText: string;
  readonly value: string | Figure;
  /** True if the words themselves say that it was different before. */
  readonly isChange: boolean;
}

/**
 * Without any of these, no sentence says of itself that something has changed. Reading a sentence as a statement takes longer than
 * ranking it, so only those that may matter are read.
 */
const MAY_CHANGE =
  /\b(?:now|currently|nowadays|these\s+days|as\s+of|recently|just|again|actually|correction|update|sorry|wait|instead|rather\s+than|any\s*more|any\s+longer|no\s+longer|stopped|quit|gave\s+up|given\s+up|new)\b|,\s*(?:and\s+)?not\b/i;
/** Only the beginnings of words are compared: a verb may have another ending in the other text. */
const BEGINNING = 4;

/** What each unit says about things of which another one may say something newer, by position. */
export function sayingsAmong(details: readonly UnitDetail[]): readonly (readonly Saying[])[] {
  const changing = details.map((detail) => (MAY_CHANGE.test(detail.text) ? sayingsOf(detail) : null));
  const changed = changing.flatMap((sayings) => (sayings ?? []).filter(({ isChange }) => isChange).map(beginningsOf));
  return details.map((detail, place) => changing[place] ?? sayingsOf(detail, isAboutOneOf(detail, changed)));
}

/** What the words of another text about the same thing begin with. */
function beginningsOf({ inText }: Saying): readonly string[] {
  return inText.split(/[^\p{L}\p{N}]+/u).flatMap((word) => (word.length > BEGINNING ? [word.slice(0, BEGINNING)] : []));
}

/** False if a unit certainly says nothing about these things, or if what it says could not be outdated by one of them. */
function isAboutOneOf({ text, memory }: UnitDetail, things: readonly (readonly string[])[]): boolean {
  if (memory || things.length === 0) return false;
  const folded = fold(text.normalize("NFKC"));
  return things.some((beginnings) => beginnings.every((beginning) => folded.includes(beginning)));
}

/** They do not depend on the question, so they are read once for each detail that the store keeps. */
const known = {
  figures: new WeakMap<UnitDetail, readonly Saying[]>(),
  all: new WeakMap<UnitDetail, readonly Saying[]>(),
};

/**
 * What a unit says about things that have one value at a time, once per thing. Of a memory, values in words count only if it
 * says that they changed: one that another corrects explicitly would already have been replaced.
 * @param inWords false to read figures only
 */
function sayingsOf(detail: UnitDetail, inWords = true): readonly Saying[] {
  const ofKind = inWords ? known.all : known.figures;
  const sayings = ofKind.get(detail) ?? readSayings(detail, inWords);
  ofKind.set(detail, sayings);
  return sayings;
}

function readSayings({ text, chunk, memory }: UnitDetail, inWords: boolean): readonly Saying[] {
  const spans = sentenceSpans(text).slice(0, MOST_SENTENCES);
  const speaker = chunk?.metadata?.speakers?.[0] ?? "User";
  const all = spans.flatMap(({ start, end }) => {
    const sentence = text.slice(start, end).trim().replace(SPEAKER, "");
    return [...figureIn(sentence), ...(inWords ? statedIn(sentence, speaker) : [])];
  });
  const counted = memory ? all.filter(({ isChange, value }) => isChange || typeof value !== "string") : all;
  // The last thing said about something counts.
  return [...new Map(counted.map((saying) => [saying.of, saying])).values()];
}

/**
 * True when the later of two sayings about the same thing supersedes the earlier: it gives a different figure, or explicitly
 * corrects it ("The wifi name is now AtticNet", "We no longer use Slack").
 */
export function changes(later: Saying, earlier: Saying): boolean {
  if (later.of !== earlier.of) return false;
  const [now, before] = [later.value, earlier.value];
  if (typeof now === "string" || typeof before === "string")
    return later.isChange && !earlier.isChange && now !== before;
  return figuresConflict(now, before);
}

function figureIn(sentence: string): readonly Saying[] {
  const figure = readFigure(sentence);
  return figure ? [{ of: `figure ${figure.frame}`, inText: figure.frame, value: figure, isChange: false }] : [];
}

function statedIn(sentence: string, speaker: string): readonly Saying[] {
  const statement = readStatement(sentence);
  if (!statement) return [];
  const { dated, isNegative, isChange, scope } = statement;
  const folded = fold(dated);
  // Two people who speak of "my …" speak of two things.
  const whose = OWN.test(folded) ? fold(speaker) : "";
  const inText = `${folded} ${scope}`;
  const whole = { of: `all ${whose} ${inText}`, inText, value: String(isNegative), isChange: isNegative && isChange };
  const found = isNegative ? null : SAYING.exec(dated);
  if (!found) return [whole];
  const [, subject = "", value = ""] = found;
  const thing = fold(subject)
    .replace(/^(?:the|our) /, "")
    .replace(NEWER, "");
  if (MANY_SIDED.test(thing)) return [whole];
  const isNew = /\bnew\b/i.test(subject) || isChange;
  const ofThing = `${thing} ${scope}`;
  return [whole, { of: `one ${whose} ${ofThing}`, inText: ofThing, value: fold(value), isChange: isNew }];
}
