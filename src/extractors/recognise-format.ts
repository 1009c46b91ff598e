import type { SourceFile } from "../core/documents/content-ports.js";
import { isMailText } from "../lib/mail-text.js";
import { decodeText, utf16Of } from "../lib/text-bytes.js";
import { type Format, FORMATS } from "./formats.js";
import { beginsWithFrontMatter } from "../lib/front-matter.js";
import { MAILBOX_LINE } from "./mail/mailbox-line.js";
import { zipKind } from "./zip-kind.js";

/** The detected format of a file. */
export interface Recognised {
  readonly format: Format;
  /** Says that the file is not what its label claims; null if the label is right. */
  readonly note: string | null;
}

/** Number of initial bytes that identify a file. */
export const HEAD_BYTES = 4_100;
/** Signature of ZIP archives. */
export const ZIP = "PK\u0003\u0004";
const COMPOUND_FILE = "\xd0\xcf\x11\xe0";

/**
 * Finds the format of a file: by its bytes where they leave no doubt, then by its type, then by its file name extension, then by
 * what its text looks like. Looks only at the beginning, and at the names of an archive's entries.
 * @returns null for an unsupported kind
 */
export async function recogniseFormat(file: SourceFile): Promise<Recognised | null> {
  const head = Buffer.from(file.bytes.subarray(0, HEAD_BYTES)).toString("latin1");
  const isUtf16 = utf16Of(file.bytes) !== null;
  // A UTF-16 byte order mark may also be the start of an MPEG recording.
  const binary = isUtf16 ? null : await binaryKind(file.bytes, head);
  const byLabel = formatOfType(file.mimeType) ?? formatOfEnding(file.name);
  if (binary !== null) {
    const byBytes = formatOfType(binary);
    // Signatures shared by several formats, such as old Office files and plain archives, leave the choice to the label.
    if (!byBytes) return isFamily(binary) && byLabel ? { format: byLabel, note: null } : null;
    return { format: byBytes, note: byLabel === byBytes ? null : mislabelled(file, byBytes) };
  }
  if (head.includes("\u0000") && !isUtf16) return byLabel && { format: byLabel, note: null };
  const text = formatOfType(textKind(head));
  const clear = text !== null && isClearText(head) ? text : null;
  const called = byLabel?.isBinary === true && isPlainText(file.bytes, head) ? PLAIN_TEXT : byLabel;
  const format = clear ?? withFrontMatter(called, head) ?? (saysNothing(file) ? text : null);
  if (!format) return null;
  return { format, note: byLabel === format ? null : mislabelled(file, format) };
}

async function binaryKind(bytes: Uint8Array, head: string): Promise<string | null> {
  if (head.startsWith(ZIP)) return zipKind(bytes);
  if (head.startsWith(COMPOUND_FILE)) return "application/x-cfb";
  if (head.startsWith("{\\rtf")) return "application/rtf";
  const { fileTypeFromBuffer } = await import("file-type");
  const found = await fileTypeFromBuffer(bytes.subarray(0, HEAD_BYTES)).catch(() => undefined);
  // The library identifies text formats by a few words; these are left to `textKind`. Parameters, such as the codec, are removed.
  const mimeType = found?.mime.replace(/;.*$/s, "") ?? "";
  return mimeType !== "" && !/^text\/|[/+]xml$/.test(mimeType) ? mimeType : null;
}

function isFamily(mimeType: string): boolean {
  return mimeType === "application/x-cfb" || mimeType === "application/zip";
}

/** For text labelled as something else; text labelled as text needs no extractor. */
const PLAIN_TEXT: Format = {
  mimeTypes: ["text/plain"],
  endings: [],
  load: async () => (await import("./plain-text.js")).extractPlainText,
};

/** Markdown without front matter is kept as it is, like any other text. */
function withFrontMatter(format: Format | null, head: string): Format | null {
  return format === FORMATS.markdown && !beginsWithFrontMatter(startOf(head)) ? null : format;
}

