import { sentenceSpans } from "./sentences.js";
import { canonicalRole, isPlausibleName, LONGEST_LABEL, readSpeakerLabel } from "./speakers.js";

/** Where the words of a statement may begin, after what only marks it. */
interface Openings {
  /** After bullets, numbers, quotation and emphasis marks. */
  readonly starts: readonly number[];
  /** After the name of the speaker as well. */
  readonly labelled: readonly number[];
}

/** A line of a text, and where the statements in it may begin and end, in order. */
interface StatementLine extends Openings {
  readonly start: number;
  readonly end: number;
  readonly ends: readonly number[];
}

/**
 * What Markdown, lists and quotations put before a statement. Signs that change the meaning of a number stay with it: `-5`,
 * `#5`, `>5`, `$5`.
 */
const MARK =
  /\[[ xX]?\]\s+|\[\d{1,4}\]\s+|\d{1,4}\.\s+|\(?(?:\d{1,4}|\p{L})\)\s+|[-+–—]\s+|#{1,6}\s+|(?:[>|~]|[^\p{L}\p{M}\p{N}\p{Sc}\p{Sm}\s'"“”„«»‹›%&@#–—-])+(?:\s+|(?=\p{L}))/uy;
const CLOSING_MARKS = /[*_~`)\]|}]/u;
const SPACE = /\s/u;
/** Nested marks, such as a check box in a list in a quotation. */
const MOST_MARKS = 8;

/** Where the first words of a text may begin. */
export function openingsOf(text: string, from = 0, to = text.length): Openings {
  const starts: number[] = [];
  const labelled: number[] = [];
  let into = starts;
  let at = from;
  for (let marks = 0; marks < MOST_MARKS; marks += 1) {
    into.push(at);
    const label = into === starts ? readSpeakerLabel(text.slice(at, Math.min(to, at + LONGEST_LABEL))) : null;
    if (label && (canonicalRole(label.label) !== null || isPlausibleName(label.label))) {
      into = labelled;
      at += label.length;
      continue;
    }
    MARK.lastIndex = at;
    const end = MARK.test(text) ? MARK.lastIndex : at;
    if (end === at || end >= to) break;
    at = end;
  }
  return { starts, labelled };
}

/** Where the words of a text may end: before closing emphasis and brackets, or at its end. */
export function closingsOf(text: string, from: number, to: number): number[] {
  let end = to;
  while (end > from && (CLOSING_MARKS.test(text[end - 1] ?? "") || SPACE.test(text[end - 1] ?? ""))) end -= 1;
  return end === to ? [to] : [end, to];
}

/** Where the statements of a text may begin and end. Fastest when asked in the order of the text. */
export class StatementLines {
  readonly #text: string;
  readonly #turns: readonly number[];
  #last: StatementLine | undefined;

  /** @param turns offsets at which speech starts, in order, in a text that also names its speakers */
  constructor(text: string, turns: readonly number[]) {
    this.#text = text;
    this.#turns = turns;
  }

  /** The last beginning of a statement up to an offset, including one after a speaker's name if `isSaid`. */
  beginningUpTo(index: number, isSaid: boolean): number | undefined {
    const { starts, labelled } = this.#at(index);
    const start = starts[countUpTo(starts, index) - 1];
    const said = isSaid ? labelled[countUpTo(labelled, index) - 1] : undefined;
    return start === undefined || (said !== undefined && said > start) ? said : start;
  }

  /** The first end of a statement from an offset on. */
  endFrom(index: number): number | undefined {
    const { ends } = this.#at(index);
    return ends[countUpTo(ends, index - 1)];
  }

  #at(index: number): StatementLine {
    const last = this.#last;
    return last && last.start <= index && index <= last.end ? last : (this.#last = this.#read(index));
  }

  #read(index: number): StatementLine {
    const text = this.#text;
    const turns = this.#turns;
    const start = index === 0 ? 0 : text.lastIndexOf("\n", index - 1) + 1;
    const found = text.indexOf("\n", index);
    const end = found === -1 ? text.length : found;
    const spans = sentenceSpans(text.slice(start, end)).map((span) => ({
      start: start + span.start,
      end: start + span.end,
    }));
    const begins = [
      ...spans.map((span) => span.start),
      ...turns.slice(countUpTo(turns, start - 1), countUpTo(turns, end)),
    ];
    const openings = begins.map((at) => openingsOf(text, at, end));
    return {
      start,
      end,
      starts: inOrder(openings.flatMap(({ starts }) => starts)),
      labelled: inOrder(openings.flatMap(({ labelled }) => labelled)),
      ends: inOrder(spans.flatMap((span) => closingsOf(text, span.start, span.end))),
    };
  }
}

function inOrder(values: readonly number[]): number[] {
  return values.toSorted((one, other) => one - other);
}

/** How many of the ascending values are at most `most`. */
function countUpTo(values: readonly number[], most: number): number {
  let low = 0;
  let high = values.length;
  while (low < high) {
    const middle = (low + high) >> 1;
    if ((values[middle] ?? Infinity) <= most) low = middle + 1;
    else high = middle;
  }
  return low;
}
