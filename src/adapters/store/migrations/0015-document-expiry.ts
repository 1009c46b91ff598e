/**
 * When a document expires, and whether its chunks lie in the forgotten part of the index. The expiry a memory would have without
 * that of its documents is kept beside it, so that it can be restored.
 */
export const documentExpiry = `
alter table documents add column forget_after text;
alter table documents add column is_forgotten integer not null default 0;
create index documents_expiry on documents (forget_after) where forget_after is not null and is_forgotten = 0;
alter table memories add column own_forget_after text;
update memories set own_forget_after = forget_after where forget_after is not null;
`;
