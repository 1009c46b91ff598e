import { connect, createServer } from "node:net";
import { setTimeout as sleep } from "node:timers/promises";
import { Hono } from "hono";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { AppError } from "../../src/core/errors.js";
import { listen, type HttpApp, type RunningServer } from "../../src/transports/http.js";
import { captureLog } from "../support/captured-log.js";
import { parseRaw, sendRaw } from "../support/raw-http.js";
import { openRest, type OpenedRest } from "../support/rest.js";

let rest: OpenedRest;
let server: RunningServer;
beforeAll(async () => {
  rest = await openRest();
  server = await rest.listen();
});
afterAll(() => rest.close());

const LOOPBACK = { host: "127.0.0.1", port: 0, log: captureLog() };

/** An application whose responses take as long as the test wants. */
function slowApp(): { app: HttpApp; release: () => void; isAsked: Promise<void> } {
  const app: HttpApp = new Hono();
  let release = () => undefined as void;
  let ask = () => undefined as void;
  const isAsked = new Promise<void>((resolve) => (ask = resolve));
  const isReleased = new Promise<void>((resolve) => (release = resolve));
  app.get("/slow", async (context) => {
    ask();
    await isReleased;
    return context.text("done");
  });
  return { app, release, isAsked };
}

describe("listening", () => {
  test("port 0 picks a free port, and the URL answers", async () => {
    expect(server.url).toBe(`http://127.0.0.1:${server.port}`);
    expect(server.port).toBeGreaterThan(0);
    const session = await fetch(`${server.url}/v3/session`);
    expect(session.status).toBe(200);
    expect(session.headers.get("content-type")).toContain("application/json");
  });

  test("a port in use is an error that says what to do", async () => {
    const error = await listen(rest.app, { ...LOOPBACK, port: server.port }).catch((reason: unknown) => reason);
    expect(error).toBeInstanceOf(AppError);
    expect(error).toMatchObject({ kind: "unavailable" });
    expect(String(error)).toContain(`Port ${server.port} on 127.0.0.1 is in use by another program`);
    expect(String(error)).toContain("--port");
  });

  test("an address of another machine is an error that says what to do", async () => {
    const error = await listen(rest.app, { ...LOOPBACK, host: "192.0.2.1" }).catch((reason: unknown) => reason);
    expect(error).toMatchObject({ kind: "unavailable", message: expect.stringContaining("--host") });
  });

  test("on all addresses, a key is required, even from this machine", async () => {
    const open = await listen(rest.app, { ...LOOPBACK, host: "0.0.0.0" });
    const answer = await fetch(`http://127.0.0.1:${open.port}/v3/session`);
    expect(answer.status).toBe(401);
    const { secret } = await rest.core.createKey({ actor: rest.actor }, { name: "lan" });
    const headers = { authorization: `Bearer ${secret}` };
    expect((await fetch(`http://127.0.0.1:${open.port}/v3/session`, { headers })).status).toBe(200);
    await open.close();
  });
});

describe("closing", () => {
  test("frees the port, ends idle connections and may be requested twice", async () => {
    const own = await rest.listen();
    await (await fetch(`${own.url}/health`)).text();
    await Promise.all([own.close(), own.close()]);
    await expect(fetch(`${own.url}/health`)).rejects.toThrow();
    const next = createServer().listen(own.port, "127.0.0.1");
    await new Promise((resolve) => next.once("listening", resolve));
    next.close();
  });

  test("a response in progress is still sent", async () => {
    const { app, release, isAsked } = slowApp();
    const own = await listen(app, LOOPBACK);
    const answer = fetch(`${own.url}/slow`).then((response) => response.text());
    await isAsked;
    const closed = own.close();
    release();
    expect(await answer).toBe("done");
    await closed;
  });

  test("a connection that never ends is cut off", async () => {
    const { app, isAsked } = slowApp();
    const own = await listen(app, LOOPBACK);
    const answer = fetch(`${own.url}/slow`).then(
      () => "answered",
      () => "cut",
    );
    await isAsked;
    await own.close();
    expect(await answer).toBe("cut");
  });
});

