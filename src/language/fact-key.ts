import { dropAtEnd } from "../lib/drop-at-end.js";
import { normalForm } from "./languages/normal-form.js";

/**
 * The form under which two statements count as the same text: Unicode compatibility forms, case, runs of white space,
 * quotation marks and the closing punctuation are folded. Numbers, negations and word order are kept.
 */
export function factKey(text: string): string {
  const folded = normalForm(text, "NFKC")
    .toLowerCase()
    .replace(/[‘’‛′]/gu, "'")
    .replace(/["“”„«»]/gu, "")
    .replace(/\s+/gu, " ")
    .trim();
  return dropAtEnd(folded, /[.!…。]/u).trim();
}
