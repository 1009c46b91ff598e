import { type ChildProcess, spawn } from "node:child_process";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import pg from "pg";
import { makeCluster, untilReady } from "./postgres-server.mjs";

export { findPostgres } from "./postgres-server.mjs";

/** How long remains of a killed server may keep another one from starting. */
const STARTS_WITHIN_MS = 20_000;

/** A PostgreSQL server for the test, on a free port of this machine. */
export interface PostgresServer {
  /** Creates an empty database, or a copy of another that nobody is connected to. @returns its address */
  createDatabase(template?: string): Promise<string>;
  /** Ends the server immediately, as a crash would, and starts it again. */
  crash(): Promise<void>;
  stop(): Promise<void>;
}

export async function startPostgres(programs: string): Promise<PostgresServer> {
  const folder = await mkdtemp(join(tmpdir(), "recollect-postgres-"));
  // Unsynced data still survives the end of the process: only a power failure would lose it.
  const settings = ["fsync=off", "full_page_writes=off"];
  const { url, command, args, owner } = await makeCluster(programs, folder, { settings, options: ["--no-sync"] });
  const urlOf = (database: string): string => `${url}/${database}`;
  const start = async (): Promise<ChildProcess> => {
    // Remains of a killed server may live a moment longer, and no other one starts next to them.
    for (const deadline = Date.now() + STARTS_WITHIN_MS; ;) {
      const server = spawn(command, args, { ...owner, stdio: "ignore" });
      const isEnded = new Promise<boolean>((resolve) => server.once("exit", () => resolve(true)));
      const isReady = untilReady(urlOf("postgres")).then(() => false);
      isReady.catch(() => undefined);
      if (!(await Promise.race([isEnded, isReady]))) return server;
      if (Date.now() > deadline) throw new Error("PostgreSQL ended as soon as it was started.");
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

async function ended(server: ChildProcess, signal: NodeJS.Signals): Promise<void> {
  const gone = new Promise((resolve) => server.once("exit", resolve));
  if (server.exitCode === null && server.signalCode === null) {
    server.kill(signal);
    await gone;
  }
}
