/** How documents were cut into chunks, of those that were not cut as is usual. */
export const cutWith = `
create table cut_with (
  document_id text primary key,
  chunking text not null
) strict, without rowid;
`;
