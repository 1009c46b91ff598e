import { mayBeTakenBack } from "../../language/english/taken-back.js";
import { tokenise } from "../../language/words.js";
import type { Memory } from "../types.js";
import { areOneState, ends, type State, wordsOfHeld } from "./endings.js";
import { readingOf, readingOfFact, type Reading } from "./reading.js";
import { isReplacedBy, wordsOfReplaced } from "./replacements.js";
import { endedStates } from "./ended-states.js";
import { restatementsOf } from "./restatements.js";
import { GIVEN_UP_AGAIN, isUndoneBy, restoredBy, saysGivenUp } from "./returns.js";
import { isOfDates, wordsOfFormer } from "./transitions.js";
import { isOfSameRole, saysHolder, succeededBy, wordsOfRoles } from "./successions.js";
import { valueWords } from "./slot-values.js";
import { agrees, isSamePlace, searchWords, takesPlaceOf, type Claim } from "./slots.js";

/** A memory that a new fact may be about, with when it was last said (ISO). */
export interface KnownFact {
  readonly memory: Pick<Memory, "id" | "text" | "forgetAfter">;
  readonly saidAt: string;
  /** A guess, or the word of a stranger: it neither raises doubt about what is trusted nor is it said in new words. */
  readonly isUnverified?: boolean | undefined;
  /** What its former versions said, newest first, as far as it matters: for a return. */
  readonly formerTexts?: readonly string[];
}

/** How a fact relates to those already known; repetitions have been ruled out before. */
export type Decision =
  | { readonly kind: "new" }
  /** It replaces these, and continues the first; some of them say something else now, by id. */
  | { readonly kind: "updates"; readonly ids: readonly string[]; readonly restated?: ReadonlyMap<string, string> }
  /** A newer statement has already replaced it, and what it replaces itself. */
  | { readonly kind: "outdated"; readonly by: string; readonly ids?: readonly string[] }
  /** It says the same and more, or says more about somebody whom the other introduced. */
  | { readonly kind: "extends"; readonly id: string };

/** A fact to be decided on. */
export interface NewFact {
  readonly text: string;
  /** The words that state it. */
  readonly quote?: string | undefined;
  /** When it was said (ISO). */
  readonly saidAt: string;
  /** ISO dates of its events. */
  readonly eventDates?: readonly string[] | undefined;
  /** It is temporary: it does not replace anything lasting, except plans, which end with their day. */
  readonly isTemporary?: boolean | undefined;
  /** Ids of memories that the same text stated; it replaces them only if it says that something changed. */
  readonly statedTogether?: ReadonlySet<string> | undefined;
}

/** Words by which the text index finds memories that a text may be about. */
export function wordsToRelate(reading: Reading): string[] {
  const { claim, ending, replacement, transitions, returns, tellsOf: name } = reading;
  const slot = claim ? searchWords(claim) : [];
  return [
    ...slot,
    ...(ending ? wordsOfHeld(ending) : []),
    ...(replacement ? wordsOfReplaced(replacement) : []),
    ...transitions.flatMap((one) => [...wordsOfFormer(one), ...valueWords(one.present)]),
    ...wordsOfRoles(reading),
    ...(returns ? valueWords(returns.present) : []),
    ...(name === null ? [] : tokenise(name)),
  ];
}

/** Words by which the text index finds what holds since somebody gave up what they go back to now. */
export function wordsOfUndone({ returns }: Reading, others: readonly string[]): readonly string[] {
  if (!returns) return [];
  const told = others.flatMap((text) => readingOf(text).transitions).filter((one) => isUndoneBy(returns, one));
  return [...new Set(told.flatMap(({ present, thing }) => [...valueWords(present), ...valueWords(thing)]))];
}

/** False when `decide` would ignore the other text for the one that was read. */
export function mayRelate(mine: Reading, other: string): boolean {
  const theirs = readingOf(other);
  if (saysMore(mine.pieces, theirs.pieces) || tellsMoreOf(mine, theirs)) return true;
  // Checks that depend only on the new text come first: mostly it neither ends nor holds anything.
  if (endedBy(mine, theirs) || (mine.holdings.length > 0 && endedBy(theirs, mine))) return true;
  if (replaces(mine, theirs) || replaces(theirs, mine)) return true;
  if (endedStates(mine, theirs).length > 0 || endedStates(theirs, mine).length > 0) return true;
  if (isOfSameRole(mine, theirs)) return true;
  // What it said before is only looked up later.
  if (mine.returns && theirs.statedValues.length > 0) return true;
  if (!mine.claim || !theirs.claim) return false;
  return replacesClaim(mine, theirs.claim) || isSamePlace(mine.claim, theirs.claim);
}

