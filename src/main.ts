#!/usr/bin/env node
import { readFileSync } from "node:fs";
import { basename, join, relative } from "node:path";
import { fileURLToPath } from "node:url";
import { setFlagsFromString } from "node:v8";
import type { Listening, Node, RecordState } from "./node.js";
import type { Config } from "./config.js";
import type { Door, DoorOptions, ServiceInfo, Starters, Surroundings } from "./transports/cli/starters.js";
import { isMcpStart, openMcpStdio } from "./transports/mcp/opening.js";
import type { LeveledLog } from "./lib/log.js";
import { limitYoungGeneration } from "./lib/young-generation.js";

const { version } = JSON.parse(readFileSync(new URL("../package.json", import.meta.url), "utf8")) as {
  version: string;
};
const args = process.argv.slice(2);
// Files written by this program and its children are for this user alone, even where a library chooses the mode.
process.umask(0o077);
// By how much the heap may grow before garbage collection. By default V8 lets it grow to four times what is in use,
// which was half of the memory of a service that searches. A lower value saves little more and costs time.
setFlagsFromString("--heap-growing-percent=25");
// V8 guesses in its first minute which objects will be long-lived, and allocates all of their kind where only the
// expensive kind of garbage collection reaches them. In one start out of five it guessed wrong about objects that live
// for one search: then it collected seven times as often, and answered a fifth fewer searches per second.
setFlagsFromString("--no-allocation-site-pretenuring");
limitYoungGeneration();

const IMPATIENT_AFTER_MS = 1_000;
let stopping: Promise<NodeJS.Signals> | undefined;
let hasToStop = false;

// A client that starts this program waits for the answer to its first message, so that comes before anything is loaded.
// The rest is loaded only as needed: a short command must not wait for a server's libraries.
const opening = isMcpStart(args) ? openMcpStdio({ version }) : undefined;

type Core = Node["core"];
type Settings = Readonly<Record<string, string>>;

interface Start {
  readonly config: Config;
  readonly log: LeveledLog;
}

const starters: Starters = {
  version,
  openDoor,
  serve,
  serveMcp,
  surroundings,
  runningService,
  openInBrowser,
  backUp,
  move,
};
// A command may wait for timers and sockets that do not keep the process alive by themselves.
const awake = setInterval(() => undefined, 60_000);
const exitCode = await runCommand();
clearInterval(awake);
// The process would be kept alive by the open standard input of an agent that could not be served, and by a call to an
// unresponsive service for which nobody waits after a signal.
if (opening || hasToStop) process.exit(exitCode);
process.exitCode = exitCode;

async function runCommand(): Promise<number> {
  const { runCli } = await import("./transports/cli/index.js");
  const { stdin, stdout, stderr } = process;
  const isTerminal = stdout.isTTY && stderr.isTTY;
  return runCli(args, starters, { stdin, stdout, stderr, isTerminal, programName: programName(), ...(await taste()) });
}

/** The settings that the command line itself uses. An invalid one is reported by the command that needs it. */
async function taste(): Promise<{ isDebug?: boolean; useColor?: false; defaultContainer?: string; timeZone?: string }> {
  const { readConfig } = await import("./config.js");
  try {
    const { logLevel, noColor, container, timeZone } = readConfig();
    const shown = { isDebug: logLevel === "debug", ...(noColor && { useColor: false as const }) };
    return { ...shown, defaultContainer: container, timeZone };
  } catch {
    return {};
  }
}

/** How the user started this program, so that hints can be typed as shown. */
function programName(): string {
  const path = process.argv[1] ?? "";
  return basename(path) === "main.js" ? `node ${relative(process.cwd(), path)}` : "recollect";
}

async function prepare(settings: Settings, isCommand = false): Promise<Start> {
  const { readConfig } = await import("./config.js");
  const { createLog } = await import("./lib/log.js");
  const config = readConfig(undefined, settings);
  const { logLevel: level, commandLogLevel, logFormat: format } = config;
  const log = createLog({ level, format });
  for (const warning of config.warnings) log.warn(warning);
  return { config, log: isCommand ? createLog({ level: commandLogLevel, format }) : log };
}

