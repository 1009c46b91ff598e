/** Words with the equivalent that can replace them in any sentence and stands for both. Folded. */
const SAME_WORDS: ReadonlyMap<string, readonly string[]> = new Map(
  Object.entries({
    every: ["each"],
    hourly: ["each", "hour"],
    daily: ["each", "day"],
    everyday: ["each", "day"],
    nightly: ["each", "night"],
    weekly: ["each", "week"],
    monthly: ["each", "month"],
    yearly: ["each", "year"],
    annually: ["each", "year"],
    till: ["until"],
    whilst: ["while"],
    amongst: ["among"],
    colour: ["color"],
    favourite: ["favorite"],
    grey: ["gray"],
    theatre: ["theater"],
  }),
);

/** The words that stand for a folded word and its equivalents; undefined if it stands for itself. */
export function sameWordsOf(word: string): readonly string[] | undefined {
  return SAME_WORDS.get(word);
}
