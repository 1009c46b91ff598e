import { afterEach, beforeEach, expect, test } from "vitest";
import { type OpenedRest, openRest } from "../support/rest.js";

let rest: OpenedRest;

beforeEach(async () => {
  rest = await openRest({ asOwner: true });
});
afterEach(() => rest.close());

const CLIENT_ID = "https://claude.ai/oauth/client.json";
const allow = (input: object = {}) =>
  rest.core.allowApp(
    { actor: rest.actor },
    {
      issuer: "http://127.0.0.1:6767",
      clientId: CLIENT_ID,
      clientName: "Claude",
      clientHost: "claude.ai",
      permission: "write",
      ...input,
    },
  );

test("lists grants with all their limits, and without internal fields", async () => {
  expect((await rest.send("GET", "/v3/oauth/grants")).body).toEqual({ grants: [] });
  const { id } = await allow({ containerTags: ["mia"], permission: "read", expiresInDays: 7 });
  expect((await rest.send("GET", "/v3/oauth/grants")).body).toEqual({
    grants: [
      {
        id,
        clientId: CLIENT_ID,
        clientName: "Claude",
        clientHost: "claude.ai",
        containerTags: ["mia"],
        permission: "read",
        createdAt: expect.any(String),
        lastUsedAt: null,
        expiresAt: expect.any(String),
      },
    ],
  });
});

test("revokes access by grant, or by client id, even if that is a URL", async () => {
  const { id } = await allow();
  await allow();
  await allow();
  const end = (what: string) => rest.send("DELETE", `/v3/oauth/grants/${encodeURIComponent(what)}`);
  expect((await end(id)).body).toEqual({ success: true, revoked: 1 });
  expect((await end(CLIENT_ID)).body).toEqual({ success: true, revoked: 2 });
  expect((await end(CLIENT_ID)).status).toBe(404);
  expect((await end("x".repeat(3_000))).status).toBe(400);
});
