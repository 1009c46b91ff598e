import * as z from "zod";
import { createId, isId } from "../../lib/ids.js";
import { waitForDocument } from "./add-document.js";
import { dropBlobs } from "./blobs.js";
import type { AuthorizedCall, CoreContext } from "../context.js";
import { AppError } from "../errors.js";
import { FILES_PATH, UNKNOWN_TYPE } from "./file-links.js";
import { bytesSchema } from "./file-bytes.js";
import type { FileReading } from "./content-ports.js";
import { untilRead, withTextOf } from "./known-text.js";
import { bytesOfText, type FileText, type NamedFile, readFileText } from "./file-text.js";
import { noteSchema, parseInput } from "../input.js";
import { withSecretWarnings } from "../memories/secret-warnings.js";
import { runOnce } from "../operations.js";
import { type PreparedDocument, prepareDocument, type SubmissionFacts } from "./prepare-document.js";
import type { Repositories, Upload } from "../ports.js";
import type { Actor, Document } from "../types.js";
import { findAddressed, writeDocument, type DocumentReceipt } from "./write-document.js";

/** Names that libraries give to unnamed files. */
const NO_NAMES: ReadonlySet<string> = new Set(["", ".", "..", "blob", "unknown_file"]);

/** File types that a sender may name (contract 1.14). */
const FILE_TYPES = [
  "text",
  "pdf",
  "tweet",
  "google_doc",
  "google_slide",
  "google_sheet",
  "image",
  "video",
  "notion_doc",
  "webpage",
  "onedrive",
] as const;

const mimeTypeSchema = z
  .string("must be a string")
  .regex(/^[\w.+-]{1,100}\/[\w.+-]{1,100}$/, "must look like text/plain")
  .toLowerCase();

/** The bytes of a file in full. */
const inlineSchema = z.object({
  /** `FileBytes`, or base64. */
  bytes: bytesSchema,
});

/** Bytes already received on this machine; whoever received them removes them. */
const uploadedSchema = z.object({
  upload: z.object({
    key: z.string().refine(isId),
    size: z.number().int().min(0),
    digest: z.string(),
  }),
});

const addFileSchema = z
  .object({
    name: noteSchema(1_000).nullish(),
    /** The MIME type according to the sender. */
    mimeType: mimeTypeSchema.optional(),
    /** The type that came with the bytes; used when the sender names none. */
    contentType: mimeTypeSchema.nullish(),
    /** Opens an encrypted file; held in memory until the file is read, and stored nowhere. */
    password: noteSchema(1_000).optional(),
    fileType: z.enum(FILE_TYPES, `must be one of ${FILE_TYPES.join(", ")}`).optional(),
    /** Any other input of `addDocument`, except the content. */
    document: z.record(z.string(), z.unknown()).default({}),
  })
  .refine(({ fileType, mimeType }) => mimeType || (fileType !== "image" && fileType !== "video"), {
    path: ["mimeType"],
    message: "is required when fileType is image or video",
  });

type AddFileInput = z.output<typeof addFileSchema>;

/** What is known about a file besides what was sent. */
interface FileOrigin extends Pick<SubmissionFacts, "type"> {
  /** Writes more in the same transaction as the document; if it throws, nothing is written. */
  readonly within?: (repositories: Repositories, documentId: string) => Promise<void>;
}

/**
 * Stores an uploaded file and adds its text as a document, immediately if the file is plain text. With a known customId, file
 * and text replace the previous ones.
 * @param raw the file as an `upload` that the caller has received, or its `bytes`
 * @throws AppError `unsupported_type` for a file that cannot be read as text, and what `addDocument` throws
 */
export async function addFile(
  context: CoreContext,
  call: AuthorizedCall,
  raw: unknown,
  origin: FileOrigin = {},
): Promise<DocumentReceipt> {
  const input = parseInput(addFileSchema, raw);
  const isUploaded = typeof raw === "object" && raw !== null && "upload" in raw;
  if (isUploaded) return addUpload(context, call, { ...input, ...parseInput(uploadedSchema, raw) }, origin);
  const { bytes } = parseInput(inlineSchema, raw);
  checkFileSize(bytes.byteLength, context);
  const upload = await context.uploads.receive(asPieces(bytes));
  try {
    return await addUpload(context, call, { ...input, upload }, origin);
  } finally {
    await context.uploads.remove(upload.key);
  }
}

async function* asPieces(bytes: Uint8Array): AsyncGenerator<Uint8Array> {
  yield await Promise.resolve(bytes);
}

async function addUpload(
  context: CoreContext,
  call: AuthorizedCall,
  { upload, ...input }: AddFileInput & { readonly upload: Upload },
  { within, ...source }: FileOrigin,
): Promise<DocumentReceipt> {
  const { organizationId } = call.actor;
  checkFileSize(upload.size, context);
  if ((await context.uploads.read(upload.key, 0, 0)) === null) throw goneMeanwhile();
  const file = namedFileOf(input);
  const read = await readAtOnce(context, upload, file);
  // A new key, so that a repeated call does not delete what it stored before.
  const key = createId();
  const document = {
    ...input.document,
    ...(read && withEncoding(input.document["metadata"], read)),
    content: read?.text ?? UNREAD,
    title: input.document["title"] ?? file.name ?? undefined,
  };
  const digest = read === null ? upload.digest : null;
  const facts = { ...source, url: `${FILES_PATH}${key}`, ...(digest !== null && { isUnread: true, digest }) };
  const prepared = prepareDocument(context, call.actor, document, facts);
  await context.blobs.keep(key, context.uploads.pathOf(upload.key));
  const stored = await runOnce(context, call, "addFile", (repositories) =>
    writeFile(context, repositories, call.actor, { key, digest, file, input, prepared, within, bytes: upload.size }),
  ).catch(async (error: unknown) => {
    context.filePasswords.drop(key);
    await dropBlobs(context, [key]);
    throw error;
  });
  // A repeated call has stored its file the first time, and of identical files the first stays.
  if (stored.key !== key) await dropBlobs(context, [key]);
  context.wakeJobs();
  const { wait } = prepared.input;
  const { receipt } = stored;
  const newest = wait ? { ...receipt, ...(await waitForDocument(context, organizationId, receipt.id, wait)) } : receipt;
  return withSecretWarnings(newest, [document.content]);
}

