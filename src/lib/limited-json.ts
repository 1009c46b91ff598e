/** Deeper than anything that means something: a filter of the greatest depth stays far below. */
export const MAX_JSON_DEPTH = 64;
/** More than any request needs: 600 documents with 150 fields each stay below. */
export const MAX_JSON_VALUES = 100_000;

/** JSON that would cost more to read than it may; the message says which limit it breaks. */
export class JsonLimitError extends Error {
  override readonly name = "JsonLimitError";
}

const QUOTE = 0x22;
const BACKSLASH = 0x5c;
const COMMA = 0x2c;
const COLON = 0x3a;

/**
 * Parses JSON that a stranger sent. Depth and number of values are counted before anything is built from them, because a few
 * megabytes of small values take seconds and gigabytes once they are objects.
 * @throws JsonLimitError, or SyntaxError as `JSON.parse`
 */
export function parseLimitedJson(text: string): unknown {
  checkJsonSize(text);
  return JSON.parse(text);
}

/** Looks at brackets, commas and colons outside of texts: what they are in does not matter yet. */
function checkJsonSize(text: string): void {
  let depth = 0;
  let values = 1;
  for (let at = 0; at < text.length; at += 1) {
    const code = text.charCodeAt(at);
    if (code === QUOTE) at = endOfText(text, at);
    else if (code === COMMA || code === COLON) values += 1;
    else if (code === 0x5b || code === 0x7b) {
      depth += 1;
      values += 1;
    } else if (code === 0x5d || code === 0x7d) depth -= 1;
    else continue;
    if (depth > MAX_JSON_DEPTH) throw new JsonLimitError(`it is nested deeper than ${MAX_JSON_DEPTH} levels`);
    if (values > MAX_JSON_VALUES)
      throw new JsonLimitError(`it has more than ${MAX_JSON_VALUES.toLocaleString("en")} values and names of fields`);
  }
}

/** Where the text that begins here ends: at its closing quote, or with everything. */
function endOfText(text: string, start: number): number {
  let end = text.indexOf('"', start + 1);
  while (end !== -1 && isEscaped(text, end)) end = text.indexOf('"', end + 1);
  return end === -1 ? text.length : end;
}

/** True after an odd number of backslashes. */
function isEscaped(text: string, at: number): boolean {
  let before = at - 1;
  while (text.charCodeAt(before) === BACKSLASH) before -= 1;
  return (at - before) % 2 === 0;
}
