import { AppError } from "../../core/errors.js";
import { readBodyBytes } from "../../lib/request-body.js";
import { boundaryOf, MultipartError, parseMultipart, type Part } from "../../lib/multipart.js";
import { refuseTooLarge, type BodyLimit } from "./read-request.js";
import { truncate } from "../../lib/truncate.js";

/** A file of a form. */
export class FormFile {
  /** Null when the sender named none. */
  readonly name: string | null;
  /** `type/subtype` as the sender wrote it, or null. */
  readonly type: string | null;
  readonly bytes: Uint8Array;

  constructor(name: string | null, type: string | null, bytes: Uint8Array) {
    this.name = name;
    this.type = type;
    this.bytes = bytes;
  }
}

/** The fields of a form by name: text, the texts of a name that occurs more than once, or the first file of a name. */
export type Form = Readonly<Record<string, string | readonly string[] | FormFile>>;

/**
 * Reads a `multipart/form-data` body, never more of it than the limit.
 * @throws AppError `unsupported_type`, `too_large`, or `invalid` for a body that is cut off or broken
 */
export async function readForm(request: Request, limit: BodyLimit): Promise<Form> {
  const type = request.headers.get("content-type") ?? "";
  if (!/^multipart\/form-data\s*(;|$)/i.test(type.trim()))
    throw new AppError(
      "unsupported_type",
      `The body must be a form with a file: send it with content-type multipart/form-data, not ${type.slice(0, 100) || "none"}.`,
    );
  try {
    const boundary = boundaryOf(type);
    const bytes = await readBodyBytes(request, limit.bytes).catch((error: unknown) => refuseTooLarge(error, limit));
    return collect(parseMultipart(bytes, boundary));
  } catch (error) {
    if (!(error instanceof MultipartError)) throw error;
    throw new AppError("invalid", `The form cannot be read: ${error.message}.`, { cause: error });
  }
}

function collect(parts: readonly Part[]): Form {
  const fields = new Map<string, string | readonly string[] | FormFile>();
  for (const part of parts) {
    const known = fields.get(part.name);
    if (part.filename !== undefined) {
      if (!(known instanceof FormFile)) fields.set(part.name, fileOf(part));
      continue;
    }
    if (known instanceof FormFile) continue;
    const text = textOf(part);
    fields.set(part.name, known === undefined ? text : [known, text].flat());
  }
  return Object.fromEntries(fields);
}

function fileOf({ filename, contentType, bytes }: Part): FormFile {
  const type = contentType?.split(";")[0]?.trim().toLowerCase() ?? "";
  return new FormFile(filename || null, type || null, bytes);
}

function textOf({ name, bytes }: Part): string {
  try {
    return new TextDecoder("utf-8", { fatal: true }).decode(bytes);
  } catch (error) {
    throw new AppError("invalid", `${truncate(name, 100)}: is not valid UTF-8.`, { cause: error });
  }
}
