import { normalForm } from "./languages/normal-form.js";

/**
 * The form under which two statements count as the same text: Unicode compatibility forms, case, runs of white space,
 * quotation marks and the closing punctuation are folded. Numbers, negations and word order are kept.
 */
export function factKey(text: string): string {
  return normalForm(text, "NFKC")
    .toLowerCase()
    .replace(/[‘’‛′]/gu, "'")
    .replace(/["“”„«»]/gu, "")
    .replace(/\s+/gu, " ")
    .trim()
    .replace(/[.!…。]+$/u, "")
    .trim();
}
