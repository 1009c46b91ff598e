import type { DotKernel, KernelMemory } from "./dot-kernel.js";

/** Sums that two threads compute together: each takes the next part of the list until none is left. */
export interface SharedScore {
  /** Of the whole list. */
  readonly parameters: Readonly<Parameters<DotKernel>>;
  /** Where the memory says how many entries are taken; a number of 32 bits that is 0 to begin with. */
  readonly takenAt: number;
  /** Entries of one part. */
  readonly part: number;
}

/** Computes the next part. @returns false when all are taken; the other thread may not be done with its last one */
export function scorePart(memory: KernelMemory, score: DotKernel, { parameters, takenAt, part }: SharedScore): boolean {
  const [list, entries, rows, stride, query, out] = parameters;
  const from = Atomics.add(new Int32Array(memory.buffer, takenAt, 1), 0, part);
  if (from >= entries) return false;
  score(list + from * 4, Math.min(part, entries - from), rows, stride, query, out + from * rows * 4);
  return true;
}

/**
 * Program of a worker thread, as text, so that it is the same whether this service runs built or from source; its `scorePart`
 * is the one above. It is told of memories by a number, and to score in them; after each score it says which one it was.
 */
export const SCAN_PROGRAM = `
  const { parentPort, workerData } = require("node:worker_threads");
  const known = new Map();
  function scorePart(memory, score, { parameters, takenAt, part }) {
    const [list, entries, rows, stride, query, out] = parameters;
    const from = Atomics.add(new Int32Array(memory.buffer, takenAt, 1), 0, part);
    if (from >= entries) return false;
    score(list + from * 4, Math.min(part, entries - from), rows, stride, query, out + from * rows * 4);
    return true;
  }
  parentPort.on("message", ({ place, memory, number, shared }) => {
    if (memory) {
      const { exports } = new WebAssembly.Instance(workerData.module, { host: { memory } });
      known.set(place, { memory, score: exports.score });
    } else if (memory === null) known.delete(place);
    else {
      const kernel = known.get(place);
      while (scorePart(kernel.memory, kernel.score, shared));
      parentPort.postMessage(number);
    }
  });
  parentPort.postMessage("ready");
`;
