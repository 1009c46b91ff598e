/**
 * A text without the characters at its end that a pattern of one character matches. A pattern for all of them would be tried
 * from each of them on wherever they stand, which takes time with the square of their number.
 * @param one has no flag `g` or `y`; it is shown one UTF-16 unit at a time
 */
export function dropAtEnd(text: string, one: RegExp): string {
  let end = text.length;
  while (end > 0 && one.test(text.charAt(end - 1))) end -= 1;
  return text.slice(0, end);
}
