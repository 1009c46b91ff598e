#!/usr/bin/env node
import { readFileSync } from "node:fs";
import { basename, relative } from "node:path";
import type { Node } from "./app.js";
import type { Config } from "./config.js";
import type { DoorOptions, ServiceInfo, Starters } from "./faces/cli/starters.js";
import { isMcpStart, openMcpStdio } from "./faces/mcp/opening.js";
import type { LeveledLog } from "./lib/log.js";

const { version } = JSON.parse(readFileSync(new URL("../package.json", import.meta.url), "utf8")) as {
  version: string;
};
const args = process.argv.slice(2);

// A client that starts this program waits for the answer to its first message, so that comes before anything is
// loaded. The rest is loaded by the starts that need it: a short command must not wait for a server's libraries.
const opening = isMcpStart(args) ? openMcpStdio({ version }) : undefined;

type Core = Node["core"];
type Settings = Readonly<Record<string, string>>;

interface Start {
  readonly config: Config;
  readonly log: LeveledLog;
}

const starters: Starters = { version, openDoor, serve, serveMcp };
const exitCode = await runCommand();
// The open standard input of an agent that could not be served would keep the process alive.
if (opening) process.exit(exitCode);
process.exitCode = exitCode;

async function runCommand(): Promise<number> {
  const { runCli } = await import("./faces/cli/index.js");
  const { stdin, stdout, stderr } = process;
  const isTerminal = stdout.isTTY && stderr.isTTY;
  return runCli(args, starters, { stdin, stdout, stderr, isTerminal, programName: programName(), ...(await taste()) });
}

/** What the command line itself takes from the settings. A wrong one is reported by the command that needs it. */
async function taste(): Promise<{ isDebug?: boolean; useColor?: false; defaultContainer?: string }> {
  const { readConfig } = await import("./config.js");
  try {
    const { logLevel, noColor, container } = readConfig();
    return { isDebug: logLevel === "debug", ...(noColor && { useColor: false }), defaultContainer: container };
  } catch {
    return {};
  }
}

/** How the user started this program, so that hints can be typed as they stand. */
function programName(): string {
  const path = process.argv[1] ?? "";
  return basename(path) === "main.js" ? `node ${relative(process.cwd(), path)}` : "recollect";
}

async function prepare(settings: Settings): Promise<Start> {
  const { readConfig } = await import("./config.js");
  const { createLog } = await import("./lib/log.js");
  const config = readConfig(undefined, settings);
  const log = createLog({ level: config.logLevel });
  for (const warning of config.warnings) log.warn(warning);
  return { config, log };
}

interface Listening {
  readonly url: string;
  readonly token: string;
  close(): Promise<void>;
}

/** Answers over HTTP for whoever this process is: the owner, or a client that passes calls on. */
async function listenFor(
  at: { core: Core; organizationId: string; host: string; port: number },
  start: Start,
): Promise<Listening> {
  const { createHttpFace, listen } = await import("./faces/http.js");
  const { randomSecret } = await import("./lib/crypto.js");
  const token = randomSecret();
  const { config, log } = start;
  const app = createHttpFace({ ...at, log, limits: config, ownerToken: token, version, isReady: () => true });
  const listening = await listen(app, { host: at.host, port: at.port, log });
  return { url: listening.url, token, close: () => listening.close() };
}

/** A process that answers other processes only, on a port of its own. */
async function openNode(start: Start, options: { engine: DoorOptions["engine"]; standby: boolean }): Promise<Node> {
  const { createNode } = await import("./app.js");
  return createNode({
    ...start,
    ...options,
    version,
    listen: (core, organizationId) => listenFor({ core, organizationId, host: "127.0.0.1", port: 0 }, start),
  });
}

async function openDoor({ settings, engine }: DoorOptions) {
  const node = await openNode(await prepare(settings), { engine, standby: false });
  try {
    return { core: node.core, actor: await node.actor(), settle: () => node.settle(), close: () => node.close() };
  } catch (error) {
    await node.close();
    throw error;
  }
}

async function serve(settings: Settings): Promise<ServiceInfo> {
  const start = await prepare(settings);
  const { config, log } = start;
  const { createNode } = await import("./app.js");
  let listening: Promise<Listening> | undefined;
  const listenOnce = (core: Core, organizationId: string): Promise<Listening> =>
    (listening ??= listenFor({ core, organizationId, host: config.host, port: config.port }, start));
  const node = createNode({ ...start, version, engine: "background", standby: true, listen: listenOnce });
  const close = async (): Promise<void> => {
    await (await listening?.catch(() => undefined))?.close();
    await node.close();
  };
  try {
    const role = await node.role();
    const actor = await node.actor();
    const { url } = await listenOnce(node.core, actor.organizationId);
    const configured = config.apiKey?.key;
    const { secret } = await node.core.ensureFirstKey({ actor }, configured ? { configured } : {});
    return {
      url,
      dataDirectory: config.dataDirectory,
      firstKey: secret,
      isOwner: role === "owner",
      ended: untilSignal().then((signal) => {
        log.info("ending", { signal });
        return close();
      }),
    };
  } catch (error) {
    await close();
    throw error;
  }
}

function untilSignal(): Promise<NodeJS.Signals> {
  return new Promise((resolve) => {
    for (const signal of ["SIGINT", "SIGTERM", "SIGHUP"] as const) process.once(signal, () => resolve(signal));
  });
}

async function serveMcp(settings: Settings): Promise<void> {
  const face = import("./faces/mcp/stdio.js");
  const start = await prepare(settings);
  let node: Promise<Node> | undefined;
  const { serveMcpStdio } = await face;
  await serveMcpStdio({
    ...(opening && { opening }),
    version,
    log: start.log,
    defaultContainer: start.config.container,
    session: async () => {
      node ??= openNode(start, { engine: "background", standby: true });
      const { core, actor } = await node;
      return { core, actor: await actor() };
    },
    onEnd: async () => (await node)?.close(),
  });
}
