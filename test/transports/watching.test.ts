import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { LOOPBACK, openRest, type OpenedRest, requestInit } from "../support/rest.js";
import { type ScriptedReranker, startScriptedReranker } from "../support/scripted-reranker.js";

let service: ScriptedReranker;
let rest: OpenedRest;
let owner: Record<string, string>;
beforeAll(async () => {
  service = await startScriptedReranker();
  rest = await openRest({ settings: { RECOLLECT_RERANK_BASE_URL: service.url } });
  owner = await rest.ownerKey();
  for (const content of ["Mia keeps bees in Ghent.", "Bees like the lime tree."])
    await rest.send("POST", "/v3/documents", { content, containerTag: "garden" }, owner);
  await rest.settle();
});
afterAll(async () => {
  await rest.close();
  await service.close();
});

const keyOf = async (more: object): Promise<Record<string, string>> => {
  const { secret } = await rest.core.createKey({ actor: rest.actor }, { name: "watcher", ...more });
  return { "x-api-key": secret };
};
const scrape = (headers: Record<string, string> = {}) =>
  rest.app.request("/metrics", requestInit("GET", undefined, headers), LOOPBACK);

describe("health", () => {
  const usual = { status: "ok", live: true, ready: true, version: "0.0.0-test" };

  test("shows jobs, disk and index to the owner only", async () => {
    const { status, body } = await rest.send("GET", "/health", undefined, owner);
    expect({ status, body }).toEqual({
      status: 200,
      body: {
        ...usual,
        jobs: { waiting: 0, running: 0, dead: 0, oldestWaitingSeconds: 0 },
        disk: { storeBytes: expect.any(Number) as number, freeBytes: expect.any(Number) as number },
        index: { name: "exact", state: expect.any(String) as string, behind: 0, reason: expect.anything() as unknown },
        degraded: [],
      },
    });
  });

  test("shows everyone else only the public part", async () => {
    const others = [
      {},
      { authorization: "Bearer sm_wrong" },
      { "x-api-key": "local" },
      await keyOf({ permission: "read" }),
      await keyOf({ grants: [{ containerTag: "garden" }] }),
    ];
    for (const headers of others) {
      const { status, body } = await rest.send("GET", "/health", undefined, headers);
      expect({ status, body }).toEqual({ status: 200, body: usual });
    }
    expect((await rest.send("GET", "/health/ready", undefined, owner)).body).toEqual(usual);
  });
});

describe("metrics", () => {
  test("are readable with a key for all containers, even a read-only one, and to no other caller", async () => {
    expect((await scrape(owner)).status).toBe(200);
    expect((await scrape(await keyOf({ permission: "read" }))).status).toBe(200);
    expect((await scrape(await keyOf({ grants: [{ containerTag: "garden" }] }))).status).toBe(403);
    expect((await scrape()).status).toBe(403);
    expect((await scrape({ origin: "https://page.example" })).status).toBe(401);
  });

  test("are valid Prometheus lines, in a number that no caller can raise", async () => {
    for (const path of ["/teal", "/teal/parrot", "/v3/documents/teal", "/auth/teal", "/oauth/teal", "/mcp?teal"])
      for (const method of ["GET", "PROPFIND"]) await rest.app.request(path, requestInit(method, undefined), LOOPBACK);
    const first = await scrape(owner);
    expect(first.headers.get("content-type")).toBe("text/plain; version=0.0.4; charset=utf-8");
    const lines = (await first.text()).split("\n");
    expect(lines.pop()).toBe("");
    for (const line of lines)
      expect(line).toMatch(
        /^(?:# HELP \w+ .+|# TYPE \w+ (?:counter|gauge|histogram)|\w+(?:\{\w+="[^"\\]*"(?:,\w+="[^"\\]*")*\})? [\d.e+-]+)$/,
      );
    expect(lines.join("\n")).not.toMatch(/teal|parrot|garden|watcher|tests|PROPFIND/);
    expect(lines).toContain('recollect_http_requests_total{method="GET",route="(unknown path)",status="404"} 2');
    expect(lines).toContain('recollect_http_request_duration_seconds_count{method="POST",route="/v3/documents"} 2');
    expect(lines).toContain(
      'recollect_http_request_duration_seconds_bucket{method="POST",route="/v3/documents",le="+Inf"} 2',
    );
    expect(lines).toContain("recollect_documents 2");
    expect(lines).toContain('recollect_jobs{state="waiting"} 0');
    expect(lines).toContain('recollect_part_degraded{part="rerank"} 0');
    expect(lines.some((line) => /^process_resident_memory_bytes \d+$/.test(line))).toBe(true);
    const before = lines.length;
    for (let n = 0; n < 50; n++) await rest.app.request(`/x/${n}`, requestInit("GET", undefined), LOOPBACK);
    await new Promise((resolve) => setTimeout(resolve, 80));
    const later = (await (await scrape(owner)).text()).split("\n");
    expect(later.filter((line) => line.startsWith("recollect_event_loop_lag_seconds{"))).toHaveLength(4);
    // The event loop lags, and the first scrape of this test itself.
    expect(later.length - 1 - before).toBeLessThan(20);
  });
});

test("status reports a failing rerank service until it responds again", async () => {
  const statusOf = async () => (await rest.send("GET", "/v3/status", undefined, owner)).body as Record<string, unknown>;
  expect(await statusOf()).toMatchObject({ documents: 2, rerank: { problem: null }, degraded: [], readByRules: null });
  const search = () => rest.send("POST", "/v4/search", { q: "bees", rerank: true, containerTag: "garden" }, owner);
  service.fail({ kind: "status", status: 503 });
  await search();
  expect(await statusOf()).toMatchObject({
    rerank: { problem: expect.stringContaining("HTTP 503") as string },
    degraded: [{ part: "rerank", reason: expect.stringContaining("HTTP 503") as string }],
  });
  const { checks } = await rest.core.diagnose({ actor: rest.actor });
  expect(checks.find(({ name }) => name === "rerank")).toMatchObject({ ok: true });
  expect(await statusOf()).toMatchObject({ rerank: { problem: null }, degraded: [] });
  service.fail({ kind: "status", status: 503 });
  const { ok, checks: again } = await rest.core.diagnose({ actor: rest.actor });
  expect(ok).toBe(false);
  expect(again.find(({ name }) => name === "rerank")).toMatchObject({ ok: false });
  await search();
});

test("the reference names the host that was asked, and no host that could break the page", async () => {
  const page = async (host: string) => (await rest.app.request(`http://${host}/reference`, {}, LOOPBACK)).text();
  const first = await page("127.0.0.1:6767");
  expect(first).toContain("http://127.0.0.1:6767/v3/documents");
  const other = await page("memory.example");
  expect(other).toBe(first.replaceAll("http://127.0.0.1:6767", "http://memory.example"));
  expect(await page("a'b;$(id)&quot")).toBe(first);
});
