import { createServer, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, test, vi } from "vitest";
import { ENGINES_DIRECTORY, provideEngine } from "../support/chroma.js";
import { type Ended, McpLines } from "../support/mcp-lines.js";
import { prepareSilentEmbedders, type SilentEmbedders } from "../support/slow-embedder.js";
import { expectNothingLeft, kill, readService, waitFor, withDataDirectory } from "../support/recollect-process.js";

/** A start takes half a second alone, and much longer beside other tests. */
vi.setConfig({ testTimeout: 60_000 });

/** The promise is one second; a machine with other work gets three. */
const SOON_MS = 3_000;

let silent: Server;
let silentUrl: string;
/** Every addition waits for an answer that never comes. */
let embedders: SilentEmbedders;

beforeAll(async () => {
  await provideEngine();
  embedders = await prepareSilentEmbedders();
  silent = createServer(() => undefined);
  await new Promise<void>((resolve) => silent.listen(0, "127.0.0.1", resolve));
  silentUrl = `http://127.0.0.1:${(silent.address() as AddressInfo).port}`;
}, 300_000);
afterAll(async () => {
  silent.closeAllConnections();
  silent.close();
  await embedders.close();
});

/** Brings a process into the named state; everything else it starts belongs to the same data folder. */
type Prepare = (data: string) => Promise<McpLines>;

/** The engine is started whether it is needed or not. */
const ENGINE_AT_ONCE = { RECOLLECT_EXACT_LIMIT: "0" };
const NOTE = { content: "Jana restores clocks.", wait: 30 };
const SLOW_NOTE = { content: "Kai restores clocks.", wait: 50 };

async function connect(data: string, settings?: Readonly<Record<string, string>>): Promise<McpLines> {
  const mcp = new McpLines(data, { RECOLLECT_LOG_LEVEL: "debug", ...settings });
  await mcp.initialize();
  // The first answer comes before the program is loaded; until then a signal ends it immediately.
  await mcp.request(1, "ping", {});
  return mcp;
}

function sendCall(mcp: McpLines, args: object): void {
  mcp.send({ id: 99, method: "tools/call", params: { name: "add-memory", arguments: args } });
}

const STATES: readonly [state: string, prepare: Prepare][] = [
  ["nothing was called yet", (data) => connect(data)],
  [
    "the store is about to be opened",
    async (data) => {
      const mcp = await connect(data);
      sendCall(mcp, NOTE);
      return mcp;
    },
  ],
  [
    "the store is open and idle",
    async (data) => {
      const mcp = await connect(data);
      await mcp.call(2, "add-memory", NOTE);
      return mcp;
    },
  ],
  [
    "a call waits for a provider that does not answer",
    async (data) => {
      const embedder = await embedders.use(data);
      const mcp = await connect(data);
      sendCall(mcp, SLOW_NOTE);
      await waitFor(() => embedder.visits() > 0, "the request for an embedding");
      return mcp;
    },
  ],
  [
    "a call waits at the owner, which is another process",
    async (data) => {
      const embedder = await embedders.use(data);
      await (await connect(data)).call(2, "profile", {});
      const mcp = await connect(data);
      sendCall(mcp, SLOW_NOTE);
      await waitFor(() => embedder.visits() > 0, "the request for an embedding");
      return mcp;
    },
  ],
  [
    "the owner was just killed, with a call on its way",
    async (data) => {
      await (await connect(data)).call(2, "add-memory", NOTE);
      const mcp = await connect(data);
      await mcp.call(2, "search", { query: "clocks" });
      const owner = await waitFor(() => readService(data), "an owner");
      sendCall(mcp, NOTE);
      kill(owner.pid, "SIGKILL");
      return mcp;
    },
  ],
  [
    "the owner is suspended, with a call on its way",
    async (data) => {
      await (await connect(data)).call(2, "add-memory", NOTE);
      const mcp = await connect(data);
      await mcp.call(2, "search", { query: "clocks" });
      const owner = await waitFor(() => readService(data), "an owner");
      kill(owner.pid, "SIGSTOP");
      sendCall(mcp, NOTE);
      return mcp;
    },
  ],
  [
    "the owner is suspended, and it has never been reached",
    async (data) => {
      await (await connect(data)).call(2, "add-memory", NOTE);
      const owner = await waitFor(() => readService(data), "an owner");
      kill(owner.pid, "SIGSTOP");
      const mcp = await connect(data);
      sendCall(mcp, NOTE);
      return mcp;
    },
  ],
  [
    "the vector engine runs",
    async (data) => {
      const mcp = await connect(data, { RECOLLECT_ENGINES_DIR: ENGINES_DIRECTORY, ...ENGINE_AT_ONCE });
      await mcp.call(2, "add-memory", NOTE);
      await waitFor(() => mcp.errors.includes("the Chroma engine runs"), "the engine");
      return mcp;
    },
  ],
  [
    "the vector engine is being fetched, or checked where it need not be",
    async (data) => {
      const mcp = await connect(data, {
        RECOLLECT_OFFLINE: "0",
        RECOLLECT_ENGINES_DIR: join(data, "no-engines"),
        ...ENGINE_AT_ONCE,
        npm_config_registry: silentUrl,
      });
      await mcp.call(2, "search", { query: "x" });
      await waitFor(() => /downloading the Chroma engine|the Chroma engine runs/.test(mcp.errors), "the fetch");
      return mcp;
    },
  ],
];

