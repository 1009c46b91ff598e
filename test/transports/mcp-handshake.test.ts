import { InMemoryTransport, type JSONRPCMessage, SUPPORTED_PROTOCOL_VERSIONS } from "@modelcontextprotocol/server";
import { serveStdio } from "@modelcontextprotocol/server/stdio";
import { describe, expect, test } from "vitest";
import { INSTRUCTIONS } from "../../src/transports/mcp/about.js";
import { answerHandshake } from "../../src/transports/mcp/handshake.js";
import { createMcpFactory } from "../../src/transports/mcp/server.js";
import { silentLog } from "../support/open-core.js";

const VERSION = "1.2.3";

const factory = createMcpFactory({
  principal: () => ({
    session: () => Promise.reject(new Error("the handshake needs no service")),
    defaultContainer: "unused",
  }),
  log: silentLog,
  version: VERSION,
});

/** What the protocol library answers to an opening message; null if it does not answer. */
async function libraryAnswer(message: unknown): Promise<unknown> {
  const [near, far] = InMemoryTransport.createLinkedPair();
  const handle = serveStdio(factory, { transport: far });
  const answers: JSONRPCMessage[] = [];
  near.onmessage = (answer) => answers.push(answer);
  await near.start();
  await near.send(message as JSONRPCMessage);
  // The response to a ping follows the response to what was sent before it.
  await near.send({ jsonrpc: "2.0", id: "end", method: "ping" });
  await expect.poll(() => answers.some((answer) => "id" in answer && answer.id === "end")).toBe(true);
  await handle.close();
  const answer = answers.find((one) => !("id" in one) || one.id !== "end");
  return answer ? (JSON.parse(JSON.stringify(answer)) as unknown) : null;
}

function earlyAnswer(message: unknown): unknown {
  const answer = answerHandshake(Buffer.from(JSON.stringify(message)), VERSION);
  return answer && (JSON.parse(JSON.stringify(answer)) as unknown);
}

type Fields = Readonly<Record<string, unknown>>;

const client = { name: "test", version: "1.0.0" };

function initialize(params: Fields, envelope: Fields = {}) {
  const usual = { protocolVersion: "2025-11-25", capabilities: {}, clientInfo: client };
  return { jsonrpc: "2.0", id: 0, method: "initialize", params: { ...usual, ...params }, ...envelope };
}

function discover(meta: Fields, params: Fields = {}) {
  const usual = {
    "io.modelcontextprotocol/protocolVersion": "2026-07-28",
    "io.modelcontextprotocol/clientCapabilities": {},
    "io.modelcontextprotocol/clientInfo": client,
  };
  return { jsonrpc: "2.0", id: "d-1", method: "server/discover", params: { _meta: { ...usual, ...meta }, ...params } };
}

const LONG_INFO = {
  ...client,
  title: "A client",
  websiteUrl: "https://client.example",
  description: "It asks.",
};

const PLAIN: readonly [string, unknown][] = [
  ["initialize 2025-11-25", initialize({})],
  ["initialize 2025-06-18, with a text id", initialize({ protocolVersion: "2025-06-18" }, { id: "a" })],
  ["initialize 2025-03-26", initialize({ protocolVersion: "2025-03-26" })],
  ["initialize 2024-11-05", initialize({ protocolVersion: "2024-11-05" })],
  ["initialize 2024-10-07", initialize({ protocolVersion: "2024-10-07" })],
  ["initialize with a revision of the other era", initialize({ protocolVersion: "2026-07-28" })],
  ["initialize with an unknown revision", initialize({ protocolVersion: "2099-01-01" })],
  ["initialize with all details of the client", initialize({ clientInfo: LONG_INFO })],
  ["initialize with roots", initialize({ capabilities: { roots: { listChanged: true } } })],
  ["initialize with roots that do not change", initialize({ capabilities: { roots: {} } })],
  [
    "initialize with sampling and elicitation",
    initialize({ capabilities: { sampling: {}, elicitation: { form: {}, url: {} } } }),
  ],
  [
    "initialize with extensions",
    initialize({
      capabilities: { experimental: { a: {} }, extensions: { "x.example/y": { mimeTypes: ["text/html"] } } },
    }),
  ],
  ["discover", discover({})],
  [
    "discover with capabilities",
    discover({ "io.modelcontextprotocol/clientCapabilities": { elicitation: {}, sampling: { tools: {} } } }),
  ],
];

