/**
 * Links between memories and the text of documents that may no longer hold: those of memories that were forgotten or replaced,
 * or that expire. Kept in step whoever writes, so that a search need not look at every link of what it finds.
 */
export const outdatedSources = `
alter table memory_sources add column may_be_over integer not null default 0;
update memory_sources set may_be_over = 1 where memory_id in (
  select id from memories where is_latest = 0 or is_forgotten = 1 or forget_after is not null);
create index memory_sources_over on memory_sources (document_id) where may_be_over = 1;
create trigger memory_sources_insert after insert on memory_sources
  when exists (select 1 from memories where id = new.memory_id
    and (is_latest = 0 or is_forgotten = 1 or forget_after is not null))
  begin
    update memory_sources set may_be_over = 1 where memory_id = new.memory_id and document_id = new.document_id;
  end;
create trigger memories_standing after update of is_latest, is_forgotten, forget_after, forget_reason on memories
  begin
    update memory_sources
      set may_be_over = (new.is_latest = 0 or new.is_forgotten = 1 or new.forget_after is not null)
      where memory_id = new.id;
  end;
`;
