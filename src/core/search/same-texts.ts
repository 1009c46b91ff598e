import { meaningKey } from "../memories/near-duplicates.js";

/** A text and its cheap hint, see `TextWords`. */
interface SignedText {
  readonly text: string;
  readonly signature: number;
}

/** Keeps one value for all texts that say the same (`isSameFact`). What a text means is read only where another has its signature. */
export class SameTexts<Value> {
  readonly #bySignature = new Map<number, { readonly text: string; readonly value: Value } | Map<string, Value>>();

  /** The value of an earlier text that says the same, or this one's, made now. */
  getOrMake({ text, signature }: SignedText, make: () => Value): Value {
    const alike = this.#bySignature.get(signature);
    if (alike === undefined) {
      const value = make();
      this.#bySignature.set(signature, { text, value });
      return value;
    }
    const byMeaning = alike instanceof Map ? alike : new Map([[meaningKey(alike.text), alike.value]]);
    this.#bySignature.set(signature, byMeaning);
    const key = meaningKey(text);
    const value = byMeaning.get(key) ?? make();
    byMeaning.set(key, value);
    return value;
  }
}
