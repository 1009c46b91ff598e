/** A day, month or year that a query names. */
export interface DateMention {
  /** 0 to 11, or null when only a year is named. */
  readonly month: number | null;
  readonly year: number | null;
  readonly day: number | null;
  /** The folded words of the query that name it. */
  readonly words: ReadonlySet<string>;
}

const MONTHS =
  "january|february|march|april|may|june|july|august|september|october|november|december|jan|feb|mar|apr|jun|jul|aug|sept|sep|oct|nov|dec";
const SHORT_MONTHS = "jan feb mar apr may jun jul aug sep oct nov dec".split(" ");
const DAY = "(\\d{1,2})(?:st|nd|rd|th)?";
const YEAR = "((?:19|20)\\d\\d)";
const ISO_DATE = /\b((?:19|20)\d\d)-(\d\d)(?:-(\d\d))?\b/;
const DAY_FIRST = new RegExp(`\\b${DAY}(?:\\s+of)?\\s+(${MONTHS})\\b\\.?(?:,?\\s+${YEAR}\\b)?`);
const MONTH_FIRST = new RegExp(`\\b(${MONTHS})\\b\\.?\\s+${DAY}\\b(?!\\d)(?:,?\\s+${YEAR}\\b)?`);
const MONTH_YEAR = new RegExp(`\\b(${MONTHS})\\b\\.?,?\\s+(?:of\\s+)?${YEAR}\\b`);
/** A month alone; `may` and `march` are words of their own, so they need a preposition. */
const MONTH_ONLY = new RegExp(
  `\\b(?:(?:in|since|until|during|by|of|from|for|early|late|mid|last|next|this)[\\s-]+(${MONTHS})|(${MONTHS.replace("march|", "").replace("may|", "")}))\\b`,
);
const YEAR_ONLY = new RegExp(`\\b(?:in|since|until|during|by|of|from|for)\\s+(?:the year\\s+)?${YEAR}\\b`);

/** The first date that a query names in words or as `YYYY-MM-DD`, or null. */
export function findDateMention(text: string): DateMention | null {
  const lower = text.toLowerCase();
  const iso = ISO_DATE.exec(lower);
  if (iso) return mention(iso, iso[1], String(Number(iso[2]) - 1), iso[3]);
  const dayFirst = DAY_FIRST.exec(lower);
  if (dayFirst) return mention(dayFirst, dayFirst[3], monthNumber(dayFirst[2]), dayFirst[1]);
  const monthYear = MONTH_YEAR.exec(lower);
  if (monthYear) return mention(monthYear, monthYear[2], monthNumber(monthYear[1]), undefined);
  const monthFirst = MONTH_FIRST.exec(lower);
  if (monthFirst) return mention(monthFirst, monthFirst[3], monthNumber(monthFirst[1]), monthFirst[2]);
  const month = MONTH_ONLY.exec(lower);
  if (month) return mention(month, undefined, monthNumber(month[1] ?? month[2]), undefined);
  const year = YEAR_ONLY.exec(lower);
  return year ? mention(year, year[1], undefined, undefined) : null;
}

function monthNumber(name: string | undefined): string | undefined {
  return name === undefined ? undefined : String(SHORT_MONTHS.indexOf(name.slice(0, 3)));
}

function mention(
  match: RegExpExecArray,
  year: string | undefined,
  month: string | undefined,
  day: string | undefined,
): DateMention | null {
  const read = { month: whole(month), year: whole(year), day: whole(day) };
  if (read.month !== null && (read.month < 0 || read.month > 11)) return null;
  if (read.day !== null && (read.day < 1 || read.day > 31)) return null;
  return { ...read, words: new Set(match[0].match(/[a-z0-9]+/g) ?? []) };
}

function whole(text: string | undefined): number | null {
  return text === undefined ? null : Number(text);
}
