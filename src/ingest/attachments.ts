import { systemActor } from "../core/auth.js";
import { attachedInPlace } from "../core/documents/attached-documents.js";
import { dropBlobs } from "../core/documents/blobs.js";
import type { AttachedFile } from "../core/documents/content-ports.js";
import { removeDocument } from "../core/documents/documents.js";
import { FILES_PATH, UNKNOWN_TYPE } from "../core/documents/file-links.js";
import { readFileText } from "../core/documents/file-text.js";
import { awaitReading } from "../core/documents/known-text.js";
import { firstJob, noteDocument } from "../core/documents/revise-document.js";
import { AppError } from "../core/errors.js";
import type { DocumentDraft, Repositories } from "../core/ports.js";
import type { Document, Metadata } from "../core/types.js";
import { sha256 } from "../lib/crypto.js";
import { createId } from "../lib/ids.js";
import { safeCut } from "../lib/truncate.js";
import type { IngestContext } from "./context.js";

const MOST_ATTACHMENTS = 50;
/** Limit for a file that is itself an attachment: fifty mails with fifty files each would make thousands. */
const MOST_NESTED = 10;
/** A file in a mail in a mail, but no deeper. */
const DEEPEST = 2;
/** Limit, in characters, of the file names in one note. */
const LONGEST_NAMES = 500;

/** A file inside another file that becomes a document of its own. */
interface StoredAttachment {
  readonly file: AttachedFile;
  /** Distinguishes it from the other files in the same file. */
  readonly digest: string;
  /** Its text; null if it still has to be read from the file. */
  readonly text: string | null;
  /** Storage key of its bytes; null if they are already stored. */
  readonly key: string | null;
}

/** The attachments of a file. Their bytes are stored before anything is committed. */
export interface StoredAttachments {
  readonly files: readonly StoredAttachment[];
  /** Which attachments were left out, and why. */
  readonly notes: readonly string[];
}

export const NO_ATTACHMENTS: StoredAttachments = { files: [], notes: [] };

/** Stores the bytes of the attachments in a document's file, up to the limits. */
export async function storeAttachments(
  context: IngestContext,
  document: Document,
  attached: readonly AttachedFile[],
): Promise<StoredAttachments> {
  if (attached.length === 0) return NO_ATTACHMENTS;
  const chosen = await chooseAttachments(context, document, attached);
  try {
    for (const { key, file } of chosen.files) if (key !== null) await context.blobs.put(key, file.bytes);
  } catch (error) {
    await dropBlobs(context, keysOf(chosen));
    throw error;
  }
  return chosen;
}

/** The storage keys that were written for this reading. */
export function keysOf({ files }: StoredAttachments): string[] {
  return files.flatMap(({ key }) => key ?? []);
}

async function chooseAttachments(
  context: IngestContext,
  document: Document,
  attached: readonly AttachedFile[],
): Promise<StoredAttachments> {
  const { store, limits } = context;
  const depth = await depthOf(context, document);
  const most = depth === 0 ? MOST_ATTACHMENTS : MOST_NESTED;
  if (depth >= DEEPEST) return { files: [], notes: noteOf("are nested too deeply and were not read", attached) };
  const known = new Set((await attachedInPlace(store, document)).map(({ digest }) => digest));
  const chosen = new Map<string, StoredAttachment>();
  const beyond: AttachedFile[] = [];
  const unreadable: AttachedFile[] = [];
  let bytes = 0;
  for (const file of attached) {
    const digest = sha256(JSON.stringify([file.name, sha256(file.bytes)]));
    if (chosen.has(digest)) continue;
    bytes += file.bytes.byteLength;
    if (chosen.size >= most || bytes > limits.maxFileBytes) {
      beyond.push(file);
      continue;
    }
    const text = await textOf(context, file);
    if (text === undefined) unreadable.push(file);
    else chosen.set(digest, { file, digest, text, key: known.has(digest) ? null : createId() });
  }
  const limit = `at most ${most} files and ${limits.maxFileBytes} bytes in total are read (RECOLLECT_MAX_FILE_BYTES)`;
  const notes = [...noteOf("cannot be read", unreadable), ...noteOf(`were not read, because ${limit}`, beyond)];
  return { files: [...chosen.values()], notes };
}

