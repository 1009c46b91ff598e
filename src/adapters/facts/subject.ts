import { EVALUATIVE, EVENT_NOUNS, NOT_NAMES, OWN_THINGS, PETS, RELATIVES, SHARED_THINGS } from "./nouns.js";
import { isSaidOfPersons } from "./persons.js";
import { ADVERBS } from "./predicate.js";
import { verbForms } from "./verbs.js";
import { meantBy, type Voice } from "./voice.js";
import { isCapitalised, textOf, type Word } from "./words.js";

/** What a clause speaks of. */
export interface Subject {
  /** In the third person: `User`, `Caroline's sister Anna`, `The staging server`. */
  readonly text: string;
  /** `unknown` is a noun that starts a clause but yields no facts. */
  readonly role: "self" | "you" | "relative" | "own" | "person" | "thing" | "unknown";
  /** The noun that says what it is, in lower case; the name for persons. */
  readonly head: string;
  readonly isPlural: boolean;
  readonly isFavourite: boolean;
  /** How many words of the clause it takes up. */
  readonly length: number;
}

const LONGEST_SUBJECT = 8;
const LONGEST_BARE = 3;
/** Words that start a sentence but are not bare nouns. */
const NO_NOUN =
  /^(?:this|that|these|those|it|its|he|she|they|you|i|we|my|our|your|his|her|their|there|here|what|who|how|when|where|why|which|if|unless|because|as|let's|lets|please|don't|do|does|did|is|are|was|were|has|have|had|can|will|would|should|not|no|yes|so|and|but|or|also|then|just|people|men|women|things|thanks|always|sometimes|perhaps|others|some|many|most|all|both)$/;
const AUXILIARIES = new Set(
  "is are was were has have had will can does did do would could should must might may isn't".split(" "),
);
const LINKS = new Set(["of", "in", "at", "for", "from", "with", "and", "on", "to", "since", "&"]);
const PLURALS = new Set(["children", "people", "folks", "parents", "family", "team", "police", "men", "women"]);
const NAME_LINKS = new Set(["of", "de", "van", "von", "der", "den", "la", "el", "al", "bin", "and", "&"]);
/** Nouns for persons, by their ending. */
const PERSON_NOUN =
  /.(?:ologist|therapist|iatrist|mistress|master|mates?|keeper|sitter|minder|woman|women|boss|mentor|partner|coach|teacher)$/;
/** Names that people use for their own parents and grandparents. */
const PARENT_NAMES = /^(?:Mum|Mom|Mummy|Mommy|Mama|Dad|Daddy|Papa|Grandma|Grandpa|Granny|Nana)$/;
const OTHER_VERBS =
  /^(?:lives|works|uses|runs|owns|launches|starts|ends|begins|costs|supports|requires|depends|likes|loves|hates|prefers|is|was)$/;

/** Reads the subject at the start of a clause; null when no fact can be about it. */
export function readSubject(words: readonly Word[], voice: Voice, antecedent: string | null): Subject | null {
  const first = words[0]?.lower ?? "";
  const companions = words.findIndex(
    (word, index) => index > 1 && word.lower === "i" && words[index - 1]?.lower === "and",
  );
  if (companions !== -1 && companions < LONGEST_SUBJECT && first !== "i") {
    const together = readCompanions(words.slice(0, companions - 1), voice);
    if (together) return together;
  }
  if (first === "i" || first === "we") {
    const who = meantBy(first, voice);
    return who === null
      ? { ...selfSubject(first === "i" ? "I" : "We"), isPlural: true, length: 1 }
      : { ...selfSubject(who), length: 1 };
  }
  const second = words[1]?.lower ?? "";
  if (/^(?:both|all)$/.test(first) && /^(?:my|our)$/.test(second)) return readNoun(words, 2, ownerBy(second, voice));
  if (/^(?:one|two|three)$/.test(first) && second === "of" && /^(?:my|our)$/.test(words[2]?.lower ?? "")) {
    const some = readNoun(words, 3, `${words[0]?.raw ?? ""} of ${ownerBy(words[2]?.lower ?? "", voice)}`);
    return some && { ...some, isPlural: first !== "one" };
  }
  if (first === "my" || first === "our") return readNoun(words, 1, ownerBy(first, voice));
  if (first === "you" && voice.kind === "assistant" && voice.addressee !== null) {
    return { ...selfSubject(voice.addressee), role: "you", length: 1 };
  }
  if (first === "your" && voice.kind === "assistant" && voice.addressee !== null) {
    return readNoun(words, 1, `${voice.addressee}'s`);
  }
  if ((first === "he" || first === "she") && antecedent !== null) {
    return { text: antecedent, role: "relative", head: "person", isPlural: false, isFavourite: false, length: 1 };
  }
  if ((first === "his" || first === "her") && antecedent !== null) return readNoun(words, 1, `${antecedent}'s`);
  if (PARENT_NAMES.test(words[0]?.raw ?? "")) {
    const text = `${voice.self}'s ${first}`;
    return { text, role: "relative", head: first, isPlural: false, isFavourite: false, length: 1 };
  }
  if (first === "the") return readTheSubject(words, voice);
  return readNamed(words, voice) ?? readIndefinite(words, voice) ?? readBare(words, voice);
}

