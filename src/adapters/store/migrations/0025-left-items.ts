/** Where documents came from that a removed connection left behind. */
export const leftItems = `
create table left_items (
  document_id text primary key,
  place text not null,
  item_id text not null,
  item text not null,
  version text,
  seen_at text not null
) strict, without rowid;
create index left_items_by_place on left_items (place, item_id);
`;