function replacesClaim({ claim, claimOfTeam }: Reading, theirs: Claim): boolean {
  return [claim, claimOfTeam].some((mine) => mine !== null && takesPlaceOf(mine, theirs));
}

/** A change reported this many days later is still news, whatever was said in between. */
export const NEWS_DAYS = 180;

/**
 * Decides by rules how a fact relates to what is known. Precision first: a wrong update hides a truth, a missed one merely
 * leaves both. A slot that holds several different values is left alone.
 */
export function decide(fact: NewFact, known: readonly KnownFact[]): Decision {
  const trusted = known.filter(({ isUnverified }) => isUnverified !== true);
  const isTakenBack = mayBeTakenBack(fact.quote ?? fact.text);
  const taken = isTakenBack ? null : (decideByRules(fact, known) ?? decideByRules(fact, trusted));
  const later = taken?.kind === "outdated" ? undefined : givenUpLater(fact, known);
  if (later) return { kind: "outdated", by: later.memory.id, ...(taken?.kind === "updates" && { ids: taken.ids }) };
  return taken ?? extension(fact, known) ?? { kind: "new" };
}

/** What is unverified is only over, never restated: its new words would be the user's. */
function decideByRules(fact: NewFact, known: readonly KnownFact[]): Decision | null {
  const taken =
    decideByReturn(fact, known) ??
    together(decideByClaim(fact, known) ?? decideByEnding(fact, known), decideByTransition(fact, known)) ??
    decideByReplacement(fact, known) ??
    decideBySuccession(fact, known);
  if (taken?.kind !== "updates") return taken;
  const replaced = known
    .filter(({ memory, isUnverified }) => isUnverified !== true && taken.ids.includes(memory.id))
    .map(({ memory }) => memory);
  const said = taken.restated ?? restatementsOf(readingOfFact(fact), replaced);
  const restated = new Map([...said].filter(([id]) => replaced.some((memory) => memory.id === id)));
  return { kind: "updates", ids: taken.ids, ...(restated.size > 0 && { restated }) };
}

function decideByClaim(fact: NewFact, known: readonly KnownFact[]): Decision | null {
  const mine = readingOfFact(fact);
  const { claim } = mine;
  if (!claim) return null;
  const claims = known.flatMap((other) => {
    const held = readingOf(other.memory.text).claim;
    return held ? [{ ...other, claim: held }] : [];
  });
  const contradicted = claims.filter(
    (other) =>
      replacesClaim(mine, other.claim) && (claim.isChange || !(fact.statedTogether?.has(other.memory.id) ?? false)),
  );
  const [first, ...more] = contradicted;
  if (!first || more.some((other) => !agrees(first.claim, other.claim))) return null;
  if (!claim.isNegative && claims.some((other) => isSamePlace(claim, other.claim) && agrees(claim, other.claim)))
    return null;
  const ended = claim.isNegative ? endedOnes(fact, mine, known) : [];
  const isSeen = (one: KnownFact) => contradicted.some(({ memory }) => memory.id === one.memory.id);
  return replacing(fact, claim, [...contradicted, ...ended.filter((one) => !isSeen(one))]);
}

/** The decision to replace these, unless the fact is older or more temporary. */
function replacing(
  fact: NewFact,
  claim: Pick<Claim, "kind" | "since">,
  replaced: readonly KnownFact[],
): Decision | null {
  const hidesWhatLasts = replaced.some(({ memory }) => memory.forgetAfter === null);
  if (fact.isTemporary === true && hidesWhatLasts && claim.kind !== "date") return null;
  const newest = newestOf(replaced);
  if (!newest) return null;
  if (isBefore(fact.saidAt, newest.saidAt)) return { kind: "outdated", by: newest.memory.id };
  if (!speaksOfNow(fact, claim, newest.saidAt)) return null;
  return { kind: "updates", ids: replaced.map(({ memory }) => memory.id) };
}

function newestOf([first, ...more]: readonly KnownFact[]): KnownFact | undefined {
  return first && more.reduce((latest, other) => (isBefore(latest.saidAt, other.saidAt) ? other : latest), first);
}

// --------------------------------------------------------------------------------------------------------------- endings

/** Something sold, quit or cancelled is over, and reports of it from before that come too late. */
function decideByEnding(fact: NewFact, known: readonly KnownFact[]): Decision | null {
  const mine = readingOfFact(fact);
  const later = newestOf(
    known.filter(({ memory, saidAt }) => {
      if (!isBefore(fact.saidAt, saidAt)) return false;
      const { ending } = readingOf(memory.text);
      if (!ending || isOldNews(ending, saidAt, fact.saidAt)) return false;
      return mine.holdings.some((held) => ends(ending, held));
    }),
  );
  if (later) return { kind: "outdated", by: later.memory.id };
  return replacing(fact, { kind: "words", since: mine.claim?.since ?? null }, endedOnes(fact, mine, known));
}

