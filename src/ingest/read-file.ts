import { isDeepStrictEqual } from "node:util";
import type { ExtractedContent, FileReading, ReadingOutcome } from "../core/documents/content-ports.js";
import { isTitleFromText, titleFromText } from "../core/documents/document-title.js";
import { systemActor } from "../core/auth.js";
import { forgetStated } from "../core/documents/read-anew.js";
import { outcomeOfText } from "../core/documents/known-text.js";
import { dropBlobs, noFile, withBlobFile } from "../core/documents/blobs.js";
import { AppError } from "../core/errors.js";
import { metadataSchema } from "../core/input.js";
import type { DocumentChange, JobContext, Repositories } from "../core/ports.js";
import { type Document, type Metadata, type StoredFile, TYPES_BY_SOURCE } from "../core/types.js";
import { parseIso } from "../lib/time.js";
import { safeCut } from "../lib/truncate.js";
import { keepAttachments, keysOf, NO_ATTACHMENTS, storeAttachments, type StoredAttachments } from "./attachments.js";
import type { IngestContext } from "./context.js";
import { withDescription } from "./look.js";
import { readContent } from "./read-content.js";
import { readingQueueOf } from "./reading-queue.js";
import { commitStep, loadCurrent, type StepPayload } from "./step.js";
import { watchReading } from "./watch-reading.js";

const LONGEST_TITLE = 1_000;
/** Where the file was written it may already be tomorrow. */
const A_DAY_MS = 86_400_000;
const BETWEEN_PARTS = "\n\n";

/**
 * Runs beside the first step: reads the file of a document outside any transaction, and makes its content the text of
 * the document. It has slots of its own, so that no text waits for a file.
 * @throws AppError with the reason why the file cannot be read
 */
export async function readDocumentFile(context: IngestContext, payload: StepPayload, job: JobContext): Promise<void> {
  const document = await loadCurrent(context, payload);
  const reading = document && (await context.store.documents.reading(document.organizationId, document.id));
  const isToRead = reading !== null && reading.outcome === null;
  const { signal } = job;
  const read = document && isToRead ? await readKeptFile(context, document, { reading, signal }) : null;
  await commitRead(context, payload, job, read);
}

/**
 * Commits what was read, with the attachments in the file, each of which becomes a document of its own. Their bytes are
 * stored beforehand, and dropped again if they are not used.
 */
export async function commitRead(
  context: IngestContext,
  payload: StepPayload,
  job: JobContext,
  read: ReadFile | null,
): Promise<void> {
  const attachments = read ? await storeAttachments(context, read.document, read.content.attachments) : NO_ATTACHMENTS;
  let lost: readonly string[] = keysOf(attachments);
  try {
    await commitStep(context, job, payload, async (repositories, current) => {
      lost = keysOf(attachments);
      // The document may have another source by now, which is read next.
      if (!read || current.url !== read.document.url) return "extract";
      const { kept, gone } = await keepRead(context, repositories, current, { ...read, attachments });
      lost = [...lost.filter((key) => !kept.includes(key)), ...gone];
      return "extract";
    });
  } catch (error) {
    lost = keysOf(attachments);
    throw error;
  } finally {
    await dropBlobs(context, lost);
  }
  if (attachments.files.length > 0) context.wakeJobs();
}

/** What was read from a file, and when. */
export interface ReadFile {
  readonly document: Document;
  /** The previous reading. */
  readonly reading: FileReading;
  /** The name for a document that nothing else names. */
  readonly name: string | null;
  readonly content: ExtractedContent;
  /** Whether it replaces everything known from the previous text. */
  readonly replaces?: boolean;
  readonly startedAt: string;
  readonly endedAt: string;
}

