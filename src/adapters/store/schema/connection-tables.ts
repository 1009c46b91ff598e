/** Connections, their items and runs. */
export interface ConnectionTables {
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
}
