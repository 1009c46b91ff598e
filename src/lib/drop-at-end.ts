/**
 * A text without the trailing characters that a one-character pattern matches. A pattern for the whole run would be
 * tried at every such character in the text, which takes quadratic time.
 * @param one without flag `g` or `y`; it is tested against one UTF-16 unit at a time
 */
export function dropAtEnd(text: string, one: RegExp): string {
  let end = text.length;
  while (end > 0 && one.test(text.charAt(end - 1))) end -= 1;
  return text.slice(0, end);
}