/** What a fact ends; empty when it is uncertain which of several it means, or when all of them were said later. */
function endedOnes(fact: NewFact, { ending }: Reading, known: readonly KnownFact[]): readonly KnownFact[] {
  if (!ending) return [];
  const held = known.flatMap((one) => {
    const state = readingOf(one.memory.text).holdings.find((holding) => ends(ending, holding));
    const isTooLate = isBefore(fact.saidAt, one.saidAt) || isOldNews(ending, fact.saidAt, one.saidAt);
    return state && !isTooLate ? [{ one, state }] : [];
  });
  const isCertain = ending.isForAll || areOneState(held.map(({ state }) => state));
  return isCertain ? held.map(({ one }) => one) : [];
}

/** A statement of what something no longer is names what it was; with several matches it is uncertain which. */
function decideByReplacement(fact: NewFact, known: readonly KnownFact[]): Decision | null {
  const mine = readingOfFact(fact);
  const [first, ...more] = known.filter(({ memory }) => replaces(mine, readingOf(memory.text)));
  if (!first || more.length > 0) return null;
  return replacing(fact, { kind: "words", since: mine.claim?.since ?? mine.statement?.since ?? null }, [first]);
}

function replaces({ replacement }: Reading, { statement }: Reading): boolean {
  return replacement !== null && statement !== null && isReplacedBy(replacement, statement);
}

/** What became something else ends every statement of the former value that is certainly meant; nothing if they differ. */
function decideByTransition(fact: NewFact, known: readonly KnownFact[]): Decision | null {
  const mine = readingOfFact(fact);
  const former = known.flatMap((one) => {
    const [ended] = isBefore(fact.saidAt, one.saidAt) ? [] : endedStates(mine, readingOf(one.memory.text));
    return ended ? [{ one, ...ended }] : [];
  });
  const [first] = former;
  // Of two things that were the same, it is uncertain which one is meant.
  if (new Set(former.map(({ attribute }) => attribute).filter((attribute) => attribute !== "")).size > 1) return null;
  if (!first || new Set(former.map(({ state }) => state).filter((state) => state !== "")).size > 1) return null;
  const { transition } = first;
  return replacing(
    fact,
    { kind: isOfDates(transition) ? "date" : "words", since: transition.when },
    former.map(({ one }) => one),
  );
}

/** The newest statement, told before but said later, of what gave up what the fact says. */
function givenUpLater(fact: NewFact, known: readonly KnownFact[]): KnownFact | undefined {
  const mine = readingOfFact(fact);
  return newestOf(
    known.filter(
      ({ memory, saidAt }) => isBefore(fact.saidAt, saidAt) && endedStates(readingOf(memory.text), mine).length > 0,
    ),
  );
}

/** Whoever succeeded somebody in a role no longer has it once another does. */
function decideBySuccession(fact: NewFact, known: readonly KnownFact[]): Decision | null {
  const mine = readingOfFact(fact);
  const earlier = known.filter(({ saidAt }) => !isBefore(fact.saidAt, saidAt));
  const succeeded = succeededBy(
    mine,
    earlier.map(({ memory }) => readingOf(memory.text)),
  );
  const over = earlier.filter(({ memory }) => saysHolder(succeeded, readingOf(memory.text)));
  return replacing(fact, { kind: "words", since: mine.statement?.since ?? null }, over);
}

/** What two rules find: each of them is certain of what it ends. */
function together(one: Decision | null, other: Decision | null): Decision | null {
  if (one?.kind !== "updates" || other?.kind !== "updates") return one ?? other;
  return { kind: "updates", ids: [...new Set([...one.ids, ...other.ids])] };
}

/**
 * Who goes back to something gives up what they did meanwhile: what said so says again what it said before. Of statements about
 * several things, it is uncertain which one is meant.
 */
