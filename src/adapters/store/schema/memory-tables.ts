import type { Generated } from "kysely";

/** Memories, what states and relates them, and what found them. */
export interface MemoryTables {
  memories: {
    seq: Generated<number>;
    id: string;
    organization_id: string;
    container_id: number;
    text: string;
    text_key: string;
    version: number;
    is_latest: number;
    parent_id: string | null;
    root_id: string | null;
    kind: string;
    is_static: number;
    is_inference: number;
    is_forgotten: number;
    forget_after: string | null;
    own_forget_after: string | null;
    forget_reason: string | null;
    strength: number;
    origin: string;
    metadata: string | null;
    /** JSON list of names; null where none were given. */
    entities: string | null;
    /** JSON of a `BucketVerdict`; null where only the rules have judged. */
    buckets: string | null;
    created_at: string;
    updated_at: string;
  };
  memory_sources: {
    memory_id: string;
    document_id: string;
    quote: string | null;
    added_at: string;
    quote_start: number | null;
    quote_end: number | null;
    /** 1 where the memory was forgotten or replaced, or expires; triggers keep this up to date. */
    may_be_over: Generated<number>;
  };
  memory_relations: { from_id: string; to_id: string; relation: string; created_at: string };
  profile_summaries: {
    container_id: number;
    /** `definitionMark` of the bucket. */
    bucket: string;
    /** JSON. */
    lines: string;
    /** Ids of memories as JSON. */
    covers: string;
    prompt: string;
    made_at: string;
  };
  /** What found a document's facts, e.g. `extract-facts/2`. */
  remembered_with: { document_id: string; extractor: string };
  extractions: {
    id: Generated<number>;
    organization_id: string;
    document_id: string;
    revision: number;
    model: string;
    prompt_version: string;
    input_tokens: number;
    output_tokens: number;
    /** US dollars. */
    cost: number | null;
    created_at: string;
  };
  extraction_tasks: {
    seq: Generated<number>;
    id: string;
    organization_id: string;
    container_id: number;
    document_id: string;
    revision: number;
    part: number;
    parts: number;
    window_start: number;
    window_end: number;
    /** Ids of memories as JSON. */
    handles: string | null;
    reserved_until: string | null;
    reserved_by: string | null;
    done_at: string | null;
  };
  model_failures: {
    document_id: string;
    /** A `ModelStep`. */
    step: string;
    organization_id: string;
    reason: string;
    attempts: number;
    /** `mark` of the language model. */
    mark: string;
    failed_at: string;
    next_at: string | null;
  };
}
