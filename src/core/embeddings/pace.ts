const MINUTE_MS = 60_000;

/** How fast one sender may send. */
export interface Pace {
  /** Milliseconds until something may be sent; 0 when it may be now. */
  waitMs(): number;
  /** Notes that so many tokens are sent now. */
  note(tokens: number): void;
}

/**
 * Lets so many tokens a minute pass, evenly: whoever has sent many waits for as long as they are worth.
 * @param tokensPerMinute 0 for no limit
 * @param now milliseconds since any moment
 */
export function createPace(tokensPerMinute: number, now: () => number = () => performance.now()): Pace {
  let freeAt = 0;
  return {
    waitMs: () => Math.max(0, freeAt - now()),
    note(tokens) {
      if (tokensPerMinute > 0) freeAt = Math.max(freeAt, now()) + (tokens * MINUTE_MS) / tokensPerMinute;
    },
  };
}
