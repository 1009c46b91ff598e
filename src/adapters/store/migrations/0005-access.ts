/** Keys that may do some things only. */
export const access = `
alter table api_keys add column kind text not null default 'organization';
alter table api_keys add column permission text not null default 'write';
alter table api_keys add column grants text;
alter table api_keys add column rate_requests integer;
alter table api_keys add column rate_window_ms integer;
alter table api_keys add column expires_at text;
alter table api_keys add column disabled_at text;
alter table api_keys add column warned_ahead integer;
`;
