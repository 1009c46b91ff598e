import { tokenise } from "../../language/words.js";
import { SLOT_WORDS } from "./slot-words.js";
import { contradicts, includesValue, isSameValue, liesIn, type ValueKind } from "./slot-values.js";

export { readClaim } from "./read-claim.js";

/** What a text says about one subject: that one of its slots holds a value now, or does not. */
export interface Claim {
  /** Folded, without articles: the same text means the same subject. */
  readonly subject: string;
  /** What is said about the subject; `says` for anything without a known slot. */
  readonly slot: string;
  readonly kind: ValueKind;
  readonly value: string;
  readonly isNegative: boolean;
  /** The text itself says that something has changed. */
  readonly isChange: boolean;
  /** Many values hold at once; only the opposite of one replaces it. */
  readonly isMulti: boolean;
  /** Only a change replaces what is known. */
  readonly needsChange: boolean;
  /** The value it replaces, if the text names it. */
  readonly from: string | null;
  /** The only place or time at which it holds; empty for always. */
  readonly scope: string;
  /** Since when it holds, as ISO year, month or day, if the text says so. */
  readonly since: string | null;
}

/** True when only one of both can be true now, so that the newer replaces the older. */
export function takesPlaceOf(newer: Claim, older: Claim): boolean {
  if (newer.subject !== older.subject || !reaches(newer, older)) return false;
  if (/^switch\b/.test(newer.slot)) return replacesFormer(newer, older);
  if (!isSameSlot(newer, older)) return false;
  if (newer.slot === "says") return turnsRound(newer, older);
  if (newer.isNegative) return !older.isNegative && isDenied(newer, older);
  if (older.isNegative) return isSameValue(newer.kind, newer.value, older.value);
  if (newer.isMulti || (newer.needsChange && !newer.isChange)) return false;
  if (newer.from !== null && !includesValue(newer.kind, older.value, newer.from)) return false;
  return contradicts(newer.kind, newer.value, older.value);
}

/** What holds in one place says nothing about others; what is over for good is over everywhere. */
function reaches(newer: Claim, older: Claim): boolean {
  return newer.scope === older.scope || (newer.scope === "" && newer.isNegative && newer.isChange);
}

/** True when both are about one slot and do not contradict each other. */
export function agrees(one: Claim, other: Claim): boolean {
  return (
    one.isNegative === other.isNegative &&
    (includesValue(one.kind, one.value, other.value) || includesValue(one.kind, other.value, one.value))
  );
}

/** True when both are about the same slot of the same subject in the same scope. */
export function isSamePlace(one: Claim, other: Claim): boolean {
  if (one.slot === "says" && one.value !== other.value) return false;
  return one.subject === other.subject && one.scope === other.scope && isSameSlot(one, other);
}

function isSameSlot(newer: Claim, older: Claim): boolean {
  return newer.slot === older.slot || (newer.slot === "date" && newer.isChange && older.slot.startsWith("date"));
}

function isDenied(newer: Claim, older: Claim): boolean {
  if (newer.isMulti) return isSameValue(newer.kind, newer.value, older.value);
  return newer.kind === "place"
    ? liesIn(older.value, newer.value)
    : includesValue(newer.kind, older.value, newer.value);
}

/** "Switched from A to B" ends every use of A, "… for C" only that one. */
function replacesFormer(newer: Claim, older: Claim): boolean {
  if (
    newer.isNegative ||
    older.isNegative ||
    newer.from === null ||
    !/^(?:use for|written in|editor|database)/.test(older.slot)
  )
    return false;
  const topic = newer.slot.replace(/^switch ?/, "");
  if (topic !== "" && older.slot !== `use for ${topic}`) return false;
  return isSameValue("words", newer.from, older.value);
}

/** Someone who stopped smoking smokes neither a pack a day nor a pipe; someone who stopped drinking may still drink tea. */
const WHATEVER_OF_IT = / (?:smok|vap)e?$/;
const AFTER_WHICH_DETAILS_FOLLOW = /^(?:with|on|in|at|every|because|for|near|by)$/;
/** With these words a different activity is meant: someone who no longer works on Fridays may work on a thesis then. */
const SOMETHING_ELSE = / (?:work on|plai with|look (?:at|for)|deal with|wait (?:on|for))$/;
/**
 * When something is over at a certain time, its destination is a detail too; someone who no longer speaks then may speak to
 * somebody.
 */
const WHERE_TO = /^(?:to|into|from)$/;
const LEADS_SOMEWHERE =
  / (?:deploi|ship|deliver|releas|publish|push|upload|export|commut|cycl|walk|run|rid|driv|flie|travel|sail)e?$/;

/** A statement without a known slot is replaced only by its opposite. */
function turnsRound(newer: Claim, older: Claim): boolean {
  if (newer.isNegative === older.isNegative) return false;
  if (newer.value === older.value) return true;
  const rest = older.value.startsWith(`${newer.value} `) ? older.value.slice(newer.value.length + 1) : "";
  if (rest !== "" && newer.isNegative && newer.isChange && WHATEVER_OF_IT.test(newer.value)) return true;
  const [next = ""] = rest.split(" ");
  if (!newer.isNegative) return false;
  if (SOMETHING_ELSE.test(`${newer.value} ${next}`)) return false;
  return AFTER_WHICH_DETAILS_FOLLOW.test(next) || (WHERE_TO.test(next) && isOverAtItsTime(newer));
}

function isOverAtItsTime({ isChange, scope, value }: Claim): boolean {
  return isChange && scope !== "" && LEADS_SOMEWHERE.test(value);
}

/** Words by which the text index finds what may be in the slot of a claim; none where the words of the text itself do. */
export function searchWords({ slot, subject }: Claim): string[] {
  if (slot === "says") return [];
  const [first = "", ...topic] = slot.split(" ");
  const own = subject === "user" ? [] : tokenise(subject);
  return [...new Set([...tokenise(SLOT_WORDS[first] ?? ""), ...tokenise(topic.join(" ")), ...own])].slice(
    0,
    MOST_SEARCH_WORDS,
  );
}

const MOST_SEARCH_WORDS = 16;
