/**
 * A row's metadata values, one row for each value that a filter may test for equality: scalars as JSON writes them, strings
 * without quotes, and the strings in lists. Keys are those that filters can refer to.
 */
const valuesOf = (row: string, mark: number, from = ""): string => `
  select entry.key as key,
    substr(case entry.type when 'text' then entry.atom else ${row}.metadata -> ('$."' || entry.key || '"') end, 1, 100) as value,
    ${row}.seq * 2 + ${mark} as owner
  from ${from} json_each(${row}.metadata) entry
  where entry.type not in ('array', 'object') and length(entry.key) <= 100 and entry.key not glob '*[^A-Za-z0-9_.-]*'
  union all
  select entry.key, substr(element.atom, 1, 100), ${row}.seq * 2 + ${mark}
  from ${from} json_each(${row}.metadata) entry, json_each(entry.value) element
  where entry.type = 'array' and element.type = 'text'
    and length(entry.key) <= 100 and entry.key not glob '*[^A-Za-z0-9_.-]*'`;

/** Keeps a table's values in step, whoever writes to it. */
const inStep = (table: string, mark: number): string => {
  const add = (row: string, from?: string) =>
    `insert or ignore into metadata_values (key, value, owner) ${valuesOf(row, mark, from)};`;
  const remove = `delete from metadata_values where owner = old.seq * 2 + ${mark}
    and key in (select entry.key from json_each(old.metadata) entry)
    and value in (select value from (${valuesOf("old", mark)}));`;
  return `
    create trigger ${table}_metadata_insert after insert on ${table} when new.metadata is not null
      begin ${add("new")} end;
    create trigger ${table}_metadata_delete after delete on ${table} when old.metadata is not null begin ${remove} end;
    create trigger ${table}_metadata_update after update of metadata on ${table} when old.metadata is not new.metadata
      begin ${remove} ${add("new")} end;
    ${add("present", `${table} present,`)}`;
};

/**
 * Leads from a metadata value to its owner: a document (`seq * 2`) or a memory (`seq * 2 + 1`). Values are cut to their first
 * hundred characters, so whatever is found must be checked again.
 */
export const metadataValues = `
create table metadata_values (
  key text not null,
  value text not null,
  owner integer not null,
  primary key (key, value, owner)
) strict, without rowid;
${inStep("documents", 0)}
${inStep("memories", 1)}
`;
