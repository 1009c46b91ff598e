/**
 * How long who may go first when callers and work in the background want the event loop or the one connection that writes, all
 * in milliseconds. Callers come first, nobody waits for ever.
 */
export const TURN_SHARES = {
  /** One turn of the event loop, before the next one begins. */
  turn: 5,
  /** What the background does in one turn, so that a caller who comes meanwhile does not wait for long. */
  backgroundSlice: 2,
  /** The same while callers come one after the other. It costs the background a tenth of its speed, so not at all times. */
  shortSlice: 0.3,
  /** After a caller, for which the next one is expected. */
  nextCaller: 25,
  /** What the background makes way for callers in the event loop; after that it gets a slice whoever waits. */
  patienceForTurn: 20,
  /** What readers make way for a transaction. A longer one shares the turns with them. */
  shortTransaction: 10,
  /** What the background waits for the connection while callers want it too; then it is the next. */
  patienceForConnection: 50,
} as const;
