import { AppError } from "../../core/errors.js";
import type { Upload, UploadStore } from "../../core/index.js";
import { boundaryOf, MultipartError, type Part, readMultipart } from "../../lib/multipart.js";
import { BodyError, streamBody } from "../../lib/request-body.js";
import { truncate } from "../../lib/truncate.js";
import { refuseTooLarge, type BodyLimit } from "./read-request.js";

export class FormFile {
  /** Null when the sender named none. */
  readonly name: string | null;
  /** `type/subtype` as the sender wrote it, or null. */
  readonly type: string | null;

  constructor({ filename, contentType }: Part) {
    const type = contentType?.split(";")[0]?.trim().toLowerCase() ?? "";
    this.name = filename || null;
    this.type = type || null;
  }
}

/** A file whose bytes were received. */
export class ReceivedFile extends FormFile {
  readonly upload: Upload;

  constructor(part: Part, upload: Upload) {
    super(part);
    this.upload = upload;
  }
}

/** The fields of a form by name: a text, the texts of a repeated name, or the first file of a name. */
export type Form = Readonly<Record<string, string | readonly string[] | FormFile>>;

export interface FormReading {
  readonly limit: BodyLimit;
  /** Limit for all field texts together, in bytes. */
  readonly fieldBytes: number;
  /** The field whose file is received; all others are skipped. */
  readonly fileField: string;
  readonly receive: UploadStore["receive"];
}

/**
 * Reads a `multipart/form-data` body as it arrives, never beyond the limit. The bytes of its file are not held in memory.
 * @throws AppError `unsupported_type`, `too_large`, or `invalid` for a truncated or malformed body
 */
export async function readForm(request: Request, reading: FormReading): Promise<Form> {
  const type = request.headers.get("content-type") ?? "";
  if (!/^multipart\/form-data\s*(;|$)/i.test(type.trim()))
    throw new AppError(
      "unsupported_type",
      `The body must be a form with a file: send it with content-type multipart/form-data, not ${type.slice(0, 100) || "none"}.`,
    );
  try {
    return await collect(readMultipart(streamBody(request, reading.limit.bytes), boundaryOf(type)), reading);
  } catch (error) {
    if (error instanceof BodyError) return refuseTooLarge(error, reading.limit);
    if (!(error instanceof MultipartError)) throw error;
    throw new AppError("invalid", `The form cannot be read: ${error.message}.`, { cause: error });
  }
}

async function collect(parts: AsyncIterable<Part>, { fieldBytes, fileField, receive }: FormReading): Promise<Form> {
  const fields = new Map<string, string | readonly string[] | FormFile>();
  let left = fieldBytes;
  for await (const part of parts) {
    const known = fields.get(part.name);
    if (known instanceof FormFile) continue;
    if (part.filename !== undefined) {
      const isReceived = part.name === fileField;
      fields.set(part.name, isReceived ? new ReceivedFile(part, await receive(part.content)) : new FormFile(part));
      continue;
    }
    const bytes = await readField(part, left, fieldBytes);
    left -= bytes.byteLength;
    const text = textOf(part.name, bytes);
    fields.set(part.name, known === undefined ? text : [known, text].flat());
  }
  return Object.fromEntries(fields);
}

async function readField({ name, content }: Part, left: number, allowed: number): Promise<Buffer> {
  const pieces: Uint8Array[] = [];
  let size = 0;
  for await (const piece of content) {
    size += piece.byteLength;
    if (size > left)
      throw new AppError(
        "too_large",
        `${truncate(name, 100)}: the fields other than the file have more than ${allowed} bytes in total.`,
      );
    pieces.push(piece);
  }
  return Buffer.concat(pieces);
}

function textOf(name: string, bytes: Uint8Array): string {
  try {
    return new TextDecoder("utf-8", { fatal: true }).decode(bytes);
  } catch (error) {
    throw new AppError("invalid", `${truncate(name, 100)}: is not valid UTF-8.`, { cause: error });
  }
}
