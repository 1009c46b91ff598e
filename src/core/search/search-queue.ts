import { type ConcurrencyLimit, createConcurrencyLimit } from "../../lib/concurrency-limit.js";
import type { Actor } from "../types.js";

/**
 * How many searches run at once. They share one event loop, so more of them would only take turns: with 8 callers, the slowest
 * of 20 searches took up to half as long again without a queue, and a little more processor time. With only one or two at once,
 * nothing would run while vectors are scored off the event loop.
 */
const SEARCHES_AT_ONCE = 4;
/** When a service that supplies vectors hangs, no search of another key waits longer than this for it. */
const PATIENCE_MS = 250;

/** The queue for searches. */
export function createSearchQueue(): ConcurrencyLimit {
  return createConcurrencyLimit({ most: SEARCHES_AT_ONCE, patienceMs: PATIENCE_MS });
}

/** The same queue from one actor's view: however many searches one key sends, another key's soon get their turn. */
export function searchQueueOf({ name }: Actor, searches: ConcurrencyLimit): ConcurrencyLimit {
  return { enter: () => searches.enter(name) };
}
