/**
 * The pictures in messages of conversations, by their digests: what is to be read until it was read, and afterwards only that it
 * was, and what is to be known of that. The words in them are those of the conversation.
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