/** Answers over HTTP in either role of this process: the owner, or a client that passes calls on. */
async function listenFor(
  at: { core: Core; organizationId: string; host: string; port: number; record: RecordState },
  start: Start,
): Promise<Listening> {
  const { createHttpFace, createRequestLog, listen } = await import("./transports/http.js");
  const { randomSecret } = await import("./lib/crypto.js");
  const token = randomSecret();
  const { config, log } = start;
  const requests = createRequestLog({ ...at, log });
  const app = createHttpFace({
    ...at,
    log,
    limits: config,
    uploads: await openUploads(config),
    rate: config.rate,
    attempts: at.record.attempts,
    allowed: { publicUrl: config.publicUrl, hosts: config.allowedHosts, origins: config.allowedOrigins },
    access: { isKeylessOff: config.isKeylessOff, trustedProxies: config.trustedProxies },
    defaultContainer: config.container,
    mcpTools: config.mcpTools,
    requests,
    ownerToken: token,
    proveOwnership: at.record.prove,
    version,
    hasModel: config.model !== undefined,
    searchMode: config.searchMode,
    isReady: at.record.isReady,
    fullAt: at.record.fullAt,
  });
  const listening = await listen(app, { host: at.host, port: at.port, log });
  const close = async (): Promise<void> => {
    await listening.close();
    await requests.close();
  };
  return { url: listening.url, publicUrl: config.publicUrl, token, close };
}

async function openUploads({ dataDirectory }: Config): Promise<Door["uploads"]> {
  return (await import("./data-folder.js")).openUploads(dataDirectory);
}

function endAtOnce(): void {
  process.exit(1);
}

/** A process that answers only other processes, on a port of its own. */
async function openNode(start: Start, options: { engine: DoorOptions["engine"]; standby: boolean }): Promise<Node> {
  const { createNode } = await import("./node.js");
  return createNode({
    ...start,
    ...options,
    version,
    onLost: endAtOnce,
    listen: (core, organizationId, record) =>
      listenFor({ core, organizationId, host: "127.0.0.1", port: 0, record }, start),
  });
}

/** Calls go to the service that runs, whatever database this process was given. */
async function warnOfIgnoredDatabase(node: Node, { config }: Start): Promise<void> {
  if (config.databaseUrl === undefined || (await node.role()) !== "client") return;
  const ignored = (await import("./data-folder.js")).ignoredDatabase(config);
  const { createLog } = await import("./lib/log.js");
  if (ignored !== null) createLog({ level: config.logLevel, format: config.logFormat }).warn(ignored);
}

async function openDoor({ settings, engine, begins, stays = false }: DoorOptions) {
  // From here on no signal ends the process before everything is closed.
  stopping ??= untilSignal();
  const { untilInterrupted } = await import("./transports/cli/interrupt.js");
  const start = await prepare(settings, true);
  const { dataDirectory } = start.config;
  const isNew = !(await hasMemory(start.config));
  if (isNew && !begins) throw await noMemoryIn(dataDirectory, settings["RECOLLECT_DATA_DIR"] !== undefined);
  const node = await openNode(start, { engine, standby: stays });
  try {
    const actor = await untilInterrupted(() => node.actor(), stopping);
    await warnOfIgnoredDatabase(node, start);
    return {
      core: node.core,
      actor,
      uploads: await openUploads(start.config),
      begun: isNew ? dataDirectory : undefined,
      settle: () => node.settle(),
      close: () => node.close(),
    };
  } catch (error) {
    await node.close();
    throw error;
  }
}

async function noMemoryIn(dataDirectory: string, isNamed: boolean): Promise<Error> {
  const { shellWord } = await import("./transports/cli/shell-word.js");
  const invocation = isNamed ? `${programName()} --data-dir ${shellWord(dataDirectory)}` : programName();
  const begin = `\`${invocation} add\` or \`${invocation} serve\``;
  return (await import("./data-folder.js")).noMemoryIn(dataDirectory, begin);
}

async function hasMemory(config: Config): Promise<boolean> {
  return (await import("./data-folder.js")).hasMemory(config);
}

async function serve(settings: Settings): Promise<ServiceInfo> {
  const stopSignal = (stopping ??= untilSignal());
  const { untilInterrupted } = await import("./transports/cli/interrupt.js");
  const start = await prepare(settings);
  const { config, log } = start;
  const isNew = !(await hasMemory(config));
  const { createNode } = await import("./node.js");
  const node = createNode({
    ...start,
    version,
    engine: "background",
    standby: true,
    mustListen: true,
    onLost: endAtOnce,
    listen: (core, organizationId, record) => {
      const { host, port } = config;
      return listenFor({ core, organizationId, host, port, record }, start);
    },
  });
  try {
    const begin = async () => ({ role: await node.role(), url: await node.listen() });
    const { role, url } = await untilInterrupted(begin, stopSignal);
    const isOwner = role === "owner";
    await warnOfIgnoredDatabase(node, start);
    const makeKey = async () => {
      const configured = config.apiKey?.key;
      return node.core.ensureFirstKey({ actor: await node.actor() }, configured ? { configured } : {});
    };
    // A key that this process creates must be shown; another process may never answer.
    const { secret } = await (isOwner ? makeKey() : untilInterrupted(makeKey, stopSignal));
    return {
      url,
      dataDirectory: config.dataDirectory,
      isNew,
      firstKey: secret,
      isOwner,
      objectionToApps: await objectionToApps(config),
      status: () => untilInterrupted(async () => node.core.status({ actor: await node.actor() }), stopSignal),
      ended: stopSignal.then((signal) => {
        log.info("ending", { signal });
        return node.close();
      }),
    };
  } catch (error) {
    await node.close();
    const { explainTakenPort } = await import("./data-folder.js");
    throw await explainTakenPort(config, error);
  }
}

