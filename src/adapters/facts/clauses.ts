import { judge } from "./judge.js";
import { ownedCreature } from "./creatures.js";
import { LASTING_ADJECTIVES } from "./nouns.js";
import { readPredicate, type Predicate } from "./predicate.js";
import { readSubject, type Subject } from "./subject.js";
import { withTimeLast, type OpenedSentence } from "./opening.js";
import { isLikingVerb, readVerb } from "./verbs.js";
import type { Voice } from "./voice.js";
import { isCapitalised, wordsOf, type Word } from "./words.js";

/** A clause with a subject and a verb. */
export interface Clause {
  readonly subject: Subject;
  readonly predicate: Predicate;
}

const CONNECTORS = new Set([
  "and",
  "but",
  "so",
  "while",
  "whereas",
  "plus",
  "&",
  "then",
  "although",
  "though",
  "because",
]);
const DASH = /^[-–—]+$/;
const SUBORDINATE =
  /^(?:when|while|as|since|after|before|once|until|because|though|although|whenever|where|in|given|given that|assuming|should|had|were)$/i;
const END_MARKS = /[.!…,;:\s]+$/;
/** Verbs that are nouns just as often; after "I love" and "I have" they count as nouns. */
const NOUN_LIKE = new Set(
  "love work play study drink cook run plan visit travel paint dance walk use start design report support store camp hike climb fish garden smoke exercise swim show test dream record train host build offer cover share".split(
    " ",
  ),
);
/** Before these, a word that can be either is a verb. */
const TAKES_OBJECT = /^(?:an?|my|our|it|them|at|as|every)$/;
/** "… and doesn't drink", "… and will move". */
const AUXILIARY = /^(?:does|do|did|can|will|has|have|is|are|am|was|were|used)$/;
/** An event before these verbs still holds: "was signed yesterday and starts on Monday". */
const HOLDS_ON = /^(?:starts|begins|ends|expires|opens|closes|runs|lasts|costs)$/;
const AFTER_VERB = /^(?:in|at|for|as|to|from|with|on|an?|my|our|the|his|her|their|two|three|out|up)$/;
/** "Since I have a bad knee, I avoid stairs" states both. */
const CAUSE_FIRST =
  /^(?:because|since|as|although|though|even though|while|whereas|given that|now that) ((?:i|i'm|i've|my|we|we're|we've|our|he|he's|she|she's|\p{Lu}\p{L}+)\b[^,]{5,160}), ((?:i|i'm|i've|my|we|we're|we've|our|he|he's|she|she's|\p{Lu}\p{L}+)\b.{5,240})$/iu;
/** "My dad, who is 70, still works": two clauses about one person. */
const ASIDE_OF_PERSON = /^((?:my|our) [^,.;:]{2,40}), (who [^,.;:]{3,80}|an? [^,.;:]{3,40}), ([^,]{3,200})$/i;
/** "Ruth, our new treasurer, starts …", "Felix, who is 70, …". */
const ASIDE_OF_NAME =
  /^(\p{Lu}[\p{L}'-]+(?: \p{Lu}[\p{L}'-]+)?), (who [^,.;:]{3,80}|(?:an?|the|my|our) [^,.;:]{3,40}), (?!and\b|or\b)([^,]{3,200})$/u;
/** "Hal has a dog named Rex" */
const HAS_NAMED = /^([^,]{1,80}? (?:have|has|owns?|keeps?|adopted|got)) an? [^,]{2,60} (?:named|called) \p{Lu}/u;
/** "… and a cat named Tom": the named one does nothing. */
const NAMED = /^an? (?:[\p{L}-]+ ){1,4}(?:named|called) \p{Lu}/u;
/** "Ben works at Acme, where he met his wife": the event outlasts the job. */
const HAPPENED_THERE =
  /^([^,]{2,80} ((?:at|in) \p{Lu}[\p{L}'-]{1,30}(?: \p{Lu}[\p{L}'-]{1,30})?)), where (he|she|I|i|we) ([^,]{3,120}?)[.!]*$/u;
const MOST_CLAUSES = 6;

/** The context in which a clause is read. */
export interface ReadingContext {
  readonly voice: Voice;
  /** What "he" and "she" refer to, if that is certain. */
  readonly antecedent: string | null;
}

