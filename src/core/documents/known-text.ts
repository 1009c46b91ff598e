import type { Repositories } from "../ports.js";
import type { Document } from "../types.js";
import type { FileReading, ReadingOutcome } from "./content-ports.js";
import type { PreparedDocument } from "./prepare-document.js";
import { FILES_PATH } from "./file-links.js";
import { isUnfetched } from "./web-address.js";

/** The file or page that a document is read from; null, without a look-up, for one that names none. */
export async function findReading(
  { documents }: Pick<Repositories, "documents">,
  { organizationId, id, url }: Pick<Document, "organizationId" | "id" | "url">,
): Promise<FileReading | null> {
  return url === null ? null : documents.reading(organizationId, id);
}

/** The outcome of the reading that gave the document its current text; null if it was not read from a file or a page. */
export function outcomeOfText(reading: FileReading | null): ReadingOutcome | null {
  return reading && (reading.outcome ?? reading.former);
}

/**
 * A submission whose text is still to be read, for a known document: until then, and if that fails, the document keeps its
 * content.
 */
export function untilRead(existing: Document, prepared: PreparedDocument): PreparedDocument {
  const known = { ...prepared.known, isUnread: true };
  if (isUnfetched(existing, null)) return { ...prepared, known };
  return { ...withTextOf(existing, prepared), known: { ...known, ...typeOf(existing) } };
}

/** A submission of a source that the document is already made from. */
export function withTextOf(existing: Document, prepared: PreparedDocument): PreparedDocument {
  const { input } = prepared;
  const known = { ...typeOf(existing), ...(existing.url !== null && { url: existing.url }) };
  return { ...prepared, input: { ...input, content: existing.content }, known };
}

function typeOf({ type, turns }: Document) {
  return { type, ...(turns !== null && { turns }) };
}

/** Turns a submission of an address under a known customId into a repeated fetch; others are unchanged. */
export async function fetchedAgain(
  { documents }: Pick<Repositories, "documents">,
  existing: Document,
  prepared: PreparedDocument,
): Promise<PreparedDocument> {
  const { input, known } = prepared;
  if (known.url === undefined || !isUnfetched({ url: known.url, content: input.content }, null)) return prepared;
  const reading = await documents.reading(existing.organizationId, existing.id);
  if (existing.url === known.url && isUnfetched(existing, reading)) return withTextOf(existing, prepared);
  if (existing.content === "" || isUnfetched(existing, null)) return prepared;
  return untilRead(existing, prepared);
}

/**
 * Stands in for the digest of a source that is still to be read and that replaces the previous text rather than continuing it.
 */
export const REPLACES = "replaces";

/** Records that the text of a document is still to be read from what its address names. */
export async function awaitReading(
  { documents }: Pick<Repositories, "documents">,
  { organizationId, id, url }: Pick<Document, "organizationId" | "id" | "url">,
  { digest, former }: Pick<FileReading, "digest" | "former">,
): Promise<void> {
  if (url === null) return;
  const fileKey = url.startsWith(FILES_PATH) ? url.slice(FILES_PATH.length) : url;
  await documents.keepReading(organizationId, id, { fileKey, digest, outcome: null, former });
}

/** Makes a document keep its current text, inside a transaction, whatever was still to be read. */
export async function keepKnownText(
  { documents }: Pick<Repositories, "documents">,
  { organizationId, id }: Pick<Document, "organizationId" | "id">,
): Promise<void> {
  const reading = await documents.reading(organizationId, id);
  if (reading?.former && reading.outcome === null)
    await documents.keepReading(organizationId, id, { ...reading, outcome: reading.former, former: null });
}
