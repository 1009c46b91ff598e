import { isAnother } from "../../language/facets/facets.js";
import type { Demand } from "./demands.js";

/** How a statement meets one demand. */
export interface MetDemand {
  readonly demand: Demand;
  /** True if the demand asks for nothing but a name. */
  readonly isName: boolean;
  /** Whether it states the facet asked for. */
  readonly isTold: boolean;
  /** How well its words match, 0 to 1. */
  readonly words: number;
}

/** True if a statement meets a demand, however little. */
export function hasSome({ isTold, words }: MetDemand): boolean {
  return isTold || words > 0;
}

/** The share kept by a statement that matches nothing of the question but the name of the person asked about. */
export const NAMES_ALONE = 0.55;

/**
 * The factor for a statement that shows one of these signs of answering another question, or above 1 for signs of answering
 * this one. Several signs multiply, so this is a log-linear model over readable signs.
 * Fitted by coordinate descent over a grid of these factors on the questions of `test/fixtures/silence/dev`: for silence, for
 * answers within the first three (weighted double) and against wrong results beside them; the other labelled memories were not
 * looked at. Signs that silenced less than one question in a hundred, or cost answers, were removed.
 */
const SIGNS: readonly { readonly isSeen: (seen: Seen) => boolean; readonly factor: number }[] = [
  /** The person a question is about is not an answer to it. */
  { isSeen: ({ things, names }) => names.some(hasSome) && isAllMissing(things), factor: NAMES_ALONE },
  /** It contains the word for what is asked but does not state it: "works at the school" does not say which one. */
  { isSeen: ({ facets }) => facets.some(({ words }) => words > 0) && !isToldIn(facets), factor: 0.4 },
  { isSeen: ({ focus }) => focus.some((one) => worth(one) >= CLEAR), factor: 1.15 },
  /** It shares only words that occur in questions about anything. */
  { isSeen: ({ things, isTold }) => !isTold && isOnlyFrame(things), factor: 0.5 },
  /** It shares words but states none of the facets. */
  { isSeen: ({ things, isTold }) => !isTold && things.some(hasSome), factor: 0.95 },
  /** The question is about another person or an animal, and the statement does not mention them. */
  {
    isSeen: ({ facets, things }) =>
      things.some(hasSome) && facets.some((one) => isAnother(one.demand.facet) && !hasSome(one)),
    factor: 0.5,
  },
  /** It mentions the thing, but not what is asked about it. */
  { isSeen: ({ heavy, focus }) => isHalf(heavy) && focus.some((one) => worth(one) === 0), factor: 0.7 },
  { isSeen: ({ heavy, isTold }) => isTold && heavy.filter((one) => !hasSome(one)).length > 1, factor: 1.2 },
];

/** At or above this weight, a demand stands for a content word rather than a question word. */
const HEAVY = 1.5;
/** At or above this, a related word counts as a synonym. */
const CLEAR = 0.75;
const TOLD = 0.9;
const FRAME = 1;

interface Seen {
  /** Demands other than names. */
  readonly things: readonly MetDemand[];
  readonly heavy: readonly MetDemand[];
  readonly names: readonly MetDemand[];
  readonly facets: readonly MetDemand[];
  readonly focus: readonly MetDemand[];
  readonly isTold: boolean;
}

/** The factor that the signs give a statement's share, 0 or more; 1 without signs. */
export function signedShare(found: readonly MetDemand[]): number {
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

function worth({ isTold, words }: MetDemand): number {
  return Math.max(isTold ? TOLD : 0, words);
}

function isToldIn(list: readonly MetDemand[]): boolean {
  return list.some(({ isTold }) => isTold);
}

function isAllMissing(list: readonly MetDemand[]): boolean {
  return list.length > 0 && !list.some(hasSome);
}

function isOnlyFrame(things: readonly MetDemand[]): boolean {
  return things.some(hasSome) && things.every((one) => !hasSome(one) || one.demand.weight < FRAME);
}

function isHalf(heavy: readonly MetDemand[]): boolean {
  return heavy.length === 2 && heavy.filter(hasSome).length === 1;
}
