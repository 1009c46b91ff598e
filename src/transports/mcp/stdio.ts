import { serveStdio } from "@modelcontextprotocol/server/stdio";
import type { LeveledLog } from "../../lib/log.js";
import { sleep } from "../../lib/time.js";
import { openMcpStdio, type Opening } from "./opening.js";
import { beginRecord, logCall } from "./record-calls.js";
import { createMcpFactory, type McpExtension, type Session } from "./server.js";
import type { ToolSet } from "./tool-list.js";
import { createStdioTransport } from "./transport.js";
import { loadOnce } from "../../lib/load-once.js";

/** Of the second left after the end of the input, this much is for calls in flight … */
const FINISH_MS = 300;
/** … and this much for closing the service. */
const CLOSE_MS = 600;
/** What a client asks right after the list of tools is answered before the service is opened. */
const PAUSE_MS = 100;

export interface McpStdioOptions {
  /** The result of `openMcpStdio`, if it was called already. */
  readonly opening?: Opening | undefined;
  readonly version: string;
  readonly log: LeveledLog;
  /** The container for calls that name none. */
  readonly defaultContainer: string;
  /** Which tools are listed. */
  readonly tools?: ToolSet | undefined;
  /** Opens the service. Called when it is first needed, and again after a failure. */
  readonly session: () => Promise<Session>;
  /** Closes the service in what is left of the second. */
  readonly onEnd: () => Promise<void>;
  readonly extension?: McpExtension | undefined;
}

/**
 * Serves MCP on standard input and output, in both protocol eras, until the input ends, nobody reads the output any more, or a
 * signal asks to stop. Then ends the process within a second.
 */
export async function serveMcpStdio(options: McpStdioOptions): Promise<never> {
  const { version, log, defaultContainer, extension, tools = "small" } = options;
  const opening = options.opening ?? openMcpStdio({ version, isExtended: extension !== undefined });
  const session = loadOnce(async () => {
    const { core, actor } = await options.session();
    // The list of tools needs no core, and is wanted first.
    const { coreFor } = await import("../../core/index.js");
    return { core: coreFor(core, { face: "mcp" }), actor };
  });
  const transport = createStdioTransport(opening, log);
  const factory = createMcpFactory({
    principal: () => ({
      session,
      defaultContainer,
      reader: "owner",
      tools,
      onToolCall: (tool, args) => {
        const done = beginRecord({ from: { face: "mcp" } });
        return (error) => logCall(log, { record: { ...done({ tool, args, error }), method: "STDIO" }, tool });
      },
    }),
    log,
    version,
    extension,
  });
  const handle = serveStdio(factory, {
    transport,
    onerror: (error) => log.debug("protocol error", { error }),
  });
  void transport.firstAnswer("tools/list").then(() => openSoon(session, opening, log));
  const ending = await Promise.race([opening.over, untilSignal()]);
  log.debug("ending", { reason: ending });
  if (ending !== "output") await within(FINISH_MS, transport.settled());
  await handle.close();
  await within(Math.min(CLOSE_MS, opening.deadline() - performance.now()), options.onEnd()).catch((error: unknown) =>
    log.error("the service did not close cleanly", { error }),
  );
  return process.exit(0);
}

/** Opens the service once the client has everything it waits for, but before it is needed. */
async function openSoon(session: () => Promise<Session>, opening: Opening, log: LeveledLog): Promise<void> {
  await sleep(PAUSE_MS);
  // A client that only looked has left by now.
  if (opening.deadline() !== Infinity) return;
  await session().catch((error: unknown) => log.warn("the service could not be opened yet", { error }));
}

function untilSignal(): Promise<NodeJS.Signals> {
  return new Promise((resolve) => {
    // Stays installed: the same signal sent twice would otherwise end the process before it has cleaned up.
    for (const signal of ["SIGINT", "SIGTERM", "SIGHUP"] as const) process.on(signal, () => resolve(signal));
  });
}

/** Resolves when the work is done or the time is up. */
function within(ms: number, work: Promise<unknown>): Promise<unknown> {
  return Promise.race([work, new Promise((resolve) => setTimeout(resolve, Math.max(0, ms)))]);
}
