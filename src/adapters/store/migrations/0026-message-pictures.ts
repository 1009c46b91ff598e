/**
 * Pictures in conversation messages, by digest: their bytes until they have been read, afterwards only that they were, and what
 * needs to be known of that. The words read from them are in the conversation.
 */
export const messagePictures = `
create table message_pictures (
  document_id text not null,
  digest text not null,
  organization_id text not null,
  address text,
  bytes blob,
  read_at text,
  note text,
  primary key (document_id, digest)
) strict, without rowid;
`;
