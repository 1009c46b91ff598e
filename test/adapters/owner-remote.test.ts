import { createServer, type IncomingMessage, type Server, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { afterEach, describe, expect, test } from "vitest";
import { connectOwner, OwnerGone } from "../../src/adapters/owner/internal-rpc-client.js";

const PID = 4711;
/** A heartbeat short enough for a test. */
const IMPATIENT = { everyMs: 20, misses: 3 };

type Handler = (request: IncomingMessage, response: ServerResponse) => void;

const servers: Server[] = [];
afterEach(async () => {
  for (const server of servers.splice(0)) {
    server.closeAllConnections();
    await new Promise((resolve) => server.close(resolve));
  }
});

/** Whatever listens at the address in `service.json`. */
async function listen(handle: Handler): Promise<{ server: Server; url: string }> {
  const server = createServer(handle);
  servers.push(server);
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  return { server, url: `http://127.0.0.1:${(server.address() as AddressInfo).port}` };
}

async function ownerAt(handle: Handler) {
  const { url } = await listen(handle);
  return connectOwner({ url, pid: PID, version: "0.0.0", token: "token", nonce: "" }, IMPATIENT);
}

const json =
  (body: unknown, status = 200): Handler =>
  (_request, response) =>
    void response.writeHead(status, { "content-type": "application/json" }).end(JSON.stringify(body));
const page: Handler = (_request, response) =>
  void response.writeHead(200, { "content-type": "text/html" }).end("<!doctype html><title>A dashboard</title>");
const silence: Handler = () => undefined;
const hangUp: Handler = (request) => void request.socket.destroy();

/** Answers pings like a real owner; the test decides about other requests. */
const owner =
  (rest: Handler, ping: Handler = json({ pid: PID, version: "0.0.0" })): Handler =>
  (request, response) =>
    (request.url === "/internal/ping" ? ping : rest)(request, response);

describe("an address belongs to the owner", () => {
  test("when it answers with the process id of the address", async () => {
    expect(await (await ownerAt(owner(page))).ping()).toBe(true);
  });

  test.each<[what: string, handle: Handler]>([
    ["another program that answers every path with a page", page],
    ["another program that answers every path with JSON", json({ status: "ok" })],
    ["the owner of another data folder, which knows another token", json({ error: { kind: "unauthorized" } }, 401)],
    ["a later owner at the same port", json({ pid: PID + 1, version: "0.0.0" })],
    ["a program that answers with an error", json({ pid: PID }, 500)],
    ["a program that does not speak HTTP", (request) => void request.socket.end("220 mail ready\r\n")],
    ["a program that never answers", silence],
  ])("not when it is %s", async (_what, handle) => {
    expect(await (await ownerAt(handle)).ping()).toBe(false);
  });

  test("not when nothing listens, or it is not an address", async () => {
    const { server, url } = await listen(page);
    await new Promise((resolve) => server.close(resolve));
    for (const address of [url, "nonsense", ""])
      expect(await connectOwner({ url: address, pid: PID, version: "0.0.0", token: "token", nonce: "" }).ping()).toBe(
        false,
      );
  });

  test("and the token is sent nowhere else", async () => {
    const seen: IncomingMessage["headers"][] = [];
    const thief = await listen((request, response) => {
      seen.push(request.headers);
      json({ pid: PID })(request, response);
    });
    const redirecting = await ownerAt((request, response) =>
      response.writeHead(307, { location: `${thief.url}${request.url}` }).end(),
    );
    expect(await redirecting.ping()).toBe(false);
    await expect(redirecting.call("search", {}, {})).rejects.toThrow(OwnerGone);
    expect(seen).toEqual([]);
  });
});

describe("a call", () => {
  test("returns what the use case returned, or throws its error", async () => {
    expect(await (await ownerAt(owner(json({ result: { a: 1 } })))).call("search", {}, {})).toEqual({ a: 1 });
    const refused = { kind: "invalid", message: "no", issues: [{ path: ["limit"], message: "odd" }], retryAfter: 3 };
    await expect((await ownerAt(owner(json({ error: refused }, 400)))).call("search", {}, {})).rejects.toMatchObject({
      name: "AppError",
      ...refused,
    });
  });

  test.each<[what: string, handle: Handler]>([
    ["hangs up", hangUp],
    ["is another program with a page", page],
    ["is another program with JSON", json({ message: "Not Found" }, 404)],
    ["returns an error without details", json({ error: "wrong" }, 500)],
    [
      "disconnects in the middle of its response",
      (request, response) => {
        response.writeHead(200, { "content-length": "1000" }).write('{"result":');
        setImmediate(() => request.socket.destroy());
      },
    ],
    ["is another owner, with another token", json({ error: { kind: "unauthorized", message: "not you" } }, 401)],
  ])("is to be repeated elsewhere when the other side %s", async (_what, handle) => {
    await expect((await ownerAt(handle)).call("addDocument", {}, {})).rejects.toThrow(OwnerGone);
  });

  test("with an unknown key is refused, not repeated", async () => {
    const refused = json({ error: { kind: "unauthorized", message: "This key is not known." } }, 401);
    const call = (await ownerAt(owner(refused))).call("authenticate", {}, "sm_x_y");
    await expect(call).rejects.toMatchObject({ name: "AppError", kind: "unauthorized" });
  });

  test("may take far longer than the owner may be silent", async () => {
    let pings = 0;
    let release = (): void => undefined;
    const slow = owner(
      (request, response) => (release = () => json({ result: "late" })(request, response)),
      (request, response) => {
        if (++pings === 10) release();
        json({ pid: PID })(request, response);
      },
    );
    expect(await (await ownerAt(slow)).call("addDocument", {}, {})).toBe("late");
  });

  test("ends with a clear error when the owner runs but does not answer, and a later one works", async () => {
    let isStopped = true;
    const stopping = await ownerAt((request, response) => {
      const healthy = owner(json({ result: "back" }));
      const stopped = owner(silence, hangUp);
      (isStopped ? stopped : healthy)(request, response);
    });
    const calls = [1, 2, 3].map(() => stopping.call("search", {}, {}));
    for (const call of calls)
      await expect(call).rejects.toMatchObject({
        kind: "unavailable",
        message: expect.stringMatching(/Process 4711.*does not answer.*suspended.*Try again/),
      });
    isStopped = false;
    expect(await stopping.call("search", {}, {})).toBe("back");
  });
});

describe("watching", () => {
  test("continues when only the stream has ended, and ends with the owner", async () => {
    let streams = 0;
    let hasEnded = false;
    const { server, url } = await listen(
      owner((_request, response) => {
        streams++;
        response.writeHead(200).end("owner\n");
      }),
    );
    const watched = connectOwner({ url, pid: PID, version: "0.0.0", token: "token", nonce: "" })
      .watch(new AbortController().signal)
      .then(() => (hasEnded = true));
    await expect.poll(() => streams).toBeGreaterThan(2);
    expect(hasEnded).toBe(false);
    server.closeAllConnections();
    server.close();
    await watched;
    expect(hasEnded).toBe(true);
  });

  test("ends when it is aborted", async () => {
    const leaving = new AbortController();
    const endless = await ownerAt(owner((_request, response) => void response.writeHead(200).write("owner\n")));
    const watched = endless.watch(leaving.signal);
    setTimeout(() => leaving.abort(), 50);
    await watched;
  });
});
