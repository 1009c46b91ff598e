import * as z from "zod";
import { sha256 } from "../../lib/crypto.js";
import { createId, isId } from "../../lib/ids.js";
import { waitForDocument } from "./add-document.js";
import { dropBlobs } from "./blobs.js";
import { maySee } from "../auth.js";
import type { AuthorizedCall, CoreContext } from "../context.js";
import { documentNameSchema, findDocument } from "./documents.js";
import { AppError } from "../errors.js";
import { FILES_PATH, isLinkGood, signLink, UNKNOWN_TYPE } from "./file-links.js";
import type { FileReading } from "./content-ports.js";
import { untilRead, withTextOf } from "./known-text.js";
import { type FileText, readFileText } from "./file-text.js";
import { noteSchema, parseInput } from "../input.js";
import { withSecretWarnings } from "../memories/secret-warnings.js";
import { once } from "../operations.js";
import { type PreparedDocument, prepareDocument, type SubmissionFacts } from "./prepare-document.js";
import type { Repositories } from "../ports.js";
import type { Actor, Document, StoredFile } from "../types.js";
import { findAddressed, writeDocument, type DocumentReceipt } from "./write-document.js";

/** Bytes of one `readFile`. */
const MAX_PIECE_BYTES = 4 * 1024 * 1024;
/** Names that libraries give to what has none. */
const NO_NAMES: ReadonlySet<string> = new Set(["", ".", "..", "blob", "unknown_file"]);

/** Kinds of files that a sender may name (contract 1.14). */
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

/** The bytes of a file, which become base64 only where they leave this process. */
export class FileBytes {
  readonly bytes: Uint8Array;

  constructor(bytes: Uint8Array) {
    this.bytes = bytes;
  }

  toJSON(): string {
    return Buffer.from(this.bytes.buffer, this.bytes.byteOffset, this.bytes.byteLength).toString("base64");
  }
}

/** `FileBytes`, or what became of them on the way from another process. */
export const bytesSchema = z.union(
  [
    z.instanceof(FileBytes).transform(({ bytes }) => bytes),
    z.string().transform((text, context): Uint8Array => {
      const bytes = Buffer.from(text, "base64");
      // What is not of the alphabet is left out.
      if (text.length % 4 !== 0 || bytes.byteLength !== Buffer.byteLength(text, "base64"))
        context.addIssue("must be base64");
      return bytes;
    }),
  ],
  "must be base64",
);

const addFileSchema = z
  .object({
    /** `FileBytes`, or base64. */
    bytes: bytesSchema,
    name: noteSchema(1_000).nullish(),
    /** What the sender says that the file is. */
    mimeType: mimeTypeSchema.optional(),
    /** What came with the bytes; counts when the sender says nothing. */
    contentType: mimeTypeSchema.nullish(),
    /** Opens an encrypted file; held in memory until the file was read, and kept nowhere. */
    password: noteSchema(1_000).optional(),
    fileType: z.enum(FILE_TYPES, `must be one of ${FILE_TYPES.join(", ")}`).optional(),
    /** Whatever else `addDocument` takes, except the content. */
    document: z.record(z.string(), z.unknown()).default({}),
  })
  .refine(({ fileType, mimeType }) => mimeType || (fileType !== "image" && fileType !== "video"), {
    path: ["mimeType"],
    message: "is needed when fileType is image or video",
  });

/** What is known of a file besides what was sent. */
interface FileOrigin extends Pick<SubmissionFacts, "type"> {
  /** What is written with its document, in the same transaction; nothing is when it throws. */
  readonly within?: (repositories: Repositories, documentId: string) => Promise<void>;
}

/**
 * Keeps an uploaded file and takes in its text as a document, at once where the file is plain text. With a customId that is known, file and text replace
 * those before.
 * @throws AppError `unsupported_type` for what cannot be read as text, and what `addDocument` throws
 */
export async function addFile(
  context: CoreContext,
  call: AuthorizedCall,
  raw: unknown,
  { within, ...source }: FileOrigin = {},
): Promise<DocumentReceipt> {
  const input = parseInput(addFileSchema, raw);
  const { actor } = call;
  const { organizationId } = actor;
  const { bytes } = input;
  checkFileSize(bytes, context);
  const name = NO_NAMES.has(input.name ?? "") ? null : (input.name ?? null);
  const mimeType = input.mimeType ?? input.contentType ?? null;
  const isRead = await context.extractor.accepts({ bytes, name, mimeType, charset: null, url: null });
  const read = isRead ? null : readFileText({ name, mimeType }, bytes, context.limits);
  const key = createId();
  const document = {
    ...input.document,
    ...(read && withEncoding(input.document["metadata"], read)),
    content: read?.text ?? UNREAD,
    title: input.document["title"] ?? name ?? undefined,
  };
  const digest = isRead ? sha256(bytes) : null;
  const facts = { ...source, url: `${FILES_PATH}${key}`, ...(digest !== null && { isUnread: true, digest }) };
  const prepared = prepareDocument(context, actor, document, facts);
  await context.blobs.put(key, bytes);
  const stored = await once(context, call, "addFile", async (repositories) => {
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
    await repositories.files.insert(organizationId, {
      key,
      documentId: receipt.id,
      name,
      mimeType: mimeType ?? UNKNOWN_TYPE,
      bytes: bytes.byteLength,
    });
    // The same text in other bytes changes nothing but the file.
    await repositories.documents.update(organizationId, receipt.id, { url: `${FILES_PATH}${key}` });
    await within?.(repositories, receipt.id);
    if (digest !== null) holdPassword(context, key, input);
    return { receipt, key };
  }).catch(async (error: unknown) => {
    context.filePasswords.drop(key);
    await dropBlobs(context, [key]);
    throw error;
  });
  // A call that was repeated has kept its file the first time, and of the same bytes the first file stays.
  if (stored.key !== key) await dropBlobs(context, [key]);
  context.wakeJobs();
  const { wait } = prepared.input;
  const { receipt } = stored;
  const newest = wait ? { ...receipt, ...(await waitForDocument(context, organizationId, receipt.id, wait)) } : receipt;
  return withSecretWarnings(newest, [document.content]);
}