/** "my" and "our" as facts write them. */
function ownerBy(word: string, voice: Voice): string {
  const who = meantBy(word, voice);
  return who === null ? (word === "my" ? "My" : "Our") : `${who}'s`;
}

function selfSubject(text: string): Omit<Subject, "length"> {
  return { text, role: "self", head: text, isPlural: false, isFavourite: false };
}

/** "My wife and I", "Tom and I": the speaker comes first in the fact. */
function readCompanions(companions: readonly Word[], voice: Voice): Subject | null {
  const isNamed = companions.every((word) => isCapitalised(word) || NAME_LINKS.has(word.lower));
  const first = companions[0]?.lower ?? "";
  if (!isNamed && !/^(?:my|our|some|a|two|three)$/.test(first)) return null;
  if (companions.some((word) => AUXILIARIES.has(word.lower)) || verbAfterNoun(companions, 1) !== null) return null;
  const own = /^(?:my|our)$/.test(first) ? `their ${textOf(companions.slice(1))}` : textOf(companions);
  const text = isNamed ? textOf(companions) : lowerFirst(own);
  return { ...selfSubject(`${voice.self} and ${text}`), isPlural: true, length: companions.length + 2 };
}

/** "my sister Anna", "our staging server": everything up to the first finite verb. */
function readNoun(words: readonly Word[], from: number, owner: string): Subject | null {
  const end = verbAfterNoun(words, from);
  if (end === null) return null;
  const noun = words.slice(from, end);
  const head = headOf(noun);
  const isFavourite = noun.some((word) => /^favou?rite$/.test(word.lower));
  const isRelative = RELATIVES.has(head) || PETS.has(head) || PERSON_NOUN.test(head);
  const isOwn = isFavourite || OWN_THINGS.has(head) || EVENT_NOUNS.has(head) || SHARED_THINGS.has(head);
  const role = isRelative ? "relative" : isOwn ? "own" : "unknown";
  return { text: `${owner} ${nounText(noun)}`, role, head, isPlural: isPluralNoun(noun), isFavourite, length: end };
}

function readTheSubject(words: readonly Word[], voice: Voice): Subject | null {
  if (words[1]?.lower === "name" && words[2]?.lower === "of" && words[3]?.lower === "my") {
    const named = readNoun(words, 4, `The name of ${voice.self}'s`);
    return named && { ...named, role: "own", head: "name" };
  }
  if (
    /^(?:moment|minute|second|instant|day|week|year|time|way|more|less|first|last|next)$/.test(words[1]?.lower ?? "") &&
    !AUXILIARIES.has(words[2]?.lower ?? "")
  ) {
    const isOrdinal = /^(?:first|last|next|day|week|year)$/.test(words[1]?.lower ?? "");
    if (!isOrdinal || /^(?:an?|the|you|i|we|he|she|they|it|that)$/.test(words[2]?.lower ?? "")) return null;
  }
  const end = verbAfterNoun(words, 1);
  if (end === null) return null;
  const noun = words.slice(1, end);
  const head = headOf(noun);
  const role = SHARED_THINGS.has(head) || EVENT_NOUNS.has(head) ? "thing" : "unknown";
  return {
    text: `The ${nounText(noun)}`,
    role,
    head,
    isPlural: isPluralNoun(noun),
    isFavourite: false,
    length: end,
  };
}

