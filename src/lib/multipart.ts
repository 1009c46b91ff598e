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
/** Boundaries are chosen so that they do not occur; a body full of what looks like one is meant to keep us busy. */
const MAX_LOOKALIKES = 1_000;
/** Longest that RFC 2046 allows. */
const MAX_BOUNDARY = 70;
const LINE_END = "\r\n";
const PARAMETER = /;\s*([\w*]+)\s*=\s*(?:"((?:\\"|[^"])*)"|([^;\s]*))/g;

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
  const delimiters = findDelimiters(bytes, boundary);
  let delimiter = delimiters.next().value;
  if (!delimiter) throw new MultipartError("the boundary of the content-type does not occur in the body");
  while (!delimiter.isLast) {
    const next: Delimiter | undefined = delimiters.next().value;
    if (!next) throw new MultipartError("the body ends before its last part does");
    if (parts.length === MAX_PARTS) throw new MultipartError(`the body has more than ${MAX_PARTS} parts`);
    // Two boundaries may share a line end, with nothing between them.
    parts.push(readPart(bytes.subarray(delimiter.end, Math.max(delimiter.end, next.start)), parts.length + 1));
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

/** The lines that are the boundary and nothing else, or the boundary and `--`, in order. */
function* findDelimiters(bytes: Buffer, boundary: string): Generator<Delimiter, undefined> {
  const mark = Buffer.from(`${LINE_END}--${boundary}`, "latin1");
  let lookalikes = 0;
  // A body may begin with its boundary, without a line end before it.
  let at = bytes.subarray(0, mark.length - 2).equals(mark.subarray(2)) ? -2 : bytes.indexOf(mark);
  while (at >= -2 && at !== -1) {
    const tail = at + mark.length;
    const isLast = bytes[tail] === 0x2d && bytes[tail + 1] === 0x2d;
    const end = isLast ? tail : skipBlanks(bytes, tail);
    if (isLast || isLineEnd(bytes, end)) yield { start: at, end: end + 2, isLast };
    else if (++lookalikes > MAX_LOOKALIKES)
      throw new MultipartError(`more than ${MAX_LOOKALIKES} lines begin with the boundary and go on`);
    // The line end of one boundary may be that of the next.
    at = bytes.indexOf(mark, end);
  }
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
  const parameters = readParameters(disposition);
  const name = parameters.get("name");
  if (!/^form-data\b/i.test(disposition) || name === undefined || name === "")
    throw new MultipartError(`part ${number} has no name in its content-disposition`);
  const filename = decodeExtended(parameters.get("filename*")) ?? parameters.get("filename");
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

/** The parameters of a header. Senders write quotes in one as `\"` or `%22`; a backslash before anything else is one. */
function readParameters(header: string): Map<string, string> {
  const parameters = new Map<string, string>();
  for (const [, name = "", quoted, plain = ""] of header.matchAll(PARAMETER)) {
    const value = (quoted ?? plain)
      .replaceAll('\\"', '"')
      .replaceAll("%22", '"')
      .replaceAll(/%0D|%0A/gi, " ");
    parameters.set(name.toLowerCase(), value);
  }
  return parameters;
}

/** `filename*=UTF-8''…` (RFC 8187). */
function decodeExtended(value: string | undefined): string | undefined {
  const encoded = /^utf-8'[^']*'(.*)$/i.exec(value ?? "")?.[1];
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
