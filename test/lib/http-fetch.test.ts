import { createServer, type RequestListener, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import { gzipSync } from "node:zlib";
import { afterEach, expect, test } from "vitest";
import { createFetch, parseRetryAfter } from "../../src/lib/http-fetch.js";

const servers: Server[] = [];
afterEach(async () => {
  for (const server of servers.splice(0)) {
    server.closeAllConnections();
    await new Promise((resolve) => server.close(resolve));
  }
});

async function serve(listener: RequestListener): Promise<string> {
  const server = createServer(listener);
  servers.push(server);
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}/`;
}

const limited = createFetch({ timeoutMs: 300, maximumBytes: 1000 });

test("returns status, headers and body", async () => {
  const url = await serve((_, response) => response.writeHead(418, { "x-kind": "teapot" }).end("short and stout"));
  const response = await limited(url);
  expect([response.status, response.headers.get("x-kind"), await response.text()]).toEqual([
    418,
    "teapot",
    "short and stout",
  ]);
});

test("rejects an invalid address like fetch itself", async () => {
  const answered = limited("no address").catch((error: unknown) => error);
  expect(await answered).toBeInstanceOf(TypeError);
});

test("never follows a redirect", async () => {
  let received = 0;
  const other = await serve((_, response) => {
    received += 1;
    response.end("more");
  });
  for (const status of [301, 302, 303, 307, 308]) {
    const url = await serve((_, response) => response.writeHead(status, { location: other }).end());
    await expect(limited(url, { method: "POST", body: "secret" })).rejects.toThrow(`another address (${status})`);
  }
  expect(received).toBe(0);
});

test("an answer without a body has none", async () => {
  const url = await serve((_, response) => response.writeHead(204).end());
  expect(await (await limited(url)).text()).toBe("");
});

test("the size limit applies to the decompressed body", async () => {
  const bodies: Record<string, Buffer> = { "/fits": Buffer.alloc(1000, "a"), "/bomb": Buffer.alloc(1001, "a") };
  const url = await serve((request, response) =>
    response.writeHead(200, { "content-encoding": "gzip" }).end(gzipSync(bodies[request.url ?? ""] ?? "")),
  );
  expect(await (await limited(`${url}fits`)).text()).toHaveLength(1000);
  await expect(limited(`${url}bomb`)).rejects.toThrow("larger than 1000 bytes");
});

test.each<[string, RequestListener]>([
  ["before the headers", () => {}],
  ["in the middle of the body", (_, response) => void response.writeHead(200).write("{")],
])("a server that stops %s reaches the time limit", async (_when, listener) => {
  const url = await serve(listener);
  await expect(limited(url)).rejects.toMatchObject({ name: "TimeoutError" });
});

test("the caller's signal is respected too", async () => {
  const url = await serve(() => {});
  const controller = new AbortController();
  const reason = new Error("stopping");
  const call = limited(url, { signal: controller.signal });
  controller.abort(reason);
  await expect(call).rejects.toBe(reason);
});

const NOW = new Date("2024-05-06T07:08:09.000Z");

test.each([
  ["0", 0],
  [" 120 ", 120],
  ["1.5", 1.5],
  ["Mon, 06 May 2024 07:08:39 GMT", 30],
  ["Mon, 06 May 2024 07:00:00 GMT", 0],
  ["", undefined],
  ["-5", undefined],
  ["soon", undefined],
  ["99999999999999999999", undefined],
  ["Mon, 99 May 2024", undefined],
  [null, undefined],
  [undefined, undefined],
])("Retry-After %j means %j seconds", (header, seconds) => {
  expect(parseRetryAfter(header, NOW)).toBe(seconds);
});
