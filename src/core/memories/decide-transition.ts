import { groupBy } from "../../lib/group-by.js";
import { fold } from "../../language/words.js";
import { isBefore, newestOf, replacing, together, type Decision, type KnownFact, type NewFact } from "./decision.js";
import { endedStates } from "./ended-states.js";
import { readingOf, readingOfFact } from "./reading.js";
import { isOfDates, type Transition } from "./transitions.js";

/** What became something else ends every statement of the former value that is certainly meant; nothing if they differ. */
export function decideByTransition(fact: NewFact, known: readonly KnownFact[]): Decision | null {
  const { transitions } = readingOfFact(fact);
  const changed = groupBy(transitions, ({ former }) => fold(former));
  return [...changed.values()].map((ones) => decideByChange(fact, ones, known)).reduce(together, null);
}

/** @param transitions of one former value */
function decideByChange(
  fact: NewFact,
  transitions: readonly Transition[],
  known: readonly KnownFact[],
): Decision | null {
  const former = known.flatMap((one) => {
    const [ended] = isBefore(fact.saidAt, one.saidAt) ? [] : endedStates({ transitions }, readingOf(one.memory.text));
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
export function givenUpLater(fact: NewFact, known: readonly KnownFact[]): KnownFact | undefined {
  const mine = readingOfFact(fact);
  return newestOf(
    known.filter(
      ({ memory, saidAt }) => isBefore(fact.saidAt, saidAt) && endedStates(readingOf(memory.text), mine).length > 0,
    ),
  );
}
