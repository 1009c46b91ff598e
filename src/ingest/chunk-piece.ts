import type { ChunkDraft } from "../core/ports.js";

/** A chunk before it has an id. */
export type ChunkPiece = Omit<ChunkDraft, "id">;