describe("malformed requests", () => {
  const host = "Host: 127.0.0.1\r\n";
  const json = "Content-Type: application/json\r\n";
  test.each<[what: string, request: string, ends: boolean, status: number]>([
    ["not HTTP at all", "HELLO\r\n\r\n", false, 405],
    ["an unknown method", `FOO /v3/documents HTTP/1.1\r\n${host}\r\n`, false, 405],
    [
      "two lengths",
      `POST /v3/documents HTTP/1.1\r\n${host}Content-Length: 5\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n`,
      false,
      400,
    ],
    ["headers of 70 kB", `GET /v3/session HTTP/1.1\r\n${host}X: ${"a".repeat(70_000)}\r\n\r\n`, false, 431],
    [
      "a body that ends early",
      `POST /v3/documents HTTP/1.1\r\n${host}${json}Content-Length: 100\r\n\r\n{"content":`,
      true,
      400,
    ],
    [
      "a chunk that ends early",
      `POST /v3/documents HTTP/1.1\r\n${host}${json}Transfer-Encoding: chunked\r\n\r\n5\r\n{"con\r\n`,
      true,
      400,
    ],
    ["an invalid Host", "GET /v3/session HTTP/1.1\r\nHost: a b\r\nConnection: close\r\n\r\n", false, 400],
    ["an unsupported method", `TRACE /v3/session HTTP/1.1\r\n${host}Connection: close\r\n\r\n`, false, 405],
  ])("%s", async (_what, request, ends, status) => {
    const answer = parseRaw(
      await sendRaw(server.port, request.replace(host, `Host: 127.0.0.1:${server.port}\r\n`), { ends }),
    );
    expect(answer.status).toBe(status);
    expect(answer.body["error"]).toEqual(expect.any(String));
    expect(answer.body["message"]).toEqual(answer.body["error"]);
    expect((await fetch(`${server.url}/health`)).status).toBe(200);
  });

  test("a body of 10 MB is refused, with or without a declared length", async () => {
    const body = JSON.stringify({ content: "x".repeat(10_000_000) });
    const headers = { "content-type": "application/json" };
    const announced = await fetch(`${server.url}/v3/documents`, { method: "POST", headers, body });
    expect(announced.status).toBe(413);
    const stream = new Blob([body]).stream();
    const chunked = await fetch(`${server.url}/v3/documents`, {
      method: "POST",
      headers,
      body: stream,
      duplex: "half",
    } as RequestInit);
    expect(chunked.status).toBe(413);
    expect((await fetch(`${server.url}/health`)).status).toBe(200);
  });

  test.each<[what: string, path: string, status: number]>([
    ["is too long", "/v3/documents", 413],
    ["has no route", "/v3/nothing-here", 404],
  ])(
    "a client that sends all of a body that %s before it reads the response still gets it",
    async (_what, path, status) => {
      const pieces = 20;
      const head = `POST ${path} HTTP/1.1\r\n${host}${json}Connection: close\r\nContent-Length: ${pieces * 500_000}\r\n\r\n`;
      const answer = await new Promise<string>((resolve, reject) => {
        const socket = connect(server.port, "127.0.0.1").setEncoding("utf8").pause();
        socket.on("error", reject);
        socket.write(head.replace(host, `Host: 127.0.0.1:${server.port}\r\n`));
        const sendAll = async (): Promise<void> => {
          for (let sent = 0; sent < pieces; sent += 1) {
            socket.write("x".repeat(500_000));
            await sleep(50);
          }
          let received = "";
          socket.on("data", (piece: string) => (received += piece));
          socket.on("close", () => resolve(received));
          socket.resume();
        };
        sendAll().catch(reject);
      });
      expect(parseRaw(answer).status).toBe(status);
    },
  );

  test("a body in pieces without a declared length is accepted", async () => {
    const search = (q: string) =>
      fetch(`${server.url}/v4/search`, {
        method: "POST",
        headers: { "content-type": "application/json" },
        body: new Blob([JSON.stringify({ q })]).stream(),
        duplex: "half",
      } as RequestInit);
    for (const q of ["pears", "pears ".repeat(1000)]) expect((await search(q)).status).toBe(200);
  });

  test("store nothing and log no error", async () => {
    const { total } = await rest.core.listDocuments({ actor: rest.actor }, {});
    expect(total).toBe(0);
    expect(rest.log.filter((line) => line.level === "error")).toEqual([]);
  });
});
