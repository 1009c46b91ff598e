/** Which documents came as attachments of others. A row outlives its document, so that both can still be purged together. */
export const documentAttachments = `
create table document_attachments (
  document_id text primary key,
  organization_id text not null,
  attached_to text not null,
  digest text not null
) strict, without rowid;
create index document_attachments_by_file on document_attachments (attached_to);
`;
