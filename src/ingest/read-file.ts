import type { ContentPart, ExtractedContent, FileReading, ReadingOutcome } from "../core/documents/content-ports.js";
import { AppError } from "../core/errors.js";
import { metadataSchema } from "../core/input.js";
import type { DocumentChange, JobContext, Repositories } from "../core/ports.js";
import type { Document, Metadata, StoredFile } from "../core/types.js";
import { iso, parseIso } from "../lib/time.js";
import { safeCut } from "../lib/truncate.js";
import type { IngestContext } from "./context.js";
import { commitStep, loadCurrent, type StepPayload } from "./step.js";

const LONGEST_TITLE = 1_000;
const BETWEEN_PARTS = "\n\n";

/** Whether the text of a document is still to be read from its file. */
export async function isUnread(
  repositories: Pick<Repositories, "documents">,
  { organizationId, id }: Document,
): Promise<boolean> {
  const reading = await repositories.documents.reading(organizationId, id);
  return reading !== null && reading.outcome === null;
}

/**
 * Beside the first step: reads the file of a document outside of any transaction, and keeps what it says as the text of the
 * document. It has slots of its own, so that no text waits for a file.
 * @throws AppError with the reason for which the file cannot be read
 */
export async function readDocumentFile(context: IngestContext, payload: StepPayload, job: JobContext): Promise<void> {
  const document = await loadCurrent(context, payload);
  const reading = document && (await context.store.documents.reading(document.organizationId, document.id));
  const isToRead = reading !== null && reading.outcome === null;
  const read = document && isToRead ? await readWatched(context, document, reading, job.signal) : null;
  await commitStep(context, job, payload, async (repositories, current) => {
    if (read) await keepRead(context, repositories, current, read);
    return "extract";
  });
}

/** What came out of a file, and when. */
export interface ReadFile {
  /** As it was before. */
  readonly reading: FileReading;
  /** What a document is called that nothing else names. */
  readonly name: string | null;
  readonly content: ExtractedContent;
  readonly startedAt: string;
  readonly endedAt: string;
}

/** Reads it while others can see how far it is. */
async function readWatched(
  context: IngestContext,
  document: Document,
  reading: FileReading,
  signal: AbortSignal,
): Promise<ReadFile> {
  const { extractor, readings, clock, events } = context;
  const startedAt = iso(clock.now());
  const { id } = document;
  readings.set(id, { startedAt, progress: null });
  try {
    const { file, bytes } = await loadFile(context, document, reading);
    const { name, mimeType } = file;
    const content = await extractor.extract(
      { bytes, name, mimeType, charset: null, url: null },
      {
        signal,
        onProgress(progress) {
          readings.set(id, { startedAt, progress });
          events.changed(id);
        },
      },
    );
    return { reading, name, content, startedAt, endedAt: iso(clock.now()) };
  } finally {
    readings.delete(id);
  }
}

async function loadFile(
  { store, blobs }: IngestContext,
  { organizationId, id }: Document,
  { fileKey }: FileReading,
): Promise<{ file: StoredFile; bytes: Uint8Array }> {
  const files = await store.files.ofDocument(organizationId, id);
  const file = files.find(({ key }) => key === fileKey);
  const bytes = file ? await blobs.read(fileKey, 0, file.bytes) : null;
  if (!file || bytes === null) throw new AppError("not_found", "The file is no longer there. Send it again.");
  return { file, bytes };
}

/** Makes what a file says the text of its document, inside a transaction. @throws AppError `invalid` for a file without text */
export async function keepRead(
  { limits }: IngestContext,
  repositories: Repositories,
  document: Document,
  { reading, name, content, startedAt, endedAt }: ReadFile,
): Promise<void> {
  const { organizationId, id } = document;
  const { text, places } = joinParts(content.parts);
  if (text.trim() === "") throw new AppError("invalid", "The file holds no text.");
  const metadata = mergeMetadata(document, content, limits.maxMetadataBytes);
  const isNamedByFile = [null, name, reading.outcome?.title].includes(document.title);
  const ownTitle = shortened(content.title);
  const title = ownTitle ?? name;
  const date = content.date !== null && parseIso(content.date) !== null ? content.date : null;
  await repositories.documents.update(organizationId, id, {
    content: text,
    type: content.type,
    metadata: metadata.merged,
    ...(isNamedByFile && title !== null && { title }),
    ...(document.documentDate === null && date !== null && { documentDate: date }),
  } satisfies DocumentChange);
  const outcome: ReadingOutcome = {
    places,
    notes: [...content.notes, ...metadata.notes, ...notesOfAttachments(content)],
    title: ownTitle,
    image: content.image,
    ...(content.isMail === true && { isMail: true }),
    startedAt,
    endedAt,
  };
  await repositories.documents.keepReading(organizationId, id, { ...reading, outcome });
}

/** One text of all parts, and from which offset on which place counts. */
function joinParts(parts: readonly ContentPart[]): { text: string; places: ReadingOutcome["places"] } {
  const places: ReadingOutcome["places"][number][] = [];
  const texts: string[] = [];
  let offset = 0;
  for (const { text, place } of parts) {
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

/** Keys with a meaning for this service, which only a caller may give: a file could claim to be somebody else's. */
const RESERVED_KEYS = /^(?:sm_|endUserId$)/;

/** What the file says of itself, beside what its sender said, which counts. */
function mergeMetadata(
  { metadata }: Document,
  { metadata: own, author }: ExtractedContent,
  maxBytes: number,
): { merged: Metadata | null; notes: readonly string[] } {
  const told = { ...(author !== null && { author }), ...own };
  const found = Object.fromEntries(Object.entries(told).filter(([key]) => !RESERVED_KEYS.test(key)));
  if (Object.keys(found).length === 0) return { merged: metadata, notes: [] };
  const merged = { ...found, ...metadata };
  const isTooLarge = Buffer.byteLength(JSON.stringify(merged)) > maxBytes;
  if (isTooLarge || !metadataSchema.safeParse(found).success)
    return { merged: metadata, notes: ["What the file says about itself was left out: it is too much, or no text."] };
  return { merged, notes: [] };
}

function notesOfAttachments({ attachments }: ExtractedContent): string[] {
  if (attachments.length === 0) return [];
  const names = attachments.map(({ name }) => name ?? "one without a name").join(", ");
  return [`Files that lie in it were not read: ${names.slice(0, safeCut(names, 500))}.`];
}