async function objectionToApps({ host, publicUrl }: Start["config"]): Promise<string | undefined> {
  const { isLoopbackAddress, isLoopbackHost, issuerOf } = await import("./transports/auth.js");
  const isLoopbackOnly = isLoopbackAddress(host) || isLoopbackHost(host);
  const found = issuerOf({ headers: new Headers({ host: "127.0.0.1" }), publicUrl, isLoopbackOnly });
  return "objection" in found ? found.objection : undefined;
}

/** Resolves with the first signal that asks to stop; a second one, after a moment, exits at once. */
function untilSignal(): Promise<NodeJS.Signals> {
  let since: number | undefined;
  return new Promise((resolve) => {
    for (const signal of ["SIGINT", "SIGTERM", "SIGHUP"] as const)
      process.on(signal, () => {
        // One key press may arrive twice: from the terminal, and from the program that started this one.
        if (since !== undefined && performance.now() - since > IMPATIENT_AFTER_MS) process.exit(1);
        since ??= performance.now();
        hasToStop = true;
        resolve(signal);
      });
  });
}

async function surroundings(settings: Settings): Promise<Surroundings> {
  const { readConfig, readUserFolders } = await import("./config.js");
  const config = readConfig(undefined, settings);
  const { dataDirectory, host, port, apiKey, publicUrl } = config;
  const folders = readUserFolders();
  // A client cannot connect to a wildcard address.
  const name = host === "0.0.0.0" || host === "::" ? "127.0.0.1" : host;
  return {
    ...folders,
    workingFolder: process.cwd(),
    program: [process.execPath, fileURLToPath(import.meta.url)],
    dataDirectory: dataDirectory === join(folders.home, ".recollect") ? undefined : dataDirectory,
    hasMemory: await hasMemory(config),
    serviceUrl: publicUrl?.replace(/\/+$/, "") ?? `http://${name.includes(":") ? `[${name}]` : name}:${port}`,
    apiKey: apiKey?.key,
  };
}

async function runningService(settings: Settings): Promise<{ url: string } | null> {
  const { readConfig } = await import("./config.js");
  const { addressOfService } = await import("./data-folder.js");
  const url = await addressOfService(readConfig(undefined, settings).dataDirectory);
  return url === null ? null : { url };
}

async function backUp(settings: Settings, target: string, signal: AbortSignal): ReturnType<Starters["backUp"]> {
  const { readConfig } = await import("./config.js");
  const config = readConfig(undefined, settings);
  if (!(await hasMemory(config)))
    throw await noMemoryIn(config.dataDirectory, settings["RECOLLECT_DATA_DIR"] !== undefined);
  return (await import("./data-folder.js")).backUp(config, target, signal);
}

async function move(settings: Settings, request: Parameters<Starters["move"]>[1]): ReturnType<Starters["move"]> {
  const { readConfig } = await import("./config.js");
  const config = readConfig(undefined, settings);
  if (!(await hasMemory(config)))
    throw await noMemoryIn(config.dataDirectory, settings["RECOLLECT_DATA_DIR"] !== undefined);
  return (await import("./data-folder.js")).move(config, request);
}

async function openInBrowser(url: string): Promise<boolean> {
  return (await import("./transports/cli/open-in-browser.js")).openInBrowser(url);
}

async function serveMcp(settings: Settings): Promise<void> {
  const face = import("./transports/mcp/stdio.js");
  const start = await prepare(settings);
  let node: Promise<Node> | undefined;
  let warned: Promise<void> | undefined;
  const { dataDirectory } = start.config;
  const open = async (): Promise<Node> => {
    if (!(await hasMemory(start.config))) start.log.info("creating a new memory", { dataDirectory });
    return openNode(start, { engine: "background", standby: true });
  };
  const { serveMcpStdio } = await face;
  await serveMcpStdio({
    ...(opening && { opening }),
    version,
    log: start.log,
    defaultContainer: start.config.container,
    tools: start.config.mcpTools,
    session: async () => {
      node ??= open();
      const opened = await node;
      const actor = await opened.actor();
      await (warned ??= warnOfIgnoredDatabase(opened, start));
      return { core: opened.core, actor };
    },
    onEnd: async () => (await node)?.close(),
  });
}
