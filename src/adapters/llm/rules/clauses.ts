import { LASTING_ADJECTIVES } from "./nouns.js";
import { readPredicate, type Predicate } from "./predicate.js";
import { readSubject, type Subject } from "./subject.js";
import { isEventVerb, readVerb } from "./verbs.js";
import type { Voice } from "./voice.js";
import { wordsOf, type Word } from "./words.js";

/** A clause that has a subject and a verb. */
export interface Clause {
  readonly subject: Subject;
  readonly predicate: Predicate;
}

const OPENERS =
  /^(?:(?:well|yeah|yes|yep|yup|no|nope|oh|ah|wow|ok|okay|so|and|but|also|anyway|anyways|btw|by the way|fyi|actually|honestly|to be honest|basically|plus|sure|right|hmm|haha|lol|sorry|thanks|thank you|guess what|you know|i mean|frankly|luckily|unfortunately|sadly|fortunately|thankfully|as i said|as i mentioned|like i said|for the record|just so you know|just fyi|fun fact|quick note|note|ps|p\.s\.|first of all|turns out|it turns out|hey|hi|hello|cool|great|nice|correction|update|reminder|personally|apparently|recently|lately|of course|true|exactly|in fact|obviously|for context|for me|these days|nowadays|at the moment|right now|currently|in general|besides|speaking of which|funny enough)[,:!.…—-]*\s+)/i;
