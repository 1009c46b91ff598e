/** What the memory engine stores besides the facts themselves. */
export const memoryEngine = `
alter table memory_sources add column quote_start integer;
alter table memory_sources add column quote_end integer;
create table extractions (
  id integer primary key,
  organization_id text not null,
  document_id text not null,
  revision integer not null,
  model text not null,
  prompt_version text not null,
  input_tokens integer not null,
  output_tokens integer not null,
  created_at text not null
);
create index extractions_document on extractions (organization_id, document_id);
create index journal_organization on journal (organization_id, seq);
`;