/** Parses a clause; null when it has no subject or verb that a fact can be made of. */
export function readClause(text: string, context: ReadingContext): Clause | null {
  return readWords(wordsOf(text), context);
}

function readWords(words: readonly Word[], { voice, antecedent }: ReadingContext): Clause | null {
  const subject = readSubject(words, voice, antecedent);
  if (!subject) return null;
  const isFirst = (subject.role === "self" || subject.role === "you") && !subject.isPlural;
  const predicate = readPredicate(words, subject.length, isFirst);
  return predicate && { subject, predicate };
}

/** Splits a sentence into independent clauses; one that cannot be split safely stays whole. */
export function splitClauses({ text, time }: OpenedSentence, context: ReadingContext): string[] {
  const clauses: string[] = [];
  let rest = text;
  const [, cause = "", effect = ""] = CAUSE_FIRST.exec(text) ?? [];
  if (cause !== "") {
    clauses.push(cause);
    rest = effect;
  }
  const [, person = "", aside = "", main = ""] = ASIDE_OF_PERSON.exec(text) ?? ASIDE_OF_NAME.exec(text) ?? [];
  if (person !== "" && !(aside.startsWith("who ") && / and /.test(person))) {
    clauses.push(`${person} ${aside.replace(/^who /i, "").replace(/^(?=(?:an?|the|my|our)\b)/i, "is ")}`);
    rest = `${person} ${main}`;
  }
  const happened = readHappenedThere(rest, context);
  if (happened) rest = happened.left;
  while (clauses.length < MOST_CLAUSES) {
    const split = readClause(rest, context) ? nextSplit(rest, context) : skipIntroduction(rest, context);
    if (!split) break;
    clauses.push(split.left);
    rest = split.right;
  }
  clauses.push(rest);
  if (happened) clauses.push(happened.right);
  return clauses.map((clause, index) => (index === 0 && time !== "" ? withTime(clause, time) : clause));
}

/** The time goes at the end of its own clause, even if another sentence follows: "Karen came yesterday; she is well." */
function withTime(clause: string, time: string): string {
  const at = clause.indexOf(";");
  return at === -1 ? `${clause.replace(END_MARKS, "")} ${time}` : `${clause.slice(0, at)} ${time}${clause.slice(at)}`;
}

interface Split {
  readonly left: string;
  readonly right: string;
}

function readHappenedThere(text: string, context: ReadingContext): Split | null {
  const [, left = "", there = "", pronoun = "", what = ""] = HAPPENED_THERE.exec(text) ?? [];
  const main = readClause(left, context);
  if (!main) return null;
  const subject = left.split(" ").slice(0, main.subject.length).join(" ");
  const right = `${/^(?:he|she)$/i.test(pronoun) ? subject : pronoun} ${what} ${there}`;
  const clause = readClause(right, context);
  const isFact = clause?.predicate.frame === "past" && judge(clause.subject, clause.predicate) !== null;
  return isFact ? { left, right } : null;
}

/** Cuts after the first clause: before another subject, before a verb that shares the subject, and before a remark. */
function nextSplit(text: string, context: ReadingContext): Split | null {
  const tokens = text.split(" ");
  for (let index = 2; index < tokens.length; index += 1) {
    const token = (tokens[index] ?? "").toLowerCase();
    const isDash = DASH.test(token);
    const isConnector = CONNECTORS.has(token) || isDash;
    if (!isConnector && !/[,;:]$/.test(tokens[index - 1] ?? "")) continue;
    const rightTokens = withoutConnectors(tokens.slice(isConnector ? index + 1 : index));
    const right = withTimeLast(rightTokens.join(" "));
    const left = tokens
      .slice(0, index)
      .join(" ")
      .replace(/[,;:]$/, "");
    const clause = readClause(left, context);
    if (!clause) continue;
    const [, having] = NAMED.test(right) ? (HAS_NAMED.exec(left) ?? []) : [];
    if (having !== undefined) return { left, right: `${having} ${right}` };
    const told = { ...context, antecedent: personOf(clause, context.voice) ?? context.antecedent };
    if (hasOwnSubject(right, told)) return { left, right };
    const remark = readRemark(left, right, isDash, context);
    if (remark !== null) return { left, right: remark };
    const isJoined = token === "and" || token === "but" || token === "&" || (!isDash && isInList(clause, rightTokens));
    if (left.includes("; ")) continue;
    const shared = sharedSubject(left, rightTokens, isJoined, context);
    if (shared !== null) return { left, right: `${shared} ${right}` };
  }
  return null;
}

