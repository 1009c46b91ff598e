import Supermemory from "supermemory";
import { describe, expect, onTestFinished, test } from "vitest";
import { openRest, type RestOptions } from "../support/rest.js";

/** A server with its own settings that is closed at the end of the test. */
async function open(settings: RestOptions["settings"] = {}) {
  const rest = await openRest({ settings });
  onTestFinished(() => rest.close());
  return rest;
}

const TWO_AN_HOUR = { RECOLLECT_RATE_LIMIT: "2", RECOLLECT_RATE_WINDOW_SECONDS: "3600" };

describe("without a rate limit", () => {
  test("no caller is limited, and no rate-limit header is sent", async () => {
    const rest = await open();
    const answers = await Promise.all(Array.from({ length: 50 }, () => rest.send("GET", "/v3/session")));
    expect(answers.map(({ status }) => status)).toEqual(Array(50).fill(200));
    expect([...(answers[0]?.headers.keys() ?? [])].filter((name) => name.startsWith("x-ratelimit"))).toEqual([]);
  });
});

describe("with a rate limit", () => {
  test("each answer states the remaining requests", async () => {
    const rest = await open(TWO_AN_HOUR);
    const { headers } = await rest.send("GET", "/v3/session");
    expect(headers.get("x-ratelimit-limit")).toBe("2");
    expect(headers.get("x-ratelimit-remaining")).toBe("1");
    expect(Number(headers.get("x-ratelimit-reset"))).toBe(1_800);
    expect((await rest.send("GET", "/v3/documents/none")).headers.get("x-ratelimit-remaining")).toBe("0");
  });

  test("requests beyond it answer 429 with a short wait, and have no effect", async () => {
    const rest = await open(TWO_AN_HOUR);
    await rest.send("GET", "/v3/session");
    await rest.send("GET", "/v3/session");
    const { status, headers, body } = await rest.send("POST", "/v3/documents", { content: "Mia", containerTag: "mia" });
    expect(status).toBe(429);
    expect(body).toMatchObject({
      error: "Too Many Requests",
      details: expect.stringContaining("RECOLLECT_RATE_LIMIT"),
    });
    expect(headers.get("retry-after")).toBe("60");
    expect(headers.get("x-ratelimit-remaining")).toBe("0");
    expect((await rest.core.listDocuments({ actor: rest.actor }, {})).total).toBe(0);
  });

  test("the wait is until the next request is possible, not until the window ends", async () => {
    const rest = await open({ RECOLLECT_RATE_LIMIT: "30" });
    for (let i = 0; i < 30; i++) await rest.send("GET", "/v3/session");
    const { status, headers } = await rest.send("GET", "/v3/session");
    expect(status).toBe(429);
    expect(Number(headers.get("retry-after"))).toBeLessThanOrEqual(2);
  });

  test("each key has its own limit, and all calls without a key share one", async () => {
    const rest = await open(TWO_AN_HOUR);
    const keys = await Promise.all(["a", "b"].map((name) => rest.core.createKey({ actor: rest.actor }, { name })));
    const callers = [{}, ...keys.map(({ secret }) => ({ authorization: `Bearer ${secret}` }))];
    for (const headers of callers) {
      const statuses = [];
      for (let i = 0; i < 3; i++) statuses.push((await rest.send("GET", "/v3/session", undefined, headers)).status);
      expect(statuses).toEqual([200, 200, 429]);
    }
  });

  test("a wrong key uses up no limit, and endpoints without a key are not limited", async () => {
    const rest = await open(TWO_AN_HOUR);
    for (let i = 0; i < 5; i++) {
      const wrong = await rest.send("GET", "/v3/session", undefined, { "x-api-key": "sm_wrong_key-of-nobody" });
      expect(wrong.status).toBe(401);
      expect((await rest.send("GET", "/health")).status).toBe(200);
      expect((await rest.send("GET", "/v3/openapi")).status).toBe(200);
    }
    expect((await rest.send("GET", "/v3/session")).status).toBe(200);
  });

  test("web pages may read the rate-limit headers", async () => {
    const rest = await open(TWO_AN_HOUR);
    const { headers } = await rest.send("GET", "/health", undefined, { origin: "https://page.example" });
    expect(headers.get("access-control-expose-headers")).toMatch(/Retry-After.*X-RateLimit-Remaining/);
  });

  test("the official SDK waits as told, and then succeeds", async () => {
    const rest = await open({ RECOLLECT_RATE_LIMIT: "4", RECOLLECT_RATE_WINDOW_SECONDS: "4" });
    const { url } = await rest.listen();
    const { secret } = await rest.core.createKey({ actor: rest.actor }, { name: "sdk" });
    const client = new Supermemory({ apiKey: secret, baseURL: url });
    for (let i = 0; i < 6; i++) await client.search.memories({ q: "anything" });
    await rest.recorded();
    const { items } = await rest.core.listRequests({ actor: rest.actor }, { statusCode: 429 });
    expect(items.length).toBeGreaterThan(0);
    expect(items.every(({ error }) => error === "Too Many Requests")).toBe(true);
  });
});

describe("paths and methods that are not served", () => {
  test.each([
    ["GET", "/v3/nothing"],
    ["POST", "/v4/nothing/at/all"],
    ["BREW", "/v3/coffee"],
    ["GET", "/v2/memories"],
    ["GET", "/%E0%A4%A"],
  ])("%s %s answers 404 in the usual error format", async (method, path) => {
    const rest = await open();
    const { status, body } = await rest.send(method, path);
    expect(status).toBe(404);
    expect(body.error).toBe(body.message);
    expect(body.message).toContain("This server does not serve");
  });

  test("a long path is shortened in the answer", async () => {
    const rest = await open();
    const { body } = await rest.send("GET", `/v3/${"x".repeat(5_000)}`);
    expect(body.message.length).toBeLessThan(300);
  });

  test("a known path with another method answers 405 and names the allowed methods", async () => {
    const rest = await open();
    const { status, headers, body } = await rest.send("PUT", "/v4/search", {});
    expect(status).toBe(405);
    expect(headers.get("allow")).toBe("POST");
    expect(body.message).toBe("/v4/search does not accept PUT. It accepts POST.");
  });

  test("HEAD answers like GET, without a body", async () => {
    const rest = await open();
    for (const [path, status] of [
      ["/v3/session", 200],
      ["/health", 200],
      ["/v3/nothing", 404],
    ] as const) {
      const answer = await rest.send("HEAD", path);
      expect([answer.status, answer.body]).toEqual([status, undefined]);
    }
  });

  test("a preflight is answered without a key, for any path", async () => {
    const rest = await open();
    const headers = {
      origin: "https://page.example",
      "access-control-request-method": "PATCH",
      "access-control-request-headers": "authorization, x-sm-source",
    };
    const { status, headers: answer } = await rest.send("OPTIONS", "/v3/settings", undefined, headers);
    expect(status).toBe(204);
    expect(answer.get("access-control-allow-origin")).toBe("*");
    expect(answer.get("access-control-allow-methods")).toContain("PATCH");
    expect(answer.get("access-control-allow-headers")).toMatch(/authorization/);
  });
});
