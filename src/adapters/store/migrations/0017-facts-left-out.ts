/** How many facts of a document found no room within the limits of the settings. */
export const factsLeftOut = `
alter table documents add column facts_left_out integer not null default 0;
`;
