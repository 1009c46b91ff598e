import { type ConcurrencyLimit, createConcurrencyLimit } from "../../lib/concurrency-limit.js";
import type { Actor } from "../types.js";

/**
 * Searches that are worked on at once. They share one event loop, so that more of them do nothing but take turns: of 8 callers
 * the slowest of 20 searches took up to half as long again without a line, and a little more of the processor's time. One or
 * two at once leave nothing to do while vectors are scored beside the event loop.
 */
const SEARCHES_AT_ONCE = 4;
/** Where vectors are asked for from a service that hangs, no search of another key waits longer for that. */
const PATIENCE_MS = 250;

/** The line in which searches wait for each other. */
export function createSearchQueue(): ConcurrencyLimit {
  return createConcurrencyLimit({ most: SEARCHES_AT_ONCE, patienceMs: PATIENCE_MS });
}

/** The same line as an actor waits in it: however many searches one key sends, another one's are soon next. */
export function lineOf({ name }: Actor, searches: ConcurrencyLimit): ConcurrencyLimit {
  return { enter: () => searches.enter(name) };
}
