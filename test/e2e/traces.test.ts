import { afterEach, expect, test } from "vitest";
import {
  type ServeProcess,
  startMcp,
  startProgram,
  startServe,
  withDataDirectory,
} from "../support/recollect-process.js";
import { startScriptedCollector } from "../support/scripted-collector.js";

const KEY = "sm_tests_0123456789abcdefghijklmn";
const CALLER = { traceId: "0af7651916cd43dd8448eb211c80319c", spanId: "b7ad6b7169203331" };

let closing: (() => Promise<void>)[] = [];
afterEach(async () => {
  for (const close of closing.toReversed()) await close();
  closing = [];
});

async function collector() {
  const started = await startScriptedCollector();
  closing.push(() => started.close());
  return started;
}

async function serve(dataDirectory: string, settings: Readonly<Record<string, string>>): Promise<ServeProcess> {
  const service = await startServe(dataDirectory, { RECOLLECT_API_KEY: KEY, RECOLLECT_LLM: "off", ...settings });
  closing.push(() => service.stop());
  return service;
}

function ask({ url }: ServeProcess, path: string, body: unknown, headers: Readonly<Record<string, string>> = {}) {
  return fetch(url + path, {
    method: "POST",
    headers: { authorization: `Bearer ${KEY}`, "content-type": "application/json", ...headers },
    body: JSON.stringify(body),
  });
}

