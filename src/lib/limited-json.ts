/** Deeper than any meaningful input: a filter of the maximum depth stays far below. */
export const MAX_JSON_DEPTH = 64;
/** More than any request needs: 600 documents with 150 fields each stay below. */
export const MAX_JSON_VALUES = 100_000;

/** JSON that would cost too much to read; the message says which limit it exceeds. */
export class JsonLimitError extends Error {
  override readonly name = "JsonLimitError";
}

const QUOTE = 0x22;
const BACKSLASH = 0x5c;
const COMMA = 0x2c;
const COLON = 0x3a;

/**
 * Parses JSON from a stranger. Depth and number of values are counted before anything is built from them, because a few
 * megabytes of small values take seconds and gigabytes as objects.
 * @throws JsonLimitError, or SyntaxError as `JSON.parse`
 */
export function parseLimitedJson(text: string): unknown {
  createJsonMeter().count(text);
  return JSON.parse(text);
}

/** Counts depth and values of JSON as it arrives. */
export interface JsonMeter {
  /** Takes the next piece of the text, in time proportional to its length. @throws JsonLimitError */
  count(piece: string): void;
}

/** Looks only at brackets, commas and colons outside strings: the structure does not matter yet. */
export function createJsonMeter(): JsonMeter {
  let depth = 0;
  let values = 1;
  let isInText = false;
  let isEscaped = false;
  return {
    count(piece) {
      for (let at = 0; at < piece.length; at += 1) {
        const code = piece.charCodeAt(at);
        if (isEscaped) isEscaped = false;
        else if (isInText) {
          if (code === QUOTE) isInText = false;
          else if (code === BACKSLASH) isEscaped = true;
        } else if (code === QUOTE) isInText = true;
        else if (code === COMMA || code === COLON) values += 1;
        else if (code === 0x5b || code === 0x7b) {
          depth += 1;
          values += 1;
          if (depth > MAX_JSON_DEPTH) throw tooMuch(`is nested deeper than ${MAX_JSON_DEPTH} levels`);
        } else if (code === 0x5d || code === 0x7d) depth -= 1;
        if (values > MAX_JSON_VALUES)
          throw tooMuch(`has more than ${MAX_JSON_VALUES.toLocaleString("en")} values and field names`);
      }
    },
  };
}

function tooMuch(what: string): JsonLimitError {
  return new JsonLimitError(`it ${what}`);
}
