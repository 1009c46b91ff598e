import { fold } from "../../language/words.js";
import { endedStates } from "./ended-states.js";
import type { Reading } from "./reading.js";
import { isPlace, valueWords } from "./slot-values.js";
import type { StatedValue } from "./stated-values.js";
import { isoOf, readStatement } from "./statement.js";
import { BACK_TO, WHEN_FIRST } from "./transition-patterns.js";
import { keyOf, OURSELVES, presentOf, TEAM, type Transition } from "./transitions.js";

const LONGEST = 240;
/** What was gone back to was given up again. */
export const GIVEN_UP_AGAIN = /\bback to [^.!?]{1,80}\b(?:but|then|until|before)\b/i;

const DAY = "(?:yesterday|today|this (?:morning|afternoon|evening|week|month)|last night)";
const DAY_FIRST = new RegExp(`^${DAY},? (?=(?:we|i)\\b)`, "i");
const DAY_LAST = new RegExp(`,? ${DAY}(?=[.!]*$)`, "i");

/** Somebody does again what they had given up. */
export interface Return {
  readonly subject: string;
  /** The thing of theirs that changed back, as a key; empty if it is not named. */
  readonly thing: string;
  /** What they had given up. */
  readonly present: string;
  readonly scope: string;
  readonly isOfGroup: boolean;
  /** ISO year, month or day of the return, if the text says so. */
  readonly when: string | null;
}

/** Reads who went back to what; null for a journey. */
export function readReturn(raw: string, isOfGroup: boolean): Return | null {
  if (raw.length > LONGEST || !/ back to /i.test(raw)) return null;
  const statement = readStatement(raw.trim().replace(WHEN_FIRST, "").replace(DAY_FIRST, "").replace(DAY_LAST, ""));
  if (!statement || statement.isNegative) return null;
  const { s = "", t = "", p = "" } = BACK_TO.exec(statement.text)?.groups ?? {};
  const present = p === "" ? null : presentOf(p);
  if (!present || present.topic !== "" || isPlace(present.value)) return null;
  const subject = OURSELVES.test(fold(s)) ? "" : keyOf(s, "");
  return {
    subject,
    thing: keyOf(t, subject),
    present: present.value,
    scope: statement.scope,
    isOfGroup: isOfGroup || TEAM.test(fold(s)),
    when: statement.since ?? isoOf(WHEN_FIRST.exec(raw.trim())?.[0] ?? ""),
  };
}

/** What holds after a return, which a transition may end. */
export function statesOfReturn({ subject, thing, present, scope }: Return): readonly StatedValue[] {
  const named = { subject: thing || subject || "User", topic: "", value: present, scope };
  return [
    { ...named, link: "use" },
    { ...named, link: "work" },
  ];
}

/** True for the transition in which somebody gave up what they went back to. */
export function isUndoneBy({ subject, thing, present, scope }: Return, { kind, former, ...told }: Transition): boolean {
  const isMeant = kind !== "rename" && kind !== "set" && told.subject === subject && told.scope === scope;
  return isMeant && (thing === "" || told.thing === thing) && isSameValue(former, present);
}

/** A statement that a return changes. */
export interface Restored {
  /** The value that is given up. */
  readonly given: string;
  /** The thing of which both are said, as a key. */
  readonly of: string;
}

/**
 * What a return changes of a statement that once said what somebody went back to.
 * @param told transitions known from others
 */
export function restoredBy(
  returns: Return,
  { now, formerly }: { readonly now: Reading; readonly formerly: Reading },
  told: readonly Transition[],
): Restored | null {
  if (isOfChange(now) || isOfChange(formerly)) return null;
  const before = formerly.statedValues.find(
    ({ subject, value, scope }) =>
      scope === returns.scope &&
      isSameValue(value, returns.present) &&
      (returns.thing === "" || keyOf(subject, "") === returns.thing),
  );
  if (
    !before ||
    !(isOwn(returns, before) || told.some((one) => one.subject === returns.subject && isAbout(one, formerly)))
  )
    return null;
  const held = now.statedValues.find(
    ({ link, subject }) => link === before.link && keyOf(subject, "") === keyOf(before.subject, ""),
  );
  return held && !isSameValue(held.value, before.value) ? { given: held.value, of: keyOf(held.subject, "") } : null;
}

/** True for a text that says what became what, or who went back to what. */
export function isOfChange({ transitions, returns }: Reading): boolean {
  return transitions.length > 0 || returns !== null;
}

/** True for a statement of either of the two values. */
function isAbout(transition: Transition, reading: Reading): boolean {
  const back = { ...transition, former: transition.present, present: transition.former };
  return endedStates({ transitions: [transition, back] }, reading).length > 0;
}

/** Of themselves, or of a thing of theirs. */
function isOwn({ subject }: Return, { subject: named }: StatedValue): boolean {
  const folded = fold(named);
  if (subject === "") return OURSELVES.test(folded) || /^(?:user|we|team)'s /.test(folded);
  return keyOf(named, "") === subject || folded.startsWith(`${subject}'s `);
}

/** True for a text that says that somebody came to, or went back to, what they give up by returning. */
export function saysGivenUp(returns: Return, { given, of }: Restored, other: Reading): boolean {
  const { transitions, returns: earlier } = other;
  return [...transitions, ...(earlier ? [earlier] : [])].some(
    ({ subject, thing, present }) =>
      subject === returns.subject && (thing === "" || thing === of) && isSameValue(present, given),
  );
}

function isSameValue(one: string, other: string): boolean {
  return valueWords(one).join(" ") === valueWords(other).join(" ");
}
