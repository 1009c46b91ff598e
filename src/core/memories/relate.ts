import { isAddition } from "../../language/english/additions.js";
import { mayBeTakenBack } from "../../language/english/taken-back.js";
import { tokenise } from "../../language/words.js";
import { decideByEnding, endedBy, endedOnes } from "./decide-ending.js";
import { decideByPresent, mayBeGivenUp, wordsOfGivenUp, wordsOfPresent } from "./decide-present.js";
import { decideByReturn } from "./decide-return.js";
import { decideByTransition, givenUpLater } from "./decide-transition.js";
import { replacing, together, type Decision, type KnownFact, type NewFact } from "./decision.js";
import { endedStates } from "./ended-states.js";
import { wordsOfHeld } from "./endings.js";
import { extension, saysMore, tellsMoreOf } from "./extension.js";
import { readingOf, readingOfFact, type Reading } from "./reading.js";
import { isReplacedBy, wordsOfReplaced } from "./replacements.js";
import { restatementsOf } from "./restatements.js";
import { isUndoneBy } from "./returns.js";
import { wordsOfFormer } from "./transitions.js";
import { decideBySuccession, isOfSameRole, wordsOfRoles } from "./successions.js";
import { valueWords } from "./slot-values.js";
import { agrees, isSamePlace, searchWords, takesPlaceOf, type Claim } from "./slots.js";

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
    ...wordsOfPresent(reading),
    ...(returns ? valueWords(returns.present) : []),
    ...(name === null ? [] : tokenise(name)),
  ];
}

/** Words by which the text index finds what holds since somebody gave up what they go back to now, or told what is so no longer. */
export function wordsOfUndone(mine: Reading, others: readonly string[]): readonly string[] {
  const { returns } = mine;
  if (!returns) return wordsOfGivenUp(mine, others);
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
  if (isOfSameRole(mine, theirs) || mayBeGivenUp(mine, theirs)) return true;
  // What it said before is only looked up later.
  if (mine.returns && theirs.statedValues.length > 0) return true;
  if (!mine.claim || !theirs.claim) return false;
  return replacesClaim(mine, theirs.claim) || isSamePlace(mine.claim, theirs.claim);
}

function replacesClaim({ claim, claimOfTeam }: Reading, theirs: Claim): boolean {
  return [claim, claimOfTeam].some((mine) => mine !== null && takesPlaceOf(mine, theirs));
}

/**
 * Decides by rules how a fact relates to what is known. Precision first: a wrong update hides a truth, a missed one merely
 * leaves both. A slot that holds several different values is left alone.
 */
export function decide(fact: NewFact, known: readonly KnownFact[]): Decision {
  const trusted = known.filter(({ isUnverified }) => isUnverified !== true);
  const isTakenBack = fact.isTakenBack === true || mayBeTakenBack(fact.quote ?? fact.text);
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
    decideBySuccession(fact, known) ??
    decideByPresent(fact, known);
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
  if (!claim || (!claim.isNegative && isAddition(fact.quote ?? fact.text))) return null;
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
