import { isAddition } from "../../language/english/additions.js";
import { isBefore, replacing, type Decision, type KnownFact, type NewFact } from "./decision.js";
import { readingOf, readingOfFact, type Reading } from "./reading.js";
import { isOfChange } from "./returns.js";
import { isSameValue, valueWords } from "./slot-values.js";
import { EXCHANGED_ROLE, NAME, PRACTITIONER } from "./transition-patterns.js";
import { isDateOrLanguage, keyOf, type Transition } from "./transitions.js";

const OWN = /^(?:user|we|the team)'s /i;
const BANK = /\b(?:bank|broker)$/i;
const CLOSED = /^User (?:has )?closed (?:my|their) (?<bank>\p{Lu}\S*) account$/u;

/** What the speakers say of a thing of which they have one at a time. */
interface Held {
  /** As a key. */
  readonly thing: string;
  readonly value: string;
  readonly scope: string;
}

/** "My bank is Monzo" */
function heldIn(reading: Reading): readonly Held[] {
  if (isOfChange(reading)) return [];
  return reading.statedValues.flatMap(({ link, subject, value, scope }) => {
    const isExchanged = OWN.test(subject) && EXCHANGED_ROLE.test(subject) && !PRACTITIONER.test(subject);
    const bare = value.replace(/^(?:an?|the) /i, "");
    if (link !== "is" || !isExchanged || !NAME.test(bare) || isDateOrLanguage(bare)) return [];
    return [{ thing: keyOf(subject, ""), value: bare, scope }];
  });
}

/** True for "my bank is Monzo now", "my bank is N26 again" and "I closed my Revolut account". */
function saysPresent(reading: Reading): boolean {
  return closedBank(reading) !== "" || (reading.statement?.isChange === true && heldIn(reading).length > 0);
}

/** Words by which the text index finds what may be so no longer. */
export function wordsOfPresent(mine: Reading): readonly string[] {
  if (!saysPresent(mine)) return [];
  return [...valueWords(closedBank(mine)), ...heldIn(mine).flatMap(({ thing }) => thing.split(" "))];
}

function closedBank({ statement }: Reading): string {
  return CLOSED.exec(statement?.text ?? "")?.groups?.["bank"] ?? "";
}

/** What the other text says is held, which is so no longer. */
function givenUpIn(mine: Reading, other: Reading): readonly Held[] {
  if (!saysPresent(mine)) return [];
  const [bank, now] = [closedBank(mine), heldIn(mine)];
  return heldIn(other).filter(
    ({ thing, value, scope }) =>
      (BANK.test(thing) && isSameValue("words", value, bank)) ||
      now.some((one) => one.thing === thing && one.scope === scope && !isSameValue("words", one.value, value)),
  );
}

function cameTo({ subject, thing, present }: Transition, held: Held): boolean {
  return subject === "" && (thing === "" || thing === held.thing) && isSameValue("words", present, held.value);
}

/** True for a text that says what is so no longer, or may say how it came to be so. */
export function mayBeGivenUp(mine: Reading, other: Reading): boolean {
  return givenUpIn(mine, other).length > 0 || (saysPresent(mine) && other.transitions.length > 0);
}

/** Words by which the text index finds how what is so no longer came to be so. */
export function wordsOfGivenUp(mine: Reading, others: readonly string[]): readonly string[] {
  return others.flatMap((text) => givenUpIn(mine, readingOf(text))).flatMap(({ value }) => valueWords(value));
}

/** What the speakers have now ends what they had, and how they came to have that; nothing if they had several. */
export function decideByPresent(fact: NewFact, known: readonly KnownFact[]): Decision | null {
  const mine = readingOfFact(fact);
  if (!saysPresent(mine) || isAddition(fact.quote ?? fact.text)) return null;
  const earlier = known
    .filter(({ saidAt }) => !isBefore(fact.saidAt, saidAt))
    .map((one) => ({ one, reading: readingOf(one.memory.text) }));
  const former = earlier.flatMap(({ one, reading }) => givenUpIn(mine, reading).map((held) => ({ one, held })));
  const [first] = former;
  if (!first || former.some(({ held }) => !isSameValue("words", held.value, first.held.value))) return null;
  const told = earlier.filter(({ reading }) => reading.transitions.some((one) => cameTo(one, first.held)));
  const over = new Set([...former, ...told].map(({ one }) => one));
  return replacing(fact, { kind: "words", since: mine.statement?.since ?? null }, [...over]);
}