/** Whether the sample contains letters and is UTF-8 throughout. */
function isPlainText(bytes: Uint8Array, head: string): boolean {
  // eslint-disable-next-line no-control-regex -- such characters distinguish other bytes from text
  if (!/[A-Za-z]{2}|[^\x00-\x7f]/.test(head) || /[\x00-\x08\x0e-\x1a\x1c-\x1f\x7f]|%PDF/.test(head)) return false;
  return decodeText(withoutCutLetter(bytes.subarray(0, HEAD_BYTES))) !== null;
}

/** The sample may end within a character. */
function withoutCutLetter(bytes: Uint8Array): Uint8Array {
  const cut = bytes.subarray(-3).findLastIndex((byte) => byte >= 0xc0);
  return cut === -1 ? bytes : bytes.subarray(0, bytes.length - (Math.min(3, bytes.length) - cut));
}

/** Beginnings that identify a format unambiguously. */
const CLEAR_TEXTS: readonly (readonly [start: RegExp, mimeType: string])[] = [
  [/^BEGIN:VCALENDAR\r?\n/, "text/calendar"],
  [/^WEBVTT(?:[ \t\r\n]|$)/, "text/vtt"],
  [/^<!doctype html\b/i, "text/html"],
  [/^<html[\s>]/i, "text/html"],
  [new RegExp(`${MAILBOX_LINE.source}[\\w-]+:`), "application/mbox"],
];

/** Beginnings that text of no particular format may have, too. */
const LIKELY_TEXTS: readonly (readonly [start: RegExp, mimeType: string])[] = [
  [/^<\?xml\s/, "application/xml"],
  [/^From \S+ .*\r?\n[\w-]+:/, "application/mbox"],
  [/^(?:Received|Return-Path|Delivered-To|MIME-Version|Message-ID):/i, "message/rfc822"],
  [/^1\r?\n\d\d:\d\d:\d\d,\d{3} --> /, "application/x-subrip"],
];

function isClearText(head: string): boolean {
  const start = startOf(head);
  return isMailText(start) || CLEAR_TEXTS.some(([pattern]) => pattern.test(start));
}

function textKind(head: string): string | null {
  const start = startOf(head);
  if (isMailText(start)) return "message/rfc822";
  return [...CLEAR_TEXTS, ...LIKELY_TEXTS].find(([pattern]) => pattern.test(start))?.[1] ?? null;
}

function startOf(head: string): string {
  return head.replace(/^\xef\xbb\xbf/, "").trimStart();
}

function formatOfType(mimeType: string | null): Format | null {
  if (mimeType === null) return null;
  const formats: readonly Format[] = Object.values(FORMATS);
  return formats.find(({ mimeTypes }) => mimeTypes.includes(mimeType)) ?? null;
}

function formatOfEnding(name: string | null): Format | null {
  const ending = endingOf(name);
  const formats: readonly Format[] = Object.values(FORMATS);
  return (ending !== null && formats.find(({ endings }) => endings.includes(ending))) || null;
}

function endingOf(name: string | null): string | null {
  const dot = name?.lastIndexOf(".") ?? -1;
  return name === null || dot === -1 ? null : name.slice(dot + 1).toLowerCase();
}

/** Whether neither type nor name says what a file is. */
function saysNothing({ mimeType, name }: SourceFile): boolean {
  return (mimeType === null || mimeType === "application/octet-stream") && endingOf(name) === null;
}

function mislabelled({ name, mimeType }: SourceFile, format: Format): string | null {
  const isCalledOtherwise = mimeType !== null && mimeType !== "application/octet-stream";
  const ending = endingOf(name);
  if (!isCalledOtherwise && ending === null) return null;
  const label = isCalledOtherwise ? mimeType : `.${ending}`;
  return `The file is labelled ${label}, but is actually ${format.mimeTypes[0] ?? "something else"} and was read as such.`;
}
