/** How many of a document's facts exceeded the limits in the settings. */
export const factsLeftOut = `
alter table documents add column facts_left_out integer not null default 0;
`;
