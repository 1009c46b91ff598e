import { stemArabic, stemCyrillic, stemDevanagari, stemGreek, stripHebrewPrefixes } from "./light-stems.js";

/** A word of a script with spaces between words, as it is compared. */
export interface SpacedWord {
  readonly word: string;
  /** Another form under which it is found too; empty if there is none. */
  readonly other: string;
}

const MARKS = /\p{M}+/gu;
const LATIN_LETTERS: ReadonlyMap<string, string> = new Map(
  Object.entries({ ß: "ss", æ: "ae", œ: "oe", ø: "o", đ: "d", ð: "d", þ: "th", ł: "l", ı: "i", ħ: "h", ŧ: "t" }),
);
const UMLAUTS: ReadonlyMap<string, string> = new Map(Object.entries({ ä: "ae", ö: "oe", ü: "ue" }));
const ARABIC_LETTERS: ReadonlyMap<string, string> = new Map(
  Object.entries({
    أ: "ا",
    إ: "ا",
    آ: "ا",
    ٱ: "ا",
    ى: "ي",
    ی: "ي",
    ې: "ي",
    ک: "ك",
    ة: "ه",
    ۀ: "ه",
    ؤ: "و",
    ئ: "ي",
    ـ: "",
  }),
);

/**
 * Folds a word and, in scripts of widely used languages rich in endings, removes its commonest endings.
 * @param word in lower case and NFKC
 */
export function foldSpaced(word: string): SpacedWord {
  const first = word.codePointAt(0) ?? 0;
  if (first < 0x370 || (first >= 0x1e00 && first < 0x1f00)) return foldLatin(word);
  if (first < 0x400 || (first >= 0x1f00 && first < 0x2000))
    return alone(stemGreek(withoutMarks(word).replaceAll("ς", "σ")));
  if (first < 0x530) return alone(stemCyrillic(word.replace(/[\u0300\u0301]/g, "").replaceAll("ё", "е")));
  if (first >= 0x590 && first < 0x600) return foldHebrew(word);
  if (first >= 0x600 && first < 0x780)
    return alone(stemArabic(replaceLetters(word.replace(MARKS, ""), ARABIC_LETTERS)));
  // Nukta is often left out, and the two signs for nasal vowels are interchangeable.
  if (first >= 0x900 && first < 0x980)
    return alone(stemDevanagari(word.replaceAll("\u093c", "").replaceAll("\u0901", "\u0902")));
  return alone(word);
}

function foldLatin(word: string): SpacedWord {
  const folded = replaceLetters(withoutMarks(word), LATIN_LETTERS);
  if (!/[äöü]/.test(word)) return alone(folded);
  // Without umlauts on the keyboard, some people write `ae` and others leave out the dots.
  return { word: folded, other: replaceLetters(withoutMarks(replaceLetters(word, UMLAUTS)), LATIN_LETTERS) };
}

function foldHebrew(word: string): SpacedWord {
  const bare = word.replace(MARKS, "");
  const stripped = stripHebrewPrefixes(bare);
  return { word: bare, other: stripped === bare ? "" : stripped };
}

function alone(word: string): SpacedWord {
  return { word, other: "" };
}

function withoutMarks(word: string): string {
  return word.normalize("NFD").replace(MARKS, "");
}

function replaceLetters(word: string, letters: ReadonlyMap<string, string>): string {
  let result = "";
  for (const letter of word) result += letters.get(letter) ?? letter;
  return result;
}
