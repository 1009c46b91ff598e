/**
 * Light stemming: removes the longest matching inflectional ending, once. That joins the forms of a noun, an adjective or a
 * regular verb; as it knows no grammar, a few words of different meaning coincide. Index and query are stemmed alike.
 */

const CYRILLIC = endings(
  "иями ьями ями ами ого его ому ему ыми ими ією ают яют уют ала яла ила али яли или ает яет ует ую юю ая яя ое ее ой ей " +
    "ий ый ые ие ых их ым им ом ем ам ям ах ях ов ев ів ію ью ия ья ии а я о е и ы у ю ь й і ї є",
);
const GREEK = endings(
  "ματοσ ματων ματα ιου ιων ια ουμε ουσα ουσ ουν εισ ετε αμε ατε ων ου οι οσ ησ ασ εσ ισ υσ αι ει ον ην αν η α ο ε ι υ ω",
);
const DEVANAGARI = endings("ियों ियां ाओं ाएं ुओं ुएं ओं एं ों ें ीं ां ा ी े ि ो ू ु ं");
const ARABIC_STARTS = ["وال", "بال", "كال", "فال", "لل", "ال"];
const ARABIC_ENDS = ["ها", "ان", "ات", "ون", "ين", "يه"];
const REFLEXIVE = /(?:ся|сь)$/;
const HEBREW_PREFIX = /^[משהוכלב](?=\p{L}{3})/u;

/** @param word in lower case with `е` for `ё` */
export function stemCyrillic(word: string): string {
  return strip(word.length > 5 ? word.replace(REFLEXIVE, "") : word, CYRILLIC, 3);
}

/** @param word in lower case without accents, with `σ` for `ς` */
export function stemGreek(word: string): string {
  return strip(word, GREEK, 3);
}

/** @param word without nukta */
export function stemDevanagari(word: string): string {
  return strip(word, DEVANAGARI, 2);
}

/** Removes the article with whatever is joined on before it, or "and", and endings of number, gender and possession. */
export function stemArabic(word: string): string {
  const start = ARABIC_STARTS.find((one) => word.startsWith(one) && word.length - one.length >= 2);
  const bare =
    start !== undefined ? word.slice(start.length) : word.length > 4 && word.startsWith("و") ? word.slice(1) : word;
  const end = ARABIC_ENDS.find((one) => bare.endsWith(one) && bare.length - one.length >= 3);
  if (end !== undefined) return bare.slice(0, -end.length);
  return bare.length > 2 && /[هي]$/.test(bare) ? bare.slice(0, -1) : bare;
}

/** Removes every leading letter that may be an article, a conjunction or a preposition, so that all such forms match. */
export function stripHebrewPrefixes(word: string): string {
  let rest = word;
  while (HEBREW_PREFIX.test(rest)) rest = rest.slice(1);
  return rest;
}

function endings(list: string): readonly string[] {
  return [...new Set(list.split(" "))].sort((first, second) => second.length - first.length);
}

function strip(word: string, list: readonly string[], shortest: number): string {
  const end = list.find((one) => word.length - one.length >= shortest && word.endsWith(one));
  return end === undefined ? word : word.slice(0, -end.length);
}
