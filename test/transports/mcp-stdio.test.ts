import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import { PassThrough } from "node:stream";
import { StdioClientTransport as ModernTransport } from "@modelcontextprotocol/client/stdio";
import { StdioClientTransport as EarlierTransport } from "@modelcontextprotocol/sdk/client/stdio.js";
import { describe, expect, test, vi } from "vitest";
import { isMcpStart, openMcpStdio } from "../../src/transports/mcp/opening.js";
import { CLIENTS, connectionOf, createClient } from "../support/mcp-client.js";
import { McpLines } from "../support/mcp-lines.js";
import {
  environmentFor,
  expectNothingLeft,
  processesOf,
  PROGRAM,
  withDataDirectory,
} from "../support/recollect-process.js";

// Starting a process takes a while on a busy machine.
vi.setConfig({ testTimeout: 60_000 });

/** Well above the promised second, and well below the duration of the calls in flight. */
const SOON_MS = 5_000;

function withMcp(
  work: (mcp: McpLines, dataDirectory: string) => Promise<void>,
  settings?: Readonly<Record<string, string>>,
): Promise<void> {
  return withDataDirectory(async (dataDirectory) => {
    const mcp = new McpLines(dataDirectory, settings);
    try {
      await work(mcp, dataDirectory);
    } finally {
      await mcp.stop("SIGKILL");
    }
  });
}

const META = {
  "io.modelcontextprotocol/protocolVersion": "2026-07-28",
  "io.modelcontextprotocol/clientCapabilities": {},
  "io.modelcontextprotocol/clientInfo": { name: "lines", version: "1.0.0" },
};

describe.each(CLIENTS)("the client %s", (name) => {
  test("connects to the program, uses its tools and leaves nothing behind", () =>
    withDataDirectory(async (dataDirectory) => {
      const parameters = {
        command: process.execPath,
        args: [PROGRAM, "mcp"],
        env: environmentFor(dataDirectory),
        stderr: "ignore" as const,
      };
      const transport = name === "v1" ? new EarlierTransport(parameters) : new ModernTransport(parameters);
      const client = createClient(name);
      await client.connect(transport);
      const mcp = connectionOf(client);
      expect(mcp.instructions).toContain("Recall first.");
      expect(await mcp.listTools()).toHaveLength(8);
      const added = await mcp.call("add-memory", {
        content: "Vera lives in Oslo.",
        facts: [{ text: "Vera lives in Oslo." }],
        wait: 30,
      });
      expect(added).toMatchObject({ isError: false, structured: { searchable: true } });
      const found = await mcp.call("search", { query: "Where does Vera live?" });
      expect(found.text).toContain("Vera lives in Oslo.");
      await mcp.close();
      await expectNothingLeft(dataDirectory);
    }));
});

describe("standard output", () => {
  test("carries protocol messages only, one answer per request, even with debug logging", () =>
    withMcp(
      async (mcp) => {
        await mcp.initialize();
        await mcp.request(1, "tools/list", {});
        await mcp.call(2, "add-memory", { content: "Udo grows leeks.", wait: 30 });
        await mcp.call(3, "search", { query: "What does Udo grow?" });
        await mcp.call(4, "no-such-tool", {});
        await mcp.request(5, "no/such/method", {});
        await mcp.end();
        expect(mcp.output.endsWith("\n")).toBe(true);
        const answers = mcp.answers();
        expect(answers.map(({ jsonrpc }) => jsonrpc)).toEqual(answers.map(() => "2.0"));
        expect(answers.map(({ id }) => id)).toEqual([0, 1, 2, 3, 4, 5]);
        expect(answers.filter(({ error }) => error).map(({ id, error }) => [id, error?.code])).toEqual([
          [4, -32602],
          [5, -32601],
        ]);
        expect(mcp.errors).toContain("DEBUG");
      },
      { RECOLLECT_LOG_LEVEL: "debug" },
    ));

  test("does not receive the output of other code", async () => {
    const streams = { stdin: new PassThrough(), stdout: new PassThrough(), stderr: new PassThrough() };
    const opening = openMcpStdio({ version: "1.0.0", streams });
    streams.stdout.write("a banner\n");
    streams.stdout.write(Buffer.from("a progress bar\n"));
    await opening.write("protocol\n");
    expect(String(streams.stdout.read())).toBe("protocol\n");
    expect(String(streams.stderr.read())).toBe("a banner\na progress bar\n");
  });
});

