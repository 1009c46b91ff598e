import { ANY_DWELLING, DWELLING } from "./ending-patterns.js";
import { NUMBER_WORDS } from "../../language/words.js";
import type { ValueKind } from "./slot-values.js";

/** How a statement about one slot is phrased. Groups: `s` subject, `v` value, `f` former value, `k` what the slot belongs to. */
export interface SlotPattern {
  readonly slot: string;
  readonly kind: ValueKind;
  readonly form: RegExp;
  /** The words alone say that something changed. */
  readonly isChange?: true;
  /** It says that the value no longer holds. */
  readonly isNegative?: true;
  /** Many values hold at once; only the opposite of one replaces it. */
  readonly isMulti?: true;
  /** Only a statement that itself says something changed replaces what is known. */
  readonly needsChange?: true;
  /** Values must be capitalised, like names. */
  readonly isName?: true;
  /** Read including the final date, which is the value. */
  readonly isDated?: true;
  /** The value, if the words imply it. */
  readonly value?: string;
}

/** Up to eight words before the verb. */
const S = "(?<s>[^,]{1,80}?)";
const NUMBER = "(?:about |around |roughly |approximately )?\\d[\\d.,]*";

const NUMBER_NAMES = [...NUMBER_WORDS.keys()].join("|");

function form(body: string, flags = "iu"): RegExp {
  return new RegExp(`^${S} ${body}$`, flags);
}

const STATUSES =
  "in (?:progress|development|beta|alpha|review|production|planning|testing)|on hold|paused|cancelled|canceled|finished|completed|complete|done|" +
  "released|launched|live|shipped|archived|deprecated|abandoned|retired";
const TITLES =
  "(?:ceo|cto|cfo|coo|cmo|president|chair(?:man|woman|person)?|director|managing director|head of [\\p{L}]+|vice president|vp of [\\p{L}]+|manager|team lead|lead|principal|mayor|captain|coach)";
const DIETS = "(?:vegetarian|vegan|pescatarian|omnivore|flexitarian|carnivore)";

