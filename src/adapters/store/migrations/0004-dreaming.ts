/** What extraction costs, in US dollars, null where the model's price is unknown; and with what each document was read. */
export const dreaming = `
alter table extractions add column cost real;
-- Names that a fact is about, and the buckets that its author chose (JSON).
alter table memories add column entities text;
alter table memories add column buckets text;
-- What a language model called a document, and of which text (a hash with the prompt's version).
create table document_descriptions (
  document_id text primary key,
  text_mark text not null,
  title text,
  summary text
) strict, without rowid;
-- What a language model made of the older memories of a profile's bucket (JSON), and of which ones (JSON).
create table profile_summaries (
  container_id integer not null,
  bucket text not null,
  lines text not null,
  covers text not null,
  prompt text not null,
  made_at text not null,
  primary key (container_id, bucket)
) strict, without rowid;
create table remembered_with (
  document_id text primary key,
  extractor text not null
) strict, without rowid;
create table extraction_tasks (
  seq integer primary key,
  id text not null unique,
  organization_id text not null,
  container_id integer not null,
  document_id text not null,
  revision integer not null,
  part integer not null,
  parts integer not null,
  window_start integer not null,
  window_end integer not null,
  handles text,
  reserved_until text,
  reserved_by text,
  done_at text,
  unique (container_id, document_id, revision, part)
) strict;
create index extraction_tasks_open on extraction_tasks (container_id, document_id) where done_at is null;
create index extraction_tasks_document on extraction_tasks (document_id);
`;
