import type { CompiledQuery, QueryResult } from "kysely";
import type { SqliteSession } from "./sqlite-session.js";

const ANSWERS_REMEMBERED = 500;

/**
 * Answers of a connection that only reads, for as long as nobody has committed anything, in this process or another: SQLite
 * itself tells (https://www.sqlite.org/pragma.html#pragma_data_version). It is asked once in a turn of the event loop, and
 * again after each commit of this process.
 */
export class QueryCache {
  readonly #session: SqliteSession;
  readonly #answers = new Map<string, QueryResult<unknown>>();
  #version: number | undefined;
  /** True until the turn is over or something was written: what another process commits meanwhile was not there before. */
  #isSure = false;

  constructor(session: SqliteSession) {
    this.#session = session;
  }

  /** To be called after everything that this process may have changed. */
  doubt(): void {
    this.#isSure = false;
  }

  /** @throws as `SqliteSession.run` */
  async run<R>(query: CompiledQuery): Promise<QueryResult<R>> {
    if (!this.#isSure) this.#check();
    const version = this.#version;
    const key = `${query.sql}\n${JSON.stringify(query.parameters)}`;
    const known = this.#answers.get(key);
    if (known) return known as QueryResult<R>;
    const answer = await this.#session.run<R>(query);
    // What was read before a commit that somebody saw meanwhile is not of now.
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
