import type { Generated } from "kysely";

/** The tables as Kysely sees them. Booleans are 0 and 1, dates ISO 8601 text, JSON text. */
export interface Database {
  meta: { key: string; value: string };
  api_keys: {
    id: string;
    organization_id: string;
    name: string;
    hint: string;
    hash: string;
    created_at: string;
    last_used_at: string | null;
    revoked_at: string | null;
    client: string | null;
    kind: Generated<string>;
    permission: Generated<string>;
    /** JSON of `Grant[]`; null for all containers. */
    grants: string | null;
    rate_requests: number | null;
    rate_window_ms: number | null;
    expires_at: string | null;
    disabled_at: string | null;
    /** How many days ahead its owner was last warned. */
    warned_ahead: number | null;
  };
  containers: {
    id: Generated<number>;
    organization_id: string;
    tag: string;
    created_at: string;
    uid: string;
    name: string | null;
    description: string | null;
    entity_context: string | null;
    entity_context_by: string | null;
    entity_context_is_owners: Generated<number>;
    memory_filesystem_paths: string | null;
    profile_buckets: Generated<string>;
    visibility: Generated<string>;
    is_experimental: Generated<number>;
    emoji: string | null;
    time_zone: string | null;
    updated_at: string;
    deleted_at: string | null;
  };
  documents: {
    seq: Generated<number>;
    id: string;
    organization_id: string;
    custom_id: string | null;
    content: string;
    revision: number;
    remembered_revision: number;
    title: string | null;
    summary: string | null;
    url: string | null;
    source: string | null;
    client: string | null;
    type: string;
    status: string;
    dreaming_status: string;
    error_reason: string | null;
    task_type: string;
    dreaming: string;
    metadata: string | null;
    filter_by_metadata: string | null;
    filepath: string | null;
    document_date: string | null;
    origin: string;
    facts: string | null;
    remember_as_is: number;
    receipt: string | null;
    facts_left_out: Generated<number>;
    waiting: number;
    created_at: string;
    updated_at: string;
    turns: string | null;
    forget_after: string | null;
    /** 1 while its chunks lie in the forgotten part of the index. */
    is_forgotten: Generated<number>;
  };
  document_revisions: {
    document_id: string;
    revision: number;
    content: string;
    created_at: string;
    prefix_length: number | null;
    pending: string | null;
  };
  files: {
    key: string;
    organization_id: string;
    document_id: string;
    name: string | null;
    mime_type: string;
    bytes: number;
    created_at: string;
  };
  document_containers: { document_id: string; container_id: number; position: number };
  chunks: {
    seq: Generated<number>;
    id: string;
    document_id: string;
    revision: number;
    position: number;
    content: string;
    context: string;
    metadata: string | null;
    created_at: string;
  };
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
  /** What found a document's facts, e.g. `extract-facts/2`. */
  document_descriptions: { document_id: string; text_mark: string; title: string | null; summary: string | null };
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
  remembered_with: { document_id: string; extractor: string };
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
  message_pictures: {
    document_id: string;
    /** Digest of the bytes, or of the address. */
    digest: string;
    organization_id: string;
    address: string | null;
    /** Null once it has been read. */
    bytes: Uint8Array | null;
    read_at: string | null;
    note: string | null;
  };
  document_readings: {
    document_id: string;
    file_key: string;
    digest: string;
    outcome: string | null;
    former: string | null;
  };
  document_attachments: { document_id: string; organization_id: string; attached_to: string; digest: string };
  connections: {
    id: string;
    organization_id: string;
    provider: string;
    container_tags: string;
    end_user_id: string | null;
    document_limit: number;
    settings: string;
    resources: string;
    secrets: string | null;
    account: string | null;
    state: string;
    problem: string | null;
    checkpoint: string | null;
    listing: number;
    every_minutes: number | null;
    next_sync_at: string | null;
    last_synced_at: string | null;
    created_at: string;
    webhooks: string | null;
  };
  connection_items: {
    connection_id: string;
    item_id: string;
    document_id: string | null;
    version: string | null;
    item: string;
    state: string;
    reason: string | null;
    attempts: number;
    retry_at: string | null;
    listing: number;
    absences: number;
    seen_at: string;
  };
  left_items: {
    document_id: string;
    place: string;
    item_id: string;
    item: string;
    version: string | null;
    seen_at: string;
  };
  sync_runs: {
    id: string;
    connection_id: string;
    status: string;
    trigger: string;
    started_at: string;
    completed_at: string | null;
    counts: string;
    error: string | null;
    error_code: string | null;
    notes: string;
    failures: string;
  };
  cut_with: { document_id: string; chunking: string };
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
  memory_relations: { from_id: string; to_id: string; relation: string; created_at: string };
  sign_ins: {
    id: string;
    organization_id: string;
    hash: string;
    how: string;
    client: string | null;
    created_at: string;
    last_used_at: string;
    expires_at: string;
  };
  sign_in_codes: { hash: string; organization_id: string; expires_at: string };
  passwords: { organization_id: string; hash: string; changed_at: string };
  oauth_records: {
    kind: string;
    hash: string;
    uid_hash: string | null;
    grant_id: string | null;
    payload: string;
    consumed_at: string | null;
    created_at: string;
    expires_at: string | null;
  };
  oauth_grants: {
    id: string;
    organization_id: string;
    issuer: string;
    client_id: string;
    client_name: string;
    client_host: string;
    container_tags: string | null;
    permission: string;
    created_at: string;
    last_used_at: string | null;
    expires_at: string | null;
  };
  oauth_secrets: { organization_id: string; secrets: string; created_at: string };
  answered_requests: { hash: string; organization_id: string; expires_at: string };
  device_requests: {
    device_hash: string;
    user_hash: string;
    organization_id: string;
    /** JSON. */
    asker: string;
    /** JSON of what was approved. */
    choice: string | null;
    state: string;
    created_at: string;
    expires_at: string;
    polled_at: string | null;
  };
  settings: { organization_id: string; client: string; value: string; updated_at: string };
  container_merges: {
    id: string;
    organization_id: string;
    source_tags: string;
    target_tag: string;
    status: string;
    progress: string | null;
    last_error: string | null;
    created_at: string;
    updated_at: string;
  };
  requests: {
    seq: Generated<number>;
    id: string;
    organization_id: string;
    key_id: string | null;
    client: string | null;
    type: string;
    method: string;
    path: string;
    status: number;
    duration: number;
    container_tag: string | null;
    error: string | null;
    created_at: string;
    address: string | null;
    operations: Generated<number>;
  };
  audit_entries: {
    seq: Generated<number>;
    id: string;
    organization_id: string;
    at: string;
    actor: string;
    action: string;
    outcome: string;
    /** JSON lists of text. */
    container_tags: string;
    subject_ids: string;
    face: string | null;
    address: string | null;
    client: string | null;
    count: number;
  };
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
  journal: {
    seq: Generated<number>;
    organization_id: string;
    batch_id: string;
    at: string;
    actor: string;
    action: string;
    subject: string;
    subject_id: string;
    container_tag: string | null;
    cause: string | null;
    before: string | null;
    after: string | null;
  };
  operations: { id: string; result: string; created_at: string };
  jobs: {
    id: Generated<number>;
    kind: string;
    payload: string;
    group_key: string;
    dedupe_key: string | null;
    exclusive: number;
    state: string;
    run_at: string;
    attempt: number;
    max_attempts: number;
    crashes: Generated<number>;
    worker: string | null;
    lease_until: string | null;
    reason: string | null;
    created_at: string;
    finished_at: string | null;
  };
  schedules: { name: string; last_run_at: string };
}