function decideByReturn(fact: NewFact, known: readonly KnownFact[]): Decision | null {
  const { returns } = readingOfFact(fact);
  if (!returns || GIVEN_UP_AGAIN.test(fact.quote ?? "")) return null;
  const earlier = known
    .filter(({ saidAt }) => !isBefore(fact.saidAt, saidAt))
    .map((one) => ({ ...one, reading: readingOf(one.memory.text), formerTexts: one.formerTexts ?? [] }));
  const told = earlier.flatMap(({ reading, formerTexts }) =>
    [reading, ...formerTexts.map(readingOf)].flatMap(({ transitions }) => transitions),
  );
  const restored = earlier.flatMap((one) => {
    const found = one.formerTexts.flatMap((text) => {
      const what = restoredBy(returns, { now: one.reading, formerly: readingOf(text) }, told);
      return what ? [{ one, text, what }] : [];
    });
    return found.slice(0, 1);
  });
  const [first] = restored;
  if (restored.some(({ what }) => what.of !== first?.what.of)) return null;
  const isOver = ({ reading }: { readonly reading: Reading }) =>
    first
      ? saysGivenUp(returns, first.what, reading)
      : reading.transitions.some((transition) => isUndoneBy(returns, transition));
  const over = earlier.filter(isOver);
  if (!first && over.length > 1) return null;
  const decided = replacing(fact, { kind: "words", since: returns.when }, [...restored.map(({ one }) => one), ...over]);
  if (decided?.kind !== "updates") return decided;
  return { ...decided, restated: new Map(restored.map(({ one, text }) => [one.memory.id, text])) };
}

function endedBy(later: Reading, earlier: Reading): boolean {
  const { ending } = later;
  return ending !== null && earlier.holdings.some((held) => ends(ending, held));
}

/** True if it names a day long before it was said, and something was said to hold after that day. */
function isOldNews({ when }: State, saidAt: string, heldAt: string): boolean {
  return when !== null && isBefore(when, heldAt) && daysBetween(when, saidAt) > NEWS_DAYS;
}

/** False for what begins in the future, and for what began long before the other was said. */
function speaksOfNow(
  { saidAt, eventDates }: NewFact,
  claim: Pick<Claim, "kind" | "since">,
  otherSaidAt: string,
): boolean {
  const since = claim.since ?? (claim.kind === "date" ? null : (eventDates?.toSorted().at(-1) ?? null));
  if (since === null) return true;
  if (isBefore(saidAt, since)) return false;
  return !isBefore(since, otherSaidAt) || daysBetween(since, saidAt) <= NEWS_DAYS;
}

/**
 * Compares at the precision both share: a year is not before one of its days, nor a moment before the day it falls on where it
 * was written.
 */
export function isBefore(one: string, other: string): boolean {
  if (one.includes("T") && other.includes("T")) return Date.parse(one) < Date.parse(other);
  const length = Math.min(one.length, other.length);
  return one.slice(0, length) < other.slice(0, length);
}

/** Days from one ISO moment to another. */
export function daysBetween(one: string, other: string): number {
  return (Date.parse(other) - Date.parse(one)) / 86_400_000;
}

// ------------------------------------------------------------------------------------------------------------ extending

const LONGEST_ADDITION = 12;
/** With one of these words, an addition changes the meaning. */
const CHANGES_MEANING =
  /[?]|\b(?:not|no|never|nor|neither|without|if|unless|until|till|was|were|used|former|formerly|except|but|only|might|may|could|would|almost|nearly|stopped|hardly|rarely|than|instead|another|other)\b/;

function extension({ text }: NewFact, known: readonly KnownFact[]): Decision | null {
  const { pieces } = readingOf(text);
  const [longest] = known
    .filter(({ memory }) => saysMore(pieces, readingOf(memory.text).pieces))
    .toSorted((one, other) => other.memory.text.length - one.memory.text.length);
  const extended = longest ?? onlyIntroduction(text, known);
  return extended ? { kind: "extends", id: extended.memory.id } : null;
}

/** The memory that introduced the person a text is about; null when several did, as they may share a name. */
function onlyIntroduction(text: string, known: readonly KnownFact[]): KnownFact | null {
  const [first, ...more] = known.filter(({ memory }) => tellsMoreOf(readingOf(text), readingOf(memory.text)));
  return more.length === 0 ? (first ?? null) : null;
}

function tellsMoreOf(mine: Reading, theirs: Reading): boolean {
  return mine.tellsOf !== null && mine.tellsOf === theirs.introduces;
}

/** True when a text says all that another says, in the same words and order, plus some words that contradict nothing. */
function saysMore(whole: readonly string[], part: readonly string[]): boolean {
  const added = whole.length - part.length;
  if (part.length < 2 || added < 1 || added > LONGEST_ADDITION) return false;
  if (whole[0] !== part[0] || whole[1] !== part[1]) return false;
  const more: string[] = [];
  let next = 0;
  for (const word of whole) {
    if (word === part[next]) next += 1;
    else more.push(word);
  }
  return next === part.length && !CHANGES_MEANING.test(more.join(" "));
}
