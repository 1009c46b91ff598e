import { createServer, type IncomingMessage, type RequestListener, type Server } from "node:http";
import { type AddressInfo, createServer as createSocketServer, type Server as SocketServer } from "node:net";
import { brotliCompressSync, deflateSync, gzipSync } from "node:zlib";
import { afterEach, expect, test } from "vitest";
import type { GuardedFetchOptions } from "../../src/adapters/fetch/guarded-exchange.js";
import { createGuardedFetch } from "../../src/adapters/fetch/guarded-fetch.js";
import { AppError } from "../../src/core/errors.js";
import { isAddressAllowed, readAllowedPlaces } from "../../src/lib/allowed-places.js";

const LARGEST = 100_000;

const servers: (Server | SocketServer)[] = [];
afterEach(async () => {
  for (const server of servers.splice(0)) {
    if ("closeAllConnections" in server) server.closeAllConnections();
    await new Promise((resolve) => server.close(resolve));
  }
});

async function listen(server: Server | SocketServer): Promise<number> {
  servers.push(server);
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  return (server.address() as AddressInfo).port;
}

async function serve(listener: RequestListener): Promise<string> {
  return `http://127.0.0.1:${await listen(createServer(listener))}`;
}

/** Answers every connection with these bytes and leaves it open. */
async function serveBytes(...pieces: readonly string[]): Promise<string> {
  const server = createSocketServer((socket) => {
    socket.on("error", () => undefined);
    socket.once("data", () => {
      for (const piece of pieces) socket.write(piece);
      setTimeout(() => socket.destroy(), 3_000).unref();
    });
  });
  return `http://127.0.0.1:${await listen(server)}`;
}

function fetcher(options: Partial<GuardedFetchOptions> & { readonly allow?: readonly string[] } = {}) {
  const { allow = ["127.0.0.1/32"], ...others } = options;
  const allowed = readAllowedPlaces(allow);
  if (!allowed) throw new Error("The test allows what is no place");
  return createGuardedFetch({
    allowed,
    isOffline: false,
    userAgent: "Recollect/0",
    maximumBytes: LARGEST,
    timeoutMs: 2_000,
    stallMs: 400,
    ...others,
  });
}

function fetchFrom(url: string, options: Parameters<typeof fetcher>[0] = {}) {
  return fetcher(options).fetch(url, new AbortController().signal);
}

async function refusalOf(url: string, options: Parameters<typeof fetcher>[0] = {}): Promise<AppError> {
  const error: unknown = await fetchFrom(url, options).then(
    () => new Error(`${url} was fetched`),
    (reason: unknown) => reason,
  );
  if (!(error instanceof AppError)) throw error;
  return error;
}

test("returns bytes, type, charset, name and final address, and sends the server nothing but its user agent", async () => {
  const asked: IncomingMessage[] = [];
  const url = await serve((request, response) => {
    asked.push(request);
    if (request.url === "/") response.writeHead(302, { location: "/a%20page.html?q=1", "set-cookie": "a=b" }).end();
    else response.writeHead(200, { "content-type": 'Text/HTML; Charset="ISO-8859-1"' }).end("<p>Hello");
  });
  const file = await fetchFrom(`${url}/#part`);
  expect({ ...file, bytes: Buffer.from(file.bytes).toString() }).toEqual({
    bytes: "<p>Hello",
    url: `${url}/a%20page.html?q=1#part`,
    name: "a page.html",
    mimeType: "text/html",
    charset: "ISO-8859-1",
    modifiedAt: null,
  });
  expect(asked.map(({ headers }) => Object.keys(headers).toSorted())).toEqual(
    asked.map(() => ["accept", "accept-encoding", "connection", "host", "user-agent"]),
  );
  expect(asked[1]?.headers["user-agent"]).toBe("Recollect/0");
});

test.each([
  ['attachment; filename="../../etc/passwd"', "passwd"],
  ["attachment; filename*=UTF-8''na%C3%AFve%2Fplan.pdf", "plan.pdf"],
  ["attachment; filename=.. ", null],
  ['attachment; filename="report; final.pdf"', "report; final.pdf"],
  ['attachment; filename="the \\"plan\\".pdf"', 'the "plan".pdf'],
  ["attachment; filename=final report.pdf; size=3", "final report.pdf"],
  ["attachment; filename*=iso-8859-1''caf%E9.pdf", "café.pdf"],
  ["attachment; filename=\"plan.pdf\"; filename*=no-such-code''caf%E9.pdf", "plan.pdf"],
  ["inline", null],
])("a file sent with %s is named %s", async (disposition, name) => {
  const url = await serve((_, response) => response.writeHead(200, { "content-disposition": disposition }).end("x"));
  expect((await fetchFrom(url)).name).toBe(name);
});

