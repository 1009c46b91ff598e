import { groupBy } from "../../lib/group-by.js";
import { figuresConflict, readFigure, type Figure } from "../memories/figures.js";
import type { SearchResult } from "./search.js";

/** A result that gives a figure for something. */
interface FigureResult {
  readonly result: SearchResult;
  readonly figure: Figure;
}

/** Marks memories of one container that give different figures for the same thing. */
export function markConflicts(results: readonly SearchResult[]): readonly SearchResult[] {
  const told = results.flatMap((result) => figureResult(result) ?? []);
  const conflicts = new Map<SearchResult, readonly string[]>();
  const byThing = groupBy(told, ({ result, figure }) => `${result.memory?.containerTag}\n${figure.frame}`);
  for (const group of byThing.values())
    for (const { result, figure } of group) {
      const others = group.filter((other) => figuresConflict(figure, other.figure));
      if (others.length > 0)
        conflicts.set(
          result,
          others.map((other) => other.result.id),
        );
    }
  return results.map((result) => {
    const conflictsWith = conflicts.get(result);
    return conflictsWith ? { ...result, conflictsWith } : result;
  });
}

function figureResult(result: SearchResult): FigureResult | null {
  const { memory, standing } = result;
  const holds =
    memory?.isLatest === true && !memory.isInference && standing === undefined && memory.kind !== "statement";
  const figure = holds ? readFigure(memory.text) : null;
  return figure && { result, figure };
}
