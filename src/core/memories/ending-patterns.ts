/**
 * What can end: a possession, a job, a home that is shared or rented, a relationship, an activity or membership, something
 * arranged, a pet.
 */
export type EndingKind = "thing" | "work" | "home" | "couple" | "activity" | "tool" | "arrangement" | "animal";

/** How a statement says that something is over, or holds. Groups: `s` who, `v` what. */
export interface StatePattern {
  readonly kind: EndingKind;
  readonly form: RegExp;
  /** The words name a possession only if they say which one: "sold a Volvo" is what a dealer does. */
  readonly isDefinite?: true;
}

/** Up to eight words before the verb. */
const S = "(?<s>[^,]{1,80}?)";
const OWN = "(?:the|their|his|her|its)";
const PARTNER = "girlfriend|boyfriend|partner|fiancee?|fiancée?|wife|husband";
/** Where somebody lives and may move out of. */
export const DWELLING = "(?:flat|apartment|house|home|place|room|studio|dorm|condo|cottage|houseboat)";
/** Adjectives that merely describe a dwelling. `old` would mean a different one, and a summer house is not a home. */
export const ANY_DWELLING = "shared|rented|small|little|tiny|big|large|lovely|nice|beautiful";
/** The roles a tool may have for its users: "our CI is Jenkins". */
export const TOOL_ROLE =
  "ci(?: server| system| service)?|build (?:server|system|tool)|(?:issue|bug|error) tracker|ticket(?:ing)? system|database|message (?:queue|broker)|" +
  "cache|search engine|cloud(?: provider)?|(?:code |git )?host(?:ing)?|chat(?: tool)?|wiki|knowledge base|(?:code |text )?editor|ide|" +
  "(?:web |test )?framework|test runner|bundler|package manager|linter|formatter|monitoring(?: tool)?|(?:e?mail|payment) provider|crm|cms|orm|" +
  "password manager|browser|(?:notes?|to-?do) app|task manager|operating system|shell|terminal";
const COLLECTIVE = "(?:a member|part|on the board|in charge) of|in|on";

function form(body: string): RegExp {
  return new RegExp(`^${S} ${body}$`, "iu");
}

/** In the order they are tried. */
export const ENDINGS: readonly StatePattern[] = [
  {
    kind: "thing",
    isDefinite: true,
    form: form(
      "(?:has |have )?(?:sold|gave away|given away|got rid of|gotten rid of|traded in|scrapped|donated) (?<v>.+)",
    ),
  },
  {
    kind: "work",
    form: form(
      `(?:has |have )?(?:quit|left|lost|gave up|given up|resigned from) ${OWN} (?:(?<v>[\\p{L}-]+(?: [\\p{L}-]+){0,2}) )?(?:job|position|role|post|company)`,
    ),
  },
  {
    kind: "work",
    form: form(
      "(?:has |have )?(?:quit|resigned|retired|is retired|(?:gave|handed in|given) (?:notice|(?:their|his|her) (?:notice|resignation)))",
    ),
  },
  {
    kind: "work",
    form: form("(?:was|got|has been|is) (?:laid off|fired|made redundant|sacked)(?: (?:by|from|at) (?<v>.+))?"),
  },
  {
    kind: "work",
    form: form("(?:has |have )?(?:quit at|quit working (?:at|for)|resigned at|retired from) (?<v>.+)"),
  },
  {
    kind: "home",
    form: form(
      `(?:has |have )?moved out(?: of ${OWN} (?<v>(?:[\\p{L}'-]+ )?${DWELLING}(?: in \\p{L}[\\p{L} '-]{0,40})?))?`,
    ),
  },
  {
    kind: "couple",
    form: form(
      `(?:has |have |is |are )?(?:broke up|broken up|split up|separated|parted ways|divorced|got divorced|widowed)(?: (?:with|from) (?<v>.+))?`,
    ),
  },
  {
    kind: "couple",
    form: form(`(?:has |have )?(?:called off|broke off|broken off|ended) ${OWN} (?:engagement|relationship|marriage)`),
  },
  {
    kind: "arrangement",
    isDefinite: true,
    form: form("(?:has |have )?(?:cancell?ed|called off) (?<v>.+)"),
  },
  {
    kind: "activity",
    form: form("(?:has |have )?(?:quit|gave up|given up|left|dropped out of|resigned from) (?<v>.+)"),
  },
];

