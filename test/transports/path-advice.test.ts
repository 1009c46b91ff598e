import { afterAll, beforeAll, expect, test } from "vitest";
import { ENDPOINTS } from "../../src/transports/rest/app.js";
import { pathsOf } from "../../src/transports/rest/mount.js";
import { type OpenedRest, openRest } from "../support/rest.js";

let rest: OpenedRest;
beforeAll(async () => {
  rest = await openRest();
});
afterAll(() => rest.close());

const SERVED = new Set(ENDPOINTS.flatMap((endpoint) => pathsOf(endpoint)));

test.each([
  ["POST", "/ns/mia/document", "POST /v3/documents,"],
  ["POST", "/ns/mia/document/batch", "POST /v3/documents/batch,"],
  ["POST", "/ns/mia/document/file", "POST /v3/documents/file,"],
  ["GET", "/ns/mia/document/d1?include=chunks", "/v3/documents/{id},"],
  ["POST", "/ns/user%3Amia/search", "POST /v4/search,"],
  ["POST", "/ns/mia/profile", "POST /v4/profile,"],
  ["PUT", "/ns/mia/profile/buckets", "PATCH /v3/container-tags/{containerTag},"],
  ["GET", "/ns/mia/memories/m1", "POST /v4/memories/list,"],
  ["DELETE", "/ns/mia/memories/semantic", "POST /v4/memories/forget-matching,"],
  ["POST", "/ns/mia/list/documents", "POST /v3/documents/list,"],
  ["POST", "/ns/mia/list/memories", "POST /v4/memories/list,"],
  ["GET", "/ns/mia/connectors", "POST /v3/connections/list,"],
  ["DELETE", "/ns/mia", "/v3/container-tags/{containerTag},"],
  ["GET", "/ns", "GET /v3/container-tags/list,"],
  ["GET", "/namespaces", "GET /v3/container-tags/list,"],
  ["GET", "/organization", "GET /v3/settings,"],
  ["GET", "/connectors", "POST /v3/connections/list,"],
])("%s %s of the fifth generation answers 404 and names the replacement", async (method, path, use) => {
  const { status, body } = await rest.send(method, path, method === "GET" ? undefined : {});
  expect(status).toBe(404);
  expect(body.error).toBe(body.message);
  expect(body.message).toContain(use);
  expect(body.message).toContain("an SDK up to version 4");
  for (const [named] of body.message.matchAll(/\/v[34]\/[\w/{}-]+/g)) expect(SERVED).toContain(named);
});

test("a single-upload link answers 404 and explains how to upload files", async () => {
  const { status, body } = await rest.send("POST", "/upload/00000000-0000-4000-8000-000000000000", {});
  expect([status, body.message]).toEqual([404, expect.stringContaining("use POST /v3/documents/file, with a key")]);
});

test("other paths get no advice that does not apply to them", async () => {
  for (const path of ["/nsx/mia/search", "/ns/mia/nothing", "/uploads", "/v3/nothing"])
    expect((await rest.send("GET", path)).body.message).toBe(`This server does not serve GET ${path}.`);
});
