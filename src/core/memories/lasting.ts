/** Longer texts are not facts about a person. */
const LONGEST = 400;
/** People only, not things at work: "The flag is called …" names nobody. */
const SOMEBODY =
  "(?!(?:The|A|An|Our|This|That|These|Its|It|There|My|Your|Every|No)\\b)\\p{Lu}[\\p{L}'-]{1,40}(?: \\p{Lu}[\\p{L}'-]{1,40}){0,2}";
const NAME = new RegExp(
  `^${SOMEBODY}(?:'s (?:full |first |last |real |given |family |preferred )?(?:name|surname|nickname|pronouns) (?:is|are)|,? (?:is called|is named|goes by|wants to be called|likes to be called|prefers to be called)) \\S`,
  "u",
);
const JOB = new RegExp(
  `^${SOMEBODY}(?:'s (?:job|job title|occupation|profession|role|employer|company) is \\S| (?:works|is working|is employed|has worked) (?:full-time |part-time |remotely )?(?:as|at|for) \\S| is (?:an? |the )(?:[\\p{L}-]+ ){0,4}[\\p{L}-]+ (?:at|for|with) (?:the )?\\p{Lu}| runs an? (?:[\\p{L}-]+ ){0,2}(?:business|company|shop|bakery|clinic|practice|studio|agency|firm|restaurant|farm)\\b)`,
  "u",
);
const HEALTH =
  /\b(?:allerg(?:y|ies|ic)|anaphyla\p{L}+|intoleran(?:t|ce)|epipen|co?eliac|diabet(?:ic|es)|epilep(?:sy|tic)|asthma(?:tic)?|h(?:a)?emophili\p{L}+|pacemaker|blood type|vegan|vegetarian|pescatarian|kosher|halal)\b/iu;
const NOT_ONES_OWN =
  /\b(?:news|article|podcast|book|film|movie|series|restaurant|recipe|course|talk|lecture|research|study)\b/iu;
const HOW_TO_ANSWER =
  /\b(?:wants (?:the )?(?:assistant|ai|agent|claude|chatgpt)(?: always| never)? to|(?:answers?|replies|responses|explanations|summaries) (?:to be |should be |must be |in |as |with |without |kept )|(?:prefers?|wants?|likes?|expects?) (?:[\p{L}-]+ ){0,3}(?:answers|replies|responses|explanations|summaries)\b|^(?:please )?(?:always |never )?(?:answer|reply|respond|address|call (?:me|them)) (?:me |them )?(?:in|as|with|without|briefly|concisely|formally|informally|only)\b)/iu;

/**
 * True for what is permanently essential to know about somebody, whatever is added later: their name, their job, what harms
 * them, and how they want to be answered.
 */
export function isLasting(text: string): boolean {
  if (text.length > LONGEST) return false;
  return (
    NAME.test(text) || JOB.test(text) || HOW_TO_ANSWER.test(text) || (HEALTH.test(text) && !NOT_ONES_OWN.test(text))
  );
}
