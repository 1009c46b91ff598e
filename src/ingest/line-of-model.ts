import { singleSpaced } from "../lib/single-spaced.js";

/** Control characters, and marks that change the writing direction. */
const CONTROLS = /[\p{Cc}\u200b\u200e\u200f\u202a-\u202e\u2066-\u2069\ufeff]+/gu;

/** A model's text on one line, without invisible characters. */
export function lineOfModel(text: string): string {
  return singleSpaced(text.toWellFormed().replace(CONTROLS, " "));
}
