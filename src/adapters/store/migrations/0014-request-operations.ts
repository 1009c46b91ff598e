/** How many operations a request counts as in usage. */
export const requestOperations = `
alter table requests add column operations integer not null default 1;
`;
