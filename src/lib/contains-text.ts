/** Looking for a text of this length takes little time, whatever it is. */
const SHORT = 8;

/**
 * Whether a text contains another. Takes time in proportion to the sum of their lengths; that of `String.includes` may grow with
 * their product: texts of 65,000 and 16,000 characters took 0.5 s.
 */
export function containsText(text: string, wanted: string): boolean {
  return wanted.length <= SHORT ? text.includes(wanted) : containsLongText(text, wanted);
}

/** Knuth, Morris and Pratt, "Fast pattern matching in strings", 1977. */
function containsLongText(text: string, wanted: string): boolean {
  if (wanted.length > text.length) return false;
  const borders = bordersOf(wanted);
  let matched = 0;
  for (let at = 0; at < text.length; at += 1) {
    const code = text.charCodeAt(at);
    while (matched > 0 && code !== wanted.charCodeAt(matched)) matched = borders[matched - 1] ?? 0;
    if (code !== wanted.charCodeAt(matched)) continue;
    matched += 1;
    if (matched === wanted.length) return true;
  }
  return false;
}

/** For each beginning of a text, the length of its longest shorter beginning that it also ends with. */
function bordersOf(text: string): Uint32Array {
  const borders = new Uint32Array(text.length);
  let length = 0;
  for (let at = 1; at < text.length; at += 1) {
    while (length > 0 && text.charCodeAt(at) !== text.charCodeAt(length)) length = borders[length - 1] ?? 0;
    if (text.charCodeAt(at) === text.charCodeAt(length)) length += 1;
    borders[at] = length;
  }
  return borders;
}