function namedFileOf({ name = null, mimeType, contentType }: AddFileInput): NamedFile {
  return { name: NO_NAMES.has(name ?? "") ? null : name, mimeType: mimeType ?? contentType ?? null };
}

/** A file whose bytes are already stored. */
interface KeptFile {
  readonly key: string;
  /** Digest of the bytes; null for a file whose text has already been read. */
  readonly digest: string | null;
  readonly bytes: number;
  readonly file: NamedFile;
  readonly input: AddFileInput;
  readonly prepared: PreparedDocument;
  readonly within: FileOrigin["within"];
}

/** @returns `key` null when the document already has the same file, which stays */
async function writeFile(
  context: CoreContext,
  repositories: Repositories,
  actor: Actor,
  { key, digest, bytes, file, input, prepared, within }: KeptFile,
): Promise<{ receipt: DocumentReceipt; key: string | null }> {
  const { organizationId } = actor;
  const known = digest === null ? null : await findKnown(repositories, actor, prepared);
  const titled = known ? withoutFileName(prepared, input.document["title"]) : prepared;
  if (known && known.reading?.digest === digest) {
    const { existing, reading } = known;
    if (reading.outcome === null) holdPassword(context, reading.fileKey, input);
    const same = await writeDocument(repositories, actor, withTextOf(existing, titled));
    await within?.(repositories, same.id);
    return { receipt: same, key: null };
  }
  const receipt = await writeDocument(repositories, actor, known ? untilRead(known.existing, titled) : titled);
  const { name, mimeType } = file;
  await repositories.files.insert(organizationId, {
    key,
    documentId: receipt.id,
    name,
    mimeType: mimeType ?? UNKNOWN_TYPE,
    bytes,
  });
  // The same text in a different file changes nothing but the file.
  await repositories.documents.update(organizationId, receipt.id, { url: `${FILES_PATH}${key}` });
  await within?.(repositories, receipt.id);
  if (digest !== null) holdPassword(context, key, input);
  return { receipt, key };
}

/** The text of a plain-text file; null for a type that is read later. @throws AppError for a type that cannot be read */
async function readAtOnce(
  { extractor, uploads, limits }: CoreContext,
  { key, size }: Upload,
  file: NamedFile,
): Promise<FileText | null> {
  if (await extractor.accepts({ ...file, path: uploads.pathOf(key), charset: null, url: null })) return null;
  const bytes = await uploads.read(key, 0, Math.min(size, bytesOfText(limits)));
  // Checked again: it may have been removed since.
  if (bytes === null) throw goneMeanwhile();
  return readFileText({ ...file, size }, bytes, limits);
}

function goneMeanwhile(): AppError {
  return new AppError("unavailable", "The file no longer exists: a purge ran in the meantime. Send it again.");
}

/** The step that reads the file may start as soon as the transaction is committed. */
function holdPassword(
  { filePasswords }: CoreContext,
  fileKey: string,
  { password }: { readonly password?: string | undefined },
): void {
  if (password !== undefined && password !== "") filePasswords.hold(fileKey, password);
}

/** Placeholder for the text of a file until it is read. */
const UNREAD = "";

/** The document that a file continues, and the reading of its current file; null for a new document. */
async function findKnown(
  repositories: Repositories,
  actor: Actor,
  { input, containerTags }: PreparedDocument,
): Promise<{ readonly existing: Document; readonly reading: FileReading | null } | null> {
  const existing = await findAddressed(repositories, actor, input.customId, containerTags);
  if (!existing) return null;
  const reading = await repositories.documents.reading(actor.organizationId, existing.id);
  // Fetched files are not stored.
  return { existing, reading: reading?.fileKey === existing.url ? null : reading };
}

/** A file gets the title its sender gives it; its own name is used only for a new document, until it has been read. */
function withoutFileName(prepared: PreparedDocument, title: unknown): PreparedDocument {
  const { title: _name, ...input } = prepared.input;
  return title === undefined ? { ...prepared, input } : prepared;
}

function checkFileSize(size: number, { limits }: CoreContext): void {
  if (size > limits.maxFileBytes)
    throw new AppError(
      "too_large",
      `file: has ${size} bytes, at most ${limits.maxFileBytes} are accepted (RECOLLECT_MAX_FILE_BYTES).`,
    );
}

/** The sender's metadata takes precedence; invalid metadata is reported later. */
function withEncoding(sent: unknown, { metadata }: FileText): { metadata?: unknown } {
  const isRecord = typeof sent === "object" && sent !== null && !Array.isArray(sent);
  return Object.keys(metadata).length > 0 && (sent === undefined || isRecord)
    ? { metadata: { ...metadata, ...(isRecord && sent) } }
    : {};
}
