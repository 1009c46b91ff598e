import { backgroundShare, RARE_SHARE } from "../../language/english/common-words.js";
import { conceptsOf, rootOf } from "../../language/english/relations.js";
import { PEOPLE } from "../../language/english/people.js";
import { askedFacets, isAnother } from "../../language/facets/facets.js";
import { fold, foldedRuns, isStopWord } from "../../language/words.js";

/** Which single person an English question is about, as far as its form shows. */
interface AskedAbout {
  /** It asks for something that each person has their own of, and for that of whoever asks: "what is my job". */
  readonly isAsker: boolean;
  /** The thing of theirs that it asks for and nothing else, folded: "what is my bank"; null for others. */
  readonly ownThing: string | null;
  /** It asks for the name of whoever asks. */
  readonly isForName: boolean;
  /** The question, folded; null if it may be about several people. */
  readonly ofOne: string | null;
  /** The words of the question, folded. */
  readonly words: ReadonlySet<string>;
}

/** The beginning of a question shows whom it is about. */
const LONGEST_READ = 1_000;
const OWN_NAME = /\b(?:my (?:own |full |first |last |real )?(?:name|surname)|am i called|who am i)\b/;
const OWN =
  /\b(?:my (?:current |present )?(?:jobs?|work|profession|occupation|employer|career|age|birthday|allerg(?:y|ies)|intolerances?|diet|hobb(?:y|ies)|nationality|height|weight|salary|blood type|hometown)|am i (?:allergic|intolerant|vegan|vegetarian)|allergies do i|(?:do|did) i (?:do for a living|work|live|drink|eat|drive|play|study))\b/;
const OWN_THING = /^(?:what|which)(?:'s| is) my (?<thing>(?:[\p{L}-]{1,30} ){0,2}[\p{L}-]{1,30})\W{0,3}$/u;
const WHO = /\bwho(?:m|se)?\b/;

/** Reads whom a question is about. */
function readAskedAbout(question: string): AskedAbout {
  const folded = fold(question.slice(0, LONGEST_READ)).replaceAll("\u2019", "'");
  const isForName = OWN_NAME.test(folded);
  const isOfPeople = PEOPLE.test(folded) || askedFacets(folded).some(({ facet }) => isAnother(facet));
  return {
    isAsker: isForName || (OWN.test(folded) && !isOfPeople),
    ownThing: OWN_THING.exec(folded)?.groups?.["thing"] ?? null,
    isForName,
    ofOne: isOfPeople || WHO.test(folded) ? null : folded,
    words: new Set(foldedRuns(folded)),
  };
}

const OF_SOMEBODY = /^(?!User)\p{Lu}[\p{L}-]{1,30}'s (?<thing>\p{L}[\p{L} -]{0,60}?) (?:is|are) /u;
const OF_ASKER = /\b(?:user|i|my|me|mine|we|our)\b/i;
const OWNED = /^(?:my|(?<owner>\p{L}[\p{L}-]{0,30})'s) (?<rest>.{3,40})/iu;
/** Somebody of theirs, who is or does something: a family name and an allergy to cats are their own. */
const DOES_SOMETHING =
  /^(?:[\p{L}-]{1,20} )??(?<somebody>[\p{L}-]{2,20})(?:'s| \p{Lu}|,| and| (?:is|are|was|were|has|have|had|can|cannot|live|work|like|love|eat|drink|play|own|\p{Ll}{2,20}(?:s|ed))\b)/u;
const BACK_AT_OWNER = /\b(?:her|him|them|their)\b/i;
const OF_A_THING =
  /^(?:the|an?|this|that|these|those) (?:(?<thing>\p{L}{2,20}) (?:is|was|are|were)\b)?|^\p{L}{2,20} (?:is|are) (?:in|on|at|under|by|near) /iu;
const NAMED = /^(\p{Lu}\p{Ll}+) (?:is|was|has|had|\p{Ll}{3,20}(?:s|ed)) /u;

/** What a statement about somebody else than the person asked about keeps of its score; its similarity stays. */
const OF_ANOTHER = 0.35;
/** What is longer tells of several people. */
const LONGEST_STATEMENT = 200;

/** Returns a function that tells what a text keeps of its score, 0 to 1; null for a question about no single person. */
export function personShareOf(question: string): ((text: string) => number) | null {
  const about = readAskedAbout(question);
  if (!about.isAsker && about.ofOne === null) return null;
  return (text) => (text.length <= LONGEST_STATEMENT && isAboutAnother(about, text) ? OF_ANOTHER : 1);
}

function isAboutAnother({ isAsker, ownThing, isForName, ofOne, words }: AskedAbout, statement: string): boolean {
  const owner = ownerOfSomebody(statement);
  if (owner !== null) return isAsker || isAskedAlone(ofOne, owner, statement);
  if (ownThing !== null && fold(OF_SOMEBODY.exec(statement)?.groups?.["thing"] ?? "") === ownThing) return true;
  if (!isAsker || OF_ASKER.test(statement)) return false;
  const ofThing = OF_A_THING.exec(statement);
  const isAskedFor = words.has(fold(ofThing?.groups?.["thing"] ?? ""));
  return isForName || (ofThing !== null && !isAskedFor) || beginsWithName(statement);
}

/** The owner, folded, of the relative or friend whom a statement is about: `lena` in "Lena's brother works at Siemens". */
function ownerOfSomebody(statement: string): string | null {
  const { owner = "user", rest } = OWNED.exec(statement)?.groups ?? {};
  const somebody = rest === undefined ? undefined : DOES_SOMETHING.exec(rest)?.groups?.["somebody"];
  return somebody !== undefined && PEOPLE.test(somebody) ? fold(owner) : null;
}

function isAskedAlone(ofOne: string | null, owner: string, statement: string): boolean {
  return ofOne !== null && foldedRuns(ofOne).includes(owner) && !BACK_AT_OWNER.test(statement);
}

/** Sentences begin with a capital whatever their first word is. */
function beginsWithName(statement: string): boolean {
  const first = NAMED.exec(statement)?.[1]?.toLowerCase();
  if (first === undefined || isStopWord(first)) return false;
  const root = rootOf(first);
  return conceptsOf(root).length === 0 && backgroundShare(root) <= RARE_SHARE;
}
