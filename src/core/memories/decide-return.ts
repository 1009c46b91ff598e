import { isBefore, replacing, type Decision, type KnownFact, type NewFact } from "./decision.js";
import { readingOf, readingOfFact, type Reading } from "./reading.js";
import { GIVEN_UP_AGAIN, isUndoneBy, restoredBy, saysGivenUp } from "./returns.js";

/**
 * Who goes back to something gives up what they did meanwhile: what said so says again what it said before. Of statements about
 * several things, it is uncertain which one is meant.
 */
export function decideByReturn(fact: NewFact, known: readonly KnownFact[]): Decision | null {
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
