import {
  daysBetween,
  isBefore,
  NEWS_DAYS,
  newestOf,
  replacing,
  type Decision,
  type KnownFact,
  type NewFact,
} from "./decision.js";
import { areOneState, ends, type State } from "./endings.js";
import { readingOf, readingOfFact, type Reading } from "./reading.js";

/** Something sold, quit or cancelled is over, and reports of it from before that come too late. */
export function decideByEnding(fact: NewFact, known: readonly KnownFact[]): Decision | null {
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
export function endedOnes(fact: NewFact, { ending }: Reading, known: readonly KnownFact[]): readonly KnownFact[] {
  if (!ending) return [];
  const held = known.flatMap((one) => {
    const state = readingOf(one.memory.text).holdings.find((holding) => ends(ending, holding));
    const isTooLate = isBefore(fact.saidAt, one.saidAt) || isOldNews(ending, fact.saidAt, one.saidAt);
    return state && !isTooLate ? [{ one, state }] : [];
  });
  const isCertain = ending.isForAll || areOneState(held.map(({ state }) => state));
  return isCertain ? held.map(({ one }) => one) : [];
}

/** True if it names a day long before it was said, and something was said to hold after that day. */
function isOldNews({ when }: State, saidAt: string, heldAt: string): boolean {
  return when !== null && isBefore(when, heldAt) && daysBetween(when, saidAt) > NEWS_DAYS;
}

/** True for a text that says that what the other says is over. */
export function endedBy(later: Reading, earlier: Reading): boolean {
  const { ending } = later;
  return ending !== null && earlier.holdings.some((held) => ends(ending, held));
}
