import { factKey } from "./fact-key.js";
import { createQuoteFinder, type Place } from "./find-quote.js";
import { sentenceSpans } from "./sentences.js";

export type { Place };

/** Words of a text, with the place that was noted for them, if any. */
export interface Passage {
  readonly quote: string;
  readonly at: Place | null;
}

/**
 * Where a text says these passages: at the noted place as long as the words stand there, else where they are found as
 * whole words; and every sentence or line that says the same as one of them. Never a part of a word. In order, none
 * overlaps another.
 */
export function placesOf(text: string, passages: readonly Passage[]): Place[] {
  const find = createQuoteFinder(text);
  const found = passages.flatMap((passage) => placeOf(text, passage, find) ?? []);
  const keys = new Set(
    [...passages.map(({ quote }) => quote), ...found.map(({ start, end }) => text.slice(start, end))]
      .map(factKey)
      .filter((key) => key !== ""),
  );
  const repeated = [...sentenceSpans(text), ...lineSpans(text)].filter(({ start, end }) =>
    keys.has(factKey(text.slice(start, end))),
  );
  return joined([...found, ...repeated]);
}

function placeOf(text: string, { quote, at }: Passage, find: (quote: string) => Place | null): Place | null {
  const says = (place: Place) => factKey(text.slice(place.start, place.end)) === factKey(quote);
  if (at && says(at)) return at;
  const place = find(quote);
  return place && says(place) && isWhole(text, place) ? place : null;
}

const WORD = /[\p{L}\p{M}\p{N}]/u;

/** True where a place neither begins nor ends within a word. */
function isWhole(text: string, { start, end }: Place): boolean {
  const isInside = (index: number) => WORD.test(characterBefore(text, index)) && WORD.test(characterAt(text, index));
  return !isInside(start) && !isInside(end);
}

function characterAt(text: string, index: number): string {
  return index < text.length ? String.fromCodePoint(text.codePointAt(index) ?? 0) : "";
}

function characterBefore(text: string, index: number): string {
  const isPair = /[\uDC00-\uDFFF]/.test(text[index - 1] ?? "");
  return text.slice(Math.max(0, index - (isPair ? 2 : 1)), index);
}

function lineSpans(text: string): Place[] {
  let start = 0;
  return text.split("\n").map((line) => {
    const place = { start, end: start + line.length };
    start = place.end + 1;
    return place;
  });
}

/** True when a place shares a character with one of these. */
export function overlapsAny({ start, end }: Place, places: readonly Place[]): boolean {
  return places.some((place) => place.start < end && place.end > start);
}

/** Places in order, those that touch or overlap as one. */
export function joined(places: readonly Place[]): Place[] {
  const result: Place[] = [];
  for (const place of places.toSorted((one, other) => one.start - other.start)) {
    const last = result.at(-1);
    if (last && place.start <= last.end) result[result.length - 1] = { ...last, end: Math.max(last.end, place.end) };
    else result.push(place);
  }
  return result;
}

/**
 * A text without these places, and without the one space or line end that set each of them apart. All else stays as it is.
 * @param places in order, none overlapping another
 */
export function cutOut(text: string, places: readonly Place[]): string {
  let rest = "";
  let from = 0;
  for (const { start, end } of withGaps(text, places)) {
    rest += text.slice(from, start);
    from = end;
  }
  return rest + text.slice(from);
}

function withGaps(text: string, places: readonly Place[]): Place[] {
  return joined(
    places.map(({ start, end }) => {
      const before = text[start - 1] ?? "\n";
      const after = text[end] ?? "\n";
      if (!/\s/.test(before) || !/\s/.test(after)) return { start, end };
      // A space rather than the end of a line, and that only where the whole line goes.
      if (after === "\n" && before !== "\n") return { start: start - 1, end };
      if (end < text.length) return { start, end: end + 1 };
      return { start: Math.max(0, start - 1), end };
    }),
  );
}

/** Where a place of a text is once others were cut out of it; null when one of them overlaps it. */
export function placeAfterCut(text: string, cut: readonly Place[], { start, end }: Place): Place | null {
  let moved = 0;
  for (const gap of withGaps(text, cut)) {
    if (gap.start >= end) break;
    if (overlapsAny({ start, end }, cut)) return null;
    moved += Math.min(gap.end, start) - gap.start;
  }
  return { start: start - moved, end: end - moved };
}
