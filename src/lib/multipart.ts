/** One part of a `multipart/form-data` body. */
export interface Part {
  readonly name: string;
  /** Without folders; undefined for a plain field, empty for a file without a name. */
  readonly filename: string | undefined;
  /** As the sender wrote it. */
  readonly contentType: string | undefined;
  /** A view of the body, not a copy. */
  readonly bytes: Uint8Array;
}

/** A body that is no `multipart/form-data`; the message says which rule it breaks. */
export class MultipartError extends Error {
  override readonly name = "MultipartError";
}

const MAX_PARTS = 200;
const MAX_HEADER_BYTES = 16 * 1024;
/** Longest that RFC 2046 allows. */
const MAX_BOUNDARY = 70;
const LINE_END = "\r\n";

/** The boundary that a content type names. @throws MultipartError when it names none that can be used */
export function boundaryOf(contentType: string): string {
  const match = /;\s*boundary\s*=\s*(?:"([^"]*)"|([^;\s]*))/i.exec(contentType);
  const boundary = match?.[1] ?? match?.[2] ?? "";
  if (boundary === "") throw new MultipartError("the content-type names no boundary");
  if (boundary.length > MAX_BOUNDARY) throw new MultipartError(`the boundary has more than ${MAX_BOUNDARY} characters`);
  return boundary;
}

/**
 * Cuts a whole body into its parts (RFC 7578). At most 200 parts, each with headers of at most 16 KB.
 * @throws MultipartError
 */
export function parseMultipart(body: Uint8Array, boundary: string): Part[] {
  const bytes = Buffer.from(body.buffer, body.byteOffset, body.byteLength);
  const parts: Part[] = [];
  let delimiter = findDelimiter(bytes, boundary, 0);
  if (!delimiter) throw new MultipartError("the boundary of the content-type does not occur in the body");
  while (!delimiter.isLast) {
    const next = findDelimiter(bytes, boundary, delimiter.end);
    if (!next) throw new MultipartError("the body ends before its last part does");
    if (parts.length === MAX_PARTS) throw new MultipartError(`the body has more than ${MAX_PARTS} parts`);
    parts.push(readPart(bytes.subarray(delimiter.end, next.start), parts.length + 1));
    delimiter = next;
  }
  return parts;
}

interface Delimiter {
  /** Where the content before it ends. */
  readonly start: number;
  /** Where the headers after it begin. */
  readonly end: number;
  readonly isLast: boolean;
}

/** The next line that is the boundary and nothing else, or the boundary and `--`. */
function findDelimiter(bytes: Buffer, boundary: string, from: number): Delimiter | null {
  const mark = `--${boundary}`;
  for (let at = bytes.indexOf(mark, from, "latin1"); at >= 0; at = bytes.indexOf(mark, at + 1, "latin1")) {
    const isLineStart = at === 0 || isLineEnd(bytes, at - 2);
    const tail = at + mark.length;
    if (!isLineStart || at < from) continue;
    const start = Math.max(from, at - 2);
    if (bytes[tail] === 0x2d && bytes[tail + 1] === 0x2d) return { start, end: tail + 2, isLast: true };
    const end = skipBlanks(bytes, tail);
    if (isLineEnd(bytes, end)) return { start, end: end + 2, isLast: false };
  }
  return null;
}

function skipBlanks(bytes: Buffer, from: number): number {
  let at = from;
  while (bytes[at] === 0x20 || bytes[at] === 0x09) at += 1;
  return at;
}

function isLineEnd(bytes: Buffer, at: number): boolean {
  return bytes[at] === 0x0d && bytes[at + 1] === 0x0a;
}

function readPart(bytes: Buffer, number: number): Part {
  // A part without any header begins with the empty line itself.
  const end = isLineEnd(bytes, 0) ? -2 : bytes.indexOf(LINE_END + LINE_END, 0, "latin1");
  if (end < -2 || end === -1) throw new MultipartError(`part ${number} has no empty line after its headers`);
  if (end > MAX_HEADER_BYTES)
    throw new MultipartError(`the headers of part ${number} have more than ${MAX_HEADER_BYTES} bytes`);
  const headers = readHeaders(bytes.subarray(0, Math.max(0, end)).toString("utf8"));
  const disposition = headers.get("content-disposition") ?? "";
  const name = parameterOf(disposition, "name");
  if (!/^form-data\b/i.test(disposition) || name === undefined || name === "")
    throw new MultipartError(`part ${number} has no name in its content-disposition`);
  const filename = extendedFilename(disposition) ?? parameterOf(disposition, "filename");
  return {
    name,
    filename: filename === undefined ? undefined : withoutFolders(filename),
    contentType: headers.get("content-type"),
    bytes: bytes.subarray(end === -2 ? 2 : end + 4),
  };
}

function readHeaders(text: string): Map<string, string> {
  const headers = new Map<string, string>();
  for (const line of text.split(LINE_END)) {
    const colon = line.indexOf(":");
    if (colon > 0) headers.set(line.slice(0, colon).trim().toLowerCase(), line.slice(colon + 1).trim());
  }
  return headers;
}

/** A parameter of a header. Senders write quotes in it as `\"` or `%22`; a backslash before anything else is one. */
function parameterOf(header: string, name: string): string | undefined {
  const match = new RegExp(`;\\s*${name}\\s*=\\s*(?:"((?:\\\\"|[^"])*)"|([^;\\s]*))`, "i").exec(header);
  const value = match?.[1] ?? match?.[2];
  return value
    ?.replaceAll('\\"', '"')
    .replaceAll(/%22/g, '"')
    .replaceAll(/%0D|%0A/gi, " ");
}

/** `filename*=UTF-8''…` (RFC 8187). */
function extendedFilename(header: string): string | undefined {
  const encoded = /;\s*filename\*\s*=\s*utf-8'[^']*'([^;\s]*)/i.exec(header)?.[1];
  if (encoded === undefined) return undefined;
  try {
    return decodeURIComponent(encoded);
  } catch {
    return undefined;
  }
}

function withoutFolders(filename: string): string {
  return filename.slice(Math.max(filename.lastIndexOf("/"), filename.lastIndexOf("\\")) + 1);
}
