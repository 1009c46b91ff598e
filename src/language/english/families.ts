/** Endings that make one word of another and that stems keep, as stems write them: `connector`, `friendly`, `honesty`. */
const ENDING =
  /(?:ization|isation|ation|ition|ement|ness|ment|ship|hood|ance|ence|able|ible|ator|itor|ist|ism|iti|ive|ion|ant|ent|ful|ous|ial|eer|er|or|al|ic|li|i|e|y|t)$/;
const SHORTEST = 5;

/**
 * What the stems of words of one family begin with, as far as their letters tell: `connect` for `connect` and `connector`.
 * At least five letters; a stem whose endings leave less is its own family.
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
