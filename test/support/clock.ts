import type { Clock } from "../../src/core/ports.js";

/** A clock that stands still until the test moves it. */
export class ManualClock implements Clock {
  #now: number;

  constructor(start = "2024-05-06T07:08:09.000Z") {
    this.#now = Date.parse(start);
  }

  now(): Date {
    return new Date(this.#now);
  }

  /** Moves the present, backwards too. */
  advance(ms: number): void {
    this.#now += ms;
  }

  /** Sets the present (ISO 8601). */
  set(moment: string): void {
    this.#now = Date.parse(moment);
  }

  /** The present moved by so many milliseconds; the clock itself stays. */
  from(ms: number): Date {
    return new Date(this.#now + ms);
  }
}

/** The time of day, ahead by so much as the test has moved it. */
export class AdvancedClock implements Clock {
  #aheadMs = 0;

  now(): Date {
    return new Date(Date.now() + this.#aheadMs);
  }

  advance(ms: number): void {
    this.#aheadMs += ms;
  }
}
