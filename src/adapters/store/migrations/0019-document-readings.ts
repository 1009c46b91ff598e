/** Files that documents are read from, and the result of reading them, as JSON. */
export const documentReadings = `
create table document_readings (
  document_id text primary key,
  file_key text not null,
  digest text not null,
  outcome text
) strict, without rowid;
`;
