import type { SourcePlace, ReadingOutcome } from "../core/documents/content-ports.js";
import type { Section } from "./chunk-markdown.js";

type Places = ReadingOutcome["places"];

/** Anything shorter is joined with what follows: the title of a slide, a page with one word. */
const LEAST_ALONE = 40;
/** The end of a paragraph or table row; a sentence that continues on the next page is not cut there. */
const ENDED = /[.!?…:;。！？|)\]"'”’»]\s*$/;

/** Cuts sections where a page, slide, sheet or entry ends, so that each piece has one place. */
export function cutAtPlaces(sections: readonly Section[], content: string, places: Places): Section[] {
  if (places.length === 0) return [...sections];
  return sections.flatMap((section) => {
    const pieces: Section[] = [];
    let { start } = section;
    let next = indexAt(places, start);
    for (; next < places.length; next += 1) {
      const offset = places[next]?.[0] ?? section.end;
      if (offset >= section.end) break;
      if (
        isWhole(content, start, offset) ||
        (speechBegins(places, next) && content.slice(start, offset).trim() !== "")
      ) {
        pieces.push({ ...section, start, end: offset });
        start = offset;
      }
    }
    return [...pieces, { ...section, start }];
  });
}

/** Remarks that accompany a recording are not part of its speech, so they must not point to a time in it. */
function speechBegins(places: Places, index: number): boolean {
  return places[index]?.[1].time !== undefined && places[index - 1]?.[1].time === undefined;
}

function isWhole(content: string, start: number, end: number): boolean {
  const text = content.slice(start, end).trim();
  if (text.length < LEAST_ALONE) return false;
  const after = content.slice(end, end + 10).trimStart();
  return ENDED.test(text) || !/^\p{Ll}/u.test(after);
}

/**
 * The place of a piece: the page, slide, sheet or entry that holds most of it, since short ones are joined with what
 * follows; for times and for the cells of one sheet, the whole range.
 */
export function placeOver(places: Places, start: number, end: number): SourcePlace | null {
  const reached = placesIn(places, start, end);
  const most = reached.reduce<ReachedPlace | null>(
    (longest, one) => (longest === null || one.length > longest.length ? one : longest),
    null,
  );
  if (most === null) return null;
  const same = reached.filter(({ place }) => isSameUnit(place, most.place)).map(({ place }) => place);
  const [first = most.place] = same;
  const last = same.at(-1) ?? first;
  const range = rangeOver(first.range, last.range);
  return {
    ...first,
    ...(range !== undefined && { range }),
    ...(first.time && last.time && { time: [first.time[0], Math.max(first.time[1], last.time[1])] as const }),
  };
}

interface ReachedPlace {
  readonly place: SourcePlace;
  /** Characters of the piece at this place. */
  readonly length: number;
}

function placesIn(places: Places, start: number, end: number): ReachedPlace[] {
  const reached: ReachedPlace[] = [];
  for (let index = Math.max(0, indexAt(places, start) - 1); index < places.length; index += 1) {
    const [offset, place] = places[index] ?? [0, {}];
    if (offset >= end) break;
    const next = places[index + 1]?.[0] ?? end;
    reached.push({ place, length: Math.min(end, next) - Math.max(start, offset) });
  }
  return reached;
}

function isSameUnit(one: SourcePlace, other: SourcePlace): boolean {
  return (["page", "slide", "sheet", "entry"] as const).every((unit) => one[unit] === other[unit]);
}

function rangeOver(first: string | undefined, last: string | undefined): string | undefined {
  const from = first?.split(":")[0];
  const to = last?.split(":").at(-1);
  return from && to ? `${from}:${to}` : first;
}

/** How many places start at or before an offset. */
function indexAt(places: Places, offset: number): number {
  let [low, high] = [0, places.length];
  while (low < high) {
    const middle = Math.floor((low + high) / 2);
    if ((places[middle]?.[0] ?? 0) <= offset) low = middle + 1;
    else high = middle;
  }
  return low;
}
