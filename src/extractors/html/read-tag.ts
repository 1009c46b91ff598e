export interface Attribute {
  /** In lower case. */
  readonly name: string;
  readonly value: string;
}

export interface Tag {
  /** In lower case. */
  readonly name: string;
  readonly isEnd: boolean;
  readonly isSelfClosing: boolean;
  readonly attributes: readonly Attribute[];
  /** The position after it. */
  readonly end: number;
}

const MOST_ATTRIBUTES = 40;
const LONGEST_VALUE = 8_192;
const LONGEST_NAME = 60;
const TAG_START = /<(\/?)([a-z][a-z0-9:-]*)/iy;
const ATTRIBUTE_NAME = /[^\s/>=]+/y;
const SPACE = /[\s/]*/y;
const EQUALS = /\s*=\s*/y;
const BARE_VALUE = /[^\s>]*/y;
/** Attribute names that are safe and parsed as written. */
const KEPT_NAME = /^(?!on)[a-z_][a-z0-9_:.-]*$/;
/** For programs only, or would be fetched. */
const UNKEPT = new Set(["srcset", "srcdoc", "ping", "integrity", "nonce"]);

/**
 * The tag that begins at a position, as browsers read it; null if none does. An unterminated tag extends to the end of the text.
 */
export function readTag(html: string, at: number): Tag | null {
  TAG_START.lastIndex = at;
  const start = TAG_START.exec(html);
  const [begun = "", slash, name = ""] = start ?? [];
  if (begun === "" || name.length > LONGEST_NAME) return null;
  const attributes: Attribute[] = [];
  let place = at + begun.length;
  let isSelfClosing = false;
  for (;;) {
    const space = match(SPACE, html, place);
    place += space.length;
    isSelfClosing = space.endsWith("/");
    if (place >= html.length || html[place] === ">") break;
    const { attribute, end } = readAttribute(html, place);
    place = end;
    if (attribute && attributes.length < MOST_ATTRIBUTES) attributes.push(attribute);
  }
  const end = Math.min(html.length, place + 1);
  return { name: name.toLowerCase(), isEnd: slash === "/", isSelfClosing, attributes, end };
}

function readAttribute(html: string, at: number): { attribute: Attribute | null; end: number } {
  // A stray equals sign is skipped.
  const raw = match(ATTRIBUTE_NAME, html, at) || "=";
  const name = raw.slice(0, LONGEST_NAME).toLowerCase();
  const isKept = raw.length <= LONGEST_NAME && KEPT_NAME.test(name) && !UNKEPT.has(name);
  const keep = (value: string, end: number) => ({
    attribute: isKept && value.length <= LONGEST_VALUE ? { name, value } : null,
    end,
  });
  const place = at + raw.length;
  const equals = match(EQUALS, html, place);
  if (equals === "") return keep("", place);
  const start = place + equals.length;
  const quote = html[start];
  if (quote !== '"' && quote !== "'") {
    const value = match(BARE_VALUE, html, start);
    return keep(value, start + value.length);
  }
  const close = html.indexOf(quote, start + 1);
  // An unclosed quote would swallow everything that follows.
  if (close === -1) return { attribute: null, end: html.length };
  return keep(html.slice(start + 1, close), close + 1);
}

function match(pattern: RegExp, text: string, at: number): string {
  pattern.lastIndex = at;
  return pattern.exec(text)?.[0] ?? "";
}
