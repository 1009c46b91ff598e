/** A word of a clause, as written and as rules compare it. */
export interface Word {
  /** With the punctuation at its edges. */
  readonly raw: string;
  /** In lower case, without that punctuation. */
  readonly lower: string;
}

const EDGES = /^[^\p{L}\p{N}$€£#@+]+|[^\p{L}\p{N}%+#'&]+$/gu;
const PRONOUN_CONTRACTION = /^(i|we|you|he|she|they|it|who|that|there)'(m|re|ve|ll|d|s)$/;
const PRONOUN_TAILS: Readonly<Record<string, string>> = {
  m: "am",
  re: "are",
  ve: "have",
  ll: "will",
  d: "would",
  s: "is",
};
const SPOKEN: Readonly<Record<string, readonly string[]>> = {
  gonna: ["going", "to"],
  wanna: ["want", "to"],
  gotta: ["have", "to"],
  cannot: ["can", "not"],
  "can't": ["can", "not"],
  "won't": ["will", "not"],
  "shan't": ["shall", "not"],
  "ain't": ["is", "not"],
};
/** Before these, "mom's" stands for "mom is". */
const IS_SIGNS =
  /^(?:an?|not|called|named|from|retired|married|divorced|pregnant|allergic|vegan|vegetarian|staying|living|working|moving|coming|going|getting|leaving|visiting|studying|travelling|traveling|expecting|dating|flying|\d+)$/;
/** Before these, "he's" and "he'd" stand for "has" and "had". */
const PERFECT_SIGNS = new Set([
  "been",
  "got",
  "had",
  "lived",
  "worked",
  "moved",
  "become",
  "never",
  "always",
  "started",
  "just",
  "better",
]);

export function wordOf(raw: string): Word {
  return { raw, lower: raw.toLowerCase().replace(EDGES, "") };
}

/** The words of a clause, with contractions expanded ("I'm" -> "I am", "don't" -> "do not"). Apostrophes must be straight. */
export function wordsOf(clause: string): Word[] {
  const written = clause.split(/\s+/).filter((raw) => raw !== "");
  const words: Word[] = [];
  for (const [index, raw] of written.entries()) {
    const word = wordOf(raw);
    if (isPlain(word.lower)) words.push(word);
    else words.push(...expand(word, written[index + 1]));
  }
  return words;
}

/** Most words are neither contractions nor colloquial forms, which is cheap to check. */
function isPlain(lower: string): boolean {
  return !lower.includes("'") && !Object.hasOwn(SPOKEN, lower);
}

function expand(word: Word, next: string | undefined): Word[] {
  const { raw, lower } = word;
  const tail = /[^\p{L}\p{N}]*$/u.exec(raw)?.[0] ?? "";
  const spoken = Object.hasOwn(SPOKEN, lower) ? SPOKEN[lower] : negation(lower);
  if (spoken) return spoken.map((part, index) => wordOf(index === spoken.length - 1 ? `${part}${tail}` : part));
  const pronoun = PRONOUN_CONTRACTION.exec(lower);
  if (!pronoun && lower === "name's" && next !== undefined && isCapitalised(wordOf(next))) {
    return [wordOf(raw.slice(0, raw.lastIndexOf("'"))), wordOf("is")];
  }
  if (!pronoun && lower.endsWith("'s") && next !== undefined && IS_SIGNS.test(wordOf(next).lower)) {
    return [wordOf(raw.slice(0, raw.lastIndexOf("'"))), wordOf("is")];
  }
  if (!pronoun) return [word];
  const [, subject = "", contracted = ""] = pronoun;
  const isPerfect = next !== undefined && PERFECT_SIGNS.has(wordOf(next).lower);
  const full =
    isPerfect && contracted === "s" ? "has" : isPerfect && contracted === "d" ? "had" : PRONOUN_TAILS[contracted];
  const written = raw.slice(raw.toLowerCase().indexOf(subject)).slice(0, subject.length);
  return [wordOf(written), wordOf(`${full ?? ""}${tail}`)];
}

function negation(lower: string): string[] | undefined {
  const match = /^(do|does|did|is|are|was|were|have|has|had|would|could|should|must|might|need)n't$/.exec(lower);
  return match?.[1] === undefined ? undefined : [match[1], "not"];
}

export function isCapitalised(word: Word | undefined): boolean {
  return word !== undefined && /^[("'“‘]*\p{Lu}/u.test(word.raw);
}

/** Words as text, without punctuation at the end. */
export function textOf(words: readonly Word[]): string {
  return words
    .map((word) => word.raw)
    .join(" ")
    .replace(/[\s.,;:!?…–—-]+$/u, "");
}
