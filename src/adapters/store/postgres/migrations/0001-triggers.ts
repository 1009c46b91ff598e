/** Keeps derived rows in step, as migrations 7 and 12 of the SQLite store do. */
export const INITIAL_TRIGGERS = `
create function metadata_entries(metadata text, owner bigint) returns table (key text, value text, owner_of bigint)
  language sql immutable parallel safe as $$
  select entry.name, substr(case json_typeof(entry.part) when 'string' then entry.part #>> '{}' else entry.part::text end, 1, 100),
    owner
  from json_each(sqlite_parsed(metadata)) as entry(name, part)
  where json_typeof(entry.part) not in ('array', 'object')
    and length(entry.name) <= 100 and entry.name !~ '[^A-Za-z0-9_.-]'
  union all
  select entry.name, substr(element.part #>> '{}', 1, 100), owner
  from json_each(sqlite_parsed(metadata)) as entry(name, part),
    json_array_elements(case json_typeof(entry.part) when 'array' then entry.part else '[]' end) as element(part)
  where json_typeof(element.part) = 'string'
    and length(entry.name) <= 100 and entry.name !~ '[^A-Za-z0-9_.-]'
$$;

create function keep_metadata_values() returns trigger language plpgsql as $$
  declare side bigint := tg_argv[0]::bigint;
  begin
    if tg_op = 'UPDATE' and old.metadata is not distinct from new.metadata then
      return null;
    end if;
    if tg_op <> 'INSERT' and old.metadata is not null then
      delete from metadata_values mv using metadata_entries(old.metadata, old.seq * 2 + side) entry
        where mv.key = entry.key and mv.value = entry.value and mv.owner = entry.owner_of;
    end if;
    if tg_op <> 'DELETE' and new.metadata is not null then
      insert into metadata_values (key, value, owner)
        select key, value, owner_of from metadata_entries(new.metadata, new.seq * 2 + side)
        on conflict do nothing;
    end if;
    return null;
  end
$$;
create trigger documents_metadata after insert or delete or update of metadata on documents
  for each row execute function keep_metadata_values('0');
create trigger memories_metadata after insert or delete or update of metadata on memories
  for each row execute function keep_metadata_values('1');

create function note_source_may_be_over() returns trigger language plpgsql as $$
  begin
    if exists (select 1 from memories where id = new.memory_id
        and (is_latest = 0 or is_forgotten = 1 or forget_after is not null)) then
      new.may_be_over := 1;
    end if;
    return new;
  end
$$;
create trigger memory_sources_insert before insert on memory_sources
  for each row execute function note_source_may_be_over();

create function note_sources_may_be_over() returns trigger language plpgsql as $$
  begin
    update memory_sources
      set may_be_over = (new.is_latest = 0 or new.is_forgotten = 1 or new.forget_after is not null)::int
      where memory_id = new.id;
    return null;
  end
$$;
create trigger memories_standing after update of is_latest, is_forgotten, forget_after, forget_reason on memories
  for each row execute function note_sources_may_be_over();
`;
