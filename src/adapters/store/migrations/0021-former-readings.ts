/** What the text of a document was read with that is read again, as JSON: it stays until then. */
export const formerReadings = `
alter table document_readings add column former text;
`;
