import { filenameOf, readParameters } from "./header-parameters.js";

/** One part of a `multipart/form-data` body. */
export interface Part {
  readonly name: string;
  /** Without folders; undefined for a plain field, empty for a file without a name. */
  readonly filename: string | undefined;
  /** As the sender wrote it. */
  readonly contentType: string | undefined;
  /** Its bytes as they arrive, readable once. The rest is skipped when the next part is requested. */
  readonly content: AsyncIterable<Uint8Array>;
}

/** A body that is not valid `multipart/form-data`; the message says which rule it breaks. */
export class MultipartError extends Error {
  override readonly name = "MultipartError";
}

const MAX_PARTS = 200;
const MAX_HEADER_BYTES = 16 * 1024;
/** Boundaries are chosen so that they do not occur in the content; a body full of lookalikes is an attack. */
const MAX_LOOKALIKES = 1_000;
/** Spaces allowed after a boundary (RFC 2046, transport padding). */
const MAX_PADDING = 1_000;
/** The maximum of RFC 2046. */
const MAX_BOUNDARY = 70;
const LINE_END = "\r\n";

/** The boundary in a content type. @throws MultipartError when there is no usable one */
export function boundaryOf(contentType: string): string {
  const boundary = readParameters(contentType).get("boundary") ?? "";
  if (boundary === "") throw new MultipartError("the content-type has no boundary");
  if (boundary.length > MAX_BOUNDARY) throw new MultipartError(`the boundary has more than ${MAX_BOUNDARY} characters`);
  return boundary;
}

/**
 * Splits a body into its parts as it arrives (RFC 7578), and buffers no more than the current piece. At most 200 parts,
 * each with headers of at most 16 KB. Reads the body to its end.
 * @throws MultipartError, or what `body` throws
 */
export async function* readMultipart(body: AsyncIterable<Uint8Array>, boundary: string): AsyncGenerator<Part> {
  const contents = new PartContents(body, boundary);
  try {
    await passOverPreamble(contents);
    for (let number = 1; contents.begin(); number += 1) {
      if (number > MAX_PARTS) throw new MultipartError(`the body has more than ${MAX_PARTS} parts`);
      yield { ...(await readHead(contents, number)), content: contents.pieces() };
      await contents.passOver();
    }
    await contents.passOverRest();
  } finally {
    await contents.giveUp();
  }
}

async function passOverPreamble(contents: PartContents): Promise<void> {
  await contents.passOver().catch((error: unknown) => {
    throw error instanceof BodyEndedError
      ? new MultipartError("the boundary of the content-type does not occur in the body")
      : error;
  });
}

class BodyEndedError extends MultipartError {
  constructor() {
    super("the body ends before its last part is complete");
  }
}

/** The sections between the boundaries of a body, in order; the first is whatever precedes all parts. */
class PartContents {
  readonly #body: AsyncIterator<Uint8Array>;
  readonly #mark: Buffer;
  /** Received but not yet returned. A body may start with its boundary, without a line end before it. */
  #held: Buffer = Buffer.from(LINE_END);
  /** Offset in it where the content continues. */
  #from = 0;
  /** Offset in it where the search for the next mark continues. */
  #searched = 0;
  #isAtEnd = false;
  #isLast = false;
  #lookalikes = 0;

  constructor(body: AsyncIterable<Uint8Array>, boundary: string) {
    this.#body = body[Symbol.asyncIterator]();
    this.#mark = Buffer.from(`${LINE_END}--${boundary}`, "latin1");
  }

  /** Continues after a boundary. @returns false after the last one */
  begin(): boolean {
    this.#isAtEnd = this.#isLast;
    return !this.#isLast;
  }