/** "A technician", "two friends". */
function readIndefinite(words: readonly Word[], voice: Voice): Subject | null {
  if (!/^(?:an?|two|three|some)$/.test(words[0]?.lower ?? "") || voice.kind === "assistant") return null;
  const end = verbAfterNoun(words, 1);
  if (end === null) return null;
  const noun = words.slice(1, end);
  const text = `${words[0]?.raw ?? ""} ${nounText(noun)}`;
  return {
    text: `${text.charAt(0).toUpperCase()}${text.slice(1)}`,
    role: "unknown",
    head: headOf(noun),
    isPlural: isPluralNoun(noun),
    isFavourite: false,
    length: end,
  };
}

/** "Backups run every night", "Kids have swimming on Mondays", as people note them down for themselves. */
function readBare(words: readonly Word[], { kind, isNote, isPersonal }: Voice): Subject | null {
  if (kind !== "document" || (isNote !== true && isPersonal !== true)) return null;
  const end = verbAfterNoun(words, 0);
  if (end === null || end > LONGEST_BARE || words.slice(1, end).some(isCapitalised)) return null;
  const noun = words.slice(0, end);
  const first = words[0];
  if (!first || !isCapitalised(first) || NO_NOUN.test(first.lower) || EVALUATIVE.has(first.lower)) return null;
  const isKnown = SHARED_THINGS.has(headOf(noun)) || EVENT_NOUNS.has(headOf(noun));
  const isPlain =
    /^(?:is|are|costs|needs|starts|ends|expires|runs|goes|takes|leaves|opens|closes|comes|belongs|weighs|lasts|contains|covers)$/.test(
      words[end]?.lower ?? "",
    );
  if (!isPluralNoun(noun) && !isKnown && !isPlain) return null;
  return {
    text: nounText(noun),
    role: "unknown",
    head: headOf(noun),
    isPlural: isPluralNoun(noun),
    isFavourite: false,
    length: end,
  };
}

/** "Anna", "Acme Corp", "Anna's birthday". */
function readNamed(words: readonly Word[], voice: Voice): Subject | null {
  const first = words[0];
  if (!first || !isCapitalised(first) || NOT_NAMES.has(first.lower) || first.lower.length < 2) return null;
  if (ADVERBS.has(first.lower) || verbForms(first.lower).some(({ tense }) => tense === "gerund")) return null;
  let end = 0;
  while (
    end < LONGEST_SUBJECT &&
    (isCapitalised(words[end]) || (end > 0 && NAME_LINKS.has(words[end]?.lower ?? "") && isCapitalised(words[end + 1])))
  ) {
    end += 1;
    if (/[,;:]$/.test(words[end - 1]?.raw ?? "")) return null;
    if ((words[end - 1]?.lower ?? "").endsWith("'s")) return readPossessed(words, end);
  }
  if (/^(?:from|at|in|of|with|next)$/.test(words[end]?.lower ?? "")) end = endOfAttribute(words, end);
  const verb = words[end]?.lower ?? "";
  const isTask =
    verb === "to" &&
    voice.kind === "document" &&
    verbForms(words[end + 1]?.lower ?? "").some((form) => form.tense === "base");
  if (isTask && !EVALUATIVE.has(first.lower) && verbForms(first.lower).length === 0) {
    const name = textOf(words.slice(0, end));
    return { text: name, role: "person", head: name.toLowerCase(), isPlural: false, isFavourite: false, length: end };
  }
  if (!AUXILIARIES.has(verb) && !verbForms(verb).some((form) => form.tense === "third" || form.tense === "past")) {
    const isNoLonger = verb === "no" && words[end + 1]?.lower === "longer";
    if (/^(?:allegedly|supposedly|reportedly|apparently|probably|possibly|hopefully)$/.test(verb)) return null;
    if (!isNoLonger && !/ly$|^(?:also|still|now|currently|always|never|usually|often|just|recently)$/.test(verb))
      return null;
  }
  const name = textOf(words.slice(0, end));
  const isSure = end > 1 || voice.speakers.has(name) || OTHER_VERBS.test(verb) || /\d|\p{Lu}.*\p{Lu}/u.test(name);
  const hasOwn =
    verb === "has" &&
    words
      .slice(end + 1, end + 6)
      .some(
        ({ lower }) =>
          RELATIVES.has(lower) || PETS.has(lower) || /^(?:allerg\w*|asthma|diabetes|epilepsy)$/.test(lower),
      );
  if (!isSure && !hasOwn && verb !== "will" && AUXILIARIES.has(verb) && !isSaidOfPersons(words.slice(end), first))
    return null;
  const isPlural = words.slice(0, end).some((word) => word.lower === "and" || word.lower === "&");
  return { text: name, role: "person", head: name.toLowerCase(), isPlural, isFavourite: false, length: end };
}

