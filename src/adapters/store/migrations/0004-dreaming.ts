/** What extraction costs, in US dollars; null where the price of the model is not known. */
export const dreaming = `
alter table extractions add column cost real;
`;
