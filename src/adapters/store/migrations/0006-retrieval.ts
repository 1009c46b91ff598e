/** What a vector space has learnt of its own scale. */
export const retrieval = `
alter table vector_spaces add column calibration text;
`;