/** Frames that only introduce what is to be remembered. */
const FRAMES =
  /^(?:(?:please )?(?:remember|note|know|don't forget|keep in mind|bear in mind)(?: that|:|,)?|(?:i|we) (?:just )?(?:want(?:ed)? to|should|have to|must|'d like to) (?:tell you|let you know|mention|add|share|point out|say)(?: that)?|(?:for your information|you should know|i should mention|i forgot to mention|i can tell you|i told you|i already told you|did i mention)(?: that)?)[,:]? (?=(?:i|i'm|i've|my|we|we're|our|the|\p{Lu})\b)/iu;
const LEADING_TIME =
  /^((?:yesterday|today|tonight|tomorrow|last night|this (?:morning|afternoon|evening|week|month|year|weekend|spring|summer|fall|autumn|winter|\w+day)|(?:last|next) (?:week|month|year|weekend|spring|summer|fall|autumn|winter|\w+day)|(?:on|every|each) \w+(?: (?:morning|evening|afternoon|night))?|on the \w+ of \w+|(?:a|an|one|two|three|four|five|six|seven|eight|ten|\d+|a few|a couple of|several) (?:days?|weeks?|months?|years?) ago|(?:back )?in (?:\w+ )?\d{4}|in (?:january|february|march|april|may|june|july|august|september|october|november|december)|since \d{4}|on \w+ \d{1,2}(?:st|nd|rd|th)?|on \d{1,2}(?:st|nd|rd|th)? \w+|for (?:the (?:last|past) )?\w+ (?:years|months|weeks)|as an? \w+(?: \w+)?|after work|before work|at work|at home|on weekends|on weekdays|in the (?:mornings?|evenings?|afternoons?|summer|winter)|for a living|when i was (?:a |an )?\w+|for (?:breakfast|lunch|dinner)|in my (?:free|spare) time|in winter|in summer|at night|during the (?:week|day))),? (?=(?:i|i'm|i've|i'll|we|we're|we've|my|our|he|she|the)\b|\p{Lu}\p{L}+ )/iu;
const DROPPED_SUBJECT = /^(?:(just|finally|recently|already) )?(\w+)\b/i;
const CONNECTORS = new Set(["and", "but", "so", "while", "whereas", "plus", "&", "then", "although", "though"]);
const MOST_CLAUSES = 6;

/** What a clause is read with. */
export interface ReadingContext {
  readonly voice: Voice;
  /** What "he" and "she" stand for, if that is certain. */
  readonly antecedent: string | null;
}

/** Takes away what introduces a sentence, and puts a time at its start to its end, so that it begins with its subject. */
export function openSentence(text: string, voice: Voice): string {
  let opened = text.replace(/^["'(]+/, "");
  for (let round = 0; round < 4; round += 1) {
    const before = opened;
    opened = withoutVocative(opened.replace(OPENERS, "").replace(FRAMES, ""), voice);
    if (opened === before) break;
  }
  opened = opened.replace(/^it(?:'s| is) my birthday /i, "my birthday is ");
  const time = LEADING_TIME.exec(opened)?.[1];
  if (time !== undefined) {
    const rest = opened
      .slice(time.length)
      .replace(/^,? /, "")
      .replace(/[.!…,;\s]+$/, "");
    opened = `${rest} ${/^(?:I\b|\p{Lu}\p{L}+day)/u.test(time) ? time : lowerFirst(time)}`;
  }
  return restoreSubject(opened, voice);
}

/** "Thanks, Mel" and "Mel, I …": names of those who talk, also shortened. */
function withoutVocative(text: string, voice: Voice): string {
  const start = /^(\p{Lu}\p{L}+)[,!] /u.exec(text);
  const end = /, (\p{Lu}\p{L}+)[.!…]*$/u.exec(text);
  const isSpeaker = (name: string | undefined): boolean =>
    name !== undefined && [...voice.speakers].some((speaker) => speaker.startsWith(name.slice(0, 3)));
  let result = text;
  if (end && isSpeaker(end[1])) result = result.slice(0, end.index);
  if (start && isSpeaker(start[1])) result = result.slice(start[0].length);
  return result;
}

/** In talk, "Just moved to Berlin" and "Gonna visit Rome" have an "I" that nobody says. */
function restoreSubject(text: string, voice: Voice): string {
  if (voice.kind === "document" || voice.kind === "assistant") return text;
  const [, , word = ""] = DROPPED_SUBJECT.exec(text) ?? [];
  const lower = word.toLowerCase();
  if (lower === "gonna" || (lower === "going" && / to /.test(text.slice(0, 12)))) return `I am ${lowerFirst(text)}`;
  const past = readVerb(lower, "past");
  const isEvent =
    past !== null &&
    isEventVerb(past) &&
    readVerb(lower, "base") === null &&
    !/^(?:made|found|had|left|took|kept|met|got)$/.test(lower);
  const isGot = lower === "got" && /^(?:just|finally) got (?:a|an|my|back|engaged|married|promoted)\b/i.test(text);
  return isEvent || isGot ? `I ${lowerFirst(text)}` : text;
}

function lowerFirst(text: string): string {
  return text.charAt(0).toLowerCase() + text.slice(1);
}

/** Reads a clause; null when it has no subject or verb that a fact can be made of. */
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

/** Splits a sentence into clauses that stand on their own; one that cannot be split safely stays whole. */
export function splitClauses(text: string, context: ReadingContext): string[] {
  const clauses: string[] = [];
  let rest = text;
  while (clauses.length < MOST_CLAUSES) {
    const split = firstSplit(rest, context);
    if (!split) break;
    clauses.push(split.left);
    rest = split.right;
  }
  clauses.push(rest);
  return clauses;
}

function firstSplit(text: string, context: ReadingContext): { left: string; right: string } | null {
  const tokens = text.split(" ");
  const left = readClause(text, context);
  if (!left) return null;
  for (let index = 2; index < tokens.length - 1; index += 1) {
    const token = (tokens[index] ?? "").toLowerCase();
    const before = tokens[index - 1] ?? "";
    const isDash = /^[-–—]+$/.test(token);
    const isConnector = CONNECTORS.has(token) || isDash;
    if (!isConnector && !/[,;:]$/.test(before)) continue;
    const rightFrom = isConnector ? index + 1 : index;
    const rightTokens = tokens.slice(rightFrom);
    while (rightTokens.length > 2 && /^(?:then|also|so|and|but|now)$/i.test(rightTokens[0] ?? "")) rightTokens.shift();
    const right = rightTokens.join(" ");
    const leftText = tokens
      .slice(0, index)
      .join(" ")
      .replace(/[,;:]$/, "");
    if (hasOwnSubject(right, context)) return { left: leftText, right };
    if (token !== "and" && token !== "but" && !(token === "&")) continue;
    const shared = sharedSubject(leftText, rightTokens, context);
    if (shared !== null) return { left: leftText, right: `${shared} ${right}` };
  }
  return null;
}

function hasOwnSubject(right: string, context: ReadingContext): boolean {
  const clause = readClause(right, context);
  if (!clause) return false;
  const { predicate } = clause;
  return predicate.frame === "be" || predicate.frame === "was" || predicate.verb !== null;
}

/** The words to put before a second verb phrase or complement that has the subject of the first; null when it is none. */
function sharedSubject(left: string, right: readonly string[], context: ReadingContext): string | null {
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
      (word) => !/^(?:also|now|just|currently|often|usually|sometimes|really|then|still|only)$/.test(word),
    ) ?? "";
  const hasInfinitive = predicate.rest.some((word) => word.lower === "to") || /\bto\b/.test(predicate.group);
  if (predicate.frame === "be" || predicate.frame === "progressive") {
    const isComplement = LASTING_ADJECTIVES.has(verb) || /^(?:a|an|from|based|into|interested|keen)$/.test(verb);
    if (isComplement && predicate.frame === "be") return `${subjectText} ${isFirstPerson(subject) ? "am" : "is"}`;
    const isGerund = predicate.frame === "progressive" && readVerb(verb, "gerund") !== null;
    if (isGerund) return `${subjectText} ${isFirstPerson(subject) ? "am" : "is"}`;
  }
  if (hasInfinitive) return null;
  const isPast = predicate.frame === "past" || predicate.frame === "was" || predicate.frame === "perfect";
  if (isPast) return readVerb(verb, "past") !== null && readVerb(verb, "gerund") === null ? subjectText : null;
  const isPresent = predicate.frame === "present" || predicate.frame === "be" || predicate.frame === "progressive";
  const form = isFirstPerson(subject) ? "base" : "third";
  return isPresent && readVerb(verb, form) !== null ? subjectText : null;
}

function isFirstPerson(subject: Subject): boolean {
  return subject.role === "self" || subject.role === "you";
}
