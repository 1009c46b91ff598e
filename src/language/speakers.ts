import { singleSpaced } from "../lib/single-spaced.js";

/** The labels that transcripts and message lists use for the same four roles. */
const ROLES: ReadonlyMap<string, string> = new Map([
  ["user", "User"],
  ["human", "User"],
  ["assistant", "Assistant"],
  ["ai", "Assistant"],
  ["bot", "Assistant"],
  ["chatbot", "Assistant"],
  ["model", "Assistant"],
  ["gpt", "Assistant"],
  ["chatgpt", "Assistant"],
  ["system", "System"],
  ["developer", "System"],
  ["tool", "Tool"],
  ["function", "Tool"],
]);

/** Labels before a colon that look like names but are not speakers. */
const NOT_SPEAKERS: ReadonlySet<string> = new Set(
  (
    "note notes nb warning caution important tip tips hint info example examples e.g todo fixme done summary abstract overview " +
    "introduction conclusion background context date time day when where who why how what which from to cc bcc subject re fwd reply-to " +
    "sent title author authors name address phone tel fax email e-mail mail web website url link links source sources reference " +
    "references see status state version description details usage input output error errors fix bug step steps result results " +
    "question questions answer answers q a goal goals aim objective purpose location place venue price cost total amount size " +
    "weight height age gender language languages type kind category tags tag label keywords key value id ids default defaults required " +
    "optional options option pros cons pro con advantages disadvantages ingredients method directions instructions preparation serves " +
    "servings features feature requirements prerequisites install installation setup license copyright contact agenda attendees " +
    "participants minutes action actions decision decisions deadline due owner priority problem solution cause effect symptoms " +
    "treatment diagnosis ps p.s update updates edit tldr tl;dr fact facts rule rules definition theorem proof lemma remark figure " +
    "table chapter section part page monday tuesday wednesday thursday friday saturday sunday january february march april may june " +
    "july august september october november december morning afternoon evening night breakfast lunch dinner snack first second third " +
    "finally next then also yes no added changed removed fixed deprecated security quote quotes before after expected actual given " +
    "and but or so because however therefore this that these those it there here today tomorrow yesterday"
  ).split(" "),
);

const NAME_WORD = /^(?:\p{Lu}|\p{Lt}|\p{Lo})[\p{L}\p{M}\p{N}'’.-]*$/u;
const MOST_NAME_WORDS = 3;

/** The role that a label stands for (`human` -> `User`), or null if it is not one. */
export function canonicalRole(label: string): string | null {
  return ROLES.get(label.trim().toLowerCase()) ?? null;
}

/** True when a label before a colon could be somebody's name. */
export function isPlausibleName(label: string): boolean {
  const words = label.split(" ");
  if (words.length > MOST_NAME_WORDS || NOT_SPEAKERS.has(label.toLowerCase())) return false;
  return words.every((word) => NAME_WORD.test(word)) && !NOT_SPEAKERS.has(words[0]?.toLowerCase() ?? "");
}

/** Labels stand at the start of a line, so only this many characters of it are examined. */
export const LONGEST_LABEL = 160;
const TIMESTAMP =
  /^[\u200e\u200f]?\[?(\d{1,4}[-/.]\d{1,2}[-/.]\d{1,4})?(?:,? {1,2}|T)?(\d{1,2}:\d{2}(?::\d{2})?(?:[ \u00a0\u202f]?[ap]\.?m\.?)?)?(\]?(?: ?[-–—])?) /i;
/** Contacts that chats show by a name of their own, by number only, or with symbols: `~ Anna`, `+45 20 12 34 56`, `Anna 🎉`. */
const CONTACT =
  /^[\u200e\u202a]?(?:~[ \u00a0\u202f]?)?([\p{L}\p{N}+(][^:"“„«»\n]{0,59}?)[\u202c\u200e]?:(?:[ \u200e]+|$)/u;
const UNSEEN = /[\u200e\u200f\u202a-\u202e]/g;
const MOST_CONTACT_WORDS = 5;
const TELEPHONE = /^\+?[\d ()-]{6,24}$/;
const LABEL =
  /^(?:\*\*|__)?(\p{L}[\p{L}\p{M}\p{N}'’.\- ]{0,39}?)(?: ?\([^()]{1,40}\))?(?:\*\*|__)? ?:(?:\*\*|__)?(?:\s+|$)/u;
/** Roles as coding agents write them: `[role: user]`, `[user]` or `1. [user] …`. */
const ROLE_MARK = /^(?:\d{1,4}\. )?\[(?:role: ?)?(user|human|assistant|system|tool)\](?:\s+|$)/i;

/** A label before a colon, or a mark of a role, at the start of a line, which may name who says the rest. */
export interface SpeakerLabel {
  readonly label: string;
  /** How much of the line it takes up, including the time before it and the space after it. */
  readonly length: number;
  /** The day before it, as written. */
  readonly day: string | undefined;
}

/**
 * True when a label after a chat stamp could be what somebody is called there: a name, even with symbols or in lower case,
 * or a telephone number. Several lower-case words count only if the label recurs: "Called the bank" is not a contact.
 */
export function isPlausibleContact(label: string, comesAgain: boolean): boolean {
  if (TELEPHONE.test(label)) return true;
  const bare = singleSpaced(label.replace(/[^\p{L}\p{M}\p{N}'’. -]/gu, " "));
  const words = bare.toLowerCase().split(" ");
  const isNoName = NOT_SPEAKERS.has(words[0] ?? "") || /\p{L}[._/\\]\p{L}/u.test(label);
  if (isNoName || bare === "") return false;
  return isPlausibleName(bare) || words.length <= (comesAgain ? MOST_CONTACT_WORDS : 1);
}

/** What an exported chat puts before a message or notice. */
export interface ChatStamp {
  readonly length: number;
  readonly day: string;
  readonly isTwelveHours: boolean;
}

/** The stamp that a line of an exported chat begins with, e.g. `[12.03.25, 18:04] ` or `12/03/2025, 6:04 pm - `; else null. */
export function readStamp(line: string): ChatStamp | null {
  const [whole = "", day, time, end] = TIMESTAMP.exec(line.slice(0, LONGEST_LABEL)) ?? [];
  return day === undefined || time === undefined || end === ""
    ? null
    : { length: whole.length, day, isTwelveHours: /m/i.test(time) };
}

/** The label that a line begins with; `canonicalRole` and `isPlausibleName` tell whether it names anybody. */
export function readSpeakerLabel(line: string): SpeakerLabel | null {
  const head = line.slice(0, LONGEST_LABEL);
  const mark = ROLE_MARK.exec(head);
  if (mark?.[1] !== undefined) return { label: mark[1].toLowerCase(), length: mark[0].length, day: undefined };
  const timestamp = TIMESTAMP.exec(head);
  const from = timestamp?.[0].length ?? 0;
  const rest = head.slice(from);
  const match = LABEL.exec(rest) ?? (readStamp(line) ? CONTACT.exec(rest) : null);
  if (match?.[1] === undefined) return null;
  const label = match[1]
    .replace(UNSEEN, "")
    .replace(/[\u00a0\u202f]/g, " ")
    .trim();
  return { label, length: from + match[0].length, day: timestamp?.[1] };
}
