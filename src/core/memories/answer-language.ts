import { fold } from "../../language/words.js";
import type { Claim } from "./slots.js";

const LANGUAGES =
  "arabic bengali bulgarian catalan chinese croatian czech danish dutch english esperanto estonian finnish french galician german greek hebrew hindi " +
  "hungarian icelandic indonesian irish italian japanese korean latin latvian lithuanian malay mandarin norwegian persian polish portuguese punjabi " +
  "romanian russian serbian slovak slovene slovenian spanish swahili swedish tamil thai turkish ukrainian urdu vietnamese welsh";
const LANGUAGE = new RegExp(`^(?:${LANGUAGES.replaceAll(" ", "|")})$`, "i");
const WISH = new RegExp(
  `^(?<s>.{1,80}?) wants the assistant to (?:(?:always|only) )?(?:answer|reply|respond|write|speak|talk)(?: to them)?(?: only| always)? in (?<v>${LANGUAGES.replaceAll(" ", "|")})(?: only| always)?[.!]?$`,
  "iu",
);

/** True for the English name of a language. */
export function isLanguage(word: string): boolean {
  return LANGUAGE.test(word);
}

/** Reads the language in which somebody wants to be answered, which is one at a time; null for any other text. */
export function readAnswerLanguage(text: string): Claim | null {
  const { s, v } = WISH.exec(text)?.groups ?? {};
  if (s === undefined || v === undefined) return null;
  return {
    subject: fold(s),
    slot: "answer language",
    kind: "words",
    value: v,
    isNegative: false,
    isChange: false,
    isMulti: false,
    needsChange: false,
    from: null,
    scope: "",
    since: null,
  };
}
