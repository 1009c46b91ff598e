import { readVerb, thirdPerson, verbForms } from "./verbs.js";
import type { Word } from "./words.js";

/** Tense and mood of the verb of a clause. */
type Frame =
  | "be"
  | "was"
  | "been"
  | "progressive"
  | "present"
  | "past"
  | "perfect"
  | "perfect-progressive"
  | "future"
  | "used-to"
  | "ability"
  | "obligation"
  | "preference"
  | "other";

/** What a clause says about its subject. */
export interface Predicate {
  readonly frame: Frame;
  /** Base form of the main verb; null if it is not a known verb. */
  readonly verb: string | null;
  readonly isNegated: boolean;
  readonly adverbs: readonly string[];
  /** The verb group, agreeing with a subject in the third person. */
  readonly group: string;
  /** The words after the verb group. */
  readonly rest: readonly Word[];
}

export const ADVERBS: ReadonlySet<string> = new Set(
  (
    "also just really still now always usually often sometimes never recently actually only even both all already finally currently " +
    "literally kinda honestly basically definitely totally absolutely truly mostly mainly generally typically rarely seldom hardly ever " +
    "probably occasionally regularly once soon lately previously formerly originally eventually not too so officially primarily " +
    "personally normally frequently nearly almost exclusively strictly strongly highly deeply secretly constantly ultimately later initially meanwhile hereby thereby thus therefore likewise furthermore moreover nevertheless nonetheless"
  ).split(" "),
);
/** Adverbs that add nothing worth repeating in a fact. */
const FILLERS = new Set(
  "just really actually literally kinda honestly basically definitely totally absolutely truly so even too both all".split(
    " ",
  ),
);
const MODALS = new Set("would could should might may must shall".split(" "));

/** The current position in the words, and what has been read so far. */
interface Reader {
  readonly words: readonly Word[];
  index: number;
  readonly adverbs: string[];
  readonly group: string[];
  isNegated: boolean;
}

/**
 * Reads the verb group at `from`.
 * @param isFirst true if the verb agrees with "I", "we" or "you" and must be put into the third person
 * @returns null when there is no verb
 */
export function readPredicate(words: readonly Word[], from: number, isFirst: boolean): Predicate | null {
  const reader: Reader = { words, index: from, adverbs: [], group: [], isNegated: false };
  skipAdverbs(reader);
  const word = lowerAt(reader, 0);
  if (/^(?:am|are|is|was|were|be)$/.test(word)) return readBe(reader, isFirst);
  if (/^(?:have|has|had)$/.test(word)) return readHave(reader, isFirst);
  if (/^(?:do|does|did)$/.test(word)) return readDo(reader, isFirst);
  if (word === "used" && lowerAt(reader, 1) === "to") return readUsedTo(reader);
  if (word === "to") return readTask(reader);
  if (word === "will" || word === "can" || MODALS.has(word)) return readModal(reader);
  return readLexical(reader, isFirst);
}

function readBe(reader: Reader, isFirst: boolean): Predicate {
  const word = take(reader);
  const isPast = word === "was" || word === "were";
  reader.group.push(isFirst ? (isPast ? "was" : "is") : word);
  skipAdverbs(reader);
  const next = lowerAt(reader, 0);
  if (next === "going" && lowerAt(reader, 1) === "to" && readVerb(lowerAt(reader, 2), "base") !== null) {
    reader.group.push("going", "to", lowerAt(reader, 2));
    const verb = readVerb(lowerAt(reader, 2), "base");
    reader.index += 3;
    return finish(reader, isPast ? "other" : "future", verb);
  }
  const gerund = readVerb(next, "gerund");
  if (gerund === null) return finish(reader, isPast ? "was" : "be", "be");
  reader.group.push(take(reader));
  return finish(reader, isPast ? "other" : "progressive", gerund);
}

function readHave(reader: Reader, isFirst: boolean): Predicate {
  const word = take(reader);
  const isPast = word === "had";
  const auxiliary = isPast ? "had" : isFirst ? "has" : word;
  reader.group.push(auxiliary);
  skipAdverbs(reader);
  const next = lowerAt(reader, 0);
  if (next === "to" && !reader.isNegated) {
    take(reader);
    reader.group.push("to");
    return finish(reader, isPast ? "other" : "obligation", readVerb(lowerAt(reader, 0), "base"));
  }
  if (next === "been") return readBeen(reader, isPast);
  if (next === "got" && !isPast) {
    take(reader);
    return finish(reader, "present", "have");
  }
  const participle = readVerb(next, "participle");
  if (participle !== null) {
    reader.group.push(take(reader));
    return finish(reader, isPast ? "other" : "perfect", participle);
  }
  return finish(reader, isPast ? "past" : "present", "have");
}

function readBeen(reader: Reader, isPast: boolean): Predicate {
  reader.group.push(take(reader));
  const gerund = readVerb(lowerAt(reader, 0), "gerund");
  if (gerund === null) return finish(reader, isPast ? "other" : "been", "be");
  reader.group.push(take(reader));
  return finish(reader, isPast ? "other" : "perfect-progressive", gerund);
}

