/** Derivational endings that stems keep, as stems spell them: `connector`, `friendly`, `honesty`. */
const ENDING =
  /(?:ization|isation|ation|ition|ement|ness|ment|ship|hood|ance|ence|able|ible|ator|itor|ist|ism|iti|ive|ion|ant|ent|ful|ous|ial|eer|er|or|al|ic|li|i|e|y|t)$/;
const SHORTEST = 5;

/**
 * What the stems of a word family begin with, as far as their spelling tells: `connect` for `connect` and `connector`. An
 * ending is only removed if it leaves at least five letters.
 */
export function familyOf(root: string): string {
  let family = root;
  for (let round = 0; round < 2; round++) {
    const shorter = family.replace(ENDING, "");
    if (shorter.length < SHORTEST) break;
    family = shorter;
  }
  return family;
}
