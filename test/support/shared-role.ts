import { setTimeout as wait } from "node:timers/promises";
import type { SharedRole } from "../../src/core/ports.js";

const LOOKS_EVERY_MS = 5;

/** A role shared by parts of one process: the second implementation of the port. */
export interface TurnTaking extends SharedRole {
  /** Number of times it has been taken. */
  readonly taken: number;
  /** Takes it from its holder, as if that one were cut off. */
  takeAway(): void;
}

export function createTurnTaking(): TurnTaking {
  let holder: AbortController | null = null;
  let taken = 0;
  const leave = (held: AbortController | null): void => {
    held?.abort();
    if (holder === held) holder = null;
  };
  return {
    get taken() {
      return taken;
    },
    takeAway: () => leave(holder),
    async take(signal) {
      while (holder !== null) await wait(LOOKS_EVERY_MS, undefined, { signal });
      signal.throwIfAborted();
      const held = (holder = new AbortController());
      taken += 1;
      return { lost: held.signal, release: async () => leave(held) };
    },
  };
}
