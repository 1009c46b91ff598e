// The bench's own PostgreSQL server on this machine, with the settings of its installation.
import { spawnSync } from "node:child_process";
import { chmodSync, chownSync, existsSync, readdirSync } from "node:fs";
import { createServer } from "node:net";
import { join } from "node:path";
import { userInfo } from "node:os";
import pg from "pg";
import { endChild, startChild, temporaryFolder } from "./children.mjs";
import { pause } from "./load.mjs";

/** Where Debian and its derivatives install the programs of each version. */
const VERSIONS = "/usr/lib/postgresql";
const READY_WITHIN_MS = 20_000;

/** The folder of PostgreSQL's programs; undefined if they are not installed. */
export function findPostgres() {
  const versions = existsSync(VERSIONS) ? readdirSync(VERSIONS).sort((one, other) => Number(other) - Number(one)) : [];
  return versions.map((version) => join(VERSIONS, version, "bin")).find((folder) => existsSync(join(folder, "initdb")));
}

/** A started server without databases of the bench. */
export async function startPostgresServer(programs) {
  const folder = temporaryFolder();
  // PostgreSQL refuses to run as root; Debian's package creates a user for it.
  const owner = userInfo().uid === 0 ? { uid: idOf("-u"), gid: idOf("-g") } : {};
  if (owner.uid !== undefined) chownSync(folder, owner.uid, owner.gid);
  chmodSync(folder, 0o700);
  const data = join(folder, "data");
  const made = spawnSync(
    join(programs, "initdb"),
    ["--pgdata", data, "--username", "postgres", "--auth", "trust", "--encoding", "UTF8"],
    { ...owner, encoding: "utf8", cwd: folder },
  );
  if (made.status !== 0) throw new Error(`initdb failed: ${made.stderr}`);
  const port = await freePort();
  const settings = [
    "listen_addresses=127.0.0.1",
    `unix_socket_directories=${folder}`,
    "max_connections=200",
    "lc_messages=C",
  ];
  const child = startChild(
    join(programs, "postgres"),
    ["-D", data, "-p", String(port), ...settings.flatMap((setting) => ["-c", setting])],
    { ...owner, cwd: folder, stdio: ["ignore", "ignore", "pipe"] },
  );
  const server = new PostgresServer(child, `postgres://postgres@127.0.0.1:${port}`);
  await server.untilReady();
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

  async untilReady() {
    for (const deadline = performance.now() + READY_WITHIN_MS; ; await pause(50)) {
      try {
        return await this.#ask("select 1");
      } catch (error) {
        if (performance.now() > deadline) throw error;
      }
    }
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

function idOf(flag) {
  const { status, stdout } = spawnSync("id", [flag, "postgres"], { encoding: "utf8" });
  if (status !== 0) throw new Error("PostgreSQL does not run as root, and there is no user postgres.");
  return Number(stdout);
}

function freePort() {
  return new Promise((resolve, reject) => {
    const server = createServer().once("error", reject);
    server.listen(0, "127.0.0.1", () => {
      const { port } = server.address();
      server.close(() => resolve(port));
    });
  });
}