/** How many files the document is nested in. */
async function depthOf({ store }: IngestContext, { organizationId, id }: Document): Promise<number> {
  let depth = 0;
  for (let around: string | null = id; depth <= DEEPEST; depth += 1) {
    around = await store.documents.attachedTo(organizationId, around);
    if (around === null) return depth;
  }
  return depth;
}

/** The text of a text file; null for a file that has to be read by an extractor; undefined for one that is not read. */
async function textOf(
  { extractor, limits }: IngestContext,
  { bytes, name, mimeType }: AttachedFile,
): Promise<string | null | undefined> {
  if (bytes.byteLength === 0) return undefined;
  if (await extractor.accepts({ bytes, name, mimeType, charset: null, url: null })) return null;
  try {
    return readFileText({ name, mimeType }, bytes, limits).text;
  } catch (error) {
    if (error instanceof AppError) return undefined;
    throw error;
  }
}

function noteOf(what: string, files: readonly AttachedFile[]): string[] {
  if (files.length === 0) return [];
  const names = files.map(({ name }) => name ?? "an unnamed one").join(", ");
  return [`Files inside it ${what}: ${names.slice(0, safeCut(names, LONGEST_NAMES))}.`];
}

/**
 * Turns the attachments of a document's file into documents, inside the transaction that stores its text. Existing ones
 * stay; those no longer in the file are removed.
 * @param metadata the metadata that each of them inherits
 * @returns the keys of the files now in use, and of those removed with their documents
 */
export async function keepAttachments(
  repositories: Repositories,
  document: Document,
  { files }: StoredAttachments,
  metadata: Metadata,
): Promise<{ kept: readonly string[]; gone: readonly string[] }> {
  const { organizationId } = document;
  const before = await attachedInPlace(repositories, document);
  const wanted = new Set(files.map(({ digest }) => digest));
  const gone: string[] = [];
  for (const old of before.filter(({ digest }) => !wanted.has(digest)))
    gone.push(...(await removeDocument(repositories, systemActor(organizationId), old.document)));
  const known = new Set(before.map(({ digest }) => digest));
  const kept: string[] = [];
  for (const attachment of files) {
    const { key } = attachment;
    if (key === null || known.has(attachment.digest)) continue;
    await insertAttachment(repositories, document, { ...attachment, key }, metadata);
    kept.push(key);
  }
  return { kept, gone };
}

async function insertAttachment(
  repositories: Repositories,
  document: Document,
  { file, digest, text, key }: StoredAttachment & { readonly key: string },
  metadata: Metadata,
): Promise<void> {
  const { organizationId } = document;
  const { documents, files, jobs } = repositories;
  const attached = await documents.insert(organizationId, draftOf(document, { file, text, key, metadata }));
  await files.insert(organizationId, {
    key,
    documentId: attached.id,
    name: file.name,
    mimeType: file.mimeType ?? UNKNOWN_TYPE,
    bytes: file.bytes.byteLength,
  });
  if (text === null) await awaitReading(repositories, attached, { digest: sha256(file.bytes), former: null });
  await documents.attach(organizationId, attached.id, { attachedTo: document.id, digest });
  await jobs.enqueue([firstJob(attached)]);
  await noteDocument(repositories, systemActor(organizationId), attached, { action: "document.added", before: null });
}

function draftOf(
  document: Document,
  {
    file,
    text,
    key,
    metadata,
  }: Pick<StoredAttachment, "file" | "text"> & { readonly key: string; readonly metadata: Metadata },
): DocumentDraft {
  const { containerTags, client, taskType, dreaming, filterByMetadata, source, filepath } = document;
  const { documentDate, forgetAfter } = document;
  return {
    id: createId(),
    customId: null,
    containerTags,
    content: text ?? "",
    turns: null,
    title: file.name,
    url: `${FILES_PATH}${key}`,
    client,
    type: "text",
    status: "queued",
    dreamingStatus: taskType === "memory" ? "dreaming" : "done",
    taskType,
    dreaming,
    metadata: { ...metadata, attachedTo: document.id },
    filterByMetadata,
    source,
    filepath,
    documentDate,
    forgetAfter,
    origin: "mail",
    facts: null,
    rememberAsIs: false,
  };
}