const text = Buffer.from("compressed ".repeat(100));
test.each([
  ["gzip", gzipSync(text)],
  ["deflate", deflateSync(text)],
  ["br", brotliCompressSync(text)],
])("decompresses %s", async (encoding, body) => {
  const url = await serve((_, response) => response.writeHead(200, { "content-encoding": encoding }).end(body));
  expect(Buffer.from((await fetchFrom(url)).bytes)).toEqual(text);
});

test.each([
  "http://127.0.0.1/",
  "http://127.1/",
  "http://2130706433/",
  "http://0x7f.1/",
  "http://017700000001/",
  "http://127.0.0.1./",
  "http://①②⑦.0.0.1/",
  "http://0/",
  "http://10.0.0.1/",
  "http://172.16.3.4/",
  "http://192.168.1.1:8080/",
  "http://100.64.0.1/",
  "http://169.254.169.254/latest/meta-data/",
  "http://168.63.129.16/",
  "http://224.0.0.1/",
  "http://255.255.255.255/",
  "http://[::1]/",
  "http://[::]/",
  "http://[::ffff:7f00:1]/",
  "http://[::ffff:127.0.0.1]/",
  "http://[::127.0.0.1]/",
  "http://[::ffff:0:127.0.0.1]/",
  "http://[64:ff9b::7f00:1]/",
  "http://[2002:7f00:1::]/",
  "http://[fd00:ec2::254]/",
  "http://[fe80::1]/",
  "http://[ff02::1]/",
  "http://localhost/",
  "http://LOCALHOST:6767/",
])("%s is refused", async (url) => {
  const { kind, message } = await refusalOf(url, { allow: [] });
  expect(kind).toBe("forbidden");
  expect(message).toMatch(/private network.*RECOLLECT_FETCH_ALLOW/);
});

test.each([
  ["file:///etc/passwd", "only http and https"],
  ["ftp://127.0.0.1/", "only http and https"],
  ["javascript:alert(1)", "only http and https"],
  ["http://user:secret@127.0.0.1/", "user name or a password"],
  ["http://[::1", "not a valid URL"],
  [`http://127.0.0.1/${"a".repeat(9_000)}`, "not a valid URL"],
])("%j is not an address that can be fetched", async (url, reason) => {
  const { kind, message } = await refusalOf(url);
  expect([kind, message]).toEqual(["invalid", expect.stringContaining(reason)]);
  expect(message).not.toContain("secret");
});

test.each([
  ["to a private address", "http://127.0.0.2/", "private network"],
  ["to a private IPv6 address", "http://[::1]/", "private network"],
  ["to a file", "file:///etc/passwd", "only http and https"],
  ["with credentials", "http://user:secret@127.0.0.1/", "user name or a password"],
  ["to itself", "/", "redirects more than 5 times"],
])("a redirect %s is not followed", async (_what, location, reason) => {
  let count = 0;
  const url = await serve((_, response) => {
    count += 1;
    response.writeHead(301, { location }).end("moved");
  });
  expect((await refusalOf(`${url}/`)).message).toContain(reason);
  expect(count).toBeLessThanOrEqual(6);
});

test("five redirects are followed", async () => {
  const url = await serve(({ url: path = "" }, response) => {
    const step = Number(path.slice(1));
    if (step < 5) response.writeHead(307, { location: `${step + 1}` }).end();
    else response.end("there");
  });
  expect(Buffer.from((await fetchFrom(`${url}/0`)).bytes).toString()).toBe("there");
});

test("refuses a name whose address becomes private, and connects only to addresses it has checked", async () => {
  const answers = [["127.0.0.1"], ["127.0.0.2"]];
  const resolveName: GuardedFetchOptions["resolveName"] = () =>
    Promise.resolve((answers.shift() ?? []).map((address) => ({ address, family: 4 })));
  let count = 0;
  const url = await serve((_, response) => {
    count += 1;
    response.writeHead(302, { location: "/again" }).end();
  });
  const { port } = new URL(url);
  const { message } = await refusalOf(`http://rebind.example:${port}/`, { resolveName });
  expect(message).toContain("private network");
  expect(message).not.toContain("127.0.0.2");
  expect([count, answers]).toEqual([1, []]);
});

test("refuses a name that has a private address among public ones", async () => {
  const resolveName: GuardedFetchOptions["resolveName"] = () =>
    Promise.resolve([
      { address: "93.184.215.14", family: 4 },
      { address: "::ffff:a00:1", family: 6 },
    ]);
  expect((await refusalOf("http://mixed.example/", { resolveName })).kind).toBe("forbidden");
});