async function readKeptFile(
  context: IngestContext,
  document: Document,
  { reading, signal }: { readonly reading: FileReading; readonly signal: AbortSignal },
): Promise<ReadFile> {
  const { filePasswords } = context;
  const { fileKey } = reading;
  try {
    const read = await watchReading(context, document.id, async (onProgress) => {
      const file = await findFile(context, document, reading);
      const { name, mimeType } = file;
      const url = await webAddressOf(context, document);
      const queue = readingQueueOf(document);
      const ways = { password: filePasswords.of(fileKey), queue, signal, onProgress };
      const content = await withBlobFile(context, file, (path) =>
        readContent(context, { path, name, mimeType, charset: null, url }, ways),
      );
      const load = (): Promise<Uint8Array | null> => context.blobs.read(fileKey, 0, file.bytes);
      const isSameFile = reading.former?.isOfSameFile === true;
      const described = await withDescription(context, document, { content, load, isSameFile }, signal);
      return { document, reading, name, content: described };
    });
    filePasswords.drop(fileKey);
    return read;
  } catch (error) {
    // An automatic retry needs the password again.
    if (error instanceof AppError && error.kind !== "unavailable") filePasswords.drop(fileKey);
    throw error;
  }
}

/** The URL of a page that came over a connection, so that its links can be resolved. */
async function webAddressOf({ store }: IngestContext, { id, origin: from }: Document): Promise<string | null> {
  if (from !== "connector") return null;
  const [origin] = await store.connections.ofDocuments([id]);
  const address = origin?.address ?? null;
  return address !== null && /^https?:\/\//.test(address) ? address : null;
}

async function findFile(
  { store }: IngestContext,
  { organizationId, id }: Document,
  { fileKey }: FileReading,
): Promise<StoredFile> {
  const files = await store.files.ofDocument(organizationId, id);
  const file = files.find(({ key }) => key === fileKey);
  if (!file) throw noFile();
  return file;
}

/**
 * Makes the content of a file the text of its document, inside a transaction. @throws AppError `invalid` for a file
 * without text
 */
async function keepRead(
  { limits }: IngestContext,
  repositories: Repositories,
  document: Document,
  {
    reading,
    name,
    content,
    attachments,
    replaces = false,
    startedAt,
    endedAt,
  }: ReadFile & { readonly attachments: StoredAttachments },
): ReturnType<typeof keepAttachments> {
  const { organizationId, id } = document;
  const { text, places } = joinParts(content);
  if (text.trim() === "") throw new AppError("invalid", "The file contains no text.");
  const former = outcomeOfText(reading);
  const metadata = mergeMetadata(withoutFormer(document, former), content, limits.maxMetadataBytes);
  const files = await repositories.files.ofDocument(organizationId, id);
  const namesOfFiles = [null, name, former?.title, ...files.map((file) => file.name)];
  const isNamedByFile = namesOfFiles.includes(document.title);
  const isNamedByText = !isNamedByFile && isTitleFromText(document);
  const ownTitle = shortened(content.title);
  const fromText = isNamedByText ? titleFromText({ ...document, content: text, turns: null }) : null;
  const title = ownTitle ?? fromText ?? name;
  const date = dateOf(content, endedAt);
  const isDated = document.documentDate !== null && document.documentDate !== former?.date;
  const change = {
    content: text,
    type: TYPES_BY_SOURCE.has(document.type) ? document.type : content.type,
    metadata: metadata.merged,
    turns: null,
    ...((isNamedByFile || isNamedByText) && { title }),
    ...(replaces && { facts: null, rememberAsIs: false }),
    ...(!isDated && date !== document.documentDate && { documentDate: date }),
  } satisfies DocumentChange;
  const isSame = former !== null && !replaces && text === document.content && change.documentDate === undefined;
  if (replaces)
    await forgetStated(repositories, systemActor(organizationId), document, {
      content: text,
      now: new Date(endedAt),
    });
  await repositories.documents.update(organizationId, id, { ...change, ...(isSame && rememberedAlready(document)) });
  const outcome: ReadingOutcome = {
    places,
    notes: [...content.notes, ...metadata.notes, ...attachments.notes],
    title: ownTitle,
    image: content.image,
    ...(metadata.own !== null && { metadata: metadata.own }),
    ...(!isDated && date !== null && { date }),
    ...(content.isByStranger === true && { isByStranger: true }),
    ...(isSame && { unchangedIn: document.revision }),
    startedAt,
    endedAt,
  };
  await repositories.documents.keepReading(organizationId, id, { ...reading, outcome, former: null });
  return keepAttachments(repositories, { ...document, ...change }, attachments, metadata.told);
}

