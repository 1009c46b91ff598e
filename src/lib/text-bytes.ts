import { isUtf8 } from "node:buffer";

/** Decodes a text file: UTF-8 with or without a byte order mark, or UTF-16 with one. Null when it is neither. */
export function decodeText(bytes: Uint8Array): string | null {
  try {
    return new TextDecoder(encodingOf(bytes), { fatal: true }).decode(bytes);
  } catch {
    return null;
  }
}

/** Bytes that no text has in windows-1252: control characters, and what stands for nothing there. */
const NO_WESTERN_BYTE = /[^\P{Cc}\t\n\f\r\x80\x82-\x8c\x8e\x91-\x9c\x9e\x9f]/u;
/** Letters with accents, quotation marks and dashes are a part of a text only. */
const LARGEST_SHARE = 0.3;

/** The same of older files, in the encoding of Western Europe, with the encoding that was found. Null when it is none of them. */
export function decodeOldText(bytes: Uint8Array): { readonly text: string; readonly encoding: string } | null {
  const text = decodeText(bytes);
  if (text !== null) return { text, encoding: encodingOf(bytes) };
  const raw = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength).toString("latin1");
  if (utf16Of(bytes) || NO_WESTERN_BYTE.test(raw) || isBrokenUtf8(bytes)) return null;
  const beyondAscii = bytes.reduce((count, byte) => count + Number(byte > 0x7f), 0);
  if (beyondAscii > bytes.length * LARGEST_SHARE) return null;
  return { text: decodeWestern(bytes), encoding: "windows-1252" };
}

/** What windows-1252 has at 0x80 to 0x9f, where Latin-1 has control characters. */
const WESTERN = "€\x81‚ƒ„…†‡ˆ‰Š‹Œ\x8dŽ\x8f\x90‘’“”•–—˜™š›œ\x9džŸ";

/** Decodes windows-1252. The decoder of some versions of Node takes it for Latin-1, which loses quotation marks and dashes. */
export function decodeWestern(bytes: Uint8Array): string {
  const latin = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength).toString("latin1");
  return latin.replace(/[\x80-\x9f]/g, (letter) => WESTERN.charAt(letter.charCodeAt(0) - 0x80));
}

/** UTF-8 that was cut or damaged has more whole characters beyond ASCII than broken ones. */
function isBrokenUtf8(bytes: Uint8Array): boolean {
  const lenient = new TextDecoder("utf-8").decode(bytes);
  const broken = lenient.split("\uFFFD").length - 1;
  const whole = lenient.match(/[^\p{ASCII}\uFFFD]/gu)?.length ?? 0;
  // Half of a letter such as é, and hardly ever the end of a text.
  return whole >= broken || (broken === 1 && /[\xc2\xc3]$/.test(Buffer.from(bytes.subarray(-1)).toString("latin1")));
}

/** Whether bytes look like such a text, in little time and memory however many they are. */
export function looksLikeText(bytes: Uint8Array): boolean {
  return encodingOf(bytes) !== "utf-8" || isUtf8(bytes);
}

function encodingOf(bytes: Uint8Array): string {
  return utf16Of(bytes) ?? "utf-8";
}

/** Which UTF-16 a byte order mark says that a text is in; null without one. */
export function utf16Of([first, second]: Uint8Array): "utf-16le" | "utf-16be" | null {
  if (first === 0xff && second === 0xfe) return "utf-16le";
  return first === 0xfe && second === 0xff ? "utf-16be" : null;
}

/** What files begin with that are not meant to be read as text, as latin-1, and what people call them. */
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

/** What a file is by its first bytes, such as "a PDF"; null when they say nothing. */
export function recognizeBinary(bytes: Uint8Array): string | null {
  const head = Buffer.from(bytes.subarray(0, 16)).toString("latin1");
  const known = SIGNATURES.find(([start]) => head.startsWith(start));
  if (known) return known[1];
  if (head.slice(4, 8) === "ftyp") return "a video or a picture";
  if (head.startsWith("RIFF")) return "a recording, a video or a WebP image";
  return null;
}