const ENDINGS: readonly [ending: string, end: (mcp: McpLines) => Promise<Ended>][] = [
  ["the end of its input", (mcp) => mcp.end()],
  ["SIGTERM", (mcp) => mcp.stop("SIGTERM")],
];

/** Every line is a message, and nothing follows the last one. */
function expectOnlyProtocol(mcp: McpLines): void {
  expect(mcp.output.replace(/\n$/, "").split("\n")).toHaveLength(mcp.answers().length);
  expect(mcp.answers().filter(({ jsonrpc }) => jsonrpc !== "2.0")).toEqual([]);
  expect(mcp.errors).toContain("DEBUG");
}

describe.each(STATES)("while %s", (_state, prepare) => {
  test.each(ENDINGS)(
    "a process exits soon after %s, having written nothing but protocol messages",
    async (_ending, end) => {
      await withDataDirectory(async (data) => {
        const mcp = await prepare(data);
        const ended = await end(mcp);
        expect(ended).toMatchObject({ code: 0, signal: null });
        expect(ended.after).toBeLessThan(SOON_MS);
        expectOnlyProtocol(mcp);
        // Other processes that were needed may end now.
        const owner = readService(data);
        if (owner) for (const signal of ["SIGCONT", "SIGTERM"] as const) kill(owner.pid, signal);
        await expectNothingLeft(data);
      });
    },
  );
});

test("writes only protocol messages in the later era too, with debug logging and the engine running", async () => {
  await withDataDirectory(async (data) => {
    const mcp = new McpLines(data, {
      RECOLLECT_LOG_LEVEL: "debug",
      RECOLLECT_ENGINES_DIR: ENGINES_DIRECTORY,
      ...ENGINE_AT_ONCE,
    });
    const _meta = {
      "io.modelcontextprotocol/protocolVersion": "2026-07-28",
      "io.modelcontextprotocol/clientCapabilities": {},
      "io.modelcontextprotocol/clientInfo": { name: "lines", version: "1.0.0" },
    };
    await mcp.request(0, "server/discover", { _meta });
    await mcp.request(1, "tools/list", { _meta });
    await mcp.request(2, "tools/call", { _meta, name: "add-memory", arguments: NOTE });
    await waitFor(() => mcp.errors.includes("the Chroma engine runs"), "the engine");
    await mcp.request(3, "tools/call", { _meta, name: "search", arguments: { query: "Who restores clocks?" } });
    await mcp.request(4, "tools/call", { _meta, name: "search", arguments: { query: "" } });
    await mcp.request(5, "no/such/method", { _meta });
    expect(await mcp.end()).toMatchObject({ code: 0, signal: null });
    expectOnlyProtocol(mcp);
    expect(mcp.answers().map(({ id }) => id)).toEqual([0, 1, 2, 3, 4, 5]);
    expect(JSON.stringify(mcp.answers()[3])).toContain("Jana restores clocks.");
    await expectNothingLeft(data);
  });
});
