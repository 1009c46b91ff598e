import { LIGHT_OBJECTS, LIGHT_PARTICLES } from "./nouns.js";
import type { Word } from "./words.js";

const PRONOUN_OBJECTS = new Set(
  "it that this these those him her them you me us one ones so there here how when what where".split(" "),
);
const PREPOSITION = /^(?:to|for|with|on|at|in|about|of|from|like|by)$/;
const NO_NOUN_AFTER =
  /^(?:to|for|with|on|at|in|about|of|from|like|by|and|but|or|so|because|when|if|as|a|an|the|yesterday|today|tomorrow|last|next|this|every|again|too|there|here|back|up|out|off|down)$/;
const POINTING = /^(?:it|that|this|those|these|him|her|them|you|here|there)$/;
const QUANTITY = /^(?:a (?:couple|lot|bunch|number|bit|ton) of|lots of|a few|some)(?= )/;
const LINK = /^(?:of|in|at|to|for|from|with|by|on)$/;
const DAY = "(?:mon|tues|wednes|thurs|fri|satur|sun)day";
const NUMBER = "(?:\\d+|two|three|four|five|six|seven|eight|nine|ten|twelve|few|couple of)";
const FREQUENCY = new RegExp(
  `\\b(?:(?:every|each) (?:other |single |second )*(?:day|morning|evening|night|week|weekend|month|year|summer|winter|spring|fall|autumn|weekday|fortnight|season|christmas|easter|january|february|march|april|may|june|july|august|september|october|november|december|${DAY})` +
    `|every ${NUMBER} (?:hours|days|weeks|months|years)|daily|nightly|weekly|monthly|yearly|(?:once|twice|(?:\\d+|one|two|three|four|five|six|several|a few|a couple of) \\w+|\\w+ times) (?:a|per) (?:day|week|month|year)|on ${DAY}s|on ${DAY} (?:mornings|evenings|afternoons|nights)|(?:on|at) weekends|in the mornings?` +
    `|at \\d{1,2}(?::\\d\\d)? ?(?:am|pm) (?:daily|sharp)|(?:most|some) (?:days|mornings|evenings|weekends)|for a living|at night|before bed|(?:before|after) (?:lunch|dinner|breakfast|work|school)|on weekdays|as an? hobby|(?:the|my|our|all|her|his|their) (?:summers|winters|weekends|evenings|mornings))\\b`,
);
const DURATION =
  /\b(?:since|for (?:over |about |almost |nearly |more than |the (?:last|past) )?(?:\d+|an?|one|two|three|four|five|six|seven|eight|nine|ten|\w+teen|twenty|many|several|a few|the) ?\w* ?(?:years?|months?|weeks?|decades?|days?))\b/;

export function lowerText(words: readonly Word[]): string {
  return words.map((word) => word.lower).join(" ");
}

/** True for "every Tuesday", "twice a week" and the like. */
export function isHabitual(text: string): boolean {
  return FREQUENCY.test(text);
}

/** True for "since 2019", "for two years". */
export function isLongstanding(text: string): boolean {
  return DURATION.test(text);
}

/** "quit her job": with a noun after it, "her" says whose it is. */
export function isHerOwn([first, second]: readonly Word[]): boolean {
  return first?.lower === "her" && second !== undefined && !NO_NOUN_AFTER.test(second.lower);
}

/** "it", "to him", "with this": what the clause is about lies outside it. */
export function isPointing(rest: readonly Word[]): boolean {
  const first = rest[0]?.lower ?? "";
  if (isHerOwn(rest)) return false;
  return PRONOUN_OBJECTS.has(first) || (PREPOSITION.test(first) && POINTING.test(rest[1]?.lower ?? ""));
}

const OF_TIME = /^(?:day|night|time|break|note)$/;

/** "the day shift": before a noun, "day" is not a light object itself. */
function isNounAt(word: Word | undefined): boolean {
  return (
    word !== undefined &&
    /^(?:shifts?|school|job|nurse|bank|zone|trains?|bus|care|centre|center|class|classes|tracking|room|book|app)$/.test(
      word.lower,
    )
  );
}

/** "a lot of fun", "a great time": the noun says nothing. Looks at the first words only. */
export function isLight(phrase: readonly Word[]): boolean {
  const quantity = QUANTITY.exec(lowerText(phrase.slice(0, 4)))?.[0];
  const rest = quantity === undefined ? phrase : phrase.slice(quantity.split(" ").length);
  const first = rest[0]?.lower ?? "";
  if (LIGHT_PARTICLES.has(first)) return true;
  const isLinked = LINK.test(rest[1]?.lower ?? "");
  return rest
    .slice(0, isLinked ? 2 : 3)
    .some(({ lower }, index) => LIGHT_OBJECTS.has(lower) && !(OF_TIME.test(lower) && isNounAt(rest[index + 1])));
}

/** Neither pointing nor light. */
export function saysSomething(rest: readonly Word[]): boolean {
  return rest.length > 0 && !isPointing(rest) && !isLight(rest);
}
