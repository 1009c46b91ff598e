import { isUtf8 } from "node:buffer";

/** Decodes a text file: UTF-8 with or without a byte order mark, or UTF-16 with one. Null when it is neither. */
export function decodeText(bytes: Uint8Array): string | null {
  try {
    return new TextDecoder(encodingOf(bytes), { fatal: true }).decode(bytes);
  } catch {
    return null;
  }
}

/** Bytes that never occur in windows-1252 text: control characters, and unassigned ones. */
const NO_WESTERN_BYTE = /[^\P{Cc}\t\n\f\r\x80\x82-\x8c\x8e\x91-\x9c\x9e\x9f]/u;
/** Letters with accents, quotation marks and dashes make up only a part of a text. */
const LARGEST_SHARE = 0.3;

/** The same for older files in the Western European encoding, with the encoding that was found. Null when it is neither. */
export function decodeOldText(bytes: Uint8Array): { readonly text: string; readonly encoding: string } | null {
  const text = decodeText(bytes);
  if (text !== null) return { text, encoding: encodingOf(bytes) };
  const raw = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength).toString("latin1");
  if (utf16Of(bytes) || NO_WESTERN_BYTE.test(raw) || isBrokenUtf8(bytes)) return null;
  const beyondAscii = bytes.reduce((count, byte) => count + Number(byte > 0x7f), 0);
  if (beyondAscii > bytes.length * LARGEST_SHARE) return null;
  return { text: decodeWestern(bytes), encoding: "windows-1252" };
}

/** The characters of windows-1252 from 0x80 to 0x9f, where Latin-1 has control characters. */
const WESTERN = "€\x81‚ƒ„…†‡ˆ‰Š‹Œ\x8dŽ\x8f\x90‘’“”•–—˜™š›œ\x9džŸ";

/** Decodes windows-1252. Some versions of Node decode it as Latin-1, which loses quotation marks and dashes. */
export function decodeWestern(bytes: Uint8Array): string {
  const latin = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength).toString("latin1");
  return latin.replace(/[\x80-\x9f]/g, (letter) => WESTERN.charAt(letter.charCodeAt(0) - 0x80));
}

/** Truncated or damaged UTF-8 has more whole non-ASCII characters than broken ones. */
function isBrokenUtf8(bytes: Uint8Array): boolean {
  const lenient = new TextDecoder("utf-8").decode(bytes);
  const broken = lenient.split("\uFFFD").length - 1;
  const whole = lenient.match(/[^\p{ASCII}\uFFFD]/gu)?.length ?? 0;
  // Half of a letter such as é, and hardly ever the end of a text.
  return whole >= broken || (broken === 1 && /[\xc2\xc3]$/.test(Buffer.from(bytes.subarray(-1)).toString("latin1")));
}

/** Whether bytes look like such a text, in little time and memory however many there are. */
export function looksLikeText(bytes: Uint8Array): boolean {
  return encodingOf(bytes) !== "utf-8" || isUtf8(bytes);
}

function encodingOf(bytes: Uint8Array): string {
  return utf16Of(bytes) ?? "utf-8";
}

/** The UTF-16 variant that a byte order mark indicates; null without one. */
export function utf16Of([first, second]: Uint8Array): "utf-16le" | "utf-16be" | null {
  if (first === 0xff && second === 0xfe) return "utf-16le";
  return first === 0xfe && second === 0xff ? "utf-16be" : null;
}

/** The signatures of files that are not text, in latin-1, with their common names. */
const SIGNATURES: readonly (readonly [start: string, name: string])[] = [
  ["%PDF-", "a PDF"],
  ["{\\rtf", "an RTF document"],
  ["\x89PNG\r\n", "a PNG image"],
  ["\xff\xd8\xff", "a JPEG image"],
  ["GIF87a", "a GIF image"],
  ["GIF89a", "a GIF image"],
  ["PK\x03\x04", "a ZIP archive or an Office document"],
  ["\xd0\xcf\x11\xe0", "an Office document"],
  ["\x1f\x8b", "a gzip archive"],
  ["ID3", "an MP3 recording"],
  ["OggS", "an Ogg recording"],
  ["\x1aE\xdf\xa3", "a WebM or Matroska video"],
  ["SQLite format 3\0", "an SQLite database"],
];

/** The kind of a file by its first bytes, such as "a PDF"; null when unknown. */
export function recogniseBinary(bytes: Uint8Array): string | null {
  const head = Buffer.from(bytes.subarray(0, 16)).toString("latin1");
  const known = SIGNATURES.find(([start]) => head.startsWith(start));
  if (known) return known[1];
  if (head.slice(4, 8) === "ftyp") return "a video or a picture";
  if (head.startsWith("RIFF")) return "a recording, a video or a WebP image";
  return null;
}