describe("the handshake", () => {
  test.each([
    ["initialize", { protocolVersion: "2025-06-18", capabilities: {}, clientInfo: { name: "a", version: "1" } }],
    ["server/discover", { _meta: META }],
  ])("%s needs no store, and neither does the list of tools", (method, params) =>
    withDataDirectory(async (dataDirectory) => {
      const file = join(dataDirectory, "a-file");
      await writeFile(file, "no folder");
      const mcp = new McpLines(join(file, "data"));
      const answer = await mcp.request(1, method, params);
      expect(JSON.stringify(answer.result)).toContain('"name":"recollect"');
      const meta = method === "initialize" ? {} : { _meta: META };
      expect((await mcp.request(2, "tools/list", meta)).result?.["tools"]).toHaveLength(8);
      const call = await mcp.request(3, "tools/call", { name: "search", arguments: { query: "x" }, ...meta });
      expect(call.result?.["isError"]).toBe(true);
      expect(await mcp.end()).toMatchObject({ code: 0 });
      expect(mcp.answers().map(({ id }) => id)).toEqual([1, 2, 3]);
    }),
  );

  test("in one era may follow a probe for the other", () =>
    withMcp(async (mcp) => {
      const probe = await mcp.request(1, "server/discover", { _meta: META });
      expect(probe.result?.["supportedVersions"]).toEqual(["2026-07-28"]);
      const fallback = await mcp.initialize();
      expect(fallback.result?.["protocolVersion"]).toBe("2025-11-25");
      expect((await mcp.request(2, "tools/list", {})).result?.["tools"]).toHaveLength(8);
      expect(mcp.answers().map(({ id }) => id)).toEqual([1, 0, 2]);
    }));

  test("is answered by the library when it is unusual in any way", () =>
    withMcp(async (mcp) => {
      const answer = await mcp.request(1, "initialize", {
        protocolVersion: "2025-11-25",
        capabilities: { tasks: { list: {} } },
        clientInfo: { name: "a", version: "1", icons: [{ src: "https://a.example/i.png" }] },
        _meta: { progressToken: 1 },
      });
      expect(answer.result).toMatchObject({ protocolVersion: "2025-11-25", serverInfo: { name: "recollect" } });
      await mcp.request(2, "ping", {});
      expect(mcp.answers().map(({ id }) => id)).toEqual([1, 2]);
    }));

  test.each([
    [["mcp"], true],
    [["mcp", "--data-dir", "/x"], true],
    [["mcp", "--help"], false],
    [["mcp", "-h"], false],
    [["--data-dir", "/x", "mcp"], false],
    [["search", "mcp"], false],
    [[], false],
  ])("starts early for the arguments %j: %s", (args, expected) => {
    expect(isMcpStart(args)).toBe(expected);
  });
});

describe("an unknown protocol revision", () => {
  const REFUSAL = { code: -32_022, data: { supported: ["2026-07-28"], requested: "2031-01-01" } };
  const foreign = { _meta: { ...META, "io.modelcontextprotocol/protocolVersion": "2031-01-01" } };

  test.each(["server/discover", "tools/list"])("is refused in the first request, %s", (method) =>
    withMcp(async (mcp) => {
      expect((await mcp.request(1, method, foreign)).error).toMatchObject(REFUSAL);
      expect((await mcp.request(2, "tools/list", { _meta: META })).result?.["tools"]).toHaveLength(8);
    }),
  );

  test("is refused later too, while requests with a known one still work", () =>
    withMcp(async (mcp) => {
      expect((await mcp.request(1, "tools/list", { _meta: META })).result?.["tools"]).toHaveLength(8);
      expect((await mcp.request(2, "server/discover", foreign)).error).toMatchObject(REFUSAL);
      expect((await mcp.request(3, "tools/call", { ...foreign, name: "profile" })).error).toMatchObject(REFUSAL);
      expect((await mcp.request(4, "tools/list", { _meta: META })).result?.["tools"]).toHaveLength(8);
    }));
});

