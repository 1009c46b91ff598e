import type { CompiledQuery, QueryResult } from "kysely";
import type { SqliteSession } from "./sqlite-session.js";

const ANSWERS_REMEMBERED = 500;

/**
 * Answers of a read-only connection, cached until somebody commits, in this process or another: SQLite itself reports that
 * (https://www.sqlite.org/pragma.html#pragma_data_version). It is asked once per turn of the event loop, and again after each
 * commit of this process.
 */
export class QueryCache {
  readonly #session: SqliteSession;
  readonly #answers = new Map<string, QueryResult<unknown>>();
  #version: number | undefined;
  /** True until the turn ends or something is written: what another process commits meanwhile counts from the next turn on. */
  #isSure = false;

  constructor(session: SqliteSession) {
    this.#session = session;
  }

  /** Call after anything by which this process may have changed the store. */
  doubt(): void {
    this.#isSure = false;
  }

  /** @throws as `SqliteSession.run` does */
  async run<R>(query: CompiledQuery): Promise<QueryResult<R>> {
    if (!this.#isSure) this.#check();
    const version = this.#version;
    const key = `${query.sql}\n${JSON.stringify(query.parameters)}`;
    const known = this.#answers.get(key);
    if (known) return known as QueryResult<R>;
    const answer = await this.#session.run<R>(query);
    // What was read before a commit that somebody has seen meanwhile is out of date.
    if (this.#version !== version) return answer;
    if (this.#answers.size >= ANSWERS_REMEMBERED) this.#answers.clear();
    this.#answers.set(key, answer);
    return answer;
  }

  #check(): void {
    const version = this.#session.dataVersion();
    if (version !== this.#version) this.#answers.clear();
    this.#version = version;
    this.#isSure = true;
    setImmediate(() => this.doubt());
  }
}
