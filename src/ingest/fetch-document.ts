import type { ExtractedContent, FileReading } from "../core/documents/content-ports.js";
import { readFileText } from "../core/documents/file-text.js";
import { outcomeOfText, REPLACES } from "../core/documents/known-text.js";
import { isUnfetched } from "../core/documents/web-address.js";
import { AppError } from "../core/errors.js";
import type { FetchedFile, JobContext, ToldOfFile } from "../core/ports.js";
import type { Document } from "../core/types.js";
import { sha256 } from "../lib/crypto.js";
import type { IngestContext } from "./context.js";
import { withDescription } from "./look.js";
import { readContent, type ReadingWays } from "./read-content.js";
import { commitRead, type ReadFile } from "./read-file.js";
import { readingQueueOf } from "./reading-queue.js";
import { loadCurrent, type StepPayload } from "./step.js";
import { watchReading } from "./watch-reading.js";

/** Attempts in total, a few seconds apart: people waiting for a page want to know soon that it cannot be fetched. */
const MOST_ATTEMPTS = 3;

/**
 * Runs beside the first step: fetches the URL of a document outside any transaction, and makes its content the text of
 * the document. The file itself is not kept.
 * @throws AppError with the reason why it cannot be fetched or read
 */
export async function fetchDocument(context: IngestContext, payload: StepPayload, job: JobContext): Promise<void> {
  const document = await loadCurrent(context, payload);
  const before = document && (await context.store.documents.reading(document.organizationId, document.id));
  const read =
    document && isUnfetched(document, before) ? await fetchAndRead(context, document, { before, job }) : null;
  await commitRead(context, payload, job, read);
}

function fetchAndRead(
  context: IngestContext,
  document: Document,
  { before, job }: { readonly before: FileReading | null; readonly job: JobContext },
): Promise<ReadFile> {
  const address = document.url ?? "";
  return watchReading(context, document.id, async (onProgress) => {
    const file = await fetchPatiently(context, address, job);
    const ways = { queue: readingQueueOf(document), signal: job.signal, onProgress };
    const found = withOrigin(await readFetched(context, file, ways), file);
    const load = () => Promise.resolve(file.bytes);
    const content = await withDescription(context, document, { content: found, load }, job.signal);
    if (joinedText(content) === address)
      throw new AppError("invalid", "The address leads to nothing but its own text.");
    const reading = { fileKey: address, digest: sha256(file.bytes), outcome: null, former: outcomeOfText(before) };
    // The last part of a URL names files, but hardly ever pages.
    const name = content.type === "webpage" ? null : file.name;
    return { document, reading, name, content, replaces: before?.digest === REPLACES };
  });
}

/**
 * Adds the canonical URL, what a known site tells about the page, and a date: the server's date counts only if there is
 * no other.
 */
function withOrigin(read: ExtractedContent, { modifiedAt, told }: FetchedFile): ExtractedContent {
  const content = withTold(read, told);
  const date = content.date ?? modifiedAt;
  const isOfPage = read.type === "webpage" || (told?.date ?? null) !== null;
  const dateFrom = content.date === null ? "Last-Modified" : isOfPage ? "page" : "file";
  return {
    ...content,
    date,
    metadata: {
      ...content.metadata,
      ...(date !== null && { dateFrom }),
      ...(content.type === "webpage" && content.url !== null && { canonicalUrl: content.url }),
    },
  };
}

function withTold(content: ExtractedContent, told: ToldOfFile = {}): ExtractedContent {
  return {
    ...content,
    type: told.type ?? content.type,
    title: told.title ?? content.title,
    author: told.author ?? content.author,
    date: told.date ?? content.date,
    notes: [...(told.notes ?? []), ...content.notes],
  };
}

/** Text that would otherwise be taken for a URL still to be fetched. */
function joinedText({ parts }: ExtractedContent): string {
  return parts.length === 1 ? (parts[0]?.text ?? "") : "";
}

async function fetchPatiently(
  { fetcher }: IngestContext,
  address: string,
  { job, signal }: JobContext,
): Promise<FetchedFile> {
  try {
    return await fetcher.fetch(address, signal);
  } catch (error) {
    if (!(error instanceof AppError) || error.kind !== "unavailable") throw error;
    // A server that keeps asking for patience gets no more attempts than others.
    const kind = job.attempt < MOST_ATTEMPTS ? "unavailable" : "invalid";
    throw new AppError(kind, error.message, { cause: error });
  }
}

async function readFetched(context: IngestContext, file: FetchedFile, ways: ReadingWays): Promise<ExtractedContent> {
  if (await context.extractor.accepts(file)) return readContent(context, file, ways);
  const { text, metadata } = readFileText(file, file.bytes, context.limits);
  return {
    type: "text",
    title: null,
    author: null,
    date: null,
    url: file.url,
    image: null,
    parts: [{ text, place: {} }],
    attachments: [],
    metadata,
    notes: [],
  };
}
