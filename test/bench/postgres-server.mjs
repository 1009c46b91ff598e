// The bench's own PostgreSQL server on this machine, with the settings of its installation.
import pg from "pg";
import { makeCluster, untilReady } from "../support/postgres-server.mjs";
import { endChild, startChild, temporaryFolder } from "./children.mjs";
import { pause } from "./load.mjs";

/** A started server without databases of the bench. */
export async function startPostgresServer(programs) {
  const { url, command, args, owner } = await makeCluster(programs, temporaryFolder(), { settings: ["lc_messages=C"] });
  const child = startChild(command, args, { ...owner, stdio: ["ignore", "ignore", "pipe"] });
  const server = new PostgresServer(child, url);
  await untilReady(`${url}/postgres`);
  return server;
}

class PostgresServer {
  #child;
  #url;
  #statements = 0;
  #line = "";
  #databases = 0;

  constructor(child, url) {
    this.#child = child;
    this.#url = url;
    child.stderr.on("data", (part) => this.#read(part.toString()));
  }

  /** An empty database. @returns its address */
  async createDatabase() {
    const name = `recollect_${++this.#databases}`;
    await this.#ask(`create database ${name}`);
    return `${this.#url}/${name}`;
  }

  /** Size of a database on disk, in MB. */
  async sizeOf(url) {
    const { rows } = await this.#ask("select pg_database_size($1)::float8 / 1024 / 1024 as size", [
      new URL(url).pathname.slice(1),
    ]);
    return rows[0].size;
  }

  /** Statements sent by all clients while some work runs. */
  async countStatements(work) {
    await this.#logStatements("all");
    const before = this.#statements;
    await work();
    await pause(200);
    const counted = this.#statements - before;
    await this.#logStatements("none");
    return counted;
  }

  async stop() {
    await endChild(this.#child, "SIGINT");
  }

  #read(part) {
    const lines = `${this.#line}${part}`.split("\n");
    this.#line = lines.pop();
    this.#statements += lines.filter((line) => /LOG: {2}(execute|statement)/.test(line)).length;
  }

  async #logStatements(which) {
    await this.#ask(`alter system set log_statement = '${which}'`);
    await this.#ask("select pg_reload_conf()");
    await pause(200);
  }

  async #ask(statement, values = []) {
    const client = new pg.Client({ connectionString: `${this.#url}/postgres`, connectionTimeoutMillis: 1_000 });
    try {
      await client.connect();
      return await client.query(statement, values);
    } finally {
      await client.end().catch(() => undefined);
    }
  }
}
