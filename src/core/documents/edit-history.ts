import type { Turn } from "../types.js";
import type { TurnPair } from "./align-turns.js";

/** Turns of these roles are nobody's statements: they change from one submission to the next. */
const NOBODY: ReadonlySet<string> = new Set(["tool", "system"]);
/** This many turns must match, and twice as many as differ, if an edit has nothing in common with what it replaces. */
const SURE = 3;
/** The beginning of a long turn shows whether it was edited or is a different one. */
const LOOKED_AT = 2_000;

/**
 * A conversation with edited turns in place of the old versions, with new turns inserted, and with everything that was left
 * out.
 * @param matches indexes of the turns both have
 * @returns null if what came does not look like the same history: it is then appended
 */
export function editHistory(
  kept: readonly Turn[],
  came: readonly Turn[],
  matches: readonly TurnPair[],
): readonly Turn[] | null {
  const merged: Turn[] = [];
  let edits = 0;
  let doubts = 0;
  let [left, right] = [0, 0];
  for (const [index, [one, other]] of [...matches, [kept.length, came.length] as const].entries()) {
    const isLast = index === matches.length;
    const pair = index === 0 && !isLast ? pairBackwards : pairForwards;
    const gap = fillGap(kept.slice(left, one), came.slice(right, other), pair);
    const leavesOut = index > 0 && !isLast && gap.omitted.length > 0;
    for (const turn of gap.turns) merged.push(turn);
    edits += gap.replaced.length + (isLast ? 0 : gap.inserted.length) + Number(leavesOut);
    doubts += gap.replaced.filter(isDoubtful).length;
    if (!isLast) doubts += gap.inserted.filter(isSomebody).length;
    if (leavesOut && gap.omitted.some(isSomebody)) doubts += 1;
    const same = came[other];
    if (same) merged.push(same);
    [left, right] = [one + 1, other + 1];
  }
  // A beginning that every submission shares, such as a prompt, cannot distinguish an edited last message from the next one.
  const goesOn = came.length > kept.length || matches.some(([one]) => kept.slice(one, one + 1).some(isSomebody));
  const isLongEnough = matches.length >= SURE || sharedExchange(came, matches) > 0;
  const isSure = doubts === 0 ? matches.length > 0 && goesOn : isLongEnough && matches.length >= 2 * doubts;
  return edits > 0 && (isSure || isLastAnother(kept, came, matches)) ? merged : null;
}

/**
 * True if both begin with the same exchange or part of one, and either ends with a different turn of the same speaker: a
 * regenerated answer, or an edited last message.
 */
function isLastAnother(kept: readonly Turn[], came: readonly Turn[], matches: readonly TurnPair[]): boolean {
  const start = matches.length;
  const [was, is] = [kept[start], came[start]];
  if (!was || !is || was.speaker !== is.speaker || Math.min(kept.length, came.length) > start + 1) return false;
  const beginAlike = matches.every(([one, other], index) => one === index && other === index);
  return beginAlike && came.slice(0, start).some((turn) => isSomebody(turn) && turn.speaker !== is.speaker);
}

/** The number of common turns at the beginning, if these are an exchange of two speakers; otherwise 0. */
export function sharedExchange(came: readonly Turn[], matches: readonly TurnPair[]): number {
  const start = matches.filter(([one, other], index) => one === index && other === index).length;
  const speakers = new Set(
    came
      .slice(0, start)
      .filter(isSomebody)
      .map(({ speaker }) => speaker),
  );
  return speakers.size > 1 ? start : 0;
}

interface Gap {
  readonly turns: readonly Turn[];
  readonly replaced: readonly (readonly [was: Turn, is: Turn])[];
  readonly inserted: readonly Turn[];
  readonly omitted: readonly Turn[];
}

