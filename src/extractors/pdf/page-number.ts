/** A number on its own, between dashes, after the word for page, or before the total number of pages. */
const NUMBER =
  /^[-–— ]{0,4}(?:(?:page|seite|página|pagina|side|sida|sivu|strana|strona|стр\.|pg\.|p\.|s\.) ?)?(\d{1,5}|[ivxlc]{1,8})(?: ?(?:\/|of|von|de|sur|di|av|van|z) ?\d{1,5})?[-–— ]{0,4}$/i;
const WORD_AND_NUMBER_AT_END =
  /(?:page|seite|página|pagina|sida|sivu|strana|strona|стр\.) (\d{1,5})(?: ?(?:\/|of|von|de|sur|di|av|van|z) ?\d{1,5})?$/i;
/** Separates the number from words next to it. */
const SEPARATOR = /[|·•]/;
const ROMAN: ReadonlyMap<string, number> = new Map([
  ["i", 1],
  ["v", 5],
  ["x", 10],
  ["l", 50],
  ["c", 100],
]);

/** The page number in a header or footer that contains nothing else that changes, or null. */
export function pageNumberIn(text: string): { readonly number: number; readonly rest: string } | null {
  const parts = text.split(SEPARATOR).map((part) => part.trim());
  const ends = parts.length === 1 ? [0] : [0, parts.length - 1];
  for (const at of ends) {
    const [, number] = NUMBER.exec(parts[at] ?? "") ?? [];
    if (number !== undefined) {
      const own = (parts[at] ?? "").replace(number, "#");
      return { number: valueOf(number), rest: parts.with(at, own).join("|") };
    }
  }
  const found = WORD_AND_NUMBER_AT_END.exec(text);
  const [match, number] = found ?? [];
  if (!found || match === undefined || number === undefined) return null;
  return { number: valueOf(number), rest: text.slice(0, found.index) + match.replace(number, "#") };
}

function valueOf(number: string): number {
  if (/^\d/.test(number)) return Number(number);
  const values = number
    .toLowerCase()
    .split("")
    .map((letter) => ROMAN.get(letter) ?? 0);
  return values.reduce((sum, value, at) => sum + (value < (values[at + 1] ?? 0) ? -value : value), 0);
}
