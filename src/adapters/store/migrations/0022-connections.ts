/** Connected sources that are kept in sync, what is known of each item there, and when each was synced. */
export const connections = `
create table connections (
  id text primary key,
  organization_id text not null,
  provider text not null,
  container_tags text not null,
  end_user_id text,
  document_limit integer not null,
  settings text not null,
  resources text not null,
  secrets text,
  account text,
  state text not null,
  problem text,
  checkpoint text,
  listing integer not null,
  every_minutes integer,
  next_sync_at text,
  last_synced_at text,
  created_at text not null
) strict;
create table connection_items (
  connection_id text not null,
  item_id text not null,
  document_id text,
  version text,
  item text not null,
  state text not null,
  reason text,
  attempts integer not null,
  retry_at text,
  listing integer not null,
  absences integer not null,
  seen_at text not null,
  primary key (connection_id, item_id)
) strict, without rowid;
create index connection_items_by_document on connection_items (document_id) where document_id is not null;
create index connection_items_by_listing on connection_items (connection_id, listing);
create index connection_items_by_retry on connection_items (connection_id, retry_at) where retry_at is not null;
create table sync_runs (
  id text primary key,
  connection_id text not null,
  status text not null,
  trigger text not null,
  started_at text not null,
  completed_at text,
  counts text not null,
  error text,
  notes text not null,
  failures text not null
) strict;
create index sync_runs_by_connection on sync_runs (connection_id, started_at);
`;
