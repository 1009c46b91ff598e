import type { Generated } from "kysely";

/** Vectors and the text index, which are derived from the other tables. */
export interface IndexTables {
  vector_spaces: {
    id: Generated<number>;
    fingerprint: string;
    dimensions: number;
    created_at: string;
    /** JSON; null before anything was measured. */
    calibration: Generated<string | null>;
  };
  embedder_roles: {
    role: string;
    /** JSON of an `EmbedderChoice`. */
    choice: string;
    name: string;
    fingerprint: string | null;
    since: string;
    /** JSON of a `Move`. */
    move: string | null;
    drop_after: string | null;
  };
  vectors: {
    id: Generated<number>;
    space_id: number;
    container_id: number;
    unit: number;
    active: number;
    vector: Uint8Array;
  };
  vector_changes: { seq: Generated<number>; space_id: number; container_id: number; unit: number };
  vector_followers: { follower: string; space_id: number; seq: number; layout: string | null };
  vector_placements: { space_id: number; container_id: number; collection: string };
  /** How the index split words, and how far it has been rewritten since that changed. */
  word_splitting: {
    id: number;
    words: number;
    runtime: string;
    sample: string;
    after_chunk: number;
    after_memory: number;
    is_done: number;
  };
  text_index: { rowid: number; text: string; context: string; scope: string };
}
