/** Where the days of a container are counted. */
export const timeZones = `
alter table containers add column time_zone text;
`;
