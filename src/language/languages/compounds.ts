/** Shorter words have no parts that anybody would search for. */
const SHORTEST_WHOLE = 9;
const SHORTEST_PART = 5;
/** Fewest letters that an ending leaves over, so that it is not the word with another beginning. */
const SHORTEST_REST = 3;
const LONGEST_WHOLE = 40;
const LETTERS = /^\p{Script=Latin}+$/u;

/**
 * What somebody may search for within long words: all their beginnings and ends. No dictionary says where the parts of a
 * compound meet, and those that mean nothing are never searched for.
 */
export function partsOfLongWords(words: readonly string[]): string[] {
  const parts = new Set<string>();
  for (const word of new Set(words)) {
    if (word.length < SHORTEST_WHOLE || word.length > LONGEST_WHOLE || !LETTERS.test(word)) continue;
    for (let end = SHORTEST_PART; end < word.length; end += 1) parts.add(word.slice(0, end));
    for (let start = SHORTEST_REST; start <= word.length - SHORTEST_PART; start += 1) parts.add(word.slice(start));
  }
  return [...parts];
}
