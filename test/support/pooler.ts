import { spawn, spawnSync } from "node:child_process";
import { chmodSync, chownSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { serverUser, untilReady } from "./postgres-server.mjs";
import { freePort } from "./proxies.js";

/** Connections to the server per database. */
export const POOL_SIZE = 12;

/** PgBouncer in front of a server, which lends its connections for one transaction at a time. */
export interface Pooler {
  /** The address of the same database through the pooler. */
  through(url: string): string;
  stop(): Promise<void>;
}

export function hasPooler(): boolean {
  return spawnSync("pgbouncer", ["--version"]).status === 0;
}

/** @param url of a database on the server */
export async function startPooler(url: string): Promise<Pooler> {
  const server = new URL(url);
  const port = await freePort();
  const folder = mkdtempSync(join(tmpdir(), "recollect-pooler-"));
  const settings = join(folder, "pgbouncer.ini");
  writeFileSync(
    settings,
    [
      "[databases]",
      `* = host=${server.hostname} port=${server.port} user=postgres`,
      "[pgbouncer]",
      "listen_addr = 127.0.0.1",
      `listen_port = ${port}`,
      "unix_socket_dir =",
      "auth_type = any",
      "pool_mode = transaction",
      `default_pool_size = ${POOL_SIZE}`,
    ].join("\n"),
  );
  const owner = serverUser();
  if (owner) {
    chownSync(folder, owner.uid, owner.gid);
    chmodSync(settings, 0o644);
  }
  const child = spawn("pgbouncer", ["--quiet", settings], { ...owner, stdio: "ignore" });
  const through = (address: string): string => Object.assign(new URL(address), { port: String(port) }).href;
  await untilReady(through(url));
  return {
    through,
    async stop() {
      const gone = new Promise((resolve) => child.once("exit", resolve));
      child.kill("SIGKILL");
      await gone;
      rmSync(folder, { recursive: true, force: true });
    },
  };
}
