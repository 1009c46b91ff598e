import type { ExtractedContent } from "../core/documents/content-ports.js";
import { readFileText } from "../core/documents/file-text.js";
import { isUnfetched } from "../core/documents/web-address.js";
import { AppError } from "../core/errors.js";
import type { FetchedFile, JobContext } from "../core/ports.js";
import type { IngestContext } from "./context.js";
import { keepExtracted } from "./read-file.js";
import { commitStep, loadCurrent, type StepPayload } from "./step.js";

/** Tries in all, a few seconds apart: who waits for a page wants to know soon that it does not come. */
const MOST_ATTEMPTS = 3;

/**
 * Beside the first step: fetches what the address of a document leads to, outside of any transaction, and keeps what it
 * says as the text of the document. The file itself is not kept.
 * @throws AppError with the reason for which it cannot be fetched or read
 */
export async function fetchDocument(context: IngestContext, payload: StepPayload, job: JobContext): Promise<void> {
  const document = await loadCurrent(context, payload);
  const read = document && isUnfetched(document) ? await readAddress(context, document.content, job) : null;
  await commitStep(context, job, payload, async (repositories, current) => {
    if (read) await keepExtracted(context, repositories, current, read);
    return "extract";
  });
}

async function readAddress(context: IngestContext, address: string, job: JobContext) {
  const file = await fetchPatiently(context, address, job);
  const content = await readFetched(context, file, job.signal);
  return { name: file.name, content };
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
    // A server that asks for patience again and again gets no more than others.
    const kind = job.attempt < MOST_ATTEMPTS ? "unavailable" : "invalid";
    throw new AppError(kind, error.message, { cause: error });
  }
}

async function readFetched(
  { extractor, limits }: IngestContext,
  file: FetchedFile,
  signal: AbortSignal,
): Promise<ExtractedContent> {
  if (await extractor.accepts(file)) return extractor.extract(file, { signal });
  const text = readFileText(file, file.bytes, limits);
  return {
    type: "text",
    title: null,
    author: null,
    date: null,
    url: file.url,
    image: null,
    parts: [{ text, place: {} }],
    attachments: [],
    metadata: {},
    notes: [],
  };
}
