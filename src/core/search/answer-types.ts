/**
 * A pattern for the words an answer must contain, judging by the form of the question; null when the form does not tell.
 * English only.
 */
export function answerPattern(question: string): RegExp | null {
  return KINDS.find(({ asked }) => asked.test(question.slice(0, LONGEST_READ)))?.answered ?? null;
}

/** True for a question with many answers in many places: `What books …`, `How many …`, `Where has …`. English only. */
export function asksForMany(question: string): boolean {
  return MANY.some((pattern) => pattern.test(question.slice(0, LONGEST_READ)));
}

/** The beginning of a question shows what it asks for. */
const LONGEST_READ = 1_000;
const MANY = [
  /^\W*(?:what|which)\s+(?:\w+\s+){0,2}?(?!(?:is|was|does|has|news)\b)\w+[^s\W]s\b/i,
  /\bhow many\b/i,
  /^\W*where (?:has|have|did)\b/i,
  /^\W*(?:what|which)\b.*\b(?:has|have)\b/i,
];

const MONTHS = "january|february|march|april|may|june|july|august|september|october|november|december";
const TIME = new RegExp(
  `\\b(?:yesterday|today|tonight|tomorrow|ago|last|next|this (?:week|month|year|weekend|morning|summer|spring|fall|winter)|(?:mon|tues|wednes|thurs|fri|satur|sun)day|weekend|week|month|year|since|${MONTHS}|(?:19|20)\\d\\d|recently|just|\\d{1,2}(?:st|nd|rd|th))\\b`,
  "i",
);
const NUMBER =
  /\b(?:\d+|one|two|three|four|five|six|seven|eight|nine|ten|eleven|twelve|dozen|hundred|thousand|couple|several|few|once|twice|half|first|second|third)\b/i;
const PLACE =
  /\b(?:in|at|to|from|near|around|by|on)\s+(?:(?:the|my|an?|our|his|her|their)\s+)?(?:\p{Lu}|beach|park|home|house|lake|mountain|forest|city|town|country|school|store|gym|museum|restaurant|cafe|river|studio|library|church|hospital|office|room)/u;
const PERSON =
  /\b(?:my|his|her|our|their)\s+(?:\w+\s+)?(?:mom|mum|mother|dad|father|sister|brother|son|daughter|kids?|children|husband|wife|partner|boyfriend|girlfriend|friends?|family|grand\w+|cousins?|aunt|uncle|colleagues?|coworkers?|neighbou?rs?|team(?:mates)?|boss|teacher|dog|cat|pets?)\b/i;
const REASON =
  /\b(?:because|since|so that|to help|inspired|want(?:ed|s)? to|reason|ma[dk]es? me|as it|for me|love[ds]? (?:how|that))\b/i;
const LIKING =
  /\b(?:love[ds]?|like[ds]?|enjoy(?:ed|s|ing)?|favou?rites?|prefer(?:s|red)?|passion(?:ate)?|fan of|into|hate[ds]?)\b/i;
const FEELING =
  /\b(?:feel(?:ing|s)?|felt|happy|sad|excited|proud|nervous|anxious|grateful|thankful|amazing|awesome|relaxed|stress\w*|inspir\w+|powerful|calm|joy|scared|fear)\b/i;

const KINDS: readonly { readonly asked: RegExp; readonly answered: RegExp }[] = [
  {
    asked: /^\W*(?:when|since when|(?:what|which) (?:date|day|month|year|time)|how long ago)\b/i,
    answered: TIME,
  },
  { asked: /\b(?:how (?:many|much|often|long|old)|what (?:number|percentage))\b/i, answered: NUMBER },
  { asked: /^\W*(?:where|(?:what|which) (?:city|country|state|place|town|location))\b/i, answered: PLACE },
  { asked: /^\W*(?:who|whose|whom|with whom)\b/i, answered: PERSON },
  { asked: /^\W*(?:why|what (?:inspired|motivated|made))\b/i, answered: REASON },
  { asked: /\b(?:likes?|favou?rite|enjoys?|prefers?|love|hobb(?:y|ies)|interests?)\b/i, answered: LIKING },
  { asked: /\b(?:feel|feeling|felt|reaction|react|emotion)\b/i, answered: FEELING },
];
