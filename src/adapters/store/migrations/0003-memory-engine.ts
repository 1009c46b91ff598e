/** What the memory engine keeps beside the facts themselves. */
export const memoryEngine = `
alter table memory_sources add column quote_start integer;
alter table memory_sources add column quote_end integer;
create index journal_organization on journal (organization_id, seq);
`;
