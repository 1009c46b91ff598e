import type { Generated } from "kysely";
import type { AccessTables } from "./schema/access-tables.js";
import type { ConnectionTables } from "./schema/connection-tables.js";
import type { DocumentTables } from "./schema/document-tables.js";
import type { IndexTables } from "./schema/index-tables.js";
import type { MemoryTables } from "./schema/memory-tables.js";

/** The tables as Kysely sees them. Booleans are 0 and 1, dates ISO 8601 text, JSON text. */
export interface Database extends DocumentTables, MemoryTables, ConnectionTables, AccessTables, IndexTables {
  meta: { key: string; value: string };
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