function readDo(reader: Reader, isFirst: boolean): Predicate | null {
  const word = take(reader);
  const isPast = word === "did";
  const before = reader.group.length;
  skipAdverbs(reader);
  const verb = readVerb(lowerAt(reader, 0), "base");
  if (verb !== null && (reader.isNegated || verb !== "do")) {
    if (!reader.isNegated) return readLexical(reader, isFirst, isPast);
    reader.group.splice(before, 0, isPast ? "did" : isFirst ? "does" : word);
    reader.group.push(take(reader));
    return finish(reader, isPast ? "past" : "present", verb);
  }
  reader.group.push(isPast ? "did" : isFirst ? "does" : word);
  return finish(reader, isPast ? "past" : "present", "do");
}

function readUsedTo(reader: Reader): Predicate {
  const verb = readVerb(lowerAt(reader, 2), "base");
  reader.group.push("used", "to", lowerAt(reader, 2));
  reader.index += 3;
  return finish(reader, "used-to", verb);
}

/** "Devon to order microphones by Friday", as minutes put it. */
function readTask(reader: Reader): Predicate | null {
  take(reader);
  const verb = readVerb(lowerAt(reader, 0), "base");
  if (verb === null) return null;
  reader.group.push("is", "to", take(reader));
  return finish(reader, "future", verb);
}

function readModal(reader: Reader): Predicate {
  const modal = take(reader);
  const before = reader.group.length;
  const isRather = modal === "would" && lowerAt(reader, 0) === "rather";
  if (isRather) reader.group.push(take(reader));
  skipAdverbs(reader);
  const verb = readVerb(lowerAt(reader, 0), "base");
  reader.group.splice(before, 0, modal);
  if (verb !== null) reader.group.push(take(reader));
  if (modal === "can") {
    const group = reader.group.join(" ").replace("can not", "cannot");
    return { ...finish(reader, "ability", verb), group };
  }
  if (isRather && !reader.isNegated) return finish(reader, "preference", verb);
  return finish(reader, modal === "will" ? "future" : "other", verb);
}

function readLexical(reader: Reader, isFirst: boolean, isEmphaticPast = false): Predicate | null {
  const word = lowerAt(reader, 0);
  if (!/^\p{L}[\p{L}'-]+$/u.test(word)) return null;
  const forms = verbForms(word);
  const third = forms.find((form) => form.tense === "third");
  const base = forms.find((form) => form.tense === "base");
  const past = forms.find((form) => form.tense === "past");
  take(reader);
  if (isEmphaticPast && base) {
    reader.group.push("did", word);
    return finish(reader, "past", base.base);
  }
  const ambiguousPast = base && past && pointsToPast(reader);
  const present = isFirst ? (ambiguousPast ? undefined : base) : (third ?? (past ? undefined : base));
  if (present) {
    reader.group.push(isFirst ? thirdPerson(word) : word);
    return finish(reader, "present", present.base);
  }
  if (past) {
    reader.group.push(word);
    return finish(reader, "past", past.base);
  }
  if (forms.length > 0 || !isFirst) return null;
  reader.group.push(word.endsWith("ed") ? word : thirdPerson(word));
  return finish(reader, word.endsWith("ed") ? "past" : "present", null);
}

/** "read", "put" and "cut" look the same in the present and the past; a past date decides. */
function pointsToPast(reader: Reader): boolean {
  const rest = reader.words.map((word) => word.lower).join(" ");
  return (
    /\b(?:yesterday|ago|last (?:night|week|weekend|month|year|\w+day)|this morning|recently|on (?:mon|tues|wednes|thurs|fri|satur|sun)day\b|in (?:19|20)\d\d)\b/.test(
      rest,
    ) || lowerAt(reader, -1) === "quit"
  );
}

function skipAdverbs(reader: Reader): void {
  for (;;) {
    const word = lowerAt(reader, 0);
    const isNoLonger = word === "no" && lowerAt(reader, 1) === "longer";
    if (isNoLonger) {
      reader.group.push("no", "longer");
      reader.adverbs.push("no longer");
      reader.index += 2;
      continue;
    }
    const isMuch =
      /^(?:much|very)$/.test(word) && /^(?:much|prefer|prefers|enjoy|enjoys|like|likes)$/.test(lowerAt(reader, 1));
    const isFurther = word === "further" && readVerb(lowerAt(reader, 1), "base") !== null;
    const isAdverb =
      isMuch ||
      isFurther ||
      ADVERBS.has(word) ||
      (/^[a-z]{3,}ly$/.test(word) && verbForms(word).length === 0 && !/^(?:family|only|july|italy)$/.test(word));
    if (!isAdverb || reader.index >= reader.words.length - 1) return;
    if (word === "not") reader.isNegated = true;
    if (word === "never") reader.isNegated = true;
    reader.adverbs.push(word);
    const isMeant = word === "all" && lowerAt(reader, 1) === "about";
    const isLimited = reader.adverbs.includes("no longer");
    if ((!FILLERS.has(word) || isMeant || isLimited) && !isMuch) reader.group.push(word);
    reader.index += 1;
  }
}

function lowerAt(reader: Reader, offset: number): string {
  return reader.words[reader.index + offset]?.lower ?? "";
}

function take(reader: Reader): string {
  const word = lowerAt(reader, 0);
  reader.index += 1;
  return word;
}

function finish(reader: Reader, frame: Frame, verb: string | null): Predicate {
  return {
    frame,
    verb,
    isNegated: reader.isNegated,
    adverbs: reader.adverbs,
    group: reader.group.join(" "),
    rest: reader.words.slice(reader.index),
  };
}