test("fetches from the hosts that the owner allows, and from no other private hosts", async () => {
  const url = await serve((_, response) => response.end("inner"));
  const { port } = new URL(url);
  const resolveName: GuardedFetchOptions["resolveName"] = () => Promise.resolve([{ address: "127.0.0.1", family: 4 }]);
  const options = { resolveName, allow: ["wiki.corp.example", "*.docs.example"] };
  for (const host of ["wiki.corp.example", "WIKI.corp.example.", "a.docs.example"])
    expect((await fetchFrom(`http://${host}:${port}/`, options)).bytes).toHaveLength(5);
  for (const host of ["corp.example", "docs.example", "evildocs.example", "wiki.corp.example.evil.example"])
    expect((await refusalOf(`http://${host}:${port}/`, options)).kind).toBe("forbidden");
});

test("fetches from a place that the owner allows with a port at that port only", async () => {
  const url = await serve((_, response) => response.end("inner"));
  const { port } = new URL(url);
  const resolveName: GuardedFetchOptions["resolveName"] = () => Promise.resolve([{ address: "127.0.0.1", family: 4 }]);
  const allow = [`wiki.corp.example:${port}`, "*.docs.example:1", "other.example:65535"];
  expect((await fetchFrom(`http://wiki.corp.example:${port}/`, { resolveName, allow })).bytes).toHaveLength(5);
  for (const place of [`a.docs.example:${port}`, `other.example:${port}`, "wiki.corp.example", "wiki.corp.example:1"])
    expect((await refusalOf(`http://${place}/`, { resolveName, allow })).kind, place).toBe("forbidden");
  for (const network of [`127.0.0.0/8:${port}`, `127.0.0.1:${port}`, `[127.0.0.0/8]:${port}`])
    expect((await fetchFrom(url, { allow: [network] })).bytes, network).toHaveLength(5);
  const refused = await refusalOf(url, { allow: ["127.0.0.0/8:1", "[::1]:1", "::1"] });
  expect([refused.kind, refused.message]).toEqual(["forbidden", expect.stringContaining(`at port ${port}`)]);
});

test("does not follow a redirect to another port of an allowed host", async () => {
  const inner = await serve((_, response) => response.end("inner"));
  const url = await serve((_, response) => response.writeHead(302, { location: inner }).end());
  const refused = await refusalOf(url, { allow: [`127.0.0.1:${new URL(url).port}`] });
  expect([refused.kind, refused.message]).toEqual([
    "forbidden",
    expect.stringContaining(`at port ${new URL(inner).port}`),
  ]);
});

test("IPv6 addresses with a port need brackets; networks may omit them", () => {
  const allowed = readAllowedPlaces([
    "[fd00::1]:8080",
    "fd01::/16:8080",
    "[fd02::/16]:443",
    "fd03::1",
    "HOST.example:80",
  ]);
  if (!allowed) throw new Error("They were not read");
  const isAllowed = (address: string, port: number) => isAddressAllowed(allowed, address, port);
  expect([isAllowed("fd00::1", 8080), isAllowed("fd00::1", 80), isAllowed("fd00::2", 8080)]).toEqual([
    true,
    false,
    false,
  ]);
  expect([isAllowed("fd01::5", 8080), isAllowed("fd01::5", 443), isAllowed("fd02::5", 443)]).toEqual([
    true,
    false,
    true,
  ]);
  expect([isAllowed("fd03::1", 1), isAllowed("fd03::1", 65_535)]).toEqual([true, true]);
});

test("fetches nothing offline, not even from allowed hosts", async () => {
  const { kind, message } = await refusalOf("http://127.0.0.1:1/", { isOffline: true });
  expect([kind, message]).toEqual(["unsupported", expect.stringContaining("RECOLLECT_OFFLINE")]);
});

test.each([
  [404, "not_found", "no such page (status 404)"],
  [403, "forbidden", "not public (status 403)"],
  [304, "invalid", "status 304"],
  [429, "unavailable", "fewer requests"],
  [500, "unavailable", "the server reported an error"],
])("status %i is %s", async (status, kind, reason) => {
  const url = await serve((_, response) => response.writeHead(status, { "retry-after": "9" }).end("no"));
  const error = await refusalOf(`${url}/page?token=secret`);
  expect([error.kind, error.message]).toEqual([kind, expect.stringContaining(reason)]);
  expect(error.message).toContain(`${url}/page`);
  expect(error.message).not.toContain("secret");
  expect(error.retryAfter).toBe(status === 429 ? 9 : undefined);
});

const endless: RequestListener = (_, response) => {
  const more = (): boolean => response.write("x".repeat(16_384));
  response.on("drain", more);
  while (more());
};
const bomb = gzipSync(Buffer.alloc(50_000_000));

