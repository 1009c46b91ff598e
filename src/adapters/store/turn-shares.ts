/**
 * Who may go first, and for how long, when callers and background work compete for the event loop or the one connection that
 * writes; all in milliseconds. Callers come first, but nobody waits indefinitely.
 */
export const TURN_SHARES = {
  /** One turn of the event loop before the next one begins. */
  turn: 5,
  /** What the background does in one turn, so that a caller who arrives meanwhile does not wait long. */
  backgroundSlice: 2,
  /**
   * The same while callers arrive one after another. It costs the background a tenth of its speed, so it does not always apply.
   */
  shortSlice: 0.3,
  /** How long after one caller the next is expected. */
  nextCaller: 25,
  /** How long the background yields the event loop to callers; after that it gets a slice whoever waits. */
  patienceForTurn: 20,
  /** How long readers yield to a transaction. A longer one shares the turns with them. */
  shortTransaction: 10,
  /** How long the background waits for the connection while callers want it too; then it is next. */
  patienceForConnection: 50,
} as const;
