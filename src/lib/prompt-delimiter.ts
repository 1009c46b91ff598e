import { sha256 } from "./crypto.js";

/** A delimiter for a text in a prompt. The text cannot contain it, because it is derived from the whole text. */
export function fenceOf(text: string): string {
  return sha256(text).slice(0, 16);
}
