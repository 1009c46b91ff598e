import { once } from "node:events";
import { connect as connectSocket } from "node:net";
import { afterEach, beforeEach, expect, test } from "vitest";
import { openLoopbackCallback } from "../../src/transports/cli/loopback-callback.js";
import { captureLog } from "../support/captured-log.js";
import { ONLINE } from "../support/connection.js";
import { type OpenedRest, openRest } from "../support/rest.js";
import { type SignedInSource, startSignedInSource } from "../support/signed-in-source.js";

/* What strangers, link previews and verbose providers can do around a sign-in. */

let source: SignedInSource;
let rest: OpenedRest;
const log = captureLog();
const cleanups: (() => Promise<unknown>)[] = [];
beforeEach(async () => {
  source = await startSignedInSource();
  rest = await openRest({ asOwner: true, settings: ONLINE, connectors: [source.connector], log });
  await rest.send("PATCH", "/v3/settings", { githubClientId: "client", githubClientSecret: "the-secret-of-the-app" });
});
afterEach(async () => {
  for (const cleanUp of cleanups.splice(0).reverse()) await cleanUp();
  await rest.close();
  await source.close();
});

async function begin(): Promise<{ readonly id: string; readonly callback: string }> {
  const { body } = await rest.send("POST", "/v3/connections/github", { containerTag: "farm" });
  const state = new URL(body.authLink).searchParams.get("state") ?? "";
  return { id: body.id, callback: `/v3/connections/auth/callback/github?code=good&state=${state}` };
}

test("a preview or prefetch of the callback address does not use up the sign-in", async () => {
  const { id, callback } = await begin();
  const { url } = await rest.listen();
  const ahead = await Promise.all([
    fetch(url + callback, { method: "HEAD" }),
    fetch(url + callback, { headers: { "sec-purpose": "prefetch;prerender" } }),
  ]);
  expect(ahead.map(({ status }) => status)).toEqual([405, 405]);
  expect(source.asked).toEqual([]);
  expect((await fetch(url + callback, { redirect: "manual" })).status).toBeLessThan(400);
  await rest.settle();
  expect((await rest.send("GET", `/v3/connections/${id}`)).body.state).toBe("active");
});

test("secrets that a provider repeats in an error are not shown", async () => {
  const { callback } = await begin();
  const { url } = await rest.listen();
  const repeated = "client_secret=the-secret-of-the-app&code=good \u001b[2J";
  source.answerNext({ status: 400, body: { error: "invalid_grant", error_description: repeated } });
  const page = await (await fetch(url + callback)).text();
  expect(page).toContain("refused the sign-in");
  expect(page + JSON.stringify(log.lines)).not.toContain("the-secret-of-the-app");
  expect(page).not.toContain("\u001b");
});

test("a wrong app secret does not require anyone to sign in again", async () => {
  const { id, callback } = await begin();
  const { url } = await rest.listen();
  await fetch(url + callback, { redirect: "manual" });
  await rest.settle();
  source.revoke();
  source.answerNext({ status: 401, body: { error: "invalid_client" } });
  await rest.send("POST", `/v3/connections/${id}/sync`);
  await rest.settle();
  const { body } = await rest.send("GET", `/v3/connections/${id}`);
  expect(body).toMatchObject({ state: "active", problem: expect.stringContaining("secret of the app") });
  await rest.send("POST", `/v3/connections/${id}/sync`);
  await rest.settle();
  expect((await rest.send("GET", `/v3/connections/${id}`)).body.problem).toBeUndefined();
});

test("the server does not wait for webhook messages that never end", async () => {
  const { url } = await rest.listen();
  const { port } = new URL(url);
  const socket = connectSocket(Number(port), "127.0.0.1");
  cleanups.push(async () => socket.destroy());
  let answer = "";
  socket.on("data", (piece: Buffer) => (answer += piece.toString()));
  socket.on("error", () => undefined);
  socket.write("POST /v3/connections/webhooks/nobody HTTP/1.1\r\nHost: 127.0.0.1\r\nContent-Length: 100000\r\n\r\nabc");
  await once(socket, "close", { signal: AbortSignal.timeout(25_000) }).catch(() => undefined);
  expect(answer).toMatch(/^HTTP\/1\.1 4\d\d /);
}, 40_000);

test("stray requests neither end the wait for a browser callback nor delay its end", async () => {
  const loopback = await openLoopbackCallback();
  const { port } = new URL(loopback.origin);
  const ask = async (path: string): Promise<string> => {
    const socket = connectSocket(Number(port), "127.0.0.1");
    cleanups.push(async () => socket.destroy());
    socket.write(`GET ${path} HTTP/1.1\r\nHost: 127.0.0.1\r\n\r\n`);
    const [piece] = (await once(socket, "data")) as [Buffer];
    return piece.toString();
  };
  expect(await ask("//")).toMatch(/^HTTP\/1\.1 404 /);
  const silent = connectSocket(Number(port), "127.0.0.1");
  silent.on("error", () => undefined);
  cleanups.push(async () => silent.destroy());
  await once(silent, "connect");
  silent.write("GET /v3/connections/auth/callback/github?code=x HTTP/1.1\r\nHost: x\r\n\r\n");
  expect(await loopback.next(5_000)).toMatchObject({ code: "x" });
  await loopback.close();
});
