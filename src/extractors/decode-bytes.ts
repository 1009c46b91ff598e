import { decodeWestern, utf16Of } from "../lib/text-bytes.js";
import { isUtf8 } from "node:buffer";
import { cleanText } from "./clean-text.js";

/** The text of a file and how it was decoded. */
export interface DecodedText {
  /** Without a byte order mark, control characters or lone surrogates; lines end with `\n`. */
  readonly text: string;
  /** Name from the WHATWG Encoding Standard, such as `windows-1252`. */
  readonly encoding: string;
  /** True where neither a byte order mark, nor a label, nor the bytes themselves settle it. */
  readonly isGuess: boolean;
}

/**
 * Decodes text in any common encoding: by its byte order mark, else as UTF-8 where the bytes leave no doubt, else by the first
 * label that is known and fits, else by what the bytes look like. Never throws.
 * @param said encoding labels, the most trusted first, such as the one sent with the type and the one declared in the file
 */
export function decodeBytes(bytes: Uint8Array, said: readonly (string | null)[] = []): DecodedText {
  const { encoding, isGuess } = chooseEncoding(bytes, said);
  const text = encoding === "windows-1252" ? decodeWestern(bytes) : new TextDecoder(encoding).decode(bytes);
  return { text: cleanText(text), encoding, isGuess };
}

/** How much of a file is searched for an encoding declaration. */
const DECLARATION_BYTES = 4_096;

/** The encoding declared at the beginning of HTML or XML, or null. */
export function declaredEncoding(bytes: Uint8Array): string | null {
  const head = Buffer.from(bytes.subarray(0, DECLARATION_BYTES)).toString("latin1");
  const said =
    /^[^<]{0,100}<\?xml [^>]{0,100}encoding ?= ?["']([\w.:-]{1,40})["']/.exec(head)?.[1] ??
    /<meta [^>]{0,200}charset ?= ?["']? ?([\w.:-]{1,40})/i.exec(head)?.[1];
  // A declaration that is readable as ASCII cannot be in UTF-16.
  return said === undefined || /^utf-?16/i.test(said) ? null : said;
}

interface Choice {
  readonly encoding: string;
  readonly isGuess: boolean;
}

function chooseEncoding(bytes: Uint8Array, said: readonly (string | null)[]): Choice {
  const marked = markedEncoding(bytes) ?? wideEncoding(bytes);
  if (marked !== null) return { encoding: marked, isGuess: false };
  const named = said.flatMap((name) => standardName(name) ?? []);
  // All its bytes are ASCII.
  const escaped = named.find((encoding) => encoding === "iso-2022-jp" && decodesCleanly(bytes, encoding));
  if (escaped !== undefined) return { encoding: escaped, isGuess: false };
  // Text in another encoding is hardly ever valid UTF-8 by chance; labels sent by servers are often wrong.
  if (isUtf8(bytes)) return { encoding: "utf-8", isGuess: false };
  const wide = named.find((encoding) => MULTIBYTE.test(encoding) && decodesCleanly(bytes, encoding));
  const fitting = wide ?? named.find((encoding) => encoding !== "utf-8");
  if (fitting !== undefined) return { encoding: fitting, isGuess: false };
  if (isNearlyUtf8(bytes)) return { encoding: "utf-8", isGuess: false };
  return { encoding: guessEncoding(bytes.subarray(0, SAMPLE_BYTES)), isGuess: true };
}

const MULTIBYTE = /^(?:gb|big5|euc-|shift_jis|iso-2022-jp|utf-16)/;

function markedEncoding(bytes: Uint8Array): string | null {
  const [first, second, third] = bytes;
  return utf16Of(bytes) ?? (first === 0xef && second === 0xbb && third === 0xbf ? "utf-8" : null);
}

/** Detects UTF-16 without a byte order mark: at least a third of the bytes on one side are zero, and hardly any on the other. */
function wideEncoding(bytes: Uint8Array): string | null {
  const sample = bytes.subarray(0, SAMPLE_BYTES);
  const zeros = [0, 0];
  for (let at = 0; at < sample.length; at += 1) if (sample[at] === 0) zeros[at % 2] = (zeros[at % 2] ?? 0) + 1;
  const [even = 0, odd = 0] = zeros;
  if (Math.max(even, odd) < sample.length / 6 || Math.min(even, odd) > sample.length / 50) return null;
  return odd > even ? "utf-16le" : "utf-16be";
}

function standardName(name: string | null): string | null {
  if (name === null) return null;
  try {
    return new TextDecoder(name.trim()).encoding;
  } catch {
    return null;
  }
}

function decodesCleanly(bytes: Uint8Array, encoding: string): boolean {
  return !new TextDecoder(encoding).decode(bytes).includes("\uFFFD");
}

/** UTF-8 with a few invalid sequences, such as in a truncated file. */
function isNearlyUtf8(bytes: Uint8Array): boolean {
  const sample = new TextDecoder("utf-8").decode(bytes.subarray(0, SAMPLE_BYTES));
  const broken = countOf(sample, /\uFFFD/g);
  return broken * 10 <= countOf(sample, /[^\p{ASCII}\uFFFD]/gu);
}

const SAMPLE_BYTES = 65_536;

/** Characters typical of text in an encoding, and their minimum share of the non-ASCII characters. */
const TYPICAL: readonly (readonly [encoding: string, characters: RegExp, share: number])[] = [
  ["euc-jp", /[\u3040-\u30FF]/g, 0.25],
  ["shift_jis", /[\u3040-\u30FF]/g, 0.25],
  ["euc-kr", /[\uAC00-\uD7A3]/g, 0.7],
  ["windows-1251", /[а-яё]/g, 0.6],
  ["koi8-r", /[а-яё]/g, 0.6],
  ["windows-1253", /[α-ωάέήίόύώς]/g, 0.6],
  ["gb18030", /[的一是不了人我在有他这中大来上国个到说们]/g, 0.04],
  ["big5", /[的一是不了人我在有他這中大來上國個到說們]/g, 0.04],
];

/** Western European unless something suggests another encoding. */
function guessEncoding(sample: Uint8Array): string {
  if (!hasRunsBeyondAscii(sample)) return "windows-1252";
  const scores = TYPICAL.map(([encoding, characters, share]) => {
    const text = new TextDecoder(encoding).decode(sample);
    const beyondAscii = countOf(text, /\P{ASCII}/gu);
    const broken = countOf(text, /\uFFFD/g) * 10;
    return { encoding, score: (countOf(text, characters) - broken) / Math.max(1, beyondAscii) / share };
  });
  const best = scores.reduce((one, other) => (other.score > one.score ? other : one));
  return best.score >= 1 ? best.encoding : "windows-1252";
}

/** Accented letters of Western languages stand alone among others; letters of other scripts form runs. */
function hasRunsBeyondAscii(sample: Uint8Array): boolean {
  let beyond = 0;
  let together = 0;
  for (let at = 0; at < sample.length; at += 1) {
    if ((sample[at] ?? 0) < 0x80) continue;
    beyond += 1;
    if ((sample[at - 1] ?? 0) >= 0x80) together += 1;
  }
  // The second byte of Japanese in Shift_JIS is often ASCII.
  return together * 3 > beyond;
}

function countOf(text: string, characters: RegExp): number {
  return text.match(characters)?.length ?? 0;
}
