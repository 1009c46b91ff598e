import { singleSpaced } from "../lib/single-spaced.js";

/** Control characters, and marks that turn the direction of writing. */
const CONTROLS = /[\p{Cc}\u200b\u200e\u200f\u202a-\u202e\u2066-\u2069\ufeff]+/gu;

/** What a model wrote, on one line and without what nobody sees. */
export function lineOfModel(text: string): string {
  return singleSpaced(text.toWellFormed().replace(CONTROLS, " "));
}
