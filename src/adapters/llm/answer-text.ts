/** How many positions are tried as the start of a value, so that hostile text costs no time. */
const MOST_TRIES = 20;

/**
 * The JSON objects and lists in a model's text, in order: alone, in a code fence, or surrounded by words. Truncated ones are
 * left out.
 */
export function findJson(text: string): unknown[] {
  const spoken = withoutThoughts(text).trim();
  const whole = parse(spoken);
  if (whole !== undefined) return [whole];
  const found: unknown[] = [];
  let from = 0;
  for (let tries = 0; tries < MOST_TRIES; tries += 1) {
    const distance = spoken.slice(from).search(/[{[]/);
    if (distance === -1) break;
    const start = from + distance;
    const end = endOfValue(spoken, start);
    const value = end === -1 ? undefined : parse(spoken.slice(start, end));
    if (value !== undefined) found.push(value);
    from = value === undefined ? start + 1 : end;
  }
  return found;
}

/** Some models think aloud before they answer. */
function withoutThoughts(text: string): string {
  const end = text.lastIndexOf("</think>");
  return end === -1 ? text : text.slice(end + "</think>".length);
}

function parse(text: string): unknown {
  if (!/^[{[]/.test(text)) return undefined;
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

/** Position after the bracket that closes the one at `start`, -1 when it is never closed. */
function endOfValue(text: string, start: number): number {
  let depth = 0;
  let isInString = false;
  for (let at = start; at < text.length; at += 1) {
    const character = text[at];
    if (isInString) {
      if (character === "\\") at += 1;
      else if (character === '"') isInString = false;
    } else if (character === '"') isInString = true;
    else if (character === "{" || character === "[") depth += 1;
    else if (character === "}" || character === "]") {
      depth -= 1;
      if (depth === 0) return at + 1;
    }
  }
  return -1;
}
