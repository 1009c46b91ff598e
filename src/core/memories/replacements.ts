import { dropAtEnd } from "../../lib/drop-at-end.js";
import { valueWords } from "./slot-values.js";
import { readStatement, type Statement } from "./statement.js";

/** What a text says replaces something else that it names. */
export type Replacement =
  /** "The port is 3000 now, not 5173": replaces a statement of the other value in the same words. */
  | {
      readonly kind: "value";
      readonly words: readonly string[];
      readonly former: readonly string[];
      /** Says itself when it happens again. */
      readonly isRecurring: boolean;
    }
  /**
   * "We upgraded the API to Node 22": replaces a statement of another version of the same thing; of any of their things if `of`
   * is null.
   */
  | { readonly kind: "version"; readonly of: string | null; readonly name: string; readonly version: string };

/** "every weekday": who says the new time often leaves it out. */
const RECURRENCE =
  /,? (?:(?:every|each) (?:other )?[a-z]{3,10}(?: (?:morning|noon|afternoon|evening|night))?|daily|weekly|monthly|on (?:week(?:day|end)s|(?:mon|tues|wednes|thurs|fri|satur|sun)days))$/i;
const LONGEST = 240;
/** Most words of a value. */
const MOST_WORDS = 4;
/** Fewest words that the two must share, including the subject. */
const FEWEST_SHARED = 2;

const CORRECTING = /^(?:(?:actually|in fact),? |(?:oh|no|nope|sorry|wait|correction)[,:] )+(?=\S)/i;
const NAMED_AT_END =
  /,? \(?(?:and |but )?(?:not(?! only\b| just\b| always\b| really\b| even\b| yet\b)|no longer|instead of|rather than|previously|formerly|replacing|up from|down from) (?:(?:in|at|for|on|as|by|with) )?([^,;()]{1,60})\)?$/iu;
/** Someone who left a meeting or left on holiday comes back. */
const FOR_GOOD =
  "(?:the|our) (?:company|firm|business|organi[sz]ation|team|group|project|board|startup)|" +
  "(?:last|this) (?:week|month|year|quarter|spring|summer|autumn|fall|winter|(?:mon|tues|wednes|thurs|fri|satur|sun)day)|" +
  "(?:in|on|at the end of) (?:(?:mon|tues|wednes|thurs|fri|satur|sun)day|january|february|march|april|may|june|july|august|september|october|november|december|\\d)[^,;.]{0,30}";
const TO_OTHERS =
  "(?:moved|switched|transferred|went) (?:over )?to (?:[\\p{L}-]+ ){1,4}(?:team|group|department|division|squad|unit|project|company|role)";
const LEFT = new RegExp(
  `^([^,;]{1,60}?) (?:has |have )?(?:(?:left|quit|resigned|retired|departed|stepped down|moved on|is gone)(?: (?:${FOR_GOOD}))?|${TO_OTHERS})(?:;|,|\\.| and| so)(?: and| so)? (\\S.*)$`,
  "iu",
);

/** What passes from one to the other; somebody else's dog, town or taste does not. */
const TAKEN_ON =
  /^.{1,60}? (?:leads?|owns?|runs?|maintains?|manages?|heads?|handles?|coordinates?|organi[sz]es|chairs?|looks? after|(?:is|are) (?:responsible for|in charge of)) (?!(?:an?|his|her|their) )/i;

