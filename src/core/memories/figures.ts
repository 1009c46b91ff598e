import { fold, NUMBER_WORDS } from "../../language/words.js";
import { contradicts } from "./slot-values.js";

/** What a text says about one subject as one figure: `The rate limit is 300 requests a minute`. */
export interface Figure {
  /** Everything but the figure, folded: of two texts with the same frame only one figure can be right. */
  readonly frame: string;
  readonly kind: "number" | "date" | "exact";
  readonly value: string;
  /** Said with `about` or the like. */
  readonly isRough: boolean;
}

const LONGEST = 300;

const VERBS =
  "was born|was founded|was established|was built|must be|can be|will be|times? out|amounts to|is|are|costs?|takes?|lasts?|has|have|holds?|" +
  "seats?|allows?|permits?|needs?|requires?|supports?|uses?|weighs?|measures?|opens?|closes?|starts?|begins?|ends?|expires?|launches|ships|" +
  "leaves|departs|arrives|runs?|listens?|earns?|makes|pays?|charges?|keeps?|stores?|sleeps?|contains?|covers?|handles?|retries|waits?|equals|" +
  "liegt|beträgt|kostet|ist|est|coûte|es|cuesta|costa";
const SAYING = new RegExp(`^([^,;:?!()]{2,100}?) (${VERBS}) ([^;?!]{1,160})$`, "iu");

/** Subjects that cannot be told from others of their kind, and texts that do not begin with their subject. */
const UNCERTAIN_SUBJECT =
  /^(?:an?|some|one|two|three|another|any|every|no|it|this|that|these|those|he|she|they|we|you|i|there|here|what|who|which|how|when|if|\d.*|someone|somebody|everyone|everybody|people)(?: |$)/;
/** Things that occur several times, in sequence or at once. */
const REPEATED =
  /(?:^| )(?:meetings?|calls?|appointments?|lessons?|class|classes|courses?|trainings?|sessions?|syncs?|standups?|interviews?|visits?|flights?|trains?|trips?|dinners?|lunch|lunches|breakfasts?|part(?:y|ies)|exams?|tests?|deliver(?:y|ies)|orders?|invoices?|payments?|runs?|workouts?|tickets?|tasks?|bugs?|issues?|prs?|concerts?|games?|match|matches|events?|talks?|shifts?|reminders?|episodes?|chapters?|bookings?|reservations?|weekends?|walks?|rides?|hikes?|sets?|steps?|reviews?|bills?|parcels?|packages?|movies?|shows?)(?: |$)/;
/** Things that change all the time. */
const VARYING =
  /(?:^| )(?:temperatures?|weather|scores?|balances?|mileage|heart|pulse|mood|queue|backlog|today|tonight|yesterday|tomorrow|this|last|next|sometimes|often|usually|once|or)(?: |$)/;
/** Relations of which one may have several, unless a name follows. */
const KIN =
  /(?:^| )(?:dogs?|cats?|pupp(?:y|ies)|kittens?|horses?|sons?|daughters?|brothers?|sisters?|kids?|child|children|friends?|cousins?|aunts?|uncles?|colleagues?|nephews?|nieces?|neighbou?rs?|bikes?|cars?|servers?|rooms?|books?)$/;
/** Things a person does many times. */
const DONE_OFTEN = /^(?:takes?|makes|pays?|runs?|uses?|leaves|departs|arrives|keeps?|waits?|starts?|needs?|covers?)$/;
const BARE_NAME = /^(?:user|\p{Lu}[\p{L}'-]*(?: \p{Lu}[\p{L}'-]*)?)$/iu;
const DENIED = /\b(?:not|no|never|isn't|aren't|doesn't|don't|neither)\b/;

const MONTH =
  "(?:january|february|march|april|may|june|july|august|september|october|november|december|jan|feb|mar|apr|jun|jul|aug|sept?|oct|nov|dec)";
const DATE = new RegExp(
  `(?:(?:mon|tues|wednes|thurs|fri|satur|sun)day,? )?(?:\\b(?:19|20)\\d\\d-\\d\\d(?:-\\d\\d)?\\b|\\b(?:the )?\\d{1,2}(?:st|nd|rd|th)?(?: of)? ${MONTH}\\b(?:,? \\d{4}\\b)?|\\b${MONTH}\\b(?: \\d{1,2}(?:st|nd|rd|th)?\\b)?(?:,? \\d{4}\\b)?)`,
);
const NUMBER = `(?:\\d{1,3}(?:[ ,]\\d{3})+(?:\\.\\d+)?|\\d+(?:[.,:]\\d+)*|\\b(?:${[...NUMBER_WORDS.keys()].join("|")})\\b)`;
const AMOUNT = new RegExp(`^([^\\d]{0,60}?)(${NUMBER})(?:(?: ?[-–] ?| to | and )(${NUMBER}))?(?![\\d/-])`);
const ROUGHLY = /\b(?:about|around|roughly|approximately|circa|nearly|almost|some)\b|~/g;
const NOTHING_ADDED = /\b(?:currently|now|still|already|only|exactly|just|the|a total of|set to|on|at|in)\b/g;
const OF_SEVERAL = /\b(?:an?|another)\b/;
const MOST_LEADING_WORDS = 5;