/** Where the whole text is remembered already, its facts and its receipt stay as they are. */
function rememberedAlready({ revision, rememberedRevision, receipt }: Document): DocumentChange {
  return rememberedRevision === revision - 1 && receipt ? { rememberedRevision: revision } : {};
}

/** The metadata without what the previous file contributed; values that somebody has changed since stay. */
function withoutFormer({ metadata }: Document, former: ReadingOutcome | null): Metadata | null {
  const said = former?.metadata;
  if (!metadata || !said) return metadata;
  const kept = Object.entries(metadata).filter(([key, value]) => !isDeepStrictEqual(value, said[key]));
  return kept.length === 0 ? null : Object.fromEntries(kept);
}

/** The date a file gives itself; nothing if it is in the future, since it would count as newer than what follows. */
function dateOf({ date }: ExtractedContent, readAt: string): string | null {
  const claimed = date === null ? null : parseIso(date);
  const latest = parseIso(readAt);
  return claimed !== null && latest !== null && claimed.getTime() <= latest.getTime() + A_DAY_MS ? date : null;
}

/** Joins all parts into one text, with the offset at which each place starts. */
function joinParts({ parts, isByStranger }: Pick<ExtractedContent, "parts" | "isByStranger">): {
  text: string;
  places: ReadingOutcome["places"];
} {
  const places: ReadingOutcome["places"][number][] = [];
  const texts: string[] = [];
  let offset = 0;
  for (const { text, place: told } of parts) {
    const place = isByStranger === true ? { ...told, isByStranger } : told;
    if (text.trim() === "") continue;
    if (Object.keys(place).length > 0 || places.length > 0) places.push([offset, place]);
    texts.push(text);
    offset += text.length + BETWEEN_PARTS.length;
  }
  return { text: texts.join(BETWEEN_PARTS), places };
}

function shortened(title: string | null): string | null {
  const text = title?.trim() ?? "";
  return text === "" ? null : text.slice(0, safeCut(text, LONGEST_TITLE));
}

/** Keys with a meaning for this service, which only a caller may set: a file could claim to be somebody else's. */
const RESERVED_KEYS = /^(?:sm_|(?:endUserId|attachedTo|attachments)$)/;

/** Limit for names of attachments; a file may have more, and they may be long. */
const MOST_NAMES = 50;
const LONGEST_NAME = 200;

/**
 * Merges the metadata of the file with the sender's, which takes precedence; of the sender's words, only those that the
 * file has none for.
 */
function mergeMetadata(
  metadata: Metadata | null,
  { metadata: own, author, attachments }: ExtractedContent,
  maxBytes: number,
): { merged: Metadata | null; own: Metadata | null; told: Metadata; notes: readonly string[] } {
  const says = { ...(author !== null && { author }), ...own };
  const found = Object.fromEntries(Object.entries(says).filter(([key]) => !RESERVED_KEYS.test(key)));
  const { attachments: _former, ...sent } = metadata ?? {};
  const told = Object.fromEntries(Object.entries(sent).filter(([key]) => !Object.hasOwn(found, key)));
  const names = attachments.flatMap(({ name }) => (name === null ? [] : name.slice(0, safeCut(name, LONGEST_NAME))));
  const listed = names.length === 0 ? {} : { attachments: names.slice(0, MOST_NAMES) };
  if (Object.keys(found).length === 0 && names.length === 0) return { merged: metadata, own: null, told, notes: [] };
  const merged = { ...found, ...metadata, ...listed };
  const isTooLarge = Buffer.byteLength(JSON.stringify(merged)) > maxBytes;
  if (isTooLarge || !metadataSchema.safeParse({ ...found, ...listed }).success)
    return {
      merged: metadata,
      own: null,
      told,
      notes: ["The file's own metadata was left out: it is too long, or not valid text."],
    };
  const added = Object.entries(found).filter(([key]) => !Object.hasOwn(metadata ?? {}, key));
  return { merged, own: added.length === 0 ? null : Object.fromEntries(added), told, notes: [] };
}
