import { fold } from "../../language/words.js";
import { VAGUE_SUBJECTS } from "./slot-words.js";

const LONGEST = 240;
const NAME = "\\p{Lu}[\\p{L}'-]{0,40}(?: \\p{Lu}[\\p{L}'-]{0,40}){0,2}";
/** "User has a dog named Rex", "User's sister is called Anna", "User has a dog, Rex". */
const INTRODUCTION = new RegExp(
  `^(?:\\p{L}[\\p{L}' -]{0,80} (?:has|have|got|owns|adopted|met) an? (?:\\p{L}[\\p{L}-]{0,30} ){1,3}(?:named|called)|[^,.]{1,80}'s \\p{Ll}[\\p{L} -]{0,40} is (?:named|called)|[^,.]{1,80} has an? \\p{Ll}[\\p{L} -]{0,40},) (${NAME})[.!]?$`,
  "u",
);
const TOLD = new RegExp(`^(${NAME}) (?:(?:also|always|often|still|really|now|never) )?\\p{Ll}+(?: |[.!]?$)`, "u");

/** The name of somebody whom a text introduces, folded: `rex` for "User has a dog named Rex". */
export function introducedBy(text: string): string | null {
  const name = text.length > LONGEST ? undefined : INTRODUCTION.exec(text)?.[1];
  return name === undefined ? null : fold(name);
}

/** The name that a text begins with and says something about, folded: `rex` for "Rex is a golden retriever". */
export function tellsOf(text: string): string | null {
  const name = text.length > LONGEST || text.includes("?") ? undefined : TOLD.exec(text)?.[1];
  return name === undefined || name === "User" || VAGUE_SUBJECTS.has(fold(name)) ? null : fold(name);
}
