const SPACE = /\s/u;

/** Number of runs of characters other than white space. Allocates nothing, because texts may be large. */
export function countWords(text: string): number {
  let words = 0;
  let isInside = false;
  for (let index = 0; index < text.length; index++) {
    const isSpace = isWhite(text.charCodeAt(index));
    if (!isSpace && !isInside) words += 1;
    isInside = !isSpace;
  }
  return words;
}

function isWhite(code: number): boolean {
  if (code < 128) return code === 32 || (code >= 9 && code <= 13);
  return SPACE.test(String.fromCharCode(code));
}
