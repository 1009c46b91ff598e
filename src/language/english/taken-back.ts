/** What the same sentence takes back or limits to a while: "we broke up, but are together again". */
const TAKEN_BACK =
  /(?:,| and| but|;) [^.!?]{0,40}?\b(?:back together|together again|rolled (?:it |that )?back|reverted|switched back|came back|just kidding|not really|on again|back on|(?:opened|installed|started) it again)\b| and back(?: again)?\b| while [^,.!?]{1,40} (?:is|are|was|were)\b/i;

const UNDONE =
  "(?:just |only )?(?:kidding|joking)\\b|(?:not|nope)[.!]*$|" +
  "(?:(?:then|later|but|and|however|so|soon),? )*(?:i|we|they|he|she|\\p{L}{2,20}) (?:[\\p{L}']{2,12} ){0,3}" +
  "(?:(?:rolled|switched|changed|took) (?:it|that|this|everything|all) back|(?:vetoed|rejected|blocked|stopped|overruled) (?:it|that|this|us)\\b|undid|reverted|regretted|came back|(?:went|moved|switched|changed|is|are) back(?! to| from| in)|gave up on)\\b|" +
  "(?:it|that|this) (?:was|has been|got|is) (?:[\\p{L}]{1,12} ){0,3}(?:joke|mistake|lie|dream|test|experiment|rolled back|undone|reverted|vetoed|rejected|blocked|stopped|overruled|temporary|over)\\b|" +
  "(?:it|that|this) (?:did not|didn't|never) |(?:it|that|this) (?:failed|lasted)\\b";
const UNDOES = new RegExp(`^(?:${UNDONE})`, "iu");
const UNDONE_NEXT = new RegExp(`[.!] (?:${UNDONE})`, "iu");

/** A change that names what it was before. */
const CHANGED =
  /\b(?:(?:switched|migrated|moved|changed|ported|converted|transitioned|relocated) (?:[^,;.!?]{1,60} )?from|renamed|rebranded|replaced|superseded|swapped|exchanged|traded|(?:took|taken) over from)\b/i;
/** Where something else begins. */
const MORE = /[,:](?!\d)|[;!?()–—]|\.(?=\s|$)| - | (?:and|but|or|although|though|while|yet|because|since|so) /i;
const ABOUT_CHANGE = "(?![^]*\\b(?:it|this|that|them|back|again)\\b)";
/** What leaves the change as it is: why or when it happened, what the new thing is, something else, or a question. */
const HARMLESS = new RegExp(
  "^(?:[.!\"'”)]+$|,? ?(?:because|since|due to|thanks to) |, an? \\p{L}|" +
    `(?: and|, and|, so| so|;|[.!]|,? -|,? [–—]) ${ABOUT_CHANGE}|` +
    ",? (?:in|on|since|as of|effective|last|early|late) [^,;]{0,12}?(?:\\d|(?:jan|feb|mar|apr|may|jun|jul|aug|sep|oct|nov|dec|week|month|year)\\p{L}{0,6}\\b)[^,;]{0,12}$|" +
    ",? ?(?:so |and )?(?:can|could|will|would|what|how|where|which|should|do) [^]*\\?$)",
  "iu",
);

/** True for a sentence that undoes what was said before it: "We rolled it back the next day." */
export function undoesBefore(sentence: string): boolean {
  return UNDOES.test(sentence);
}

/** True for words that also take back, doubt or limit the change that they tell of, as far as can be told. */
export function mayBeTakenBack(said: string): boolean {
  if (TAKEN_BACK.test(said) || UNDONE_NEXT.test(said)) return true;
  const changed = CHANGED.exec(said);
  if (!changed) return false;
  const rest = said.slice(changed.index + changed[0].length);
  const more = MORE.exec(rest);
  return more !== null && !HARMLESS.test(rest.slice(more.index));
}
