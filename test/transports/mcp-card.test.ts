import { readFileSync } from "node:fs";
import { resolve } from "node:path";
import { afterAll, beforeAll, expect, test } from "vitest";
import * as z from "zod";
import { describeServer } from "../../src/transports/mcp/about.js";
import { type OpenedRest, openRest } from "../support/rest.js";

const CARD = "/mcp/server-card";
const CATALOG = "/.well-known/ai-catalog.json";

/** The fields of SEP-2127 in use here. */
const card = z.strictObject({
  $schema: z.literal("https://static.modelcontextprotocol.io/schemas/v1/server-card.schema.json"),
  name: z.string().regex(/^[a-zA-Z0-9.-]+\/[a-zA-Z0-9._-]+$/),
  version: z.string().min(1).max(255),
  title: z.string().min(1).max(100),
  description: z.string().min(1).max(100),
  remotes: z.tuple([
    z.strictObject({
      type: z.literal("streamable-http"),
      url: z.url(),
      supportedProtocolVersions: z.array(z.iso.date()),
      headers: z.array(
        z.strictObject({
          name: z.string(),
          description: z.string(),
          isRequired: z.boolean(),
          isSecret: z.boolean(),
        }),
      ),
    }),
  ]),
});
const catalog = z.strictObject({
  specVersion: z.string(),
  entries: z.tuple([
    z.strictObject({
      identifier: z.string().regex(/^urn:air:[a-z0-9.-]+(:[a-z0-9._-]+)+$/),
      displayName: z.string(),
      type: z.literal("application/mcp-server-card+json"),
      url: z.url(),
    }),
  ]),
});

let rest: OpenedRest;
let url: string;
beforeAll(async () => {
  rest = await openRest();
  ({ url } = await rest.listen());
});
afterAll(() => rest.close());

test("the card matches the registry entry and names the address of the request", async () => {
  const answer = await fetch(`${url}${CARD}`);
  expect([answer.status, answer.headers.get("content-type")]).toEqual([200, "application/mcp-server-card+json"]);
  const said = card.parse(await answer.json());
  const registered = JSON.parse(readFileSync(resolve(import.meta.dirname, "../../.mcp/server.json"), "utf8")) as object;
  const { $schema: _card, remotes, version, ...about } = said;
  expect(registered).toMatchObject(about);
  expect([version, about.title]).toEqual(["0.0.0-test", describeServer("").title]);
  expect(remotes[0].url).toBe(`${url}/mcp`);
});

test("the card lists the protocol revisions that the server supports", async () => {
  const { remotes } = card.parse(await (await fetch(`${url}${CARD}`)).json());
  for (const protocolVersion of remotes[0].supportedProtocolVersions.filter((version) => version < "2026")) {
    const answer = await fetch(remotes[0].url, {
      method: "POST",
      headers: { "content-type": "application/json", accept: "application/json, text/event-stream" },
      body: JSON.stringify({
        jsonrpc: "2.0",
        id: 1,
        method: "initialize",
        params: { protocolVersion, capabilities: {}, clientInfo: { name: "t", version: "1" } },
      }),
    });
    expect(await answer.text()).toContain(`"protocolVersion":"${protocolVersion}"`);
  }
  expect(remotes[0].supportedProtocolVersions[0]).toBe("2026-07-28");
});

test("the catalog links to the card", async () => {
  const answer = await fetch(`${url}${CATALOG}`);
  expect([answer.status, answer.headers.get("content-type")]).toEqual([200, "application/ai-catalog+json"]);
  const [entry] = catalog.parse(await answer.json()).entries;
  expect(entry.url).toBe(`${url}${CARD}`);
  expect(card.parse(await (await fetch(entry.url)).json()).title).toBe(entry.displayName);
});

test.each([CARD, CATALOG])("%s may be read by any page, is cached, and is revalidated by its ETag", async (path) => {
  const answer = await fetch(`${url}${path}`, { headers: { origin: "https://anywhere.example" } });
  expect(Object.fromEntries(answer.headers)).toMatchObject({
    "access-control-allow-origin": "*",
    "access-control-allow-methods": "GET",
    "cache-control": "public, max-age=3600",
  });
  const etag = answer.headers.get("etag") ?? "";
  const again = await fetch(`${url}${path}`, { headers: { "if-none-match": etag } });
  expect([again.status, await again.text()]).toEqual([304, ""]);
  const head = await fetch(`${url}${path}`, { method: "HEAD" });
  expect([head.status, head.headers.get("etag"), await head.text()]).toEqual([200, etag, ""]);
  expect((await fetch(`${url}${path}`, { method: "OPTIONS" })).status).toBe(204);
  const posted = await fetch(`${url}${path}`, { method: "POST", body: "{}" });
  expect([posted.status, posted.headers.get("allow")]).toEqual([405, "GET, HEAD, OPTIONS"]);
});

test.each([CARD, CATALOG])("%s is refused under unknown host names and names the public address", async (path) => {
  const set = await openRest({ settings: { RECOLLECT_PUBLIC_URL: "https://memory.example" } });
  try {
    const ask = (host: string) => set.app.request(path, { headers: { host } }, { incoming: { socket: {} } });
    expect((await ask("evil.example")).status).toBe(403);
    for (const host of ["memory.example", "10.0.0.5:6767"])
      expect(await (await ask(host)).text()).toContain("https://memory.example/mcp");
  } finally {
    await set.close();
  }
});
