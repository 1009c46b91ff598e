import { isAddition } from "../../language/english/additions.js";
import { isBefore, replacing, type Decision, type KnownFact, type NewFact } from "./decision.js";
import { readingOf, readingOfFact, type Reading } from "./reading.js";
import { valueWords } from "./slot-values.js";
import { keyOf } from "./transitions.js";

/** Who has a role, or what serves as something. */
interface Holder {
  /** As a key. */
  readonly role: string;
  readonly holder: string;
}

/** Held by one person at a time, as a key. */
const OF_ONE =
  /^(?:c[a-z]{1,2}o|president|chair(?:man|woman|person)?|managing director|head .+|team lead|principal|mayor|captain)$/;
const NAME = /^\p{Lu}[\p{L}\p{N}.'-]*(?: \p{Lu}[\p{L}\p{N}.'-]*){0,2}$/u;

/** "Our developer is Kim", "Kim is the developer", "Kim is our developer now", "Kim is our CTO"; not "Kim is our developer". */
function holdersIn({ statement, statedValues, transitions, returns }: Reading): readonly Holder[] {
  if (transitions.length > 0 || returns) return [];
  return statedValues.flatMap(({ link, subject, value, scope }) => {
    if (link !== "is" || scope !== "") return [];
    const role = keyOf(value, "");
    const isOnlyOne = /^the /i.test(value) || OF_ONE.test(role) || statement?.isChange === true;
    return [
      ...(NAME.test(value) ? [{ role: keyOf(subject, ""), holder: value }] : []),
      ...(NAME.test(subject) && isOnlyOne && !/^an? /i.test(value) ? [{ role, holder: subject }] : []),
    ];
  });
}

/** What one text says succeeded somebody or something in a role: only one at a time has that. */
function successorsIn({ transitions }: Reading): readonly Holder[] {
  return transitions
    .filter(({ kind, thing, scope }) => kind === "replace" && thing !== "" && scope === "")
    .map(({ thing, present }) => ({ role: thing, holder: present }));
}

/** Whoever succeeded somebody in a role no longer has it once another does. */
export function decideBySuccession(fact: NewFact, known: readonly KnownFact[]): Decision | null {
  if (isAddition(fact.quote ?? fact.text)) return null;
  const mine = readingOfFact(fact);
  const earlier = known.filter(({ saidAt }) => !isBefore(fact.saidAt, saidAt));
  const succeeded = succeededBy(
    mine,
    earlier.map(({ memory }) => readingOf(memory.text)),
  );
  const over = earlier.filter(({ memory }) => saysHolder(succeeded, readingOf(memory.text)));
  return replacing(fact, { kind: "words", since: mine.statement?.since ?? null }, over);
}

/** The successors whose role another has now, according to one text. */
function succeededBy(mine: Reading, others: readonly Reading[]): readonly Holder[] {
  const now = holdersIn(mine);
  if (now.length === 0) return [];
  return others
    .flatMap(successorsIn)
    .filter((one) => now.some((other) => other.role === one.role && !isSame(other.holder, one.holder)));
}

/** True for a text that says that one of these has the role, or succeeded to it. */
function saysHolder(holders: readonly Holder[], reading: Reading): boolean {
  return [...holdersIn(reading), ...successorsIn(reading)].some((one) =>
    holders.some(({ role, holder }) => role === one.role && isSame(holder, one.holder)),
  );
}

/** True for a text about a role that another text says somebody has. */
export function isOfSameRole(mine: Reading, other: Reading): boolean {
  const roles = new Set(holdersIn(mine).map(({ role }) => role));
  return roles.size > 0 && [...holdersIn(other), ...successorsIn(other)].some(({ role }) => roles.has(role));
}

/** Words by which the text index finds who had a role before. */
export function wordsOfRoles(reading: Reading): readonly string[] {
  return holdersIn(reading).flatMap(({ role }) => valueWords(role));
}

function isSame(one: string, other: string): boolean {
  return valueWords(one).join(" ") === valueWords(other).join(" ");
}
