import { valueWords } from "./slot-values.js";
import type { Statement } from "./statement.js";

/** How a statement connects its subject with a value. */
export type Link =
  | "name"
  | "is"
  /** "is in Lyon", "is based in Lyon" */
  | "at"
  /** "is with Barclays" */
  | "with"
  /** What happens to it there or with it: "is stored in S3". */
  | "done"
  | "work"
  | "home"
  | "member"
  | "goes"
  | "use"
  | "own"
  /** "uses Datadog for monitoring" */
  | "use for"
  /** "tracks issues in Jira"; many other things are done in a place. */
  | "does in"
  | "habit";

/** What a statement says of its subject, read without knowing what kind of thing either is: "builds run on Jenkins". */
export interface StatedValue {
  readonly link: Link;
  /** As written. */
  readonly subject: string;
  /** What is had, tracked or done at the value: "we use Datadog for monitoring"; empty for none. */
  readonly topic: string;
  /** As written, with its date. */
  readonly value: string;
  /** The only place or time at which it holds. */
  readonly scope: string;
}

const S = "(?<s>[^,:;()]{1,60}?)";
const V = "(?<v>(?:[^,:;()]|[:,]\\d){1,60})";
const STILL = "(?:still |always |currently )?";
const IS = `(?:is|are) ${STILL}`;
const PARTICIPLE = "\\p{L}{2,12}(?:ed|en|pt|lt|nt|ld|de)";
const BASED =
  "(?:(?:based|located|situated|employed|enrolled|registered|stationed|insured|planned|scheduled|set|due) )?";
const PLACED = "(?:in|at|on|under|behind|beside|near|inside|by|for)";
const HAPPENS = "(?:starts?|begins?|ends?|takes? place|happens?|comes?|launch(?:es)?|ships?|opens?|closes?)";

function form(body: string): RegExp {
  return new RegExp(`^${S} ${body}$`, "iu");
}

/** A statement may match several of these; where it was divided in the wrong place, its parts equal nothing. */
const FORMS: readonly { readonly link: Link; readonly form: RegExp }[] = [
  { link: "name", form: form(`${IS}(?:called|named|known as) ${V}`) },
  { link: "name", form: new RegExp(`^${S}'s name is ${V}$`, "iu") },
  { link: "name", form: new RegExp(`^the name of ${S} is ${V}$`, "iu") },
  { link: "at", form: form(`${IS}${BASED}${PLACED} ${V}`) },
  { link: "at", form: form(`${HAPPENS} (?:at|on|in) ${V}`) },
  { link: "with", form: form(`${IS}${BASED}with ${V}`) },
  { link: "done", form: form(`${IS}${PARTICIPLE} (?:${PLACED}|with|via|through|using) ${V}`) },
  { link: "is", form: form(`(?:is|are|costs?|weighs?|lasts?) ${STILL}${V}`) },
  { link: "work", form: form(`${STILL}(?:is |are )?(?:works?|working|employed) (?:full[- ]time )?(?:at|for|by) ${V}`) },
  // Someone who works in Porto may live elsewhere; sales is no place.
  { link: "work", form: new RegExp(`^${S} works? in (?<v>\\p{Ll}[^,:;()]{1,60})$`, "u") },
  { link: "home", form: form(`${STILL}(?:is |are )?(?:lives?|living|resides?|residing) in ${V}`) },
  {
    link: "member",
    form: form(
      `${STILL}(?:plays? (?:for|with)|stud(?:y|ies) at|attends?|trains? (?:at|with)|belongs? to|` +
        `volunteers? (?:at|for|with)|is (?:an? )?(?:member of|student at)) ${V}`,
    ),
  },
  { link: "goes", form: form(`${STILL}goe?s? (?:to|through|via) ${V}`) },
  {
    link: "use",
    form: form(
      `${STILL}(?:uses?|is using|are using|runs? on|relies on|rely on|banks? with|is an? (?:client|customer) of) ${V}`,
    ),
  },
  { link: "own", form: form(`${STILL}(?:has|have|owns?) ${V}`) },
  {
    link: "habit",
    form: form(`${STILL}(?:drinks?|eats?|takes?|prefers?|drives?|rides?|plays?|learns?|reads?|wears?|smokes?) ${V}`),
  },
  { link: "use for", form: form(`(?:uses?|is using|are using) ${V} (?:for|as) (?<k>[^,:;()]{1,40})`) },
  {
    link: "does in",
    form: form(
      "(?:tracks?|keeps?|stores?|hosts?|manages?|plans?|sends?|runs?|deploys?|builds?|writes?|does|do|handles?|takes?) " +
        `(?<k>[^,:;()]{1,40}?) (?:in|on|with|at|via|through|to) ${V}`,
    ),
  },
];

/** Reads everything that a statement may say of its subject. */
export function readStatedValues(statement: Statement): readonly StatedValue[] {
  if (statement.isNegative) return [];
  const { text, dated, since, hasSince, scope } = statement;
  // What was so in one year is not what is so since then.
  const lasting = since === null || hasSince ? text : dated;
  return [...new Set([dated, lasting])].flatMap((said) => valuesIn(said, scope));
}

function valuesIn(said: string, scope: string): readonly StatedValue[] {
  return FORMS.flatMap(({ link, form: pattern }) => {
    const { s, v, k = "" } = pattern.exec(said)?.groups ?? {};
    if (s === undefined || v === undefined || valueWords(v).length === 0) return [];
    return [{ link, subject: s, topic: k, value: v, scope }];
  });
}
