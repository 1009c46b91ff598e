import { groupBy } from "../../lib/group-by.js";
import { figuresConflict, readFigure, type Figure } from "../memories/figures.js";
import { writtenDate } from "../memories/related-facts.js";
import { isBefore } from "../memories/relate.js";
import type { SearchResult } from "./search.js";
import { TRUST } from "../types.js";

/** A result that gives a figure for something, at its place in the answer. */
interface Told {
  readonly place: number;
  readonly result: SearchResult;
  readonly figure: Figure;
}

/**
 * Marks memories of one container that give different figures for the same thing, and puts the newer one of them first. What
 * is trusted less never comes before what is trusted more by being newer.
 */
export function markConflicts(results: readonly SearchResult[]): readonly SearchResult[] {
  const told = results.flatMap((result, place) => tellsFigure(result, place) ?? []);
  const marked = [...results];
  for (const group of groupBy(
    told,
    ({ result, figure }) => `${result.memory?.containerTag}\n${figure.frame}`,
  ).values()) {
    if (group.length < 2) continue;
    const conflicting = group.flatMap((one) => {
      const others = group.filter((other) => figuresConflict(one.figure, other.figure));
      return others.length === 0 ? [] : { ...one, conflictsWith: others.map(({ result }) => result.id) };
    });
    const ordered = conflicting.toSorted((one, other) => newerFirst(one.result, other.result));
    for (const [index, { result, conflictsWith }] of ordered.entries()) {
      const { place, result: before } = conflicting[index]!;
      // A result is never more similar than one before it.
      marked[place] = { ...result, similarity: before.similarity, conflictsWith };
    }
  }
  return marked;
}

function tellsFigure(result: SearchResult, place: number): Told | null {
  const { memory, standing } = result;
  const holds =
    memory?.isLatest === true && !memory.isInference && standing === undefined && memory.kind !== "statement";
  const figure = holds ? readFigure(memory.text) : null;
  return figure && { place, result, figure };
}

function newerFirst(one: SearchResult, other: SearchResult): number {
  const byTrust = TRUST.indexOf(one.trust) - TRUST.indexOf(other.trust);
  if (byTrust !== 0) return byTrust;
  const [mine, theirs] = [saidAt(one), saidAt(other)];
  if (isBefore(mine, theirs)) return 1;
  return isBefore(theirs, mine) ? -1 : (other.memory?.seq ?? 0) - (one.memory?.seq ?? 0);
}

/** When a result was said last (ISO), as far as it is known. */
export function saidAt({ memory, chunk, documents }: SearchResult): string {
  const kept = (memory ?? chunk)?.createdAt ?? "";
  const dates = documents.map(({ documentDate }) => documentDate ?? kept);
  const own = writtenDate(memory?.metadata) ?? chunk?.metadata?.date;
  return own ?? dates.reduce((one, other) => (isBefore(one, other) ? other : one), dates[0] ?? kept);
}