/** "… signed yesterday, starts on Monday and runs for a year": the second of three verbs follows a bare comma. */
function isInList({ predicate: { verb } }: Clause, right: readonly string[]): boolean {
  if (verb !== null && (isLikingVerb(verb) || verb === "have")) return false;
  const isVerb = (word: string | undefined): boolean => readVerb(word?.toLowerCase() ?? "", "third") !== null;
  return isVerb(right[0]) && right.some((word, index) => index > 1 && word === "and" && isVerb(right[index + 1]));
}

/**
 * "Something awesome happened - I'm …": an introduction without a subject of its own may be dropped, unless it is a
 * condition.
 */
function skipIntroduction(text: string, context: ReadingContext): Split | null {
  const tokens = text.split(" ");
  const isSubordinate = SUBORDINATE.test(tokens[0] ?? "");
  for (let index = 1; index < tokens.length - 2; index += 1) {
    const token = tokens[index] ?? "";
    const isBreak = DASH.test(token) || /[;:]$/.test(tokens[index - 1] ?? "");
    const isComma = (tokens[index - 1] ?? "").endsWith(",") && !isSubordinate;
    if (!isBreak && !isComma) continue;
    const right = withoutConnectors(tokens.slice(DASH.test(token) ? index + 1 : index)).join(" ");
    const isLabelled =
      (tokens[index - 1] ?? "").endsWith(":") && index <= 3 && /^(?:the|his|her|\p{Lu}\p{L}+)\b/iu.test(right);
    if ((isLabelled || /^(?:i|i'm|i've|my|we|we're|we've|our)\b/i.test(right)) && hasOwnSubject(right, context))
      return { left: "", right };
  }
  return null;
}

function withoutConnectors(tokens: readonly string[]): string[] {
  const rest = [...tokens];
  while (rest.length > 2 && /^(?:then|also|so|and|but|now|btw),?$/i.test(rest[0] ?? "")) rest.shift();
  if (/^since$/i.test(rest[0] ?? "") && /^then,?$/i.test(rest[1] ?? "")) rest.splice(0, 2);
  return rest;
}

/**
 * A remark on the previous clause: "it was great", "- so exciting". An "it" that can only be the subject of that clause
 * is resolved to it.
 * @returns the rest to continue with, empty for a mere remark; null when the right side is part of the clause
 */
function readRemark(left: string, right: string, isDash: boolean, context: ReadingContext): string | null {
  const pronoun = /^(it|that|this|which|they|these|those|everything)\b/i.exec(right);
  if (pronoun) {
    if (readPredicate(wordsOf(right), 1, false) === null) return null;
    const subject = readClause(left, context)?.subject;
    const isOnlyOne = subject && (subject.role === "thing" || subject.role === "own") && !subject.isPlural;
    if (!isOnlyOne || pronoun[1]?.toLowerCase() !== "it") return "";
    return [...wordsOf(left).slice(0, subject.length), ...wordsOf(right).slice(1)].map((word) => word.raw).join(" ");
  }
  return isDash && !/[\p{Lu}\d]/u.test(right) ? "" : null;
}

function hasOwnSubject(right: string, context: ReadingContext): boolean {
  const clause = readClause(right, context);
  if (!clause) return false;
  const { predicate } = clause;
  return predicate.frame === "be" || predicate.frame === "was" || predicate.verb !== null;
}