/** "I prefer tabs… no wait, I mean 2 spaces" */
const TAKEN_BACK =
  /^([^,;.…]{3,80}?)(?:\s*(?:…|\.{1,4}|[,;]| [-–—]+)\s*|\s)(?:(?:oh|sorry|uh),? )?(?:no,? wait|wait,? no|no,? actually|actually,? no|scratch that|correction|or rather|no,? sorry|i meant?)\b[,:.]? (?:(?:i meant?|make that|it's) )?([^,;:.]{1,60})$/iu;

const CHANGED = "(?:upgraded|updated|downgraded|migrated|bumped)";
const NAME_AND_VERSION = "(?<name>\\p{Lu}[\\p{L}.+#-]{0,30}) (?<version>v?\\d[\\d.]{0,10})";
const UPGRADED = new RegExp(
  `^(?<who>[^,]{1,60}?) (?:has |have )?${CHANGED}(?: (?<of>[^,]{1,60}?))?(?: from [^,]{1,40}?)? to ${NAME_AND_VERSION}$`,
  "u",
);
const WAS_UPGRADED = new RegExp(
  `^(?<of>[^,]{1,60}?) (?:was|were|has been|have been|got) ${CHANGED}(?: from [^,]{1,40}?)? to ${NAME_AND_VERSION}$`,
  "u",
);
const IN_USE = new RegExp(
  `\\b(?:runs?|is|are|uses?|using|works?|built)(?: still)?(?: on| with| in| at)? ${NAME_AND_VERSION}$`,
  "u",
);

/** Reads what a text says is no longer so, and what is so instead; null for anything not said that plainly. */
export function readReplacement(raw: string): Replacement | null {
  if (raw.length > LONGEST || raw.includes("?")) return null;
  const text = dropAtEnd(raw.trim(), /[.!]/).replace(CORRECTING, "");
  const ended = NAMED_AT_END.exec(text);
  if (ended) return valueOf(readStatement(text.slice(0, ended.index)), ended[1] ?? "");
  const back = TAKEN_BACK.exec(text);
  if (back) return insteadOfLast(back[1] ?? "", back[2] ?? "");
  const left = LEFT.exec(text);
  const next = left && readStatement(left[2] ?? "");
  if (left && next) return next.isChange && TAKEN_ON.test(next.text) ? valueOf(next, left[1] ?? "") : null;
  return versionOf(readStatement(text));
}

/** The last word of what was said first is what was taken back. */
function insteadOfLast(said: string, instead: string): Replacement | null {
  const words = said.trim().split(" ");
  return valueOf(readStatement([...words.slice(0, -1), instead].join(" ")), words.at(-1) ?? "");
}

function valueOf(statement: Statement | null, named: string): Replacement | null {
  if (!statement || statement.isNegative) return null;
  const [words, former] = [wordsOf(statement), valueWords(named)];
  if (former.length === 0 || former.length > MOST_WORDS) return null;
  return { kind: "value", words, former, isRecurring: RECURRENCE.test(statement.dated) };
}

function versionOf(statement: Statement | null): Replacement | null {
  if (!statement || statement.isNegative || statement.scope !== "") return null;
  const found = (WAS_UPGRADED.exec(statement.text) ?? UPGRADED.exec(statement.text))?.groups;
  if (!found) return null;
  const { who = "", of, name = "", version = "" } = found;
  const named = of?.replace(/^(?:their|his|her|its) /i, `${who}'s `) ?? who;
  const isAnyOfOurs = of === undefined && ownName(who) === "";
  return { kind: "version", of: isAnyOfOurs ? null : ownName(named), name, version };
}

/** The speakers' own things have one name, whoever mentions them: "the API", "our API", "the team's API". */
function ownName(named: string): string {
  return valueWords(named.replace(/^(?:user|we|the team|team|my|our)(?:'s |$)/i, "")).join(" ");
}

/** True for a statement of what is so instead, and nothing else. */
export function saysNew(replacement: Replacement, statement: Statement): boolean {
  if (statement.isNegative || replacement.kind !== "value") return false;
  return wordsOf(statement).join(" ") === replacement.words.join(" ");
}

/** What is "ours" is recorded as the user's. */
function wordsOf({ dated }: Pick<Statement, "dated">): readonly string[] {
  return valueWords(dated.replace(/^(?:we|the team)'s /i, "User's "));
}

/** True for a text that said of the old value what is now said of the new one. */
export function isReplacedBy(replacement: Replacement, other: Statement): boolean {
  if (other.isNegative) return false;
  return replacement.kind === "value" ? saysOfFormer(replacement, other) : usesOtherVersion(replacement, other);
}

function saysOfFormer(replacement: Extract<Replacement, { kind: "value" }>, { dated }: Statement): boolean {
  if (saysFormer(replacement, dated)) return true;
  return !replacement.isRecurring && saysFormer(replacement, dated.replace(RECURRENCE, ""));
}

/** "6060 in staging" is no other value of what was 5050 everywhere. */
const QUALIFIES = /^(?:in|on|at|for|with|without|under|during|when|while|if|from|by|behind|inside)$/;

function saysFormer({ words, former }: Extract<Replacement, { kind: "value" }>, statement: string): boolean {
  const said = wordsOf({ dated: statement });
  const shared = said.length - former.length;
  const added = words.length - shared;
  if (shared < FEWEST_SHARED || added < 1 || added > MOST_WORDS) return false;
  return said.some((_, at) => {
    const isHere = at <= shared && former.every((word, index) => said[at + index] === word);
    if (!isHere) return false;
    if (words.slice(at, at + added).some((word) => QUALIFIES.test(word) && !former.includes(word))) return false;
    const [before, after] = [said.slice(0, at), said.slice(at + former.length)];
    const isBefore = before.every((word, index) => words[index] === word);
    return isBefore && after.every((word, index) => words[at + added + index] === word);
  });
}

function usesOtherVersion(
  { of, name, version }: Extract<Replacement, { kind: "version" }>,
  { text }: Statement,
): boolean {
  const used = IN_USE.exec(text);
  if (used?.groups?.["name"] !== name || used.groups["version"] === version) return false;
  const user = ownName(text.slice(0, used.index).replace(/ (?:is|are|was|were)? ?$/, ""));
  return of === null ? /^[^ ']*$/.test(user) : user === of;
}

/** Words by which the text index finds what may have been replaced. */
export function wordsOfReplaced(replacement: Replacement): readonly string[] {
  if (replacement.kind === "version") return valueWords(`${replacement.name} ${replacement.of ?? ""}`);
  return [...replacement.former, ...replacement.words].slice(0, 2 * MOST_WORDS);
}
