import { outcomeOfText, findReading } from "../core/documents/known-text.js";
import { timeZoneOf } from "../core/containers/time-zone.js";
import type { JobContext, Repositories } from "../core/ports.js";
import { chunkingMark, chunkingOf, type Chunking } from "../core/documents/chunking.js";
import { readSettings } from "../core/upkeep/settings.js";
import { type Chunk, type Document, unitOf } from "../core/types.js";
import { createId } from "../lib/ids.js";
import { yieldTurn } from "../lib/time.js";
import { chunkDocument } from "./chunk.js";
import type { ChunkPiece } from "./chunk-piece.js";
import type { IngestContext } from "./context.js";
import { commitStep, isCurrent, loadCurrent, type StepPayload } from "./step.js";

/** Chunks indexed per turn of the event loop, so that a large document keeps no caller waiting. */
const YIELD_EVERY = 50;
/** Chunks that one transaction writes or removes: other writers wait until it ends. */
const MOST_AT_ONCE = 100;

/**
 * Second step: cuts the text and makes its chunks searchable by words, in place of those of older revisions. Unchanged
 * chunks stay untouched.
 */
export async function indexChunks(context: IngestContext, payload: StepPayload, job: JobContext): Promise<void> {
  const current = await loadCurrent(context, payload);
  const cut = current && (await chunkForSender(context, current));
  if (cut) await prepareChunks(context, current, cut, job.signal);
  await commitStep(context, job, payload, async (repositories, document) => {
    if (cut) await keepChunks(repositories, document, cut, job.signal);
    await repositories.documents.update(document.organizationId, document.id, { status: "embedding" });
    return "embed";
  });
}

/** A document, cut as the settings of its sender demand. */
export interface ChunkedDocument {
  readonly pieces: readonly ChunkPiece[];
  readonly chunking: Chunking;
}

export async function chunkForSender(context: IngestContext, document: Document): Promise<ChunkedDocument> {
  const chunking = chunkingOf(await readSettings(context.store, document.organizationId, document.client));
  const read = outcomeOfText(await findReading(context.store, document));
  const pieces = await chunkDocument({
    content: document.content,
    // Whatever a file was, the text read from it is Markdown.
    type: read ? "markdown" : document.type,
    places: read?.places,
    title: document.title,
    filepath: document.filepath,
    date: document.documentDate,
    timeZone: await timeZoneOf(context, document),
    turns: document.turns,
    chunking,
  });
  return { pieces, chunking };
}

/**
 * For a document with many chunks, writes the new ones and removes the obsolete ones a few at a time, so that no
 * transaction is long and `keepChunks` has little left to do. New ones come first, so that everything can be found
 * meanwhile. After a crash the work already done counts, as equal chunks are recognised.
 */
export async function prepareChunks(
  context: IngestContext,
  document: Document,
  { pieces }: ChunkedDocument,
  signal: AbortSignal,
): Promise<void> {
  const { store } = context;
  const { organizationId, id, revision } = document;
  const drafts = pieces.map((piece) => ({ ...piece, id: createId() }));
  const { added, dropped } = await store.chunks.difference(organizationId, id, drafts);
  if (added.length + dropped.length <= MOST_AT_ONCE) return;
  const inSlices = async <T>(
    all: readonly T[],
    write: (repositories: Repositories, slice: readonly T[]) => Promise<void>,
  ) => {
    for (let start = 0; start < all.length; start += MOST_AT_ONCE) {
      await store.transaction(async (repositories) => {
        if (await isCurrent(context, { documentId: id, revision }, repositories))
          await write(repositories, all.slice(start, start + MOST_AT_ONCE));
      });
      await yieldTurn(signal);
    }
  };
  await inSlices(added, async (repositories, slice) =>
    indexAll(repositories, document, await repositories.chunks.append(organizationId, id, revision, slice), signal),
  );
  await inSlices(dropped, (repositories, slice) => repositories.chunks.drop(organizationId, id, slice));
}

/** Replaces the chunks of a document inside a transaction; vectors come later. */
export async function keepChunks(
  repositories: Repositories,
  document: Document,
  { pieces, chunking }: ChunkedDocument,
  signal: AbortSignal,
): Promise<void> {
  const { organizationId, id, revision } = document;
  const drafts = pieces.map((piece) => ({ ...piece, id: createId() }));
  const chunks = await repositories.chunks.replace(organizationId, id, revision, drafts);
  await repositories.extractions.noteCutting(id, chunkingMark(chunking));
  const added = new Set(drafts.map((draft) => draft.id));
  await indexAll(
    repositories,
    document,
    chunks.filter((chunk) => added.has(chunk.id)),
    signal,
  );
}

async function indexAll(
  repositories: Repositories,
  { organizationId, id }: Document,
  chunks: readonly Chunk[],
  signal: AbortSignal,
): Promise<void> {
  const containers = await repositories.containers.ofDocument(organizationId, id);
  const containerIds = containers.map((container) => container.id);
  for (const [index, chunk] of chunks.entries()) {
    if (index % YIELD_EVERY === YIELD_EVERY - 1) await yieldTurn(signal);
    await repositories.units.indexText({
      unit: unitOf("chunk", chunk.seq),
      containerIds,
      text: chunk.content,
      context: chunk.context,
    });
  }
}
