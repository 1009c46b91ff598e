/** As how many operations a request counts in usage. */
export const requestOperations = `
alter table requests add column operations integer not null default 1;
`;
