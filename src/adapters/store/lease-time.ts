import { type RawBuilder, sql } from "kysely";
import { iso } from "../../lib/time.js";
import { executorOf } from "./record-executor.js";
import type { StoreContext } from "./repository.js";

/** A moment as an expression over one parameter, and the value of that parameter. */
interface LeaseMoment {
  /** @param parameter its place in the statement, such as `?2` */
  readonly at: (parameter: string) => string;
  readonly value: string | number;
}

/**
 * The moment so many milliseconds from now, by the clock that decides how long jobs and tasks are held. Nodes share PostgreSQL, and
 * their clocks may differ, so there it is the server's clock. Of a statement's start: PostgreSQL would not use an index to compare
 * with `clock_timestamp()`.
 */
export function leaseMoment({ db, clock }: StoreContext, inMs = 0): LeaseMoment {
  if (executorOf(db).database === "sqlite")
    return { at: (parameter) => parameter, value: iso(new Date(clock.now().getTime() + inMs)) };
  return {
    at: (parameter) => `to_char(
      (statement_timestamp() + cast(${parameter} as double precision) * interval '1 millisecond') at time zone 'UTC',
      'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"')`,
    value: inMs,
  };
}

/** The same for statements that are built. */
export function leaseTime(context: StoreContext, inMs = 0): RawBuilder<string> {
  const { at, value } = leaseMoment(context, inMs);
  const [before = "", after = ""] = at("?").split("?");
  return sql<string>`${sql.raw(before)}${value}${sql.raw(after)}`;
}
