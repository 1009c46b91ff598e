/** How many processes died while they ran a job: one that goes on ending them is set aside. */
export const jobCrashes = `
alter table jobs add column crashes integer not null default 0;
`;
