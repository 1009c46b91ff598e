import type { Generated } from "kysely";

/** Keys, sign-ins and apps, and what they did. */
export interface AccessTables {
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
}
