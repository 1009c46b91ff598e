/** Milliseconds that one turn of the event loop may take before the next one begins. */
const TURN_MS = 5;
/** The same of work in the background, so that a caller who comes meanwhile does not wait for long. */
const BACKGROUND_SLICE_MS = 2;
/** The same while callers come one after the other. It costs the background a tenth of its speed, so not at all times. */
const SHORT_SLICE_MS = 0.3;
/** Milliseconds after a caller for which the next one is expected. */
const EXPECTED_MS = 25;
/** Milliseconds that work in the background makes way for callers; after that it gets a slice whoever waits. */
const PATIENCE_MS = 20;
/** Milliseconds that readers make way for a transaction. A longer one shares the turns with them. */
const SHORT_TRANSACTION_MS = 10;

/**
 * Shares the event loop. Awaiting a synchronous database never leaves the current turn, so everything that awaits one has
 * to make room for what only another turn can bring: requests, timers, the end of standard input. Callers come first: in a
 * turn that one of them uses, work in the background rests.
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

  /** What to wait for, where the turn has lasted long enough: the next one. Nothing to wait for is no promise: that costs too. */
  forCaller(): Promise<void> | undefined {
    if (this.#isOver() || this.#isTransactionShort()) return this.#untilCaller();
    this.#giveToCaller();
    return undefined;
  }

  /** The same for who begins a transaction: only others of them are before him. */
  forWriter(): Promise<void> | undefined {
    if (this.#isOver()) return this.#untilWriter();
    this.#giveToCaller();
    return undefined;
  }

  /** From here on until its end a transaction has the turns to itself, if it is short. All others who write wait for that end. */
  beginTransaction(): void {
    this.#transactionBegan = performance.now();
  }

  endTransaction(): void {
    this.#transactionBegan = -Infinity;
  }

  /** Waits until no caller uses the turn, but not for ever. */
  forBackground(): Promise<void> | undefined {
    if (this.#isOver() || this.#isForCallers || this.#isSliceOver()) return this.#untilBackground();
    this.#backgroundBegan ??= performance.now();
    return undefined;
  }

  /** Waits as `forCaller` does, for work that others wait for already. */
  forWorkInHand(): Promise<void> | undefined {
    return this.#isOver() ? this.#untilNext() : undefined;
  }

  async #untilCaller(): Promise<void> {
    while (this.#isOver() || this.#isTransactionShort()) await this.#next(this.#callers);
    this.#giveToCaller();
  }

  async #untilWriter(): Promise<void> {
    await this.#untilNext();
    this.#giveToCaller();
  }

  /** Between two statements of a transaction a dozen searches would work otherwise, while all that write wait for it. */
  #isTransactionShort(): boolean {
    return performance.now() - this.#transactionBegan < SHORT_TRANSACTION_MS;
  }

  #giveToCaller(): void {
    this.#isForCallers = true;
    this.#lastCaller = performance.now();
  }

  async #untilBackground(): Promise<void> {
    const since = performance.now();
    const mustRest = (): boolean => this.#isForCallers && performance.now() - since < PATIENCE_MS;
    while (this.#isOver() || mustRest() || this.#isSliceOver()) await this.#next(this.#others);
    this.#backgroundBegan ??= performance.now();
  }

  async #untilNext(): Promise<void> {
    while (this.#isOver()) await this.#next(this.#inHand);
  }

  #isOver(): boolean {
    if (this.#began === undefined) {
      this.#began = performance.now();
      setImmediate(() => this.#end());
    }
    return performance.now() - this.#began > TURN_MS;
  }

  #isSliceOver(): boolean {
    if (this.#backgroundBegan === undefined) return false;
    const now = performance.now();
    const slice = now - this.#lastCaller < EXPECTED_MS ? SHORT_SLICE_MS : BACKGROUND_SLICE_MS;
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
