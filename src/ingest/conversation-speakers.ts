import type { Turn } from "../core/types.js";

/** What the parsers of the two notations hand over: turns and the text around them. */
export interface FoundConversation {
  readonly turns: readonly Turn[];
  readonly date: string | null;
  readonly before: string;
  readonly after: string;
}

/** How transcripts and message lists call the same four roles. */
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

/** Labels before a colon that are no speakers, although they look like names. */
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

/** The role that a label stands for (`human` -> `User`), or null when it is none. */
export function canonicalRole(label: string): string | null {
  return ROLES.get(label.trim().toLowerCase()) ?? null;
}

/** True when a label before a colon could be somebody's name. */
export function isPlausibleName(label: string): boolean {
  const words = label.split(" ");
  if (words.length > MOST_NAME_WORDS || NOT_SPEAKERS.has(label.toLowerCase())) return false;
  return words.every((word) => NAME_WORD.test(word)) && !NOT_SPEAKERS.has(words[0]?.toLowerCase() ?? "");
}
