import type { AuthorizedCall, CoreContext } from "../context.js";
import { documentNameSchema, findDocument } from "./documents.js";
import { parseInput } from "../input.js";
import type { Chunk } from "../types.js";

export interface DocumentChunks {
  readonly documentId: string;
  /** By position. While a new text is being cut, the chunks of the previous text. */
  readonly chunks: readonly Chunk[];
}

/** The searchable chunks of a document, by its name. @throws AppError as `findDocument` */
export async function getChunks(
  { store }: CoreContext,
  { actor }: AuthorizedCall,
  raw: unknown,
): Promise<DocumentChunks> {
  const document = await findDocument(store, actor, parseInput(documentNameSchema, raw));
  return { documentId: document.id, chunks: await store.chunks.newest(actor.organizationId, document.id) };
}
