import { createRulesExtractor } from "../../src/adapters/facts/rules.js";
import type { FactCandidate } from "../../src/core/types.js";
import type { SaidDate } from "../fixtures/said-dates/labelled.js";

const MONTHS = "January February March April May June July August September October November December".split(" ");
const CLAIM = new RegExp(
  String.raw`(?:(\d{1,2}) )?(${MONTHS.join("|")}) (\d{4})|Q([1-4]) (\d{4})|\b((?:19|20)\d\d)\b`,
  "g",
);
const extractor = createRulesExtractor();

/** The reading of a sentence, compared with its label. */
export interface JudgedDate {
  readonly case: SaidDate;
  readonly facts: readonly FactCandidate[];
  /** Dates with a year in the facts' words or `eventDates`, in the form of the labels. */
  readonly claims: readonly string[];
  /** Dates that the label does not have. */
  readonly wrong: readonly string[];
  /** Wrong dates whose year no reading of the sentence has. */
  readonly wrongYears: readonly string[];
  /** True if a fact was found, and everything to be completed according to the label is. */
  readonly isComplete: boolean;
}

/** Reads a labelled sentence with the rules. */
export async function judgeDate(said: SaidDate): Promise<JudgedDate> {
  const source = { content: said.text, date: said.saidOn, timeZone: said.timeZone, containerTag: "dates", isOwn: true };
  const facts = await extractor.extract(source);
  const claims = [...new Set(facts.flatMap((fact) => [...datesIn(fact.text), ...(fact.eventDates ?? [])]))];
  const tokens = said.means.replaceAll("?", "").split(" ");
  const readings = tokens.flatMap((token) => token.split("|"));
  const wrong = claims.filter((claim) => !readings.includes(claim));
  const years = new Set(readings.map((reading) => reading.slice(0, 4)));
  const wanted = said.means.startsWith("?") ? [] : said.means.split(" ").filter((token) => !token.startsWith("?"));
  return {
    case: said,
    facts,
    claims,
    wrong,
    wrongYears: wrong.filter((claim) => !years.has(claim.slice(0, 4))),
    isComplete:
      facts.length > 0 &&
      wanted.every((token) => token.split("|").some((reading) => reading === "open" || claims.includes(reading))),
  };
}

function datesIn(text: string): string[] {
  return [...text.matchAll(CLAIM)].map(([, day, month, year, quarter, ofYear, bare]) => {
    if (bare !== undefined) return bare;
    if (quarter !== undefined) return `${ofYear ?? ""}-Q${quarter}`;
    const ofMonth = `${year ?? ""}-${String(MONTHS.indexOf(month ?? "") + 1).padStart(2, "0")}`;
    return day === undefined ? ofMonth : `${ofMonth}-${day.padStart(2, "0")}`;
  });
}
