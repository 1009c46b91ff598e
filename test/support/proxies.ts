import { spawn, type ChildProcess } from "node:child_process";
import { existsSync } from "node:fs";
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { connect, createServer, type AddressInfo, type Server } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { waitFor } from "./recollect-process.js";

const FOLDERS = ["/usr/sbin", "/usr/bin", "/usr/local/bin", "/usr/local/sbin", "/opt/homebrew/bin"];

/** Path of a program on this machine, or undefined if there is none. */
export function findProgram(name: string): string | undefined {
  return FOLDERS.map((folder) => join(folder, name)).find((path) => existsSync(path));
}

/** A proxy that passes on what arrives at its port on this machine. */
export interface Proxy {
  readonly port: number;
  close(): Promise<void>;
}

/** A port that was free a moment ago. */
export async function freePort(): Promise<number> {
  const server = createServer();
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const { port } = server.address() as AddressInfo;
  await new Promise((resolve) => server.close(resolve));
  return port;
}

/** A proxy's configuration, in a temporary folder. */
export type Configuration = (at: { readonly port: number; readonly folder: string }) => string;

/** Starts a program with a configuration, and waits until its port answers. */
export async function startProxy(
  program: string,
  {
    configuration,
    file,
    args,
  }: { configuration: Configuration; file: string; args: (path: string, folder: string) => string[] },
): Promise<Proxy> {
  const folder = await mkdtemp(join(tmpdir(), "recollect-proxy-"));
  const port = await freePort();
  const path = join(folder, file);
  await writeFile(path, configuration({ port, folder }));
  const child = spawn(program, args(path, folder), {
    stdio: ["ignore", "pipe", "pipe"],
    env: { ...process.env, HOME: folder, XDG_DATA_HOME: folder, XDG_CONFIG_HOME: folder },
  });
  let said = "";
  for (const stream of [child.stdout, child.stderr]) stream.on("data", (data: Buffer) => (said += data.toString()));
  const close = async (): Promise<void> => {
    await end(child);
    await rm(folder, { recursive: true, force: true });
  };
  try {
    await waitFor(() => child.exitCode === null && answersAt(port), `${program} at its port`, 15);
  } catch (error) {
    await close();
    throw new Error(`${String(error)}\n${said}`, { cause: error });
  }
  return { port, close };
}

async function end(child: ChildProcess): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null) return;
  const ended = new Promise((resolve) => child.once("exit", resolve));
  child.kill("SIGTERM");
  await ended;
}

function answersAt(port: number): Promise<boolean> {
  return new Promise((resolve) => {
    const socket = connect(port, "127.0.0.1");
    socket.once("connect", () => {
      socket.destroy();
      resolve(true);
    });
    socket.once("error", () => resolve(false));
  });
}

/** Starts nginx with this `http` block, with everything in a temporary folder and nothing in the background. */
export function startNginx(program: string, http: Configuration): Promise<Proxy> {
  return startProxy(program, {
    file: "nginx.conf",
    args: (path, folder) => ["-p", folder, "-e", "stderr", "-c", path],
    // Its workers read the files of the user who runs the tests.
    configuration: (at) => `daemon off;
pid ${at.folder}/nginx.pid;
error_log stderr;
${process.getuid?.() === 0 ? "user root;" : ""}
events {}
http {
  access_log off;
  client_body_temp_path ${at.folder}/body;
  proxy_temp_path ${at.folder}/proxy;
  fastcgi_temp_path ${at.folder}/fastcgi;
  uwsgi_temp_path ${at.folder}/uwsgi;
  scgi_temp_path ${at.folder}/scgi;
  ${http(at)}
}
`,
  });
}

/** Passes connections on byte for byte, like `ssh -L` and `socat`. */
export async function startForwarder(target: number): Promise<Proxy> {
  const server: Server = createServer((client) => {
    const service = connect(target, "127.0.0.1");
    for (const socket of [client, service]) socket.on("error", () => socket.destroy());
    client.pipe(service).pipe(client);
    client.once("close", () => service.destroy());
    service.once("close", () => client.destroy());
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  return {
    port: (server.address() as AddressInfo).port,
    close: () => new Promise<void>((resolve) => void server.close(() => resolve())),
  };
}