/** Something else, `n`, took its place: "switched from Neovim to Zed", "replaced Jenkins with Buildkite". */
export const EXCHANGED: readonly RegExp[] = [
  form("(?:has |have )?(?:switched|migrated|moved away|moved over|changed) from (?<v>.+?) to (?<n>.+)"),
  form("(?:has |have )?(?:replaced|swapped|swapped out) (?<v>.+?) (?:with|by|for) (?<n>.+)"),
];

/** "No longer has the Volvo", without what negates it. */
export const FORMER_THING = form("(?:has|have|owns?|drives?|rides?|keeps?) (?<v>.+)");

/** "No longer uses Neovim", without what negates it. */
export const FORMER_USE = form("uses? (?<v>.+)");

/** What somebody did after something was over. */
export const NEXT = /,? (?:and )?then .*/isu;

/** The arrangement may come first: "the trip to Rome was cancelled". */
export const CALLED_OFF =
  /^(?:(?<s>[^,]{1,80}?)'s )?(?:the )?(?<v>[^,]{1,80}?) (?:was|is|has been|got) (?:cancell?ed|called off)$/iu;

export const PET =
  "dog|puppy|cat|kitten|horse|pony|rabbit|bunny|hamster|gerbil|guinea pig|parrot|bird|budgie|canary|tortoise|turtle";
/** A pet by its name, with or without its owner. */
export const DIED = new RegExp(
  `^(?:(?:(?<s>[^,]{1,80}?)'s|the|their|his|her) (?:${PET}) )?(?<v>\\p{L}[\\p{L}'-]{0,40}) (?:has )?(?:died|passed away|was put (?:down|to sleep))$`,
  "iu",
);
/** The kind of animal a text is about. */
export const ANY_PET = new RegExp(`\\b(?:${PET})\\b`, "i");

/** A text may match several of these. */
export const HOLDINGS: readonly StatePattern[] = [
  {
    kind: "animal",
    form: form(
      `(?:has|have|owns?|keeps?) an? (?:[\\p{L}-]+ ){0,3}(?:${PET}) (?:named|called) (?<v>\\p{L}[\\p{L}'-]{0,40})`,
    ),
  },
  {
    kind: "animal",
    form: new RegExp(`^${S}'s (?:${PET}) is (?:called |named )(?<v>\\p{L}[\\p{L}'-]{0,40})$`, "iu"),
  },
  { kind: "thing", form: form("(?:has|have|owns?|drives?|is driving|rides?|keeps?) (?<v>.+)") },
  {
    kind: "work",
    form: form("(?:is )?(?:still )?(?:works?|working|employed) (?:full[- ]time )?(?:at|for|by|as) (?<v>.+)"),
  },
  { kind: "home", form: form(`(?:is )?(?:lives?|living|stays?|staying) with (?<v>.+)`) },
  {
    kind: "home",
    form: form(
      `(?:shares?|rents?|is (?:sharing|renting)|lives? in) (?:an? |the |their )(?<v>(?:[\\p{L}-]+ )?${DWELLING}.*)`,
    ),
  },
  { kind: "couple", form: form(`(?:has|have) an? (?:new )?(?:${PARTNER})(?: (?:named|called) (?<v>.+))?`) },
  { kind: "couple", form: new RegExp(`^${S}'s (?:${PARTNER}) is (?:called |named )?(?<v>\\p{L}.*)$`, "iu") },
  { kind: "couple", form: new RegExp(`^(?<v>\\p{L}[\\p{L} '-]{0,60}?) is ${S}'s (?:new )?(?:${PARTNER})$`, "iu") },
  { kind: "couple", form: form("is (?:married|engaged) to (?<v>.+)") },
  { kind: "couple", form: form("is (?:dating|seeing|in a relationship with|together with) (?<v>.+)") },
  {
    kind: "activity",
    form: form(
      "(?:does|practi[sc]es|plays?(?: in)?|sings? in|attends?|takes?|goes to|drinks?|eats?|smokes?|uses?|studies(?: at)?|is studying(?: at)?|is learning|" +
        `is (?:${COLLECTIVE})|belongs to|volunteers? (?:at|for|with)|trains? (?:at|with)) (?<v>.+)`,
    ),
  },
  { kind: "tool", form: new RegExp(`^(?:(?:the|${S}'s) )(?:${TOOL_ROLE}) (?:is|runs on|is on) (?<v>.+)$`, "iu") },
  {
    kind: "arrangement",
    form: form(
      "(?:has|have|has booked|booked|has reserved|reserved|ordered|has ordered|is planning|plans|subscribes? to|has subscribed to|is subscribed to|subscribed to|" +
        "pays? for|is (?:a member of|travell?ing to|flying to)|is visiting) (?<v>.+)",
    ),
  },
];

/** "The trip to Rome is planned for June." */
export const ARRANGED =
  /^(?:(?<s>[^,]{1,80}?)'s )?(?:the )?(?<v>[^,]{1,80}?) (?:is|are) (?:planned|scheduled|set|booked|due|on|at|in|for)(?: .*)?$/iu;

/** Nouns that say how something is had, not what: cancelling Netflix means cancelling the subscription. */
export const WAYS_OF_HAVING =
  /^(?:subscription|membership|account|plan|contract|appointment|reservation|booking|order|ticket|policy)$/;
/** Things that continue until they are ended have no single day to cancel. */
export const GOES_ON = /\b(?:subscription|membership|account|plan|contract|policy)\b/i;
/** Tools that each person has individually. */
export const PERSONAL_TOOL =
  /\b(?:editor|ide|browser|(?:notes?|to-?do) app|task manager|operating system|shell|terminal|password manager) (?:is|runs on) /i;
/** Someone who leaves a place or a company may still use its products. */
export const LEFT = /\b(?:left|resigned from|dropped out of) /i;
/** Words that end only marriages. */
export const DIVORCED = /\b(?:divorced|widowed)\b/i;
export const MARRIED = /\b(?:married|wife|husband|partner)\b/i;
/** Someone who cancels a flight may travel in another way. */
export const FLIGHT = /\b(?:flight|flying)\b/i;
/** The time of day of something. */
export const AT_A_TIME = /\bat (?<hour>\d{1,2})(?::(?<minute>\d\d))?(?: ?(?<half>[ap])m)?\b/i;
/** A journey is identified by its destination. */
export const JOURNEY = /^(?:trip|flight|journey|holiday|vacation|visit|travel|tour) to (?=\p{Lu})/u;
/** An unnamed partner is the current one. */
export const ANY_PARTNER = new RegExp(`^(?:their |his |her )(?:${PARTNER})$`, "i");
/** A car by any name. */
export const ANY_CAR = /^(?:car|vehicle)$/;

/** A year with the words before it, but not a sum of money. */
export const DATED =
  /\b(?:in|of|on|during|around|since|from|early|late|mid)[ -](?:[\p{L}\d]{1,12},? ){0,3}(?:19|20)\d\d\b(?:-\d\d(?:-\d\d)?)?(?! ?(?:euros?|dollars?|pounds?|francs?|[€$£]))/iu;
/** A decade, or a past stage of life. */
export const LONG_AGO =
  /\b(?:(?:19|20)\d0s|(?:twen|thir|for|fif|six|seven|eigh|nine)ties)\b|\b(?:when|while) [\p{L}]{1,30} (?:was|were|lived|studied)\b/iu;
/** Someone who leaves at a time of day, early, or on an errand comes back. */
export const PASSING =
  /\b(?:at|by|around|about|before|after) (?:around |about |exactly )?(?:\d{1,2}\b|noon|midnight|half|(?:a )?quarter|(?:one|two|three|four|five|six|seven|eight|nine|ten|eleven|twelve)\b)|(?<!\bin )\b(?:early|late)\b|\b(?:minutes?|hours?|halfway)\b|\bto (?:pick|catch|fetch|get)\b|\bfor (?:lunch|dinner|breakfast|home|work|the (?:train|bus|airport|day|night|evening|doctor)|a (?:call|meeting|break|minute|moment))\b/iu;