/** The words to put before a second verb phrase or complement with the same subject; null when it is neither. */
function sharedSubject(
  left: string,
  right: readonly string[],
  isJoined: boolean,
  context: ReadingContext,
): string | null {
  const clause = readClause(left, context);
  if (!clause || right.length < 2) return null;
  const { subject, predicate } = clause;
  const words = wordsOf(left);
  const subjectText = words
    .slice(0, subject.length)
    .map((word) => word.raw)
    .join(" ");
  const rightWords = wordsOf(right.join(" ")).map((word) => word.lower);
  const verb =
    rightWords.find(
      (word) =>
        !/^(?:also|now|just|currently|often|usually|sometimes|really|then|still|only|later|since|always|never|recently|eventually|finally)$/.test(
          word,
        ),
    ) ?? "";
  const takesNouns = predicate.verb === "have" || (predicate.verb !== null && isLikingVerb(predicate.verb));
  const isVerbAfterAll = TAKES_OBJECT.test(rightWords[rightWords.indexOf(verb) + 1] ?? "");
  if (NOUN_LIKE.has(verb) && ((takesNouns && !isVerbAfterAll) || right.length < 3)) return null;
  const hasInfinitive =
    /\bto\b/.test(predicate.group) ||
    predicate.rest.some(
      (word, index) => word.lower === "to" && readVerb(predicate.rest[index + 1]?.lower ?? "", "base") !== null,
    );
  if (predicate.frame === "be" || predicate.frame === "progressive") {
    const isIntroduced = subject.role === "self" && isCapitalised(predicate.rest[0]);
    const isAge = /^\d{1,3},?$/.test(predicate.rest[0]?.raw ?? "") && predicate.rest.length === 1;
    if (!isJoined && isAge && LASTING_ADJECTIVES.has(verb))
      return `${subjectText} ${isFirstPerson(subject) ? "am" : "is"}`;
    if (!isJoined) return isIntroduced && /^(?:an?|the)$/.test(verb) ? `${subjectText} am` : null;
    const isComplement = LASTING_ADJECTIVES.has(verb) || /^(?:a|an|from|based|into|interested|keen)$/.test(verb);
    const isCount =
      subjectText.toLowerCase() === "we" ||
      /^\d|^(?:two|three|four|five|six|seven|eight)$/.test(predicate.rest[0]?.lower ?? "");
    if (/^an?$/.test(verb) && isCount) return null;
    if (isComplement && predicate.frame === "be") return `${subjectText} ${isFirstPerson(subject) ? "am" : "is"}`;
    const isGerund = predicate.frame === "progressive" && readVerb(verb, "gerund") !== null;
    if (isGerund) return `${subjectText} ${isFirstPerson(subject) ? "am" : "is"}`;
  }
  if (hasInfinitive || !isJoined) return null;
  if (AUXILIARY.test(verb) && readClause(`${subjectText} ${right.join(" ")}`, context) !== null) return subjectText;
  const isPast = predicate.frame === "past" || predicate.frame === "was" || predicate.frame === "perfect";
  const next = rightWords[rightWords.indexOf(verb) + 1] ?? "";
  const isAlsoPast =
    (readVerb(verb, "past") !== null && readVerb(verb, "gerund") === null) ||
    (/[a-z]{3,}ed$/.test(verb) && AFTER_VERB.test(next));
  if (isPast) return isAlsoPast || (!isFirstPerson(subject) && HOLDS_ON.test(verb)) ? subjectText : null;
  if (isAlsoPast && predicate.frame === "present" && readVerb(verb, "base") === null && AFTER_VERB.test(next))
    return subjectText;
  const isPresent = predicate.frame === "present" || predicate.frame === "be" || predicate.frame === "progressive";
  const form = isFirstPerson(subject) ? "base" : "third";
  return isPresent && readVerb(verb, form) !== null ? subjectText : null;
}

/** Who "he" and "she" are after a clause; null when it introduces nobody. */
export function personOf(clause: Clause, { self }: Voice): string | null {
  const { role, isPlural, text } = clause.subject;
  if ((role === "relative" || role === "person") && !isPlural) return text;
  const creature = ownedCreature(clause);
  if (creature !== null) return `${self}'s ${creature}`;
  return role === "own" || role === "unknown" ? ownerIn(text, self) : null;
}

/** `User's sister` in "User's sister's birthday", `Clara` in "Clara's number"; null for what is the speaker's own. */
function ownerIn(text: string, self: string): string | null {
  const owner = /^(.+)'s /.exec(text)?.[1] ?? "";
  return owner === "" || owner === self || owner.startsWith("The ") ? null : owner;
}

function isFirstPerson(subject: Subject): boolean {
  return subject.role === "self" || subject.role === "you";
}
