import { expect, test } from "vitest";
import { expectNothingLeft, startServe, withDataDirectory } from "../support/recollect-process.js";

const KEY = "sm_tests_0123456789abcdefghijklmn";

interface Answer {
  readonly status: number;
  readonly body: any;
}

async function send(url: string, method: string, path: string, given: { key?: string; body?: unknown } = {}) {
  const headers = {
    "content-type": "application/json",
    ...(given.key !== undefined && { authorization: `Bearer ${given.key}` }),
  };
  const response = await fetch(`${url}${path}`, {
    method,
    headers,
    ...(given.body !== undefined && { body: JSON.stringify(given.body) }),
  });
  const text = await response.text();
  return { status: response.status, body: text === "" ? undefined : JSON.parse(text) } as Answer;
}

/** Every process of a data folder knows the same keys and grants them the same access. */
test(
  "keys have the same limits in every process, and revoking them takes effect immediately",
  { timeout: 60_000 },
  async () => {
    await withDataDirectory(async (dataDirectory) => {
      const owner = await startServe(dataDirectory, { RECOLLECT_API_KEY: KEY });
      const door = await startServe(dataDirectory);
      const make = async (path: string, body: unknown): Promise<{ key: string; id: string }> => {
        const { status, body: made } = await send(owner.url, "POST", path, { key: KEY, body });
        expect(status).toBe(200);
        return made;
      };
      const reader = await make("/v3/auth/agent-key", { name: "reader", permission: "read" });
      const scoped = await make("/v3/auth/scoped-key", { containerTag: "mia" });
      const full = await make("/v3/auth/agent-key", { name: "full" });
      const secret = { content: "The zanzibarcanary sings.", containerTag: "tom", customId: "toms" };
      expect((await send(door.url, "POST", "/v3/documents", { key: full.key, body: secret })).status).toBe(200);

      for (const { url } of [owner, door]) {
        const as = (key: string, method: string, path: string, body?: unknown) =>
          send(url, method, path, { key, body });
        const add = { content: "Mia keeps bees.", containerTag: "mia" };
        expect((await as(reader.key, "GET", "/v3/documents/toms")).status).toBe(200);
        expect((await as(reader.key, "POST", "/v3/documents", add)).status).toBe(403);
        expect((await as(reader.key, "GET", "/v3/auth/keys")).status).toBe(403);
        expect((await as(scoped.key, "POST", "/v3/documents", add)).status).toBe(200);
        expect((await as(scoped.key, "GET", "/v3/documents/toms")).status).toBe(404);
        expect((await as(scoped.key, "POST", "/v4/search", { q: "sings", containerTag: "tom" })).status).toBe(403);
        expect((await as(scoped.key, "PATCH", "/v3/container-tags/mia", { name: "x" })).status).toBe(403);
        expect((await as(scoped.key, "GET", "/v3/session")).body).toMatchObject({ accessType: "restricted" });
        expect((await as("sm_wrong_0123456789abcdefghij", "GET", "/v3/session")).status).toBe(401);
        // A name that is too long to be stored is no reason to refuse a caller.
        const named = { authorization: `Bearer ${full.key}`, "x-sm-source": "x".repeat(5_000) };
        expect((await fetch(`${url}/v3/session`, { headers: named })).status).toBe(200);
      }

      expect((await send(door.url, "PUT", `/v3/auth/keys/${reader.id}/toggle`, { key: full.key })).status).toBe(200);
      expect((await send(owner.url, "DELETE", `/v3/auth/scoped-key/${scoped.id}`, { key: full.key })).status).toBe(200);
      for (const { url } of [owner, door])
        for (const { key } of [reader, scoped])
          expect((await send(url, "GET", "/v3/session", { key })).status).toBe(401);
      await door.stop();
      await owner.stop();
      await expectNothingLeft(dataDirectory);
    });
  },
);
