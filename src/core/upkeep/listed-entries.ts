import { type Place, overlapsAny } from "../../language/cut-out.js";
import { meaningKey } from "../memories/near-duplicates.js";

/** A memory written as one or more lines of a text. */
export interface ListedEntry {
  readonly text: string;
  /** Where it is, if recorded. */
  readonly at: Place | null;
}

/**
 * Where entries are in a text that is nothing but a list of entries, one below the other; an entry may have several lines.
 * Recorded places come first, then longer entries before shorter ones, so that a line of one entry is not taken for another.
 * Lines that belong to no entry and state the same fact count too.
 */
export function placesOfEntries(
  content: string,
  wanted: readonly ListedEntry[],
  others: readonly ListedEntry[],
): Place[] {
  const isWanted = new Set(wanted);
  const taken: Place[] = [];
  const places: Place[] = [];
  const take = (entry: ListedEntry, place: Place): void => {
    if (overlapsAny(place, taken)) return;
    taken.push(place);
    if (isWanted.has(entry)) places.push(place);
  };
  const all = [...wanted, ...others];
  for (const entry of all) if (entry.at) take(entry, entry.at);
  for (const entry of all.toSorted((one, other) => other.text.length - one.text.length))
    for (const place of wholeLines(content, entry.text)) take(entry, place);
  const keys = new Set(wanted.map(({ text }) => meaningKey(text)));
  for (const place of linesOf(content))
    if (!overlapsAny(place, taken) && keys.has(meaningKey(content.slice(place.start, place.end)))) places.push(place);
  return places;
}

/** Where a text takes up whole lines. */
function wholeLines(content: string, text: string): Place[] {
  const places: Place[] = [];
  for (let start = content.indexOf(text); start !== -1; start = content.indexOf(text, start + text.length)) {
    const end = start + text.length;
    const isWhole = (start === 0 || content[start - 1] === "\n") && (end === content.length || content[end] === "\n");
    if (isWhole) places.push({ start, end });
  }
  return places;
}

function linesOf(content: string): Place[] {
  let start = 0;
  return content.split("\n").map((line) => {
    const place = { start, end: start + line.length };
    start = place.end + 1;
    return place;
  });
}
