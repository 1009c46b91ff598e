/** Files that documents are read from, and what reading them gave, as JSON. */
export const documentReadings = `
create table document_readings (
  document_id text primary key,
  file_key text not null,
  digest text not null,
  outcome text
) strict, without rowid;
`;
