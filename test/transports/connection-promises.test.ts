import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { afterAll, beforeAll, expect, test } from "vitest";
import { ONLINE } from "../support/connection.js";
import { type OpenedRest, openRest } from "../support/rest.js";

/* Documented behaviour of connections, checked with a small site. */

let rest: OpenedRest;
const site = createServer((request, response) => {
  const body =
    request.url === "/"
      ? '<a href="/a.html">the barn</a><p>Welcome to the walrus farm.</p>'
      : "<p>Of platypus venom.</p>";
  if (request.url === "/robots.txt") return response.writeHead(404).end();
  return response
    .writeHead(200, { "content-type": "text/html" })
    .end(`<html><title>T</title><body>${body}</body></html>`);
});
let address: string;

beforeAll(async () => {
  await new Promise<void>((resolve) => site.listen(0, "127.0.0.1", resolve));
  address = `http://127.0.0.1:${(site.address() as AddressInfo).port}`;
  rest = await openRest({ asOwner: true, settings: { ...ONLINE, RECOLLECT_FETCH_ALLOW: "127.0.0.1" } });
});
afterAll(async () => {
  await rest.close();
  site.close();
});

const connect = async (containerTag: string, more: object = {}) => {
  const made = await rest.send("POST", "/v3/connections/web-crawler", {
    containerTag,
    metadata: { startUrl: `${address}/` },
    ...more,
  });
  expect(made.status, JSON.stringify(made.body)).toBe(200);
  await rest.settle();
  return made.body;
};

test("links of a crawled page are absolute addresses of the site", async () => {
  await connect("links");
  const { body } = await rest.send("POST", "/v3/search", { q: "walrus farm", containerTags: ["links"] });
  expect(JSON.stringify(body)).toContain("walrus farm");
  expect(JSON.stringify(body.results)).toContain(`](${address}/a.html)`);
});

test("deleting by id refuses containers named beside the id", async () => {
  const { id } = await connect("mine");
  const removed = await rest.send("DELETE", `/v3/connections/${id}`, { containerTags: ["another"] });
  expect(removed.status).toBeGreaterThanOrEqual(400);
});

test("a redirectUrl without effect is reported in a warning", async () => {
  const made = await connect("redirect", { redirectUrl: "https://app.example/done" });
  expect(JSON.stringify(made.warnings ?? [])).toContain("redirectUrl");
});

test("a crawl whose start address is not included still follows its links", async () => {
  const made = await rest.send("POST", "/v3/connections/web-crawler", {
    containerTag: "cut",
    metadata: { startUrl: `${address}/`, include: "a.*" },
  });
  await rest.settle();
  const { body } = await rest.send("GET", `/v3/connections/${made.body.id}`);
  expect([body.lastSyncRun.status, body.lastSyncRun.error, body.documentCount]).toEqual(["done", null, 1]);
});
