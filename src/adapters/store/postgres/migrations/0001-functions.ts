/**
 * The SQLite functions on JSON, text and bytes that the repositories use, as functions in the record's own schema, with the
 * semantics of https://www.sqlite.org/json1.html. Lone surrogates and the character 0, which PostgreSQL's text cannot hold, are
 * read as the replacement character. Paths consist of `$`, `$.name`, `$."name"` and `$[place]`, one after another.
 */
export const FUNCTIONS = `
create function sqlite_parsed(content text) returns json language sql immutable strict parallel safe as $$
  select case when content ~* '\\\\u(0000|d[89a-f])'
    then regexp_replace(content, '(?<!\\\\)((?:\\\\\\\\)*)\\\\u(0000|d[89a-f][0-9a-f]{2})', '\\1\\\\ufffd', 'gi')::json
    else content::json end
$$;

create function sqlite_json(content text) returns json language sql immutable strict parallel safe
  as $$ select sqlite_parsed(content) $$;
create function sqlite_json(content json) returns json language sql immutable strict parallel safe
  as $$ select content $$;

create function sqlite_json_steps(path text) returns text[] language sql immutable strict parallel safe as $$
  select coalesce(array_agg(coalesce(replace(step[1], '\\"', '"'), step[2], step[3]) order by place), '{}')
  from regexp_matches(substr(path, 2), '\\."((?:[^"\\\\]|\\\\.)*)"|\\.([^.\\["]+)|\\[(\\d+)\\]', 'g') with ordinality as found(step, place)
$$;

create function sqlite_json_at(content text, path text) returns json language sql immutable strict parallel safe
  as $$ select sqlite_parsed(content) #> sqlite_json_steps(path) $$;

create function sqlite_json_type_of(content json) returns text language sql immutable strict parallel safe as $$
  select case json_typeof(content)
    when 'string' then 'text'
    when 'boolean' then content::text
    when 'number' then case when content::text ~ '^-?[0-9]+$' then 'integer' else 'real' end
    else json_typeof(content) end
$$;

create function sqlite_json_value(content json) returns text language sql immutable strict parallel safe as $$
  select case json_typeof(content)
    when 'null' then null
    when 'boolean' then case when content::text = 'true' then '1' else '0' end
    when 'string' then content #>> '{}'
    else content::text end
$$;

create function sqlite_json_type(content text, path text default '$') returns text
  language sql immutable strict parallel safe
  as $$ select sqlite_json_type_of(sqlite_json_at(content, path)) $$;

create function sqlite_json_extract(content text, path text) returns text
  language sql immutable strict parallel safe
  as $$ select sqlite_json_value(sqlite_json_at(content, path)) $$;

create function sqlite_json_valid(content text) returns boolean language plpgsql immutable parallel safe as $$
  begin
    perform sqlite_parsed(content);
    return content is not null;
  exception when others then
    return false;
  end
$$;

create function sqlite_json_member(content text, path text) returns json language sql immutable strict parallel safe
  as $$ select sqlite_json_at(content, path) $$;
create function sqlite_json_element(content text, place bigint) returns json
  language sql immutable strict parallel safe as $$ select sqlite_parsed(content) -> place::int $$;
create function sqlite_json_member_value(content text, path text) returns text
  language sql immutable strict parallel safe
  as $$ select case when path like '$%' then sqlite_json_value(sqlite_json_at(content, path))
    else sqlite_json_value(sqlite_parsed(content) -> path) end $$;
create function sqlite_json_element_value(content text, place bigint) returns text
  language sql immutable strict parallel safe as $$ select sqlite_json_value(sqlite_parsed(content) -> place::int) $$;

create operator -> (leftarg = text, rightarg = text, function = sqlite_json_member);
create operator -> (leftarg = text, rightarg = bigint, function = sqlite_json_element);
create operator ->> (leftarg = text, rightarg = text, function = sqlite_json_member_value);
create operator ->> (leftarg = text, rightarg = bigint, function = sqlite_json_element_value);

create function sqlite_json_each(content text, path text default '$')
  returns table (key text, value text, type text, atom text) language plpgsql immutable parallel safe rows 20 as $$
  declare part json := sqlite_json_at(content, path);
  begin
    if json_typeof(part) = 'array' then
      return query select (element.place - 1)::text, sqlite_json_value(element.part),
          sqlite_json_type_of(element.part),
          case when json_typeof(element.part) in ('array', 'object') then null else sqlite_json_value(element.part) end
        from json_array_elements(part) with ordinality as element(part, place);
    elsif json_typeof(part) = 'object' then
      return query select member.name, sqlite_json_value(member.part), sqlite_json_type_of(member.part),
          case when json_typeof(member.part) in ('array', 'object') then null else sqlite_json_value(member.part) end
        from json_each(part) as member(name, part);
    elsif part is not null then
      return query select null::text, sqlite_json_value(part), sqlite_json_type_of(part), sqlite_json_value(part);
    end if;
  end
$$;

create function sqlite_json_tree(content text)
  returns table (key text, value text, type text, atom text) language sql immutable parallel safe as $$
  with recursive part(key, content) as (
    select null::text, sqlite_parsed(content)
    union all
    select member.key, member.content from part, lateral (
      select name as key, inner_part as content
        from json_each(case json_typeof(part.content) when 'object' then part.content else '{}' end)
          as every(name, inner_part)
      union all
      select (place - 1)::text, inner_part
        from json_array_elements(case json_typeof(part.content) when 'array' then part.content else '[]' end)
          with ordinality as every(inner_part, place)) member)
  select key, sqlite_json_value(content), sqlite_json_type_of(content),
    case when json_typeof(content) in ('array', 'object') then null else sqlite_json_value(content) end
  from part
$$;

create function sqlite_json_set(content text, variadic changes text[]) returns text
  language plpgsql immutable parallel safe as $$
  declare changed jsonb := sqlite_parsed(content)::jsonb;
  begin
    for place in 1 .. array_length(changes, 1) by 2 loop
      changed := jsonb_set(changed, sqlite_json_steps(changes[place]),
        coalesce(to_jsonb(changes[place + 1]), 'null'), true);
    end loop;
    return changed::text;
  end
$$;

create function sqlite_json_set(content text, path text, changed json) returns text
  language sql immutable parallel safe
  as $$ select jsonb_set(sqlite_parsed(content)::jsonb, sqlite_json_steps(path), changed::jsonb, true)::text $$;

create function lower_unicode(content text) returns text language sql immutable strict parallel safe
  as $$ select lower(content collate "und-x-icu") $$;

create function count_words(content text) returns bigint language sql immutable strict parallel safe
  as $$ select count(*) from regexp_matches(content, '\\S+', 'g') $$;

create function round(value double precision, digits bigint) returns double precision
  language sql immutable strict parallel safe as $$ select round(value::numeric, digits::int)::double precision $$;

create function to_number(content text) returns double precision language plpgsql immutable strict parallel safe as $$
  declare value double precision;
  begin
    value := trim(content)::double precision;
    return case when value in ('NaN', 'Infinity', '-Infinity') then null else value end;
  exception when others then
    return null;
  end
$$;

create function instr(content text, part text) returns bigint language sql immutable strict parallel safe
  as $$ select strpos(content, part)::bigint $$;

create function hex(content bytea) returns text language sql immutable strict parallel safe
  as $$ select upper(encode(content, 'hex')) $$;
`;
