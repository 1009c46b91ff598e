import { isAnother } from "../../language/facets/facets.js";
import type { Demand } from "./demands.js";

/** What a statement has of one demand. */
export interface Found {
  readonly demand: Demand;
  /** True where it asks for nothing but a name. */
  readonly isName: boolean;
  /** Whether it tells the facet that is asked for. */
  readonly isTold: boolean;
  /** What its words are worth, 0 to 1. */
  readonly words: number;
}

/** True where a statement has something of a demand, however little. */
export function hasSome({ isTold, words }: Found): boolean {
  return isTold || words > 0;
}

/** What is left to what has nothing of what is asked but the name of whom the question is about. */
export const NAMES_ALONE = 0.55;

/**
 * What is left of a statement's share where it shows one of these signs of answering another question, or more than all of it
 * where it shows one of answering this one. Several signs multiply, so that this is a log-linear model over signs that can be
 * read.
 *
 * Fitted by coordinate descent over a grid of these factors on the questions of `test/fixtures/silence/dev`, for silence, for
 * answers within the first three (twice as much) and against wrong results beside them; the other labelled memories were not
 * looked at. Signs that made less than one question in a hundred silent, or cost answers, were left out again.
 */
const SIGNS: readonly { readonly isSeen: (seen: Seen) => boolean; readonly factor: number }[] = [
  /** Whom a question is about is no answer to it. */
  { isSeen: ({ things, names }) => names.some(hasSome) && isAllMissing(things), factor: NAMES_ALONE },
  /** It has the word for what is asked and does not tell it: "works at the school" says nothing about which one. */
  { isSeen: ({ facets }) => facets.some(({ words }) => words > 0) && !isToldIn(facets), factor: 0.4 },
  { isSeen: ({ focus }) => focus.some((one) => worth(one) >= CLEAR), factor: 1.15 },
  /** It shares only words that questions about anything are made of. */
  { isSeen: ({ things, isTold }) => !isTold && isOnlyFrame(things), factor: 0.5 },
  /** It shares words and tells nothing of what is often asked. */
  { isSeen: ({ things, isTold }) => !isTold && things.some(hasSome), factor: 0.95 },
  /** Somebody else is asked about, or an animal, and it does not speak of them. */
  {
    isSeen: ({ facets, things }) =>
      things.some(hasSome) && facets.some((one) => isAnother(one.demand.facet) && !hasSome(one)),
    factor: 0.5,
  },
  /** Of a thing and what is asked of it, it has the thing. */
  { isSeen: ({ heavy, focus }) => isHalf(heavy) && focus.some((one) => worth(one) === 0), factor: 0.7 },
  { isSeen: ({ heavy, isTold }) => isTold && heavy.filter((one) => !hasSome(one)).length > 1, factor: 1.2 },
];

/** From here on a demand stands for a word of its own rather than for one that questions are made of. */
const HEAVY = 1.5;
/** From here on a related word says the same. */
const CLEAR = 0.75;
const TOLD = 0.9;
const FRAME = 1;

interface Seen {
  /** What is asked beside names. */
  readonly things: readonly Found[];
  readonly heavy: readonly Found[];
  readonly names: readonly Found[];
  readonly facets: readonly Found[];
  readonly focus: readonly Found[];
  readonly isTold: boolean;
}

/** What the signs leave of a statement's share, 0 and up; 1 without signs. */
export function signedShare(found: readonly Found[]): number {
  const things = found.filter(({ isName }) => !isName);
  const seen: Seen = {
    things,
    heavy: things.filter(({ demand }) => demand.weight > HEAVY),
    names: found.filter(({ isName }) => isName),
    facets: found.filter(({ demand }) => demand.facet !== null),
    focus: found.filter(({ demand }) => demand.isFocus),
    isTold: isToldIn(found),
  };
  return SIGNS.reduce((share, { isSeen, factor }) => (isSeen(seen) ? share * factor : share), 1);
}

function worth({ isTold, words }: Found): number {
  return Math.max(isTold ? TOLD : 0, words);
}

function isToldIn(list: readonly Found[]): boolean {
  return list.some(({ isTold }) => isTold);
}

function isAllMissing(list: readonly Found[]): boolean {
  return list.length > 0 && !list.some(hasSome);
}

function isOnlyFrame(things: readonly Found[]): boolean {
  return things.some(hasSome) && things.every((one) => !hasSome(one) || one.demand.weight < FRAME);
}

function isHalf(heavy: readonly Found[]): boolean {
  return heavy.length === 2 && heavy.filter(hasSome).length === 1;
}