/** Each incoming turn replaces the one it is paired with; without one, it is new. */
function fillGap(kept: readonly Turn[], came: readonly Turn[], pair: Pairing): Gap {
  const turns: Turn[] = [];
  const replaced: [Turn, Turn][] = [];
  const inserted: Turn[] = [];
  const omitted: Turn[] = [];
  let from = 0;
  const keepUpTo = (end: number): void => {
    for (const turn of kept.slice(from, end)) {
      turns.push(turn);
      omitted.push(turn);
    }
  };
  const places = pair(kept, came);
  for (const [index, turn] of came.entries()) {
    const place = places[index] ?? -1;
    const was = kept[place];
    if (was === undefined) inserted.push(turn);
    else {
      keepUpTo(place);
      replaced.push([was, turn]);
      from = place + 1;
    }
    turns.push(turn);
  }
  keepUpTo(kept.length);
  return { turns, replaced, inserted, omitted };
}

/** For each incoming turn, the index of a kept one by the same speaker, in the same order; -1 for none. */
type Pairing = (kept: readonly Turn[], came: readonly Turn[]) => readonly number[];

/** Pairs each turn with the next available one. */
function pairForwards(kept: readonly Turn[], came: readonly Turn[]): readonly number[] {
  const places = turnsBySpeaker(kept);
  let from = 0;
  return came.map(({ speaker }) => {
    const ahead = places.get(speaker) ?? [];
    while ((ahead.at(-1) ?? from) < from) ahead.pop();
    const place = ahead.pop() ?? -1;
    if (place >= 0) from = place + 1;
    return place;
  });
}

/** What came may be only the end: before a shared turn, the last ones are paired. */
function pairBackwards(kept: readonly Turn[], came: readonly Turn[]): readonly number[] {
  const places = pairForwards(kept.toReversed(), came.toReversed());
  return places.map((place) => (place < 0 ? place : kept.length - 1 - place)).toReversed();
}

/** The indexes of each speaker's turns, the first one last. */
function turnsBySpeaker(turns: readonly Turn[]): Map<string, number[]> {
  const places = new Map<string, number[]>();
  for (let place = turns.length - 1; place >= 0; place -= 1) {
    const speaker = turns[place]?.speaker ?? "";
    const known = places.get(speaker);
    if (known) known.push(place);
    else places.set(speaker, [place]);
  }
  return places;
}

function isDoubtful([was, is]: readonly [Turn, Turn]): boolean {
  return isSomebody(is) && !resembles(was.text, is.text);
}

function isSomebody({ speaker }: Turn): boolean {
  return !NOBODY.has(speaker);
}

/** If nothing around it matches, an edited turn must share far more words to be told from a further one. */
const NEARLY_THE_SAME = { share: 0.75, fewestWords: 4 };

/**
 * True when a conversation had only one turn, and what came begins with that turn, edited, and continues. A turn that comes
 * alone may be the next one, however similar they are.
 */
export function isOneEdited(kept: readonly Turn[], came: readonly Turn[]): boolean {
  const [was, is] = [kept[0], came[0]];
  if (!was || !is || kept.length > 1 || came.length === 1 || was.speaker !== is.speaker || !isSomebody(is))
    return false;
  const { shared, most } = compare(was.text, is.text);
  return most >= NEARLY_THE_SAME.fewestWords && shared >= NEARLY_THE_SAME.share * most;
}

/** True for texts that share half of their words. */
function resembles(one: string, other: string): boolean {
  const { shared, most } = compare(one, other);
  return shared > 0 && 2 * shared >= most;
}

/** How many words two texts share, and how many the longer one has. */
function compare(one: string, other: string): { readonly shared: number; readonly most: number } {
  const [words, others] = [wordsOf(one), wordsOf(other)];
  const shared = [...words].filter((word) => others.has(word)).length;
  return { shared, most: Math.max(words.size, others.size) };
}

function wordsOf(text: string): ReadonlySet<string> {
  const beginning = text.slice(0, LOOKED_AT).toLowerCase();
  return new Set(beginning.split(/[^\p{L}\p{M}\p{N}]+/u).filter((word) => word !== ""));
}
