import type pg from "pg";
import { AppError } from "../../../core/errors.js";
import { createConcurrencyLimit } from "../../../lib/concurrency-limit.js";
import { count } from "../../../lib/count.js";
import { readOnly, type RecordTransaction, type Slice, type SlicedRead } from "../record-executor.js";
import { describePostgresError, isStatementTimeout } from "./errors.js";
import { runOn } from "./session.js";

/** A filter may keep the server busy for seconds, and other reads need connections as well. */
const SLICES_AT_ONCE = 3;
const SLICE_PATIENCE_MS = 30_000;
/** Its caller has gone by then, and would not be missed: nothing else tells the server to stop. */
const LONGEST_READ_MS = 30_000;

/**
 * Runs slices of reads with a filter: few at a time, those of different containers in turn, and all slices of a read for a
 * limited time. @throws AppError `unavailable` when that is over
 */
export type SliceTurns = <Result>(
  of: SlicedRead,
  read: (transaction: RecordTransaction) => Promise<Result>,
) => Promise<Slice<Result>>;

export function createSliceTurns(
  server: { readonly pool: pg.Pool; readonly place: string },
  longestMs = LONGEST_READ_MS,
): SliceTurns {
  const turns = createConcurrencyLimit({ most: SLICES_AT_ONCE, patienceMs: SLICE_PATIENCE_MS });
  return async ({ containers, spentMs }, read) => {
    const leave = await turns.enter(containers.map(String));
    try {
      const leftMs = Math.ceil(longestMs - spentMs);
      if (leftMs <= 0) throw tookTooLong(longestMs);
      return await readWithin(server, leftMs, read);
    } catch (error) {
      throw isStatementTimeout(error) ? tookTooLong(longestMs, error) : error;
    } finally {
      leave();
    }
  };
}

/** @throws what the server says, as `describePostgresError` describes it */
async function readWithin<Result>(
  { pool, place }: { readonly pool: pg.Pool; readonly place: string },
  longestMs: number,
  read: (transaction: RecordTransaction) => Promise<Result>,
): Promise<Slice<Result>> {
  const client = await pool.connect().catch((error: unknown) => {
    throw describePostgresError(error, place);
  });
  let isBroken = true;
  try {
    // For the transaction only: through a pooler, the connection serves others as well.
    await client.query(`begin read only; ${limitTo(longestMs)}`);
    let milliseconds = 0;
    const timed = readOnly(async (query) => {
      const began = performance.now();
      const answer = await runOn<never>(client, query, place);
      milliseconds += performance.now() - began;
      return answer;
    });
    const result = await read(timed);
    await client.query("commit");
    isBroken = false;
    return { result, milliseconds };
  } catch (error) {
    throw describePostgresError(error, place);
  } finally {
    client.release(isBroken);
  }
}

/** Leaves a shorter limit of the user's as it is. */
const limitTo = (longestMs: number): string =>
  `select set_config('statement_timeout', least(nullif(setting::bigint, 0), ${longestMs})::text, true)
    from pg_settings where name = 'statement_timeout'`;

function tookTooLong(longestMs: number, cause?: unknown): AppError {
  return new AppError(
    "unavailable",
    `The database did not finish this filter within the time that one may take (${count(Math.ceil(longestMs / 1_000), "second")} at most), so it was stopped. Use fewer conditions, or name fewer or smaller containers.`,
    { cause },
  );
}
