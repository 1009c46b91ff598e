/** Keys that may do some things only, and the owner's sign-ins with a browser. */
export const access = `
alter table api_keys add column kind text not null default 'organization';
alter table api_keys add column permission text not null default 'write';
alter table api_keys add column grants text;
alter table api_keys add column rate_requests integer;
alter table api_keys add column rate_window_ms integer;
alter table api_keys add column expires_at text;
alter table api_keys add column disabled_at text;
alter table api_keys add column warned_ahead integer;
create table sign_ins (
  id text primary key,
  organization_id text not null,
  hash text not null unique,
  how text not null,
  client text,
  created_at text not null,
  last_used_at text not null,
  expires_at text not null
) strict;
create table sign_in_codes (
  hash text primary key,
  organization_id text not null,
  expires_at text not null
) strict;
create table passwords (
  organization_id text primary key,
  hash text not null,
  changed_at text not null
) strict;
`;