describe("shutdown", () => {
  test("follows soon after the end of the input, whatever is in flight, and the next process works", () =>
    withMcp(async (mcp, dataDirectory) => {
      await mcp.initialize();
      await mcp.call(1, "add-memory", { content: "Yann tunes pianos.", wait: 30 });
      const slow = { content: "word ".repeat(100_000), wait: 50 };
      mcp.send({ id: 2, method: "tools/call", params: { name: "add-memory", arguments: slow } });
      const ended = await mcp.end();
      expect(ended).toMatchObject({ code: 0, signal: null });
      expect(ended.after).toBeLessThan(SOON_MS);
      expect(processesOf(dataDirectory)).toEqual([]);
      const next = new McpLines(dataDirectory);
      await next.initialize();
      const found = await next.call(1, "search", { query: "Who tunes pianos?" });
      expect(JSON.stringify(found.result)).toContain("Yann tunes pianos.");
      await next.stop("SIGKILL");
    }));

  test("waits for calls that are almost done", () =>
    withMcp(async (mcp) => {
      await mcp.initialize();
      await mcp.call(1, "add-memory", { content: "Wanda mends nets.", wait: 30 });
      mcp.send({ id: 2, method: "tools/call", params: { name: "search", arguments: { query: "Who mends nets?" } } });
      expect(await mcp.end()).toMatchObject({ code: 0 });
      expect(JSON.stringify(mcp.answers().find(({ id }) => id === 2)?.result)).toContain("Wanda mends nets.");
    }));

  test("follows when the input ends before anything was sent", () =>
    withMcp(async (mcp) => {
      const ended = await mcp.end();
      expect(ended).toMatchObject({ code: 0, signal: null });
      expect(ended.after).toBeLessThan(SOON_MS);
      expect(mcp.output).toBe("");
    }));

  test("still processes a last line without a line break", () =>
    withMcp(async (mcp) => {
      await mcp.initialize();
      await mcp.request(1, "ping", {});
      mcp.child.stdin.write('{"jsonrpc":"2.0","id":2,"method":"ping"}');
      await mcp.end();
      expect(mcp.answers().map(({ id }) => id)).toEqual([0, 1, 2]);
    }));

  test("follows without a crash when nothing reads the output any more", () =>
    withMcp(async (mcp) => {
      await mcp.initialize();
      await mcp.request(1, "tools/list", {});
      const ended = mcp.deafen();
      mcp.send({ id: 2, method: "tools/list" }, { id: 3, method: "tools/list" });
      expect(await ended).toMatchObject({ code: 0, signal: null });
      expect(mcp.errors).toBe("");
    }));

  test.each(["SIGTERM", "SIGINT", "SIGHUP"] as const)("follows %s", (signal) =>
    withMcp(async (mcp, dataDirectory) => {
      await mcp.initialize();
      await mcp.call(1, "add-memory", { content: "Xaver bakes bread.", wait: 30 });
      expect(await mcp.stop(signal)).toMatchObject({ code: 0, signal: null });
      await expectNothingLeft(dataDirectory);
    }),
  );
});

describe("lines that are not messages", () => {
  test("are answered with errors, and the connection continues", () =>
    withMcp(async (mcp) => {
      const invalid = Buffer.from('{"jsonrpc":"2.0","id":4,"method":"ping","params":{"a":"?"}}');
      invalid[invalid.indexOf("?")] = 0xff;
      mcp.send("this is not JSON", "", "   ", "[]", '{"jsonrpc":"2.0","id":3,"metho', "null", '{"id":5}', invalid);
      await mcp.initialize();
      await mcp.request(1, "ping", {});
      const refusals = mcp.answers().filter(({ error }) => error);
      expect(refusals.map(({ id, error }) => [id, error?.code])).toEqual([
        [null, -32700],
        [null, -32600],
        [null, -32700],
        [null, -32600],
        [5, -32600],
        [4, -32700],
      ]);
      expect(refusals.at(-1)?.error?.message).toContain("UTF-8");
    }));

  test("a message that is far too long is refused under its id", () =>
    withMcp(async (mcp) => {
      await mcp.initialize();
      const content = "x".repeat(65 * 1024 * 1024);
      const answer = await mcp.call(7, "add-memory", { content });
      expect(answer.error).toEqual({ code: -32600, message: "The message is too long." });
      expect(await mcp.request(8, "ping", {})).toMatchObject({ result: {} });
    }));

  test("content over the limit is refused, naming the limit", () =>
    withMcp(
      async (mcp) => {
        await mcp.initialize();
        const answer = await mcp.call(1, "add-memory", { content: "x".repeat(2_000_001) });
        expect(answer.result?.["isError"]).toBe(true);
        expect(JSON.stringify(answer.result)).toContain("RECOLLECT_MAX_TEXT_BYTES");
      },
      { RECOLLECT_MAX_TEXT_BYTES: "2000000" },
    ));
});
