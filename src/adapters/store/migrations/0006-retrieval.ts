/** What a vector space has learnt about its own scale. */
export const retrieval = `
alter table vector_spaces add column calibration text;
create table embedder_roles (
  role text primary key,
  choice text not null,
  name text not null,
  fingerprint text,
  since text not null,
  move text,
  drop_after text
) strict, without rowid;
create table word_splitting (
  id integer primary key check (id = 1),
  words integer not null,
  runtime text not null,
  sample text not null,
  after_chunk integer not null,
  after_memory integer not null,
  is_done integer not null check (is_done in (0, 1))
) strict;
create index jobs_kind on jobs (state, kind, run_at);
`;
