import * as z from "zod";
import type { Admitted, CoreContext } from "../context.js";
import { findDocument } from "./documents.js";
import { customIdSchema, parseInput } from "../input.js";
import type { Chunk } from "../types.js";

export interface DocumentChunks {
  readonly documentId: string;
  /** By position. While a new text is being cut, those of the text before. */
  readonly chunks: readonly Chunk[];
}

/** The pieces of a document that search can find, by id or customId. @throws AppError `not_found` */
export async function getChunks({ store }: CoreContext, { actor }: Admitted, raw: unknown): Promise<DocumentChunks> {
  const { id } = parseInput(z.object({ id: customIdSchema }), raw);
  const document = await findDocument(store, actor, id);
  return { documentId: document.id, chunks: await store.chunks.newest(actor.organizationId, document.id) };
}
