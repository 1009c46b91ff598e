/** The former reading of a document that is being read again, as JSON: its text stays until then. */
export const formerReadings = `
alter table document_readings add column former text;
`;
