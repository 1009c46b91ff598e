/** How documents were chunked, for those not chunked in the usual way. */
export const cutWith = `
create table cut_with (
  document_id text primary key,
  chunking text not null
) strict, without rowid;
`;
