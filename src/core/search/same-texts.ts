/** A text with its cheap hash, see `TextWords`, and its meaning (`meaningKey`), which is computed only where needed. */
interface SignedText {
  readonly signature: number;
  readonly meaning: () => string;
}

/**
 * Keeps one value for all texts that say the same (`isSameFact`). The meaning of a text is read only if another has its
 * signature.
 */
export class SameTexts<Value> {
  readonly #bySignature = new Map<number, { readonly first: SignedText; readonly value: Value } | Map<string, Value>>();

  /** The value of an earlier text that says the same; otherwise a new one for this text. */
  getOrMake(text: SignedText, make: () => Value): Value {
    const alike = this.#bySignature.get(text.signature);
    if (alike === undefined) {
      const value = make();
      this.#bySignature.set(text.signature, { first: text, value });
      return value;
    }
    const byMeaning = alike instanceof Map ? alike : new Map([[alike.first.meaning(), alike.value]]);
    this.#bySignature.set(text.signature, byMeaning);
    const key = text.meaning();
    const value = byMeaning.get(key) ?? make();
    byMeaning.set(key, value);
    return value;
  }
}
