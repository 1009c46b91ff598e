import { PETS, RELATIVES } from "./nouns.js";
import type { Voice } from "./voice.js";

const MENTION = /\b(?:my|our) (?:\p{Ll}[\p{L}-]* ){0,2}?(\p{Ll}[\p{L}-]*)(?: (\p{Lu}[\p{L}'-]+))?/gu;
/** "Lunch with Birgit", "Met Ilse for coffee". */
const MET =
  /\b(?:[Mm]et|[Mm]eet|[Mm]eeting|[Ss]aw|[Vv]isited|[Vv]isit|[Dd]ating|[Mm]arried|[Cc]alled|(?:[Ll]unch|[Dd]inner|[Cc]offee|[Bb]reakfast|[Dd]rinks|[Tt]alk|[Cc]all) with) (\p{Lu}\p{Ll}+)\b(?! \p{Lu}|'s| and )/gu;
/** Most mentions of people examined in a sentence. */
const MOST_MENTIONS = 8;

/**
 * The only relative or animal of the speaker that a sentence mentions, `User's niece Fiona` in "a cake for my niece Fiona",
 * or else the only person met by name. Null when there are none or several, so that it is unclear whom "she" means.
 */
export function onlyRelativeIn(text: string, { self }: Voice): string | null {
  const found: string[] = [];
  for (const [, noun = "", name] of [...text.matchAll(MENTION)].slice(0, MOST_MENTIONS)) {
    if (!RELATIVES.has(noun) && !PETS.has(noun)) continue;
    found.push(
      /[^s]s$/.test(noun) ? "" : `${self}'s ${noun}${name === undefined || name.endsWith("'s") ? "" : ` ${name}`}`,
    );
  }
  if (found.length === 0) return onlyNameIn(text);
  return found.length === 1 && found[0] !== "" ? (found[0] ?? null) : null;
}

/** The person met by name, if the sentence tells of meeting only one. */
function onlyNameIn(text: string): string | null {
  const names = new Set([...text.matchAll(MET)].slice(0, MOST_MENTIONS).map(([, name = ""]) => name));
  return names.size === 1 ? ([...names][0] ?? null) : null;
}
