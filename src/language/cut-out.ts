import type { Place } from "./find-quote.js";

export type { Place };

/** True when a place shares a character with one of these. */
export function overlapsAny({ start, end }: Place, places: readonly Place[]): boolean {
  return places.some((place) => place.start < end && place.end > start);
}

/** Places in order; those that touch or overlap are merged. */
export function joinPlaces(places: readonly Place[]): Place[] {
  const result: Place[] = [];
  for (const place of places.toSorted((one, other) => one.start - other.start)) {
    const last = result.at(-1);
    if (last && place.start <= last.end) result[result.length - 1] = { ...last, end: Math.max(last.end, place.end) };
    else result.push(place);
  }
  return result;
}

/** Places cut from a text, and where everything else is afterwards. */
export class Cut {
  /** Disjoint, in order. */
  readonly places: readonly Place[];
  /** The places with the one space or line end that separated each of them. */
  readonly #gaps: readonly Place[];
  /** How much was removed before each gap, and before the end. */
  readonly #gone: readonly number[];
  readonly #text: string;

  constructor(text: string, places: readonly Place[]) {
    this.#text = text;
    this.places = joinPlaces(places);
    this.#gaps = withGaps(text, this.places);
    const gone = [0];
    for (const { start, end } of this.#gaps) gone.push((gone.at(-1) ?? 0) + end - start);
    this.#gone = gone;
  }

  /** The text without them. Everything else stays as it is. */
  rest(): string {
    const pieces = this.#gaps.map(({ start }, index) => this.#text.slice(this.#gaps[index - 1]?.end ?? 0, start));
    return [...pieces, this.#text.slice(this.#gaps.at(-1)?.end ?? 0)].join("");
  }

  /** Those that share a character with a place. */
  within({ start, end }: Place): readonly Place[] {
    return this.places.slice(
      countUntil(this.places, (place) => place.end <= start),
      countUntil(this.places, (place) => place.start < end),
    );
  }

  /** Where a place is afterwards; null when part of it was cut. */
  placeAfter(place: Place): Place | null {
    if (this.within(place).length > 0) return null;
    const before = countUntil(this.#gaps, ({ start }) => start < place.end);
    const last = this.#gaps[before - 1];
    const moved = (this.#gone[before] ?? 0) - Math.max(0, (last?.end ?? 0) - place.start);
    return { start: place.start - moved, end: place.end - moved };
  }
}

/** How many places of a list precede the first that fails a condition, as do all after it. */
function countUntil(places: readonly Place[], isBefore: (place: Place) => boolean): number {
  let low = 0;
  let high = places.length;
  while (low < high) {
    const middle = (low + high) >> 1;
    const place = places[middle];
    if (place && isBefore(place)) low = middle + 1;
    else high = middle;
  }
  return low;
}

function withGaps(text: string, places: readonly Place[]): Place[] {
  return joinPlaces(
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