/**
 * Reads the figure that a text gives for something that has one at a time. Favours precision over recall.
 * @returns null for anything else: repeated events, varying values, negations, more than one figure
 */
export function readFigure(text: string): Figure | null {
  if (text.length > LONGEST || !/\d|\b(?:two|three|four|five|six|seven|eight|nine|ten|twelve)\b/i.test(text))
    return null;
  const said = SAYING.exec(text.trim().replace(/\.$/, ""));
  if (!said) return null;
  const [, subject = "", verb = "", complement = ""] = said;
  const about = fold(subject).replace(/^(?:the|my|our|das|der|die|la|le|el|il|o|a) /, "");
  if (!isOfOne(subject, verb)) return null;
  const value = readValue(fold(complement).trim());
  if (!value || REPEATED.test(value.around) || VARYING.test(value.around) || DENIED.test(value.around)) return null;
  const { around, ...read } = value;
  return { ...read, frame: [about, verbForm(fold(verb)), around].join(" | ") };
}

/** True when both cannot be right. An approximate figure is not contradicted by one close to it. */
export function figuresConflict(one: Figure, other: Figure): boolean {
  if (one.frame !== other.frame || one.kind !== other.kind || one.value === other.value) return false;
  if (one.kind === "date") return contradicts("date", one.value, other.value);
  if (one.kind === "exact" || !(one.isRough || other.isRough)) return true;
  const [less, more] = [Number(one.value), Number(other.value)].toSorted((first, second) => first - second);
  return more! - less! > Math.abs(more!) / NEAR;
}

/** A tenth. */
const NEAR = 10;

function isOfOne(subject: string, verb: string): boolean {
  const folded = fold(subject);
  if (UNCERTAIN_SUBJECT.test(folded) || REPEATED.test(folded) || VARYING.test(folded) || DENIED.test(folded))
    return false;
  if (KIN.test(folded) && !/^(?:the|each) /.test(folded)) return false;
  return !(BARE_NAME.test(subject.replace(/^the /i, "")) && DONE_OFTEN.test(fold(verb)) && !/^the /i.test(subject));
}

function verbForm(verb: string): string {
  return verb === "are" ? "is" : verb.replace(/(?<=\w{2})s$/, "");
}

type Value = Omit<Figure, "frame"> & { readonly around: string };

function readValue(complement: string): Value | null {
  const isRough = complement.search(ROUGHLY) !== -1;
  const plain = complement.replace(ROUGHLY, " ");
  const date = DATE.exec(plain);
  if (date) {
    const rest = `${plain.slice(0, date.index)} # ${plain.slice(date.index + date[0].length)}`;
    return { kind: "date", value: date[0], isRough, around: around(rest) };
  }
  const amount = AMOUNT.exec(plain);
  if (!amount) return null;
  const [whole, lead = "", first = "", second] = amount;
  if (lead.trim().split(/\s+/).length > MOST_LEADING_WORDS || OF_SEVERAL.test(lead)) return null;
  const rest = plain.slice(whole.length);
  const frame = around(`${lead} # ${rest}`);
  if (second !== undefined) return { kind: "exact", value: `${first}-${second}`, isRough, around: frame };
  return { ...valueOf(first, lead, rest), isRough, around: frame };
}

/** Clock times in minutes, if the words show that it is one. */
function valueOf(written: string, lead: string, rest: string): Pick<Figure, "kind" | "value"> {
  const clock = /^(\d{1,2})(?::(\d\d))?$/.exec(written);
  const half = /^ ?([ap])\.?m\b/.exec(rest)?.[1];
  if (clock && (clock[2] !== undefined || half !== undefined || / ?\bat $/.test(lead))) {
    const hour = (Number(clock[1]) % (half === undefined ? 25 : 12)) + (half === "p" ? 12 : 0);
    return { kind: "number", value: String(hour * 60 + Number(clock[2] ?? 0)) };
  }
  const number = Number(
    NUMBER_WORDS.get(written) ?? written.replace(/[ ,](?=\d{3}(?!\d))/g, "").replace(/,(?=\d{1,2}$)/, "."),
  );
  return Number.isNaN(number) ? { kind: "exact", value: written } : { kind: "number", value: String(number) };
}

function around(text: string): string {
  return text
    .replace(NOTHING_ADDED, " ")
    .replace(/# ?[ap]\.?m\b\.?/, "#")
    .replace(/\b(?:per|each|every|an?|pro|par|por)\b/g, "per")
    .replace(/(?<=[a-z]{3})s\b/g, "")
    .replace(/\s+/g, " ")
    .trim();
}
