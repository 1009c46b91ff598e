import { holdsSecret } from "./secrets.js";

/** Characters examined per call; the time taken is proportional to them. */
const MOST_CHARACTERS = 1_000_000;
const WARNING =
  "looks like it contains a password, a key, a PIN or a card number; it is kept and found like any other text, but left out of profiles. If you did not mean to store it, remove it permanently with `recollect purge` or POST /v3/purge.";

/**
 * Warnings for a caller who stores a secret, never quoting it; empty if none is seen.
 * @param texts what is to be stored; the first million characters are examined
 */
export function secretWarnings(texts: readonly string[]): readonly string[] {
  let left = MOST_CHARACTERS;
  const isHeld = texts.some((text) => {
    const looked = text.slice(0, left);
    left -= looked.length;
    return looked !== "" && holdsSecret(looked);
  });
  return isHeld ? [`content: ${WARNING}`] : [];
}

/** What the caller should know about what was stored; absent if there is nothing to say. */
export interface Warned {
  readonly warnings?: readonly string[];
}

/** A receipt with warnings about secrets in its texts. */
export function withSecretWarnings<T extends Warned>(receipt: T, texts: readonly string[]): T {
  const found = secretWarnings(texts);
  return found.length > 0 ? { ...receipt, warnings: [...(receipt.warnings ?? []), ...found] } : receipt;
}
