import { sleep } from "../../lib/time.js";

/** Waits until so many tokens may be sent. */
export type Pace = (tokens: number, signal: AbortSignal) => Promise<void>;

const MINUTE_MS = 60_000;

/**
 * Lets so many tokens a minute pass, evenly: whoever sends many waits afterwards for as long as they are worth.
 * @param tokensPerMinute 0 for no limit
 */
export function createPace(tokensPerMinute: number, now: () => number = () => performance.now()): Pace {
  let freeAt = 0;
  return async (tokens, signal) => {
    if (tokensPerMinute === 0) return;
    const waitMs = freeAt - now();
    // Noted before the wait, so that whoever asks meanwhile waits for this one too.
    freeAt = Math.max(freeAt, now()) + (tokens * MINUTE_MS) / tokensPerMinute;
    if (waitMs > 0) await sleep(waitMs, { signal });
  };
}