/** In the order they are tried. */
export const SLOT_PATTERNS: readonly SlotPattern[] = [
  // What is planned, and when.
  {
    slot: "date",
    kind: "date",
    isDated: true,
    isChange: true,
    form: form(
      "(?:was|has been|is|got) (?:moved|postponed|rescheduled|pushed|delayed|brought forward|changed)(?: back| up| out)?(?: from (?<f>.+?))? (?:to|until) (?<v>.+)",
    ),
  },
  {
    slot: "date",
    kind: "date",
    isDated: true,
    isChange: true,
    form: form("(?:has |have )?(?:moved|slipped)(?: back| out)?(?: from (?<f>.+?))? to (?<v>.+)"),
  },
  {
    slot: "date",
    kind: "date",
    isDated: true,
    form: form(
      "(?:is|are) (?:planned|scheduled|set|expected|due|slated)(?: to (?<k>launch|ship|start|begin|end|open|close|happen|go live|be released))? ?(?:for|on|in|by|at)? (?<v>.+)",
    ),
  },
  {
    slot: "date",
    kind: "date",
    isDated: true,
    form: form("(?<k>launches|ships|starts|begins|ends|opens|closes|goes live|expires) (?:on|in|by|at) (?<v>.+)"),
  },
  {
    slot: "date",
    kind: "date",
    isDated: true,
    needsChange: true,
    form: form("(?:is|are) (?:on|in|for) (?<v>.+)"),
  },
  {
    slot: "time of day",
    kind: "exact",
    needsChange: true,
    form: form("(?:is|are|starts?|begins?) at (?<v>\\d{1,2}(?::\\d\\d)?(?: ?[ap]m)?|noon|midnight)"),
  },
  { slot: "birthday", kind: "date", isDated: true, form: form("was born (?:on|in) (?<v>.*\\d.*)") },
  { slot: "status", kind: "phase", form: form(`is (?:still )?(?<v>${STATUSES})`) },
  // Where somebody lives.
  {
    slot: "home",
    kind: "place",
    isName: true,
    form: form("(?:(?:is |are )?(?:still )?(?:lives?|living|resides?|residing|based)) (?:in|out of) (?<v>.+)"),
  },
  {
    slot: "home since",
    kind: "place",
    isName: true,
    form: form("(?:has|have) (?:lived|been living|been based) in (?<v>.+)"),
  },
  {
    slot: "home",
    kind: "place",
    isName: true,
    isChange: true,
    form: form("(?:has |have )?(?:moved|relocated)(?: back)?(?: from (?<f>[^,]+?))? to (?<v>.+)"),
  },
  {
    slot: "home",
    kind: "place",
    isName: true,
    isNegative: true,
    form: form(
      `(?:has |have )?moved (?:away from|out of(?: (?:the|their|his|her) (?:(?:${ANY_DWELLING}) )?${DWELLING} in)?) (?<v>.+)`,
    ),
  },
  // Work.
  {
    slot: "employer",
    kind: "words",
    isName: true,
    form: form(
      "(?:(?:is |are )?(?:still )?(?:works?|working|employed)|works as an? [\\p{L} -]+?|is an? [\\p{L} -]+?) (?:full[- ]time )?(?:at|for|by) (?<v>.+)",
    ),
  },
  {
    slot: "employer",
    kind: "words",
    isName: true,
    isChange: true,
    form: form(
      "(?:has |have )?(?:started (?:working|a (?:new )?(?:job|role|position)|work|to work)|got a (?:new )?job|has a new job|took a (?:new )?(?:job|role|position)) ?(?:at |with |for )?(?<v>.+)",
    ),
  },
  // Clubs and causes are joined too; joining as something is work.
  {
    slot: "employer",
    kind: "words",
    isName: true,
    isChange: true,
    form: form(
      "(?:has |have )?joined (?<v>.+ as (?:an? |the |their |its |our )(?!(?:[\\p{L}-]+ )?(?:guest|member|visitor|speaker|listener|volunteer|customer|donor|patron)\\b).+)",
    ),
  },
  {
    slot: "employer",
    kind: "words",
    isName: true,
    isNegative: true,
    form: form(
      "(?:has |have )?(?:left|quit|resigned from|was laid off (?:from|by)|was fired (?:from|by))(?: (?:the|his|her|their|its) (?:job|position|role) (?:at|with))? (?<v>.+)",
    ),
  },
  {
    slot: "role",
    kind: "words",
    form: form(`(?:is|became|was promoted to|was made) (?:the |an? )?(?<v>${TITLES}) (?:at|of) (?<k>.+)`),
  },
  {
    slot: "job",
    kind: "job",
    form: form("(?:is working|works?|working) as (?!(?:an? |the )?volunteer)(?:an? |the )?(?<v>.+)"),
  },
  { slot: "known job", kind: "job", form: form("is an? (?<v>.+)") },
  {
    slot: "known job",
    kind: "job",
    isChange: true,
    form: form("(?:became|has become|was promoted to|got promoted to|retrained as|is now) (?:an? |the )?(?<v>.+)"),
  },
  // Who somebody is with.
  { slot: "partner", kind: "words", isName: true, form: form("(?:is|got) (?:married|engaged) to (?<v>.+)") },
  { slot: "partner", kind: "words", isName: true, form: form("is (?:dating|in a relationship with) (?<v>.+)") },
  { slot: "partner", kind: "words", isName: true, isChange: true, form: form("married (?<v>.+)") },
  {
    slot: "partner",
    kind: "words",
    isName: true,
    isNegative: true,
    form: form("(?:has )?(?:divorced|broke up with|broken up with|separated from|is divorced from) (?<v>.+)"),
  },
  { slot: "partner", kind: "words", value: "nobody", form: form("is single") },
  // Names.
  {
    slot: "called",
    kind: "words",
    isName: true,
    isChange: true,
    form: form("(?:was|has been|is) renamed (?:to |as )?(?<v>.+)"),
  },
  {
    slot: "called",
    kind: "words",
    isName: true,
    isChange: true,
    form: form("(?:has )?changed (?:his|her|their|its) name (?:from (?<f>.+?) )?to (?<v>.+)"),
  },
  { slot: "called", kind: "words", isName: true, form: form("is (?:called|named) (?<v>.+)") },
  { slot: "nickname", kind: "words", isName: true, needsChange: true, form: form("goes by (?<v>.+)") },
  // Food.
  {
    slot: "diet",
    kind: "words",
    form: form(`(?:is|became|has become|went|turned|has gone|has turned) (?:an? )?(?<v>${DIETS})`),
  },
  // Age and measures.
  { slot: "age", kind: "number", form: form("(?:is|turned|has turned) (?<v>\\d{1,3})(?: years? old| years of age)?") },
  { slot: "measure weight", kind: "number", form: form(`weighs? (?<v>${NUMBER}) ?(?<k>[\\p{L}]+)`) },
  {
    slot: "measure price",
    kind: "number",
    form: form(`costs? (?<v>(?<k>[€$£]) ?${NUMBER}|${NUMBER} ?[\\p{L}€$£]+(?: (?:per|an?) \\p{L}+)?)`),
  },
  {
    slot: "measure pay",
    kind: "number",
    form: form(`(?:earns?|makes) (?<v>[€$£] ?${NUMBER}|${NUMBER} ?[\\p{L}€$£]+)(?<k> (?:per|an?) \\p{L}+)?`),
  },
  {
    slot: "measure",
    kind: "number",
    form: form(`is (?<v>${NUMBER}) ?(?<k>[\\p{L}]+ (?:tall|long|high|wide|deep|heavy))`),
  },
  {
    slot: "measure count",
    kind: "number",
    form: form(`(?:has|have|employs?) (?<v>${NUMBER}|${NUMBER_NAMES}) (?<k>\\p{Ll}[\\p{L}-]*)`, "u"),
  },
  { slot: "measure sleep", kind: "number", form: form(`sleeps (?<v>${NUMBER}) (?<k>hours)(?: a night| per night)?`) },
  // Preferences.
  { slot: "prefer pair", kind: "words", form: form("prefers? (?<v>[^,]+?) (?:to|over) (?<k>[^,]+)") },
  { slot: "prefer for", kind: "words", form: form("prefers? (?<v>[^,]+?) for (?<k>[^,]+)") },
  { slot: "prefer", kind: "words", form: form("prefers? (?<v>[\\p{L}\\p{N}-]+(?: [\\p{L}\\p{N}-]+){1,2})") },
  {
    slot: "like",
    kind: "words",
    isMulti: true,
    form: form("(?:likes?|loves?|enjoys?|adores?|is fond of|is a fan of) (?<v>.+)"),
  },
  {
    slot: "like",
    kind: "words",
    isMulti: true,
    isNegative: true,
    form: form("(?:dislikes?|hates?|detests?|loathes?|can stand) (?<v>.+)"),
  },
  // Tools and things.
  {
    slot: "switch",
    kind: "words",
    isChange: true,
    form: form(
      "(?:has |have )?(?:switched|migrated|changed|moved)(?: over)? from (?<f>.+?) to (?<v>[^,]+?)(?: for (?<k>.+))?",
    ),
  },
  {
    slot: "use for",
    kind: "words",
    isChange: true,
    form: form("(?:has |have )?(?:switched|migrated|moved)(?: over)? to (?<v>[^,]+?) for (?<k>[^,]+)"),
  },
  { slot: "use for", kind: "words", form: form("(?:uses?|is using|are using) (?<v>[^,]+?) (?:for|as) (?<k>[^,]+)") },
  { slot: "written in", kind: "words", form: form("is (?:written|implemented|built|coded) in (?<v>[^,]+)") },
  { slot: "written in", kind: "words", isChange: true, form: form("was (?:rewritten|ported) (?:in|to) (?<v>[^,]+)") },
  { slot: "car", kind: "words", isName: true, needsChange: true, form: form("drives? (?:an? |the )?(?<v>.+)") },
];
