/** Why a run failed, for programs. */
export const syncErrorCodes = `
alter table sync_runs add column error_code text;
`;
