/**
 * What the full wire contract stores: containers with names, prompts and buckets, settings, merges, files, relations and the
 * service's own record of requests. Documents are rebuilt, so that their text stays the last column.
 */
export const wireContract = `
alter table api_keys add column client text;

alter table containers add column uid text not null default '';
alter table containers add column name text;
alter table containers add column description text;
alter table containers add column entity_context text;
alter table containers add column memory_filesystem_paths text;
alter table containers add column profile_buckets text not null default '[]';
alter table containers add column visibility text not null default 'private';
alter table containers add column is_experimental integer not null default 0;
alter table containers add column emoji text;
alter table containers add column updated_at text not null default '';
alter table containers add column deleted_at text;
update containers set uid = create_id(id), updated_at = created_at;
create unique index containers_uid on containers (uid);

create table documents_rebuilt (
  seq integer primary key autoincrement,
  id text not null unique,
  organization_id text not null,
  custom_id text,
  revision integer not null,
  remembered_revision integer not null,
  title text,
  summary text,
  url text,
  source text,
  client text,
  type text not null,
  status text not null,
  dreaming_status text not null,
  error_reason text,
  task_type text not null,
  dreaming text not null,
  metadata text,
  filter_by_metadata text,
  filepath text,
  document_date text,
  origin text not null,
  facts text,
  remember_as_is integer not null,
  receipt text,
  waiting integer not null,
  created_at text not null,
  updated_at text not null,
  turns text,
  content text not null
) strict;
insert into documents_rebuilt (
  seq, id, organization_id, custom_id, revision, remembered_revision, title, summary, url, source, type, status,
  dreaming_status, error_reason, task_type, dreaming, metadata, filepath, document_date, origin, facts, remember_as_is,
  receipt, waiting, created_at, updated_at, content
) select seq, id, organization_id, custom_id, revision, iif(receipt is null, 0, revision), title, summary, url, source, type, status,
  dreaming_status, error_reason, task_type, dreaming, metadata, filepath, document_date, origin, facts, remember_as_is,
  receipt, waiting, created_at, updated_at, content
from documents;
drop table documents;
alter table documents_rebuilt rename to documents;
create index documents_custom_id on documents (organization_id, custom_id) where custom_id is not null;
create index documents_created on documents (organization_id, created_at, id);
create index documents_updated on documents (organization_id, updated_at, id);
create index documents_waiting on documents (organization_id, seq) where waiting = 1;

alter table document_revisions add column prefix_length integer;
alter table document_revisions add column pending text;

create table files (
  key text primary key,
  organization_id text not null,
  document_id text not null,
  name text,
  mime_type text not null,
  bytes integer not null,
  created_at text not null
) strict;
create index files_document on files (document_id, created_at);

create table memory_relations (
  from_id text not null,
  to_id text not null,
  relation text not null,
  created_at text not null,
  primary key (from_id, to_id)
) strict, without rowid;
create index memory_relations_to on memory_relations (to_id);

create table settings (
  organization_id text not null,
  client text not null,
  value text not null,
  updated_at text not null,
  primary key (organization_id, client)
) strict, without rowid;

create table container_merges (
  id text primary key,
  organization_id text not null,
  source_tags text not null,
  target_tag text not null,
  status text not null,
  progress text,
  last_error text,
  created_at text not null,
  updated_at text not null
) strict;
create index container_merges_open on container_merges (organization_id) where status not in ('completed', 'failed');

create table requests (
  seq integer primary key autoincrement,
  id text not null unique,
  organization_id text not null,
  key_id text,
  client text,
  type text not null,
  method text not null,
  path text not null,
  status integer not null,
  duration real not null,
  container_tag text,
  error text,
  created_at text not null
) strict;
create index requests_created on requests (organization_id, created_at);
`;
