const MINUTE_MS = 60_000;

/** A rate limit for one sender. */
export interface TokenLimiter {
  /** Milliseconds until something may be sent; 0 if it may be sent now. */
  waitMs(): number;
  /** Records that this many tokens are sent now. */
  note(tokens: number): void;
}

/**
 * Limits tokens per minute, evenly: after sending many, a sender waits for the time they are worth.
 * @param tokensPerMinute 0 for no limit
 * @param now milliseconds since any moment
 */
export function createTokenLimiter(tokensPerMinute: number, now: () => number = () => performance.now()): TokenLimiter {
  let freeAt = 0;
  return {
    waitMs: () => Math.max(0, freeAt - now()),
    note(tokens) {
      if (tokensPerMinute > 0) freeAt = Math.max(freeAt, now()) + (tokens * MINUTE_MS) / tokensPerMinute;
    },
  };
}
