/** In characters: the writer of a shorter line wanted it to end there. */
const WRAPPED = 40;
/** In characters: a line this long was wrapped at a width, whatever comes next. */
const SURELY_WRAPPED = 55;
const NEVER_LAST =
  /(?:,|(?<![\p{L}'])(?:the|an?|of|to|from|with|in|on|at|by|for|and|or|but|my|our|your|his|her|their|its|this|these|those|is|are|was|were|has|have|had|will|would|can|that|which|who|than|as|per|every|each|into|between|until|since|before|after))$/iu;
const ENDED = /[.!?:;…|}>{][)"'”’*_\]]{0,4}$/u;
/** Two spaces or a backslash at the end break a line in Markdown. */
const WANTED_BREAK = /(?: {2}|\\)\r?$/;
const GOES_ON = /^(?:\p{Ll}|\d(?!\d{0,2}[.)]\s))/u;
const OF_ITS_OWN = /^(?:i|i'm|i’m|i've|i’ve|my|we|we're|our|he|she|they|the|there|todo)(?![\p{L}'’])/iu;
const LABEL = /^[\p{L} -]{2,30}:(?:\s|$)/u;
const BEGINS_SENTENCE = /^[\s>*+•–-]{0,8}(?:\d{1,3}[.)]\s)?["“(]?[\p{Lu}\d]/u;

/**
 * Whether the next line continues the sentence of a line, as in text wrapped at a fixed width: it begins with a lower-case
 * letter or a number, and the line before it does not end a sentence. List items, headings and verses do not continue.
 * @param first the first of the lines found to belong together, possibly `line` itself
 */
export function goesOn(line: string, next: string, first: string): boolean {
  const said = line.trim();
  const following = next.trim();
  if (said === "" || ENDED.test(said) || WANTED_BREAK.test(line) || !GOES_ON.test(following)) return false;
  if (LABEL.test(following)) return false;
  if (NEVER_LAST.test(said)) return true;
  if (said.length < WRAPPED || !BEGINS_SENTENCE.test(first)) return false;
  return said.length >= SURELY_WRAPPED || !OF_ITS_OWN.test(following);
}
