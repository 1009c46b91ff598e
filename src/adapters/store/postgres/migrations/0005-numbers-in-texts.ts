/**
 * `to_number` as SQLite has it, which reads texts as JavaScript does. PostgreSQL's own conversion refuses numbers too close to 0,
 * binary and octal ones, and white space beyond ASCII; and it takes signed hexadecimal numbers, and ones with a point.
 */
export const NUMBERS_IN_TEXTS = `
create or replace function to_number(content text) returns double precision
  language plpgsql immutable strict parallel safe as $$
  declare
    white constant text := E'\\t\\n\\x0b\\f\\r \\u00a0\\u1680\\u2000\\u2001\\u2002\\u2003\\u2004\\u2005\\u2006\\u2007\\u2008\\u2009\\u200a\\u2028\\u2029\\u202f\\u205f\\u3000\\ufeff';
    given constant text := trim(both white from content);
    base int;
    digits text;
    value numeric := 0;
    parts text[];
  begin
    if given ~ '^[+-]?([0-9]+[.]?[0-9]*|[.][0-9]+)([eE][+-]?[0-9]+)?$' then
      begin
        return given::double precision;
      exception when numeric_value_out_of_range then
        parts := regexp_match(given, '^[+-]?0*([0-9]*)[.]?(0*)[0-9]*[eE]?(.*)$');
        return case when coalesce(nullif(parts[3], ''), '0')::numeric
          + case when parts[1] = '' then -length(parts[2]) else length(parts[1]) end > 0 then null else 0 end;
      end;
    end if;
    base := case when given ~ '^0[xX][0-9a-fA-F]+$' then 16 when given ~ '^0[oO][0-7]+$' then 8
      when given ~ '^0[bB][01]+$' then 2 end;
    if base is null then return null; end if;
    digits := ltrim(lower(substr(given, 3)), '0');
    if length(digits) > 1024 then return null; end if;
    for place in 1 .. length(digits) loop
      value := value * base + strpos('123456789abcdef', substr(digits, place, 1));
    end loop;
    return value::double precision;
  exception when numeric_value_out_of_range then
    return null;
  end
$$;
`;