test("requests, their stages, tools and jobs are spans in the caller's trace, and reveal no content", async () => {
  await withDataDirectory(async (dataDirectory) => {
    const collected = await collector();
    const service = await serve(dataDirectory, {
      RECOLLECT_TRACES: collected.url,
      RECOLLECT_TRACES_HEADERS: "x-scope=team%20a,authorization=Bearer%20abc",
    });
    await ask(
      service,
      "/v3/documents",
      { content: "Zanzibar has a lighthouse.", containerTag: "mia" },
      { prefer: "wait=20" },
    );
    const traceparent = `00-${CALLER.traceId}-${CALLER.spanId}-01`;
    const found = await ask(
      service,
      "/v4/search",
      { q: "lighthouse of Zanzibar", containerTag: "mia" },
      { traceparent },
    );
    expect(found.status).toBe(200);
    await ask(
      service,
      "/mcp",
      {
        jsonrpc: "2.0",
        id: 1,
        method: "tools/call",
        params: { name: "search", arguments: { query: "lighthouse" } },
      },
      { accept: "application/json, text/event-stream" },
    );
    await fetch(`${service.url}/health`);

    const search = await collected.find(({ name }) => name === "POST /v4/search");
    expect(search).toMatchObject({ traceId: CALLER.traceId, parentSpanId: CALLER.spanId, kind: 2 });
    expect(search.attributes).toEqual({
      "http.request.method": "POST",
      "http.route": "/v4/search",
      "http.response.status_code": 200,
      "recollect.request.id": found.headers.get("x-request-id"),
    });
    expect(search.resource).toMatchObject({ "service.name": "recollect" });
    const ranked = await collected.find(({ name, traceId }) => name === "search rank" && traceId === CALLER.traceId);
    expect(ranked.parentSpanId).toBe(search.spanId);
    expect(Number(ranked.endTimeUnixNano)).toBeGreaterThan(Number(ranked.startTimeUnixNano));
    const remembered = await collected.find(({ name }) => name === "job remember");
    expect(remembered.attributes).toMatchObject({ "recollect.job.attempt": 1 });
    const tool = await collected.find(({ name }) => name === "tool search");
    const call = await collected.find(({ name }) => name === "POST /mcp");
    expect(tool).toMatchObject({ traceId: call.traceId, parentSpanId: call.spanId });

    expect(collected.requests[0]?.path).toBe("/v1/traces");
    expect(collected.requests[0]?.headers).toMatchObject({ "x-scope": "team a", authorization: "Bearer abc" });
    const sent = collected.requests.map(({ body }) => body).join("\n");
    expect(sent).not.toMatch(/zanzibar|lighthouse|mia"|0123456789abcdef/i);
    expect(collected.spans.map(({ name }) => name).filter((name) => name.includes("health"))).toEqual([]);
  });
}, 60_000);

test("over stdio the first call, which opens the service, is a complete trace too", async () => {
  await withDataDirectory(async (dataDirectory) => {
    const collected = await collector();
    const mcp = await startMcp(dataDirectory, { RECOLLECT_TRACES: collected.url, RECOLLECT_LLM: "off" });
    closing.push(() => mcp.close());
    await mcp.client.callTool({ name: "search", arguments: { query: "lighthouse" } });
    const tool = await collected.find(({ name }) => name === "tool search");
    const scope = await collected.find(({ name }) => name === "search scope");
    expect(scope).toMatchObject({ traceId: tool.traceId, parentSpanId: tool.spanId });
  });
}, 60_000);

test("traces that the caller does not sample are not sent, nor anything at a share of 0", async () => {
  await withDataDirectory(async (dataDirectory) => {
    const collected = await collector();
    const settings = { RECOLLECT_TRACES: `${collected.url}/collect/here`, RECOLLECT_TRACES_SHARE: "0" };
    const service = await serve(dataDirectory, settings);
    const q = { q: "anything", containerTag: "mia" };
    await ask(service, "/v4/search", q);
    await ask(service, "/v4/search", q, { traceparent: `00-${CALLER.traceId}-${CALLER.spanId}-00` });
    await ask(service, "/v4/search", q, { traceparent: "00-nonsense" });
    await ask(service, "/v4/search", q, { traceparent: `00-${CALLER.traceId}-${CALLER.spanId}-01` });
    await collected.find(({ name }) => name === "POST /v4/search");
    await service.stop();
    expect(collected.spans.filter(({ name }) => name === "POST /v4/search")).toHaveLength(1);
    expect(collected.requests[0]?.path).toBe("/collect/here");
  });
}, 60_000);

test.each([
  ["refuses", 503],
  ["is unavailable", null],
])(
  "a collector that %s loses its spans only, and does not delay shutdown",
  async (_how, status) => {
    await withDataDirectory(async (dataDirectory) => {
      const collected = await collector();
      if (status === null) await collected.close();
      else collected.answerWith(status);
      const service = await serve(dataDirectory, { RECOLLECT_TRACES: collected.url });
      for (let asked = 0; asked < 20; asked++)
        expect((await ask(service, "/v4/search", { q: "anything", containerTag: "mia" })).status).toBe(200);
      const before = Date.now();
      await service.stop();
      expect(service.child.exitCode).toBe(0);
      expect(Date.now() - before).toBeLessThan(10_000);
    });
  },
  60_000,
);

test("a collector with an endless answer is reported in the log, and does not delay shutdown", async () => {
  await withDataDirectory(async (dataDirectory) => {
    const collected = await collector();
    collected.answerWith("endless");
    const service = await serve(dataDirectory, { RECOLLECT_TRACES: collected.url });
    let log = "";
    service.child.stderr?.on("data", (text: Buffer) => (log += text.toString()));
    await ask(service, "/v4/search", { q: "anything", containerTag: "mia" });
    await expect.poll(() => log, { timeout: 30_000 }).toContain("traces cannot be sent and are being lost");
    const before = Date.now();
    await service.stop();
    expect(Date.now() - before).toBeLessThan(10_000);
  });
}, 60_000);

test.each([
  ["answers", 200, 1_500],
  ["refuses", 503, 5_000],
  ["is unavailable", null, 5_000],
  ["sends an endless answer", "endless", 5_000],
] as const)(
  "a command exits soon after its answer when the collector %s",
  async (_how, answer, withinMs) => {
    await withDataDirectory(async (dataDirectory) => {
      const collected = await collector();
      if (answer === null) await collected.close();
      else collected.answerWith(answer);
      const command = startProgram(dataDirectory, ["add", "Mia keeps bees."], { RECOLLECT_TRACES: collected.url });
      let answeredAt = 0;
      command.child.stdout?.on("data", () => (answeredAt = performance.now()));
      const { code } = await command.ended;
      expect(code).toBe(0);
      expect(performance.now() - answeredAt).toBeLessThan(withinMs);
    });
  },
  60_000,
);
