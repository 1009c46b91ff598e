/** Keys with restricted permissions, and the owner's browser sign-ins. */
export const access = `
alter table api_keys add column kind text not null default 'organization';
alter table api_keys add column permission text not null default 'write';
alter table api_keys add column grants text;
alter table api_keys add column rate_requests integer;
alter table api_keys add column rate_window_ms integer;
alter table api_keys add column expires_at text;
alter table api_keys add column disabled_at text;
alter table api_keys add column warned_ahead integer;
create table sign_ins (
  id text primary key,
  organization_id text not null,
  hash text not null unique,
  how text not null,
  client text,
  created_at text not null,
  last_used_at text not null,
  expires_at text not null
) strict;
create table sign_in_codes (
  hash text primary key,
  organization_id text not null,
  expires_at text not null
) strict;
create table passwords (
  organization_id text primary key,
  hash text not null,
  changed_at text not null
) strict;
create table oauth_records (
  kind text not null,
  hash text not null,
  uid_hash text,
  grant_id text,
  payload text not null,
  consumed_at text,
  created_at text not null,
  expires_at text,
  primary key (kind, hash)
) strict;
create index oauth_records_uid on oauth_records (kind, uid_hash) where uid_hash is not null;
create index oauth_records_grant on oauth_records (grant_id) where grant_id is not null;
create index oauth_records_expiry on oauth_records (expires_at) where expires_at is not null;
create table oauth_grants (
  id text primary key,
  organization_id text not null,
  issuer text not null,
  client_id text not null,
  client_name text not null,
  client_host text not null,
  container_tags text,
  permission text not null,
  created_at text not null,
  last_used_at text,
  expires_at text
) strict;
create table oauth_secrets (
  organization_id text primary key,
  secrets text not null,
  created_at text not null
) strict;
create table answered_requests (
  hash text primary key,
  organization_id text not null,
  expires_at text not null
) strict;
create table device_requests (
  device_hash text primary key,
  user_hash text not null unique,
  organization_id text not null,
  asker text not null,
  choice text,
  state text not null,
  created_at text not null,
  expires_at text not null,
  polled_at text
) strict;
alter table requests add column address text;
create table audit_entries (
  seq integer primary key,
  id text not null unique,
  organization_id text not null,
  at text not null,
  actor text not null,
  action text not null,
  outcome text not null,
  container_tags text not null,
  subject_ids text not null,
  face text,
  address text,
  client text,
  count integer not null
) strict;
create index audit_entries_at on audit_entries (organization_id, at);
create index audit_entries_actor on audit_entries (organization_id, actor, seq);
create index audit_entries_action on audit_entries (organization_id, action, seq);
`;