  /** The next piece of the content, null at its end. @throws BodyEndedError */
  async next(): Promise<Buffer | null> {
    while (!this.#isAtEnd) {
      const at = this.#held.indexOf(this.#mark, this.#searched);
      // The possible start of a mark stays.
      const end = at === -1 ? this.#held.length - this.#mark.length + 1 : at;
      if (end > this.#from) return this.#give(end);
      const isDecided = at !== -1 && this.#judge(at + this.#mark.length);
      if (!isDecided && !(await this.#fill())) throw new BodyEndedError();
    }
    return null;
  }

  /** Puts back the last piece, or its end. */
  unread(piece: Buffer): void {
    this.#held = Buffer.concat([piece, this.#held.subarray(this.#from)]);
    this.#from = 0;
    this.#searched = piece.length;
  }

  async *pieces(): AsyncGenerator<Uint8Array> {
    for (let piece = await this.next(); piece !== null; piece = await this.next()) yield piece;
  }

  async passOver(): Promise<void> {
    while ((await this.next()) !== null);
  }

  async passOverRest(): Promise<void> {
    while (!(await this.#body.next()).done);
  }

  /** Stops reading an abandoned body. */
  async giveUp(): Promise<void> {
    await this.#body.return?.();
  }

  #give(end: number): Buffer {
    const piece = this.#held.subarray(this.#from, end);
    this.#held = this.#held.subarray(end);
    this.#from = 0;
    this.#searched = 0;
    return piece;
  }

  /**
   * Whether a mark that ends here is a boundary: it is followed by a line end or by `--`. @returns false while that is
   * not known
   * @throws MultipartError for too many lookalikes
   */
  #judge(tail: number): boolean {
    const held = this.#held;
    if (held.length < tail + 2) return false;
    if (held[tail] === 0x2d && held[tail + 1] === 0x2d) {
      this.#isLast = true;
      this.#isAtEnd = true;
      return true;
    }
    const end = skipBlanks(held, tail);
    if (held.length < end + 2 && end - tail <= MAX_PADDING) return false;
    if (held[end] === 0x0d && held[end + 1] === 0x0a) {
      // The line end of one boundary may be that of the next.
      this.#held = held.subarray(end);
      this.#from = LINE_END.length;
      this.#searched = 0;
      this.#isAtEnd = true;
      return true;
    }
    this.#searched = tail;
    this.#lookalikes += 1;
    if (this.#lookalikes > MAX_LOOKALIKES)
      throw new MultipartError(`more than ${MAX_LOOKALIKES} lines begin with the boundary but continue after it`);
    return true;
  }

  async #fill(): Promise<boolean> {
    const next = await this.#body.next();
    if (next.done) return false;
    this.#held = Buffer.concat([this.#held, next.value]);
    return true;
  }
}

function skipBlanks(bytes: Buffer, from: number): number {
  let at = from;
  while (bytes[at] === 0x20 || bytes[at] === 0x09) at += 1;
  return at;
}

async function readHead(contents: PartContents, number: number): Promise<Omit<Part, "content">> {
  const headers = parseHeaders(await readHeaderLines(contents, number));
  const disposition = headers.get("content-disposition") ?? "";
  const parameters = readParameters(disposition);
  const name = parameters.get("name");
  if (!/^form-data\b/i.test(disposition) || name === undefined || name === "")
    throw new MultipartError(`part ${number} has no name in its content-disposition`);
  const filename = filenameOf(parameters);
  return {
    name,
    filename: filename === undefined ? undefined : withoutFolders(filename),
    contentType: headers.get("content-type"),
  };
}

/** The lines before the first empty line, which may be the first one. */
async function readHeaderLines(contents: PartContents, number: number): Promise<string> {
  let head = Buffer.alloc(0);
  for (;;) {
    const isEmpty = head.indexOf(LINE_END) === 0;
    const end = isEmpty ? 0 : head.indexOf(LINE_END + LINE_END);
    if ((end === -1 ? head.length : end) > MAX_HEADER_BYTES)
      throw new MultipartError(`the headers of part ${number} have more than ${MAX_HEADER_BYTES} bytes`);
    if (end !== -1) {
      contents.unread(head.subarray(isEmpty ? LINE_END.length : end + 2 * LINE_END.length));
      return head.subarray(0, end).toString("utf8");
    }
    const piece = await contents.next();
    if (piece === null) throw new MultipartError(`part ${number} has no empty line after its headers`);
    head = Buffer.concat([head, piece]);
  }
}

function parseHeaders(text: string): Map<string, string> {
  const headers = new Map<string, string>();
  for (const line of text.split(LINE_END)) {
    const colon = line.indexOf(":");
    if (colon > 0) headers.set(line.slice(0, colon).trim().toLowerCase(), line.slice(colon + 1).trim());
  }
  return headers;
}

function withoutFolders(filename: string): string {
  return filename.slice(Math.max(filename.lastIndexOf("/"), filename.lastIndexOf("\\")) + 1);
}