const ODD: readonly [string, unknown][] = [
  ["another method", { jsonrpc: "2.0", id: 1, method: "tools/list", params: {} }],
  ["a notification", { jsonrpc: "2.0", method: "initialize", params: initialize({}).params }],
  ["no parameters", { jsonrpc: "2.0", id: 1, method: "initialize" }],
  ["parameters in an array", { jsonrpc: "2.0", id: 1, method: "initialize", params: [] }],
  ["no client", initialize({ clientInfo: undefined })],
  ["a client without a version", initialize({ clientInfo: { name: "x" } })],
  ["a client with a number for a title", initialize({ clientInfo: { ...client, title: 1 } })],
  ["a client with icons", initialize({ clientInfo: { ...client, icons: [{ src: "https://x.example/i.png" }] } })],
  ["a revision that is a number", initialize({ protocolVersion: 20251125 })],
  ["no capabilities", initialize({ capabilities: undefined })],
  ["capabilities in an array", initialize({ capabilities: [] })],
  ["roots of the wrong type", initialize({ capabilities: { roots: true } })],
  ["a flag of the wrong type", initialize({ capabilities: { roots: { listChanged: "yes" } } })],
  ["sampling of the wrong type", initialize({ capabilities: { sampling: { context: true } } })],
  ["elicitation of the wrong type", initialize({ capabilities: { elicitation: { form: { applyDefaults: 1 } } } })],
  ["an extension of the wrong type", initialize({ capabilities: { extensions: { a: 1 } } })],
  ["tasks", initialize({ capabilities: { tasks: { list: {} } } })],
  ["a progress token", initialize({ _meta: { progressToken: 1 } })],
  ["initialize with the envelope of the other era", initialize({ _meta: discover({}).params._meta })],
  ["a fraction for an id", initialize({}, { id: 1.5 })],
  ["a wrong JSON-RPC version", initialize({}, { jsonrpc: "1.0" })],
  ["a field beside the message", initialize({}, { extra: 1 })],
  ["discover without an envelope", { jsonrpc: "2.0", id: 1, method: "server/discover", params: {} }],
  ["discover for a future revision", discover({ "io.modelcontextprotocol/protocolVersion": "2099-01-01" })],
  ["discover for an earlier revision", discover({ "io.modelcontextprotocol/protocolVersion": "2025-11-25" })],
  ["discover with a revision in an array", discover({ "io.modelcontextprotocol/protocolVersion": ["2026-07-28"] })],
  ["discover without capabilities", discover({ "io.modelcontextprotocol/clientCapabilities": undefined })],
  ["discover without a client", discover({ "io.modelcontextprotocol/clientInfo": undefined })],
  ["discover with a log level", discover({ "io.modelcontextprotocol/logLevel": "debug" })],
  ["discover with more parameters", discover({}, { cursor: "x" })],
];

describe("the early answer before the library is loaded", () => {
  test.each(PLAIN)("equals the answer of the library: %s", async (_name, message) => {
    const early = earlyAnswer(message);
    expect(early).not.toBeNull();
    expect(early).toEqual(await libraryAnswer(message));
  });

  test.each(SUPPORTED_PROTOCOL_VERSIONS)(
    "supports every revision that the library supports: %s",
    async (protocolVersion) => {
      const message = initialize({ protocolVersion });
      expect(earlyAnswer(message)).toEqual(await libraryAnswer(message));
    },
  );

  test.each(ODD)("is left to the library: %s", (_name, message) => {
    expect(earlyAnswer(message)).toBeNull();
  });

  test.each(["", "nonsense", "[]", "null", "1", '{"jsonrpc":"2.0"', "{}"])("is left to the library: %j", (line) => {
    expect(answerHandshake(Buffer.from(line), VERSION)).toBeNull();
  });

  test("is left to the library when the line is very long or not UTF-8", () => {
    const long = initialize({ clientInfo: { ...client, title: "x".repeat(70_000) } });
    expect(earlyAnswer(long)).toBeNull();
    const text = JSON.stringify(initialize({ clientInfo: { ...client, title: "?" } }));
    const bytes = Buffer.from(text);
    bytes[bytes.lastIndexOf("?")] = 0xff;
    expect(answerHandshake(bytes, VERSION)).toBeNull();
  });
});

test("the instructions are shorter than what clients truncate, and name the essentials", () => {
  expect(INSTRUCTIONS.length).toBeLessThan(2_000);
  for (const word of [
    "search",
    "add-memory",
    "facts",
    "profile",
    "forget",
    "containerTag",
    "never follow instructions",
  ])
    expect(INSTRUCTIONS).toContain(word);
});
