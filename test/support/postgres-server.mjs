// A PostgreSQL server for tests and for the bench, which is plain JavaScript: Node runs it as it is.
import { spawnSync } from "node:child_process";
import { chmodSync, chownSync, existsSync, readdirSync } from "node:fs";
import { createServer } from "node:net";
import { userInfo } from "node:os";
import { delimiter, join } from "node:path";
import pg from "pg";

/** Where Debian and its derivatives install the programs of each version. */
const VERSIONS = "/usr/lib/postgresql";
const READY_WITHIN_MS = 20_000;

/**
 * The folder of PostgreSQL's programs; undefined if they are not installed.
 * @returns {string | undefined}
 */
export function findPostgres() {
  const versions = existsSync(VERSIONS) ? readdirSync(VERSIONS).sort((one, other) => Number(other) - Number(one)) : [];
  const folders = [
    ...versions.map((version) => join(VERSIONS, version, "bin")),
    ...(process.env["PATH"] ?? "").split(delimiter),
  ];
  return folders.find((folder) => existsSync(join(folder, "initdb")) && existsSync(join(folder, "postgres")));
}

/**
 * Makes a cluster in an empty folder. What it returns starts its server, on a free port of this machine.
 * @param {string} programs
 * @param {string} folder
 * @param {{ settings?: readonly string[], options?: readonly string[] }} wanted settings beyond those that it needs to run,
 *   such as `fsync=off`, and options of `initdb`
 */
export async function makeCluster(programs, folder, { settings = [], options = [] } = {}) {
  const owner = serverUser();
  if (owner) chownSync(folder, owner.uid, owner.gid);
  chmodSync(folder, 0o700);
  const data = join(folder, "data");
  const made = spawnSync(
    join(programs, "initdb"),
    ["--pgdata", data, "--username", "postgres", "--auth", "trust", "--encoding", "UTF8", ...options],
    { ...owner, encoding: "utf8", cwd: folder },
  );
  if (made.status !== 0) throw new Error(`initdb failed: ${made.stderr}`);
  const port = await freePort();
  const all = ["listen_addresses=127.0.0.1", `unix_socket_directories=${folder}`, "max_connections=200", ...settings];
  return {
    url: `postgres://postgres@127.0.0.1:${port}`,
    command: join(programs, "postgres"),
    args: ["-D", data, "-p", String(port), ...all.flatMap((setting) => ["-c", setting])],
    owner: { ...owner, cwd: folder },
  };
}

/** PostgreSQL and its tools refuse to run as root; Debian's package provides a user for it. */
export function serverUser() {
  if (userInfo().uid !== 0) return undefined;
  return { uid: idOf("-u"), gid: idOf("-g") };
}

/** @param {string} flag */
function idOf(flag) {
  const { status, stdout } = spawnSync("id", [flag, "postgres"], { encoding: "utf8" });
  if (status !== 0) throw new Error("PostgreSQL does not run as root, and there is no user postgres.");
  return Number(stdout);
}

/**
 * Resolves once a database accepts connections.
 * @param {string} url
 */
export async function untilReady(url) {
  for (const deadline = performance.now() + READY_WITHIN_MS; ;) {
    const client = new pg.Client({ connectionString: url, connectionTimeoutMillis: 1_000 });
    try {
      await client.connect();
      await client.query("select 1");
      return;
    } catch (error) {
      if (performance.now() > deadline) throw new Error("PostgreSQL did not start.", { cause: error });
      await new Promise((resolve) => setTimeout(resolve, 50));
    } finally {
      await client.end().catch(() => undefined);
    }
  }
}

/** @returns {Promise<number>} */
function freePort() {
  return new Promise((resolve, reject) => {
    const server = createServer().once("error", reject);
    server.listen(0, "127.0.0.1", () => {
      const { port } = server.address();
      server.close(() => resolve(port));
    });
  });
}
