import { rootOf } from "../../language/english/relations.js";
import { isKnownVerb } from "../../language/noun-phrases.js";
import { isStopWord } from "../../language/words.js";

const MOST_WORDS_OF_SUBJECT = 3;

const words = (list: string): ReadonlySet<string> => new Set(list.split(" "));
/** Words between the verb and the subject. */
const FILLERS = words(
  "any all the a an fact facts information info detail details thing things anything everything something what data memory memories note notes statement statements topic topics content stuff " +
    "about on of regarding concerning related relating to that which mention mentions mentioning with for user user's users their his her my our",
);
/** A clause begins after these, unless one of the fillers follows. */
const RELATIVES = words("that which what");
const LINKS = words(", and or nor");
/**
 * Words that make a text more than a subject: a condition, an exception, whose or which of the texts. Contains all words that
 * join words in English, or they are stop words.
 */
const JOINING = words(
  "if unless except excepting when while because until before after but without who whose than then so has have had do does can may never none nothing neither " +
    "within less fewer more most least aboard above across against along alongside amid amidst among amongst apart around aside astride atop away bar barring behind below " +
    "beneath beside besides between beyond circa contrary counting despite else elsewhere even ever excluding given however including inside instead like likewise " +
    "minus near notwithstanding opposite otherwise outside past pending per plus provided rather sans save since still though although thus toward towards underneath unlike " +
    "upon versus via whereas whether whichever whatever whenever wherever whoever worth yet already always often sometimes seldom rarely usually mostly " +
    "remember store keep extract memorize memorise capture retain collect log include track not don't dont nobody nowhere forbidden taboo hidden",
);
/** Qualities that cannot be read off a text's words, such as being important or said before. */
const QUALITIES = words(
  "important unimportant sensitive insensitive private personal confidential temporary permanent lasting relevant irrelevant useful useless " +
    "long-term longterm short-term shortterm duplicate duplicates duplicated redundant repeated repetitive trivial significant insignificant " +
    "key main new essential necessary unnecessary interesting recent outdated critical valuable meaningful unique correct incorrect accurate " +
    "verified certain uncertain stable ephemeral transient",
);
/** Such a word alone as a subject says how texts are written. */
const LANGUAGES = words(
  "english german french spanish italian portuguese dutch flemish danish swedish norwegian finnish icelandic polish czech slovak hungarian " +
    "romanian bulgarian croatian serbian slovenian greek turkish russian ukrainian arabic hebrew persian hindi urdu bengali tamil thai " +
    "vietnamese indonesian malay chinese mandarin cantonese japanese korean latin catalan irish welsh",
);
const LEFT_OUT = new Set(
  "ignore exclude skip omit avoid disregard spare lack hide throw except".split(" ").map(rootOf),
);
/** Before another noun, these name its purpose; any other word of this form may say what is done with it. */
const NOUNS_IN_ING = words(
  "banking billing building clothing coding cooking dating drawing driving engineering evening fishing gaming gardening hiking housing knitting " +
    "learning marketing meeting morning nursing painting parenting parking programming reading running sailing shopping spring string swimming " +
    "teaching testing training wedding wing writing",
);
/** Verbs that are just as often the first of two nouns. */
const NOUNS_TOO = words(
  "travel work test phone study talk play drink contact design release sport exercise love health project plan dance guitar swim cook ski research market trade film show study",
);

/**
 * The subjects in a list, without the words before each. Null unless it is a list of short names of what a text can be about:
 * one word that may mean something else makes the whole list unsuitable for rules.
 */
export function subjectsIn(said: readonly string[]): string[] | null {
  const listed: string[][] = [[]];
  for (const word of said)
    if (LINKS.has(word)) listed.push([]);
    else listed.at(-1)?.push(word);
  const subjects = listed.map(withoutFillers);
  if (subjects.some((subject) => subject === null)) return null;
  const named = subjects.flatMap((subject) => (subject && subject.length > 0 ? [subject] : []));
  if (named.length === 0 || named.some(isMoreThanSubject) || named.slice(1).some(isOrder)) return null;
  // "Food, salaries aside": without an "and", what follows a comma need not be one more of the same.
  const isOpen = said.includes(",") && !said.some((word) => word !== "," && LINKS.has(word));
  if (isOpen && named.at(-1)?.length !== 1) return null;
  return named.map((subject) => subject.join(" "));
}

/** Null if a clause begins after them. */
function withoutFillers(listed: readonly string[]): string[] | null {
  const first = listed.findIndex((word) => !FILLERS.has(word));
  if (first === -1) return [];
  return RELATIVES.has(listed[first - 1] ?? "") ? null : listed.slice(first);
}

function isMoreThanSubject(subject: readonly string[]): boolean {
  return subject.length > MOST_WORDS_OF_SUBJECT || isLanguage(subject) || subject.some(saysMore);
}

function saysMore(word: string, index: number, { length }: readonly string[]): boolean {
  if (JOINING.has(word) || QUALITIES.has(word) || isStopWord(word) || LEFT_OUT.has(rootOf(word))) return true;
  if (/n't$|^non-|-free$|..[^e]ed$/.test(word)) return true;
  return /..ing$/.test(word) && index < length - 1 && !NOUNS_IN_ING.has(word);
}

/** "Food and drop salaries" */
function isOrder([first = "", ...more]: readonly string[]): boolean {
  return more.length > 0 && isKnownVerb(first) && !NOUNS_TOO.has(first);
}

function isLanguage([name = "", ...more]: readonly string[]): boolean {
  return LANGUAGES.has(name) && more.every((word) => /^languages?$/.test(word) || FILLERS.has(word));
}