test.each<readonly [string, RequestListener]>([
  ["is endless", endless],
  ["announces too much", (_, response) => response.writeHead(200, { "content-length": LARGEST + 1 }).write("x")],
  ["is a decompression bomb", (_, response) => response.writeHead(200, { "content-encoding": "gzip" }).end(bomb)],
])("a response that %s is cut off", async (_what, listener) => {
  const before = process.memoryUsage().rss;
  expect((await refusalOf(await serve(listener))).kind).toBe("too_large");
  expect(process.memoryUsage().rss - before).toBeLessThan(40_000_000);
});

test.each<readonly [string, string, readonly string[]]>([
  ["never arrives", "in time", []],
  ["stops in its headers", "in time", ["HTTP/1.1 200 OK\r\ncontent-"]],
  ["stops in its body", "in time", ["HTTP/1.1 200 OK\r\ncontent-length: 10\r\n\r\nabc"]],
  ["is not HTTP", "not valid HTTP", ["SSH-2.0-OpenSSH_9.2\r\n"]],
  ["has two lengths", "not valid HTTP", ["HTTP/1.1 200 OK\r\ncontent-length: 3\r\ncontent-length: 4\r\n\r\nabcd"]],
  ["has endless headers", "not valid HTTP", ["HTTP/1.1 200 OK\r\n", "x: ".padEnd(100_000, "y")]],
])("a response that %s fails with a reason", async (_what, reason, pieces) => {
  expect((await refusalOf(await serveBytes(...pieces))).message).toContain(reason);
});

test("a response that never stops trickling ends at the total time limit", async () => {
  const url = await serve((_, response) => {
    const timer = setInterval(() => response.write("x"), 50);
    response.on("close", () => clearInterval(timer));
  });
  const begun = Date.now();
  const { kind, message } = await refusalOf(url, { timeoutMs: 600 });
  expect([kind, message]).toEqual(["unavailable", expect.stringContaining("in time")]);
  expect(Date.now() - begun).toBeLessThan(1_800);
});

test.each<readonly [string, RequestListener, string]>([
  [
    "is shorter than announced",
    (_, response) => response.writeHead(200, { "content-length": 10 }).write("abc", () => response.destroy()),
    "connection broke",
  ],
  [
    "is not gzip",
    (_, response) => response.writeHead(200, { "content-encoding": "gzip" }).end("plain"),
    "cannot be decompressed",
  ],
  [
    "is truncated gzip",
    (_, response) => response.writeHead(200, { "content-encoding": "gzip" }).end(gzipSync("abcdefgh").subarray(0, 15)),
    "cannot be decompressed",
  ],
  [
    "has an unrequested compression",
    (_, response) => response.writeHead(200, { "content-encoding": "gzip, gzip" }).end("x"),
    "was not requested",
  ],
  [
    "switches to another protocol",
    (_, { socket }) => socket?.end("HTTP/1.1 101 Switching Protocols\r\nUpgrade: x\r\nConnection: upgrade\r\n\r\nabc"),
    "another protocol",
  ],
])("a response that %s fails with a reason", async (_what, listener, reason) => {
  expect((await refusalOf(await serve(listener))).message).toContain(reason);
});

test("reports unknown hosts and ports where nothing listens differently", async () => {
  const url = await serve(() => undefined);
  const [server] = servers.splice(0);
  await new Promise((resolve) => server?.close(resolve));
  expect((await refusalOf(url)).message).toContain("nothing answers there");
  const resolveName = () => Promise.reject(Object.assign(new Error("no"), { code: "ENOTFOUND" }));
  const error = await refusalOf("http://nowhere.example/", { resolveName });
  expect([error.kind, error.message]).toEqual(["not_found", expect.stringContaining("no host nowhere.example")]);
});

test("the caller may cancel a fetch", async () => {
  const url = await serve(() => undefined);
  const asker = new AbortController();
  const fetching = fetcher({ stallMs: 5_000 }).fetch(url, asker.signal);
  asker.abort(new Error("enough"));
  await expect(fetching).rejects.toThrow("enough");
});

test("does not fetch from this machine's public addresses, directly or by name", async () => {
  const own = {
    ownAddresses: () => ["127.0.0.1", "93.184.216.34", "2606:2800:220:1::1"],
    resolveName: async () => [{ address: "93.184.216.34", family: 4 }],
  };
  for (const url of ["http://93.184.216.34:9200/", "http://[2606:2800:220:1::1]/", "http://mine.example/"])
    expect(await refusalOf(url, own)).toMatchObject({ kind: "forbidden" });
});
