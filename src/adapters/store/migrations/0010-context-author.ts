/**
 * Who wrote a container's guidance, and whether that was the owner of the server. Of existing guidance, only what the journal
 * ascribes to the person at the machine counts as the owner's.
 */
export const contextAuthor = `
alter table containers add column entity_context_by text;
alter table containers add column entity_context_is_owners integer not null default 0;
update containers set entity_context_by = 'local', entity_context_is_owners = 1
  where entity_context is not null and 'local' = (
    select actor from journal
    where journal.organization_id = containers.organization_id and journal.subject = 'container'
      and journal.subject_id = containers.uid and journal.after ->> '$.entityContext' = containers.entity_context
    order by journal.seq desc limit 1);
`;