/** The step that reads the file may begin as soon as the transaction is through. */
function holdPassword(
  { filePasswords }: CoreContext,
  fileKey: string,
  { password }: { readonly password?: string | undefined },
): void {
  if (password !== undefined && password !== "") filePasswords.hold(fileKey, password);
}

/** What stands for the text of a file until it was read. */
const UNREAD = "";

/** The document that a file goes on with, and what of its file was read; null for a new one. */
async function findKnown(
  repositories: Repositories,
  actor: Actor,
  { input, containerTags }: PreparedDocument,
): Promise<{ readonly existing: Document; readonly reading: FileReading | null } | null> {
  const existing = await findAddressed(repositories, actor, input.customId, containerTags);
  if (!existing) return null;
  const reading = await repositories.documents.reading(actor.organizationId, existing.id);
  // What was fetched was not kept.
  return { existing, reading: reading?.fileKey === existing.url ? null : reading };
}

/** A file is called what its sender calls it; its own name counts for a new document only, until it was read. */
function withoutFileName(prepared: PreparedDocument, title: unknown): PreparedDocument {
  const { title: _name, ...input } = prepared.input;
  return title === undefined ? { ...prepared, input } : prepared;
}

function checkFileSize(bytes: Uint8Array, { limits }: CoreContext): void {
  if (bytes.byteLength > limits.maxFileBytes)
    throw new AppError(
      "too_large",
      `file: has ${bytes.byteLength} bytes, at most ${limits.maxFileBytes} are accepted (RECOLLECT_MAX_FILE_BYTES).`,
    );
}

/**
 * The file that a document was made of, and a path under which anybody may read it for 24 hours, as long as the document
 * stays in its containers. @throws AppError as `findDocument`, and `not_found` when there is none
 */
export async function getDocumentFile(
  { store, clock }: CoreContext,
  { actor }: AuthorizedCall,
  raw: unknown,
): Promise<{ file: StoredFile; path: string }> {
  const name = parseInput(documentNameSchema, raw);
  const document = await findDocument(store, actor, name);
  const files = await store.files.ofDocument(actor.organizationId, document.id);
  const file = files.find(({ key }) => document.url === `${FILES_PATH}${key}`);
  if (!file) throw new AppError("not_found", `Document ${name.id} has no file: it was not uploaded as one.`);
  const { expires, signature } = await signLink(store, document, file, clock.now());
  return { file, path: `${FILES_PATH}${file.key}?expires=${expires}&signature=${signature}` };
}

const fileAccessSchema = z.object({
  key: z.string(),
  /** Of a link; without it the caller has to be allowed to see the document. */
  proof: z.object({ expires: z.string(), signature: z.string() }).optional(),
});

/** What is known of a file, for whoever may see its document or has a link to it. @throws AppError `not_found` */
export async function getFile(
  { store, clock }: CoreContext,
  { actor }: AuthorizedCall,
  raw: unknown,
): Promise<{ file: StoredFile }> {
  const { key, proof } = parseInput(fileAccessSchema, raw);
  const { organizationId } = actor;
  const file = isId(key) ? await store.files.byKey(organizationId, key) : null;
  const document = file && (await store.documents.byId(organizationId, file.documentId));
  const mayRead =
    document &&
    (proof
      ? await isLinkGood(store, document, file, { proof, now: clock.now() })
      : maySee(actor, document.containerTags));
  if (!mayRead) throw noFile();
  return { file };
}

const readFileSchema = fileAccessSchema.extend({
  start: z.number().int().min(0),
  length: z.number().int().min(0).max(MAX_PIECE_BYTES),
});

/** A piece of a file as base64, at most 4 MB, shorter at the end; for the same callers as `getFile`. @throws AppError `not_found` */
export async function readFile(context: CoreContext, call: AuthorizedCall, raw: unknown): Promise<{ bytes: string }> {
  const { start, length, ...access } = parseInput(readFileSchema, raw);
  await getFile(context, call, access);
  const bytes = await context.blobs.read(access.key, start, length);
  if (bytes === null) throw noFile();
  return { bytes: Buffer.from(bytes).toString("base64") };
}

/** Says nothing of the key, nor whether there is such a file. */
function noFile(): AppError {
  return new AppError(
    "not_found",
    "There is no file under this address. It may have been deleted, replaced or moved, or the link is older than 24 hours: GET /v3/documents/{id}/file-url gives a new one.",
  );
}

/** What the sender says counts; what is no metadata at all is told later. */
function withEncoding(sent: unknown, { metadata }: FileText): { metadata?: unknown } {
  const isRecord = typeof sent === "object" && sent !== null && !Array.isArray(sent);
  return Object.keys(metadata).length > 0 && (sent === undefined || isRecord)
    ? { metadata: { ...metadata, ...(isRecord && sent) } }
    : {};
}
