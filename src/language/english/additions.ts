const ADDS = /^also\b|\b(?:too|as well)(?=[.!,;]|$)|\b(?:is|are) (?:also|another)\b/i;

/** True for words that say that something is so besides what is known: "I live in Berlin too." */
export function isAddition(said: string): boolean {
  return ADDS.test(said.trim());
}
