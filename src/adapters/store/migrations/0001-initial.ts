/**
 * The first schema. `waiting` on documents is derived from both statuses, so that counting what a container still waits for
 * reads a small partial index. A document's text, which may be large, is the last column of its row, so that reading the others
 * does not load it. The text index keeps no text of its own: chunks and memories have it.
 */
export const initial = `
create table meta (key text primary key, value text not null) strict;

create table api_keys (
  id text primary key,
  organization_id text not null,
  name text not null,
  hint text not null,
  hash text not null unique,
  created_at text not null,
  last_used_at text,
  revoked_at text
) strict;

create table containers (
  id integer primary key autoincrement,
  organization_id text not null,
  tag text not null,
  created_at text not null,
  unique (organization_id, tag)
) strict;

create table documents (
  seq integer primary key autoincrement,
  id text not null unique,
  organization_id text not null,
  custom_id text,
  revision integer not null,
  title text,
  summary text,
  url text,
  source text,
  type text not null,
  status text not null,
  dreaming_status text not null,
  error_reason text,
  task_type text not null,
  dreaming text not null,
  metadata text,
  filepath text,
  document_date text,
  origin text not null,
  facts text,
  remember_as_is integer not null,
  receipt text,
  waiting integer not null,
  created_at text not null,
  updated_at text not null,
  content text not null
) strict;
create unique index documents_custom_id on documents (organization_id, custom_id) where custom_id is not null;
create index documents_created on documents (organization_id, created_at, id);
create index documents_updated on documents (organization_id, updated_at, id);
create index documents_waiting on documents (organization_id, seq) where waiting = 1;

create table document_revisions (
  document_id text not null,
  revision integer not null,
  content text not null,
  created_at text not null,
  primary key (document_id, revision)
) strict;

create table document_containers (
  document_id text not null,
  container_id integer not null,
  position integer not null,
  primary key (document_id, container_id)
) strict, without rowid;
create index document_containers_container on document_containers (container_id, document_id);

create table chunks (
  seq integer primary key autoincrement,
  id text not null unique,
  document_id text not null,
  revision integer not null,
  position integer not null,
  content text not null,
  context text not null,
  metadata text,
  created_at text not null
) strict;
create unique index chunks_position on chunks (document_id, revision, position);

create table memories (
  seq integer primary key autoincrement,
  id text not null unique,
  organization_id text not null,
  container_id integer not null,
  text text not null,
  text_key text not null,
  version integer not null,
  is_latest integer not null,
  parent_id text,
  root_id text,
  kind text not null,
  is_static integer not null,
  is_inference integer not null,
  is_forgotten integer not null,
  forget_after text,
  forget_reason text,
  strength integer not null,
  origin text not null,
  metadata text,
  created_at text not null,
  updated_at text not null
) strict;
create unique index memories_text on memories (container_id, text_key) where is_latest = 1 and is_forgotten = 0;
create index memories_container on memories (container_id, is_latest, is_forgotten, is_static, seq);
create index memories_forgotten_text on memories (container_id, text_key) where is_latest = 1 and is_forgotten = 1;
create index memories_expiry on memories (forget_after)
  where forget_after is not null and is_latest = 1 and is_forgotten = 0;
create index memories_root on memories (root_id) where root_id is not null;

create table memory_sources (
  memory_id text not null,
  document_id text not null,
  quote text,
  added_at text not null,
  primary key (memory_id, document_id)
) strict, without rowid;
create index memory_sources_document on memory_sources (document_id, memory_id);

create table vector_spaces (
  id integer primary key autoincrement,
  fingerprint text not null unique,
  dimensions integer not null,
  created_at text not null
) strict;

create table vectors (
  id integer primary key autoincrement,
  space_id integer not null,
  container_id integer not null,
  unit integer not null,
  active integer not null,
  vector blob not null,
  unique (space_id, container_id, unit)
) strict;
create index vectors_unit on vectors (unit, space_id);
create index vectors_active on vectors (space_id, container_id) where active = 1;

create table vector_changes (
  seq integer primary key autoincrement,
  space_id integer not null,
  container_id integer not null,
  unit integer not null
) strict;
create index vector_changes_container on vector_changes (space_id, container_id, seq);
create index vector_changes_space on vector_changes (space_id, seq);

create table vector_followers (
  follower text not null,
  space_id integer not null,
  seq integer not null,
  primary key (follower, space_id)
) strict, without rowid;

create table vector_placements (
  space_id integer not null,
  container_id integer not null,
  collection text not null,
  primary key (space_id, container_id)
) strict, without rowid;

create virtual table text_index using fts5 (
  text, context, scope,
  content = '', contentless_delete = 1,
  tokenize = 'porter unicode61 remove_diacritics 2'
);

create table journal (
  seq integer primary key autoincrement,
  organization_id text not null,
  batch_id text not null,
  at text not null,
  actor text not null,
  action text not null,
  subject text not null,
  subject_id text not null,
  container_tag text,
  cause text,
  before text,
  after text
) strict;
create index journal_subject on journal (subject_id, seq);
create index journal_batch on journal (batch_id);
create index journal_container on journal (container_tag, seq);

create table operations (id text primary key, result text not null, created_at text not null) strict;
create index operations_created on operations (created_at);

create table jobs (
  id integer primary key autoincrement,
  kind text not null,
  payload text not null,
  group_key text not null,
  dedupe_key text,
  exclusive integer not null default 0,
  state text not null,
  run_at text not null,
  attempt integer not null default 0,
  max_attempts integer not null default 8,
  worker text,
  lease_until text,
  reason text,
  created_at text not null,
  finished_at text
) strict;
create unique index jobs_dedupe on jobs (dedupe_key) where dedupe_key is not null and state in ('waiting', 'running');
create index jobs_due on jobs (state, run_at, id);
create index jobs_group on jobs (state, group_key, kind, run_at, id);

create table schedules (name text primary key, last_run_at text not null) strict;
`;
