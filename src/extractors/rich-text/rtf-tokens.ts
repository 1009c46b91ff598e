/** The tokens of RTF. */
export type RtfToken =
  | { readonly kind: "begin" | "end" }
  | { readonly kind: "word"; readonly name: string; readonly value: number | null }
  /** Characters in the code page of the font. */
  | { readonly kind: "bytes"; readonly bytes: Uint8Array };

const [BEGIN, END, BACKSLASH, LINE_FEED, RETURN, SPACE, MINUS, QUOTE] = [
  0x7b, 0x7d, 0x5c, 0x0a, 0x0d, 0x20, 0x2d, 0x27,
];
const LONGEST_WORD = 32;
const LONGEST_NUMBER = 10;

const isLetter = (byte: number) => (byte >= 0x61 && byte <= 0x7a) || (byte >= 0x41 && byte <= 0x5a);
const isDigit = (byte: number) => byte >= 0x30 && byte <= 0x39;

/** Splits any bytes into tokens, in one pass. */
export function* rtfTokens(bytes: Uint8Array): Generator<RtfToken> {
  let at = 0;
  while (at < bytes.length) {
    const byte = bytes[at];
    if (byte === BEGIN || byte === END) {
      yield { kind: byte === BEGIN ? "begin" : "end" };
      at += 1;
    } else if (byte === LINE_FEED || byte === RETURN) at += 1;
    else if (byte === BACKSLASH) {
      const { token, next } = readControl(bytes, at + 1);
      if (token) yield token;
      at = next;
    } else {
      const start = at;
      while (at < bytes.length && isPlain(bytes[at])) at += 1;
      yield { kind: "bytes", bytes: bytes.subarray(start, at) };
    }
  }
}

function isPlain(byte: number | undefined): boolean {
  return byte !== BEGIN && byte !== END && byte !== BACKSLASH && byte !== LINE_FEED && byte !== RETURN;
}

interface Control {
  readonly token: RtfToken | null;
  readonly next: number;
}

function readControl(bytes: Uint8Array, start: number): Control {
  const first = bytes[start] ?? 0;
  if (first === QUOTE) return readHexadecimal(bytes, start + 1);
  if (!isLetter(first)) {
    const isLineEnd = first === LINE_FEED || first === RETURN;
    const name = isLineEnd ? "par" : String.fromCharCode(first);
    return { token: { kind: "word", name, value: null }, next: start + 1 };
  }
  return readWord(bytes, start);
}

function readHexadecimal(bytes: Uint8Array, start: number): Control {
  const value = parseInt(ascii(bytes, start, start + 2), 16);
  const token = Number.isNaN(value) ? null : ({ kind: "bytes", bytes: Uint8Array.of(value) } as const);
  return { token, next: start + 2 };
}

function readWord(bytes: Uint8Array, start: number): Control {
  let at = start;
  while (at < start + LONGEST_WORD && isLetter(bytes[at] ?? 0)) at += 1;
  const name = ascii(bytes, start, at);
  const numberAt = at;
  if (bytes[at] === MINUS && isDigit(bytes[at + 1] ?? 0)) at += 1;
  const digitsAt = at;
  while (at < digitsAt + LONGEST_NUMBER && isDigit(bytes[at] ?? 0)) at += 1;
  const value = at > numberAt ? Number(ascii(bytes, numberAt, at)) : null;
  if (bytes[at] === SPACE) at += 1;
  // This many bytes of binary data follow.
  if (name === "bin") at += Math.max(0, value ?? 0);
  return { token: { kind: "word", name, value }, next: at };
}

function ascii(bytes: Uint8Array, start: number, end: number): string {
  return String.fromCharCode(...bytes.subarray(start, end));
}
