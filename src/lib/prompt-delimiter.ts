import { sha256 } from "./crypto.js";

/** A mark to set around a text for a language model, which the text cannot hold, because it is made of all of it. */
export function fenceOf(text: string): string {
  return sha256(text).slice(0, 16);
}
