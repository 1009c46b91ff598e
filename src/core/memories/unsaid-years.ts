import type { CompletedDate, SaidDates } from "./fact-candidate.js";

const MONTH =
  "(?:jan(?:uary)?|feb(?:ruary)?|mar(?:ch)?|apr(?:il)?|may|june?|july?|aug(?:ust)?|sept?(?:ember)?|oct(?:ober)?|nov(?:ember)?|dec(?:ember)?)";
const DAY = new RegExp(
  `\\b(?:\\d{1,2}(?:st|nd|rd|th)?(?: of)? ${MONTH}|${MONTH} \\d{1,2}(?:st|nd|rd|th)?|${MONTH})\\b`,
  "iu",
);
const POINTING =
  /\b(?:yesterday|today|tonight|tomorrow|(?:next|last|this|on|in (?:a|one|two|three|four|five|six|\d{1,2})) (?:weekend|week|month|year|(?:mon|tues|wednes|thurs|fri|satur|sun)day)s?|(?:mon|tues|wednes|thurs|fri|satur|sun)day)\b/iu;
const LONGEST_SAID = 80;
const MOST_READ = 2_000;

/**
 * Which of the days that a model or an agent gives a fact are not fully stated in the words it quotes: at least their year was
 * inferred, and is marked as such.
 * @param quote the words; without them it is unknown what was said
 */
export function unsaidYears(eventDates: readonly string[], quote: string | undefined): SaidDates {
  if (quote === undefined) return {};
  const words = quote.slice(0, MOST_READ);
  const completedDates = eventDates.flatMap((date): CompletedDate[] => {
    const year = date.slice(0, 4);
    if (words.includes(year)) return [];
    const day = DAY.exec(words)?.[0];
    if (day !== undefined) return [{ said: day, date, parts: /\d/.test(day) ? ["year"] : ["day", "year"] }];
    return [{ said: POINTING.exec(words)?.[0] ?? words.slice(0, LONGEST_SAID), date, parts: ["day", "month", "year"] }];
  });
  return completedDates.length > 0 ? { completedDates } : {};
}
