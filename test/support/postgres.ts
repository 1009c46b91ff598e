import { type ChildProcess, spawn, spawnSync } from "node:child_process";
import { existsSync, readdirSync } from "node:fs";
import { chmod, chown, mkdtemp, rm } from "node:fs/promises";
import { tmpdir, userInfo } from "node:os";
import { delimiter, join } from "node:path";
import pg from "pg";
import { AppError } from "../../src/core/errors.js";
import { freePort } from "./proxies.js";

/** A PostgreSQL server for the test, on a free port of this machine. */
export interface PostgresServer {
  /** Creates an empty database, or a copy of another that nobody is connected to. @returns its address */
  createDatabase(template?: string): Promise<string>;
  /** Ends the server immediately, as a crash would, and starts it again. */
  crash(): Promise<void>;
  stop(): Promise<void>;
}

/** Where Debian and its derivatives install the programs of each version. */
const VERSIONS = "/usr/lib/postgresql";
const READY_WITHIN_MS = 20_000;

/** The folder of PostgreSQL's programs; undefined if they are not installed. */
export function findPostgres(): string | undefined {
  const versions = existsSync(VERSIONS) ? readdirSync(VERSIONS).map((version) => join(VERSIONS, version, "bin")) : [];
  const folders = [...versions.toSorted().toReversed(), ...(process.env["PATH"] ?? "").split(delimiter)];
  return folders.find((folder) => existsSync(join(folder, "initdb")) && existsSync(join(folder, "postgres")));
}

export async function startPostgres(programs: string): Promise<PostgresServer> {
  const folder = await mkdtemp(join(tmpdir(), "recollect-postgres-"));
  const owner = serverUser();
  if (owner) await chown(folder, owner.uid, owner.gid);
  await chmod(folder, 0o700);
  const data = join(folder, "data");
  const made = spawnSync(
    join(programs, "initdb"),
    ["--pgdata", data, "--username", "postgres", "--auth", "trust", "--encoding", "UTF8", "--no-sync"],
    { ...owner, encoding: "utf8", cwd: folder },
  );
  if (made.status !== 0) throw new Error(`initdb failed: ${made.stderr}`);
  const port = await freePort();
  const urlOf = (database: string): string => `postgres://postgres@127.0.0.1:${port}/${database}`;
  const spawnServer = (): ChildProcess => {
    // Unsynced data still survives the end of the process: only a power failure would lose it.
    const settings = [
      "listen_addresses=127.0.0.1",
      `unix_socket_directories=${folder}`,
      "max_connections=200",
      "fsync=off",
      "full_page_writes=off",
    ];
    return spawn(
      join(programs, "postgres"),
      ["-D", data, "-p", String(port), ...settings.flatMap((setting) => ["-c", setting])],
      { ...owner, cwd: folder, stdio: "ignore" },
    );
  };
  const start = async (): Promise<ChildProcess> => {
    // Remains of a killed server may live a moment longer, and no other one starts next to them.
    for (const deadline = Date.now() + READY_WITHIN_MS; ;) {
      const server = spawnServer();
      const isEnded = new Promise<boolean>((resolve) => server.once("exit", () => resolve(true)));
      const isReady = untilReady(urlOf("postgres")).then(() => false);
      isReady.catch(() => undefined);
      if (!(await Promise.race([isEnded, isReady]))) return server;
      if (Date.now() > deadline) throw new AppError("unavailable", "PostgreSQL ended as soon as it was started.");
      await new Promise((resolve) => setTimeout(resolve, 200));
    }
  };
  let server = await start();
  let databases = 0;
  return {
    async createDatabase(template) {
      databases += 1;
      const name = `recollect_${databases}`;
      const client = new pg.Client(urlOf("postgres"));
      await client.connect();
      const { pathname } = new URL(template ?? urlOf("template1"));
      await client.query(`create database ${name} template ${pathname.slice(1)}`);
      await client.end();
      return urlOf(name);
    },
    async crash() {
      await ended(server, "SIGKILL");
      server = await start();
    },
    async stop() {
      await ended(server, "SIGQUIT");
      await rm(folder, { recursive: true, force: true });
    },
  };
}

/** PostgreSQL and its tools refuse to run as root; Debian's package provides a user for it. */
export function serverUser(): { uid: number; gid: number } | undefined {
  if (userInfo().uid !== 0) return undefined;
  const idOf = (flag: string): number => Number(spawnSync("id", [flag, "postgres"], { encoding: "utf8" }).stdout);
  return { uid: idOf("-u"), gid: idOf("-g") };
}

async function ended(server: ChildProcess, signal: NodeJS.Signals): Promise<void> {
  const gone = new Promise((resolve) => server.once("exit", resolve));
  if (server.exitCode === null && server.signalCode === null) {
    server.kill(signal);
    await gone;
  }
}

/** Resolves once a database accepts connections. */
export async function untilReady(url: string): Promise<void> {
  const deadline = Date.now() + READY_WITHIN_MS;
  for (;;) {
    const client = new pg.Client({ connectionString: url, connectionTimeoutMillis: 1_000 });
    try {
      await client.connect();
      await client.query("select 1");
      return;
    } catch (error) {
      if (Date.now() > deadline) throw new AppError("unavailable", "PostgreSQL did not start.", { cause: error });
      await new Promise((resolve) => setTimeout(resolve, 50));
    } finally {
      await client.end().catch(() => undefined);
    }
  }
}
