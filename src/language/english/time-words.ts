const TIME_WORDS: ReadonlySet<string> = new Set(
  (
    "yesterday today tonight tomorrow ago last next recently since soon week weekend month year monday tuesday wednesday thursday friday " +
    "saturday sunday january february march april june july august september october november december"
  ).split(" "),
);
const YEAR_OR_DAY = /^(?:(?:19|20)\d\d|\d{1,2}(?:st|nd|rd|th))$/;

/** True for folded English words that say when something happens: `yesterday`, `ago`, `june`, `2023`, `3rd`. */
export function isTimeWord(word: string): boolean {
  return TIME_WORDS.has(word) || YEAR_OR_DAY.test(word);
}

const RELATIVE: ReadonlySet<string> = new Set(
  "ago currently lately last next now recent recently soon today tomorrow tonight yesterday".split(" "),
);

/** True for folded English words whose time depends on when they are said: `recently`, `tomorrow`. */
export function isRelativeTime(word: string): boolean {
  return RELATIVE.has(word);
}
