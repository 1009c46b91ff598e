/** How many processes died while running a job: a job that keeps killing them is set aside. */
export const jobCrashes = `
alter table jobs add column crashes integer not null default 0;
`;
