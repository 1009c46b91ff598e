import { setImmediate as nextTurn } from "node:timers/promises";

import type { Unit } from "../../core/types.js";
import { Candidates } from "./candidates.js";
import type { ContainerMatrix, ScanQuery } from "./container-matrix.js";
import type { TopHits } from "./top-hits.js";

/** Milliseconds of scoring after which other work gets its turn. */
const TURN_MS = 2;
/** Writes restart a scan this many times; then it runs to the end without a pause. */
const PATIENT_SCANS = 3;

/** When to let other work run. */
export interface Turn {
  readonly isOver: boolean;
  /** Lets other work run. */
  next(): Promise<void>;
}

/** Lets other work run after every two milliseconds. */
export class TimedTurn implements Turn {
  #began = performance.now();

  get isOver(): boolean {
    return performance.now() - this.#began > TURN_MS;
  }

  async next(): Promise<void> {
    await nextTurn();
    this.#began = performance.now();
  }
}

/**
 * Scores the best vectors of a matrix. The matrix may change during pauses; the scan then restarts.
 * @returns the units whose cosines must come from the record
 */
export async function scanMatrix(
  matrix: ContainerMatrix,
  scan: ScanQuery,
  { top, turn, limit }: { top: TopHits; turn: Turn; limit: number },
): Promise<Unit[]> {
  for (let attempt = 1; ; attempt++) {
    if (matrix.size === 0) return [];
    const { version } = matrix;
    const candidates = new Candidates(Math.min(limit, matrix.size), top.floor);
    const slices = matrix.scan(scan, candidates);
    let isWhole = false;
    while (!(isWhole = slices.next().done === true)) {
      if (attempt > PATIENT_SCANS || !turn.isOver) continue;
      await turn.next();
      if (matrix.version !== version) break;
    }
    if (isWhole) return matrix.settle(candidates, scan, top);
  }
}
