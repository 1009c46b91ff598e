/** A text with its cheap hint, see `TextWords`, and what it means (`meaningKey`), which is asked for only where needed. */
interface SignedText {
  readonly signature: number;
  readonly meaning: () => string;
}

/** Keeps one value for all texts that say the same (`isSameFact`). What a text means is read only where another has its signature. */
export class SameTexts<Value> {
  readonly #bySignature = new Map<number, { readonly first: SignedText; readonly value: Value } | Map<string, Value>>();

  /** The value of an earlier text that says the same, or this one's, made now. */
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
