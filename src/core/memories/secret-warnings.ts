import { holdsSecret } from "./secrets.js";

/** Characters of one call that are looked through; looking takes time in proportion to them. */
const MOST_CHARACTERS = 1_000_000;
const WARNING =
  "looks like it holds a password, a key, a PIN or a card number; it is kept and found like any other text, only profiles leave it out. If that was not meant, remove it for good with `recollect purge` or POST /v3/purge.";

/**
 * What is said to whoever has a secret kept, never with its words; nothing where none is seen.
 * @param texts what is to be kept, of which the first million characters are looked through
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

/** What whoever had something kept should know of it; absent where there is nothing to say. */
export interface Warned {
  readonly warnings?: readonly string[];
}

/** A receipt with what is said of a secret in the texts that it is for. */
export function withSecretWarnings<T extends Warned>(receipt: T, texts: readonly string[]): T {
  const found = secretWarnings(texts);
  return found.length > 0 ? { ...receipt, warnings: [...(receipt.warnings ?? []), ...found] } : receipt;
}