/** "Mrs. Novak from the third floor feeds …": where a name ends together with the description after it. */
function endOfAttribute(words: readonly Word[], end: number): number {
  const verb = verbAfterNoun(words, 0) ?? end;
  const isBroken = words
    .slice(end, verb)
    .some(({ raw, lower }) => /^(?:us|we|i|me|you|it|that|this)$/.test(lower) || /^[-–—]|[,;:]$/.test(raw));
  return isBroken ? end : verb;
}

function readPossessed(words: readonly Word[], from: number): Subject | null {
  const owner = textOf(words.slice(0, from));
  const isVerb = /^(?:a|an|the|in|at|from|allergic|based|called|named|not|now|\w+ing)$/.test(words[from]?.lower ?? "");
  return isVerb ? null : readNoun(words, from, owner);
}

/** The index of the first finite verb after at least one word of a noun phrase. */
function verbAfterNoun(words: readonly Word[], from: number): number | null {
  for (let index = from + 1; index < words.length && index < from + LONGEST_SUBJECT; index += 1) {
    const word = words[index];
    if (!word) return null;
    const noun = withoutAdverbs(words.slice(from, index));
    if (isFinite(word, noun) && !isNounBefore(word, words[index + 1])) return from + noun.length;
    const comma = /[,;:()]$/.test(words[index - 1]?.raw ?? "") && !isCapitalised(word);
    if (comma) return null;
  }
  return null;
}

/** "My parents still live …": an adverb before the verb is not part of the noun. */
function withoutAdverbs(noun: readonly Word[]): readonly Word[] {
  const last = noun.at(-1);
  const isAdverb = noun.length > 1 && last !== undefined && ADVERBS.has(last.lower);
  return isAdverb ? withoutAdverbs(noun.slice(0, -1)) : noun;
}

/** "My travel plans are …": what looks like a verb is a noun if the verb follows it. */
function isNounBefore({ lower }: Word, next: Word | undefined): boolean {
  return (
    /[^s]s$/.test(lower) && !AUXILIARIES.has(lower) && /^(?:is|are|was|were|has|have|will)$/.test(next?.lower ?? "")
  );
}

function isFinite(word: Word, before: readonly Word[]): boolean {
  if (AUXILIARIES.has(word.lower)) return true;
  if (isCapitalised(word) || LINKS.has(before.at(-1)?.lower ?? "")) return false;
  const forms = verbForms(word.lower);
  if (forms.some((form) => form.tense === "third" || form.tense === "past")) return true;
  return isPluralNoun(before) && forms.some((form) => form.tense === "base");
}

/** The noun before names and before "of …", "at …": `sister` in "sister Anna", `manager` in "manager at Siemens". */
function headOf(noun: readonly Word[]): string {
  const link = noun.findIndex(
    (word, index) => index > 0 && (LINKS.has(word.lower) || /^(?:this|next|last)$/.test(word.lower)),
  );
  const phrase = link === -1 ? [...noun] : noun.slice(0, link);
  while (
    phrase.length > 1 &&
    /^(?:upstairs|downstairs|abroad|here|there|nearby|next-door)$/.test(phrase.at(-1)?.lower ?? "")
  )
    phrase.pop();
  while (phrase.length > 1 && isCapitalised(phrase.at(-1)) && !SHARED_THINGS.has(phrase.at(-1)?.lower ?? ""))
    phrase.pop();
  return phrase.at(-1)?.lower ?? "";
}

function isPluralNoun(noun: readonly Word[]): boolean {
  const last = noun.at(-1)?.lower ?? "";
  if (noun.some((word) => word.lower === "and")) return true;
  return PLURALS.has(last) || (/[^s']s$/.test(last) && !/(?:sis|us|news)$/.test(last));
}

function nounText(noun: readonly Word[]): string {
  return textOf(noun).replace(/,/g, "");
}

function lowerFirst(text: string): string {
  return text.charAt(0).toLowerCase() + text.slice(1);
}
