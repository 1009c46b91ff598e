import { TURN_SHARES } from "./turn-shares.js";

/**
 * Shares the event loop. Awaiting a synchronous database never leaves the current turn, so every such await must make room for
 * what only another turn can bring: requests, timers, the end of standard input. Callers come first: in a turn that a caller
 * uses, background work rests.
 */
export class EventLoopScheduler {
  #began: number | undefined;
  #backgroundBegan: number | undefined;
  #isForCallers = false;
  #lastCaller = -Infinity;
  #transactionBegan = -Infinity;
  #inHand: (() => void)[] = [];
  #callers: (() => void)[] = [];
  #others: (() => void)[] = [];

  /** Milliseconds from a monotonic clock. */
  readonly now: () => number;

  constructor(now: () => number = () => performance.now()) {
    this.now = now;
  }

  /**
   * What to wait for: the next turn, if this one has lasted long enough. Undefined rather than a promise if there is nothing to
   * wait for: promises cost too.
   */
  forCaller(): Promise<void> | undefined {
    if (this.#isTurnOver() || this.#isTransactionShort()) return this.#untilCaller();
    this.#giveToCaller();
    return undefined;
  }

  /** The same for a caller about to begin a transaction, who yields only to other writers. */
  forWriter(): Promise<void> | undefined {
    if (this.#isTurnOver()) return this.#untilWriter();
    this.#giveToCaller();
    return undefined;
  }

  /** From here until its end, a short transaction has the turns to itself. All other writers wait for that end. */
  beginTransaction(): void {
    this.#transactionBegan = this.now();
  }

  endTransaction(): void {
    this.#transactionBegan = -Infinity;
  }

  /** Waits until no caller uses the turn, but not indefinitely. */
  forBackground(): Promise<void> | undefined {
    if (this.#isTurnOver() || this.#isForCallers || this.#isSliceOver()) return this.#untilBackground();
    this.#backgroundBegan ??= this.now();
    return undefined;
  }

  /** Waits as `forCaller` does, for work that others already wait for. */
  forWorkInHand(): Promise<void> | undefined {
    return this.#isTurnOver() ? this.#untilNext() : undefined;
  }

  async #untilCaller(): Promise<void> {
    while (this.#isTurnOver() || this.#isTransactionShort()) await this.#next(this.#callers);
    this.#giveToCaller();
  }

  async #untilWriter(): Promise<void> {
    await this.#untilNext();
    this.#giveToCaller();
  }

  /** Otherwise a dozen searches would run between two statements of a transaction while every writer waits for it. */
  #isTransactionShort(): boolean {
    return this.now() - this.#transactionBegan < TURN_SHARES.shortTransaction;
  }

  #giveToCaller(): void {
    this.#isForCallers = true;
    this.#lastCaller = this.now();
  }

  async #untilBackground(): Promise<void> {
    const since = this.now();
    const mustRest = (): boolean => this.#isForCallers && this.now() - since < TURN_SHARES.patienceForTurn;
    while (this.#isTurnOver() || mustRest() || this.#isSliceOver()) await this.#next(this.#others);
    this.#backgroundBegan ??= this.now();
  }

  async #untilNext(): Promise<void> {
    while (this.#isTurnOver()) await this.#next(this.#inHand);
  }

  #isTurnOver(): boolean {
    if (this.#began === undefined) {
      this.#began = this.now();
      setImmediate(() => this.#end());
    }
    return this.now() - this.#began > TURN_SHARES.turn;
  }

  #isSliceOver(): boolean {
    if (this.#backgroundBegan === undefined) return false;
    const now = this.now();
    const slice =
      now - this.#lastCaller < TURN_SHARES.nextCaller ? TURN_SHARES.shortSlice : TURN_SHARES.backgroundSlice;
    return now - this.#backgroundBegan > slice;
  }

  #next(waiting: (() => void)[]): Promise<void> {
    return new Promise((resolve) => waiting.push(resolve));
  }

  #end(): void {
    this.#began = undefined;
    this.#backgroundBegan = undefined;
    this.#isForCallers = false;
    const waiting = [...this.#inHand, ...this.#callers, ...this.#others];
    this.#inHand = [];
    this.#callers = [];
    this.#others = [];
    for (const resume of waiting) resume();
  }
}
