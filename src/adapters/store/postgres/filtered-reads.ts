import type { Kysely } from "kysely";
import { AppError } from "../../../core/errors.js";
import type { Repositories } from "../../../core/ports.js";
import { createConcurrencyLimit } from "../../../lib/concurrency-limit.js";
import { count } from "../../../lib/count.js";
import { databaseOver, type RecordTransaction } from "../record-executor.js";
import type { Database } from "../schema.js";
import { describePostgresError, isStatementTimeout } from "./errors.js";
import { type PostgresConnections, PostgresExecutor } from "./executor.js";
import { runOn } from "./session.js";

/** A filter may keep the server busy for seconds, and other reads need connections as well. */
const FILTERED_AT_ONCE = 3;
const FILTER_PATIENCE_MS = 30_000;
/** Its caller has gone by then, and would not be missed: nothing else tells the server to stop. */
const LONGEST_FILTER_MS = 30_000;

/**
 * Runs reads with a filter: few at a time, and each statement for a limited time.
 * @param scope what is read: however many reads of one scope wait, one of another scope soon gets its turn
 */
export type FilteredReads = <Result>(
  scope: readonly (string | number)[],
  read: (db: Kysely<Database>) => Promise<Result>,
) => Promise<Result>;

export function createFilteredReads(connections: PostgresConnections, longestMs = LONGEST_FILTER_MS): FilteredReads {
  const turns = createConcurrencyLimit({ most: FILTERED_AT_ONCE, patienceMs: FILTER_PATIENCE_MS });
  return async (scope, read) => {
    const leave = await turns.enter(scope.join(" "));
    try {
      return await readWithin(connections, longestMs, read);
    } catch (error) {
      throw isStatementTimeout(error) ? tookTooLong(longestMs, error) : error;
    } finally {
      leave();
    }
  };
}

/** @throws what the server says, as `describePostgresError` describes it */
async function readWithin<Result>(
  { pool, writer, place }: PostgresConnections,
  longestMs: number,
  read: (db: Kysely<Database>) => Promise<Result>,
): Promise<Result> {
  const client = await pool.connect().catch((error: unknown) => {
    throw describePostgresError(error, place);
  });
  let isBroken = true;
  try {
    // For the transaction only: through a pooler, the connection serves others as well.
    await client.query(`begin read only; ${limitTo(longestMs)}`);
    const transaction: RecordTransaction = {
      run: (query) => runOn(client, query, place),
      send: (query) => runOn(client, query, place),
      commit: () => Promise.resolve(),
      rollback: () => undefined,
    };
    const result = await read(databaseOver(new PostgresExecutor({ pool, writer, place }, "full", transaction)));
    await client.query("commit");
    isBroken = false;
    return result;
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

function tookTooLong(longestMs: number, cause: unknown): AppError {
  return new AppError(
    "unavailable",
    `The database did not finish this filter within the time that one may take (${count(Math.ceil(longestMs / 1_000), "second")} at most), so it was stopped. Use fewer conditions, or name fewer or smaller containers.`,
    { cause },
  );
}

/** Repositories whose reads with a filter are run like this. @param over the same repositories over another database */
export function withFilteredReads(
  repositories: Repositories,
  filtered: FilteredReads,
  over: (db: Kysely<Database>) => Repositories,
): Repositories {
  const { units, documents, memories } = repositories;
  return {
    ...repositories,
    units: changed(units, {
      matching: (...query) => filtered(query[1].containerIds, (db) => over(db).units.matching(...query)),
    }),
    documents: changed(documents, {
      list: (organizationId, query) =>
        query.filters
          ? filtered(query.containerTags ?? [], (db) => over(db).documents.list(organizationId, query))
          : documents.list(organizationId, query),
    }),
    memories: changed(memories, {
      list: (organizationId, query) =>
        query.filters
          ? filtered(query.containerTags, (db) => over(db).memories.list(organizationId, query))
          : memories.list(organizationId, query),
      active: (organizationId, containerTag, query) =>
        query.filters
          ? filtered([containerTag], (db) => over(db).memories.active(organizationId, containerTag, query))
          : memories.active(organizationId, containerTag, query),
    }),
  };
}

/** The same repository with other methods; the rest are those of its prototype. */
function changed<Repository extends object>(
  repository: Repository,
  methods: { readonly [Name in keyof Repository]?: Repository[Name] },
): Repository {
  return Object.assign(Object.create(repository) as Repository, methods);
}
