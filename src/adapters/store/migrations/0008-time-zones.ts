/** The time zone in which a container's days are counted. */
export const timeZones = `
alter table containers add column time_zone text;
`;
