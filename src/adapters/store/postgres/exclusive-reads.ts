import type { CompiledQuery, QueryResult } from "kysely";
import type pg from "pg";
import type { VersionedReads } from "../query-cache.js";
import type { DatabasePossession } from "./possession.js";
import { runOnAny } from "./session.js";

/** A commit whose answer was lost may still take effect later: nothing is cached for longer than this. */
const LASTS_MS = 1_000;

/** Reads of a database to which only this process writes. While that is not certain, each has a version of its own. */
export class ExclusiveReads implements VersionedReads {
  readonly #pool: pg.Pool;
  readonly #place: string;
  readonly #possession: DatabasePossession;
  #changes = 0;

  constructor(pool: pg.Pool, place: string, possession: DatabasePossession) {
    this.#pool = pool;
    this.#place = place;
    this.#possession = possession;
  }

  /** Call when a commit has ended, whether it succeeded or not. */
  noteCommit(): void {
    this.#changes += 1;
  }

  run<R>(query: CompiledQuery): Promise<QueryResult<R>> {
    return runOnAny<R>(this.#pool, query, this.#place);
  }

  dataVersion(): number {
    if (!this.#possession.isHeld()) this.#changes += 1;
    return this.#changes + Math.floor(performance.now() / LASTS_MS);
  }
}
