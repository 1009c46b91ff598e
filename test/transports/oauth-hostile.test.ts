import fc from "fast-check";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { type App, createApp } from "../support/oauth-app.js";
import { allow, type Browser, createOwnerBrowser } from "../support/oauth-browser.js";
import { useMcp } from "../support/oauth-use.js";
import { parseRaw, sendRaw } from "../support/raw-http.js";
import { type OpenedRest, openRest } from "../support/rest.js";

let rest: OpenedRest;
let url: string;
let browser: Browser;
let app: App;

beforeEach(async () => {
  rest = await openRest();
  ({ url } = await rest.listen());
  browser = await createOwnerBrowser(rest, url);
  app = await createApp(url);
});
afterEach(() => rest.close());

const HUGE = "x".repeat(9_000);
const ODD = ["", " ", "\u0000", "💥\u202E", "../../etc/passwd", "' or 1=1 --", "__proto__", HUGE];

test.each([
  [
    "code",
    (value: string) => ({
      grant_type: "authorization_code",
      code: value,
      redirect_uri: "http://127.0.0.1/",
      code_verifier: "v",
    }),
  ],
  [
    "verifier",
    (value: string) => ({
      grant_type: "authorization_code",
      code: "c",
      redirect_uri: "http://127.0.0.1/",
      code_verifier: value,
    }),
  ],
  ["refresh token", (value: string) => ({ grant_type: "refresh_token", refresh_token: value })],
  ["grant type", (value: string) => ({ grant_type: value })],
  ["client", (value: string) => ({ grant_type: "refresh_token", refresh_token: "r", client_id: value })],
  [
    "client that is a URL",
    (value: string) => ({ grant_type: "refresh_token", refresh_token: "r", client_id: `https://${value}` }),
  ],
])("refuses an odd %s with an OAuth error", async (_name, fieldsOf) => {
  for (const value of ODD) {
    const { status, body } = await app.token(fieldsOf(value));
    expect([value.slice(0, 20), status >= 400 && status < 500, typeof body.error]).toEqual([
      value.slice(0, 20),
      true,
      "string",
    ]);
  }
});

test("refuses odd access tokens", async () => {
  for (const token of ["x", "a b", "sm_", "%00", "eyJhbGciOiJub25lIn0.eyJzdWIiOiJvd25lciJ9.", HUGE])
    expect([token.slice(0, 20), (await useMcp(url, token)).status]).toEqual([token.slice(0, 20), 401]);
});

test("answers any malformed authorization request with an error and grants no access", async () => {
  const names = [
    "client_id",
    "redirect_uri",
    "scope",
    "state",
    "resource",
    "prompt",
    "response_mode",
    "nonce",
    "max_age",
    "claims",
    "request",
    "request_uri",
    "code_challenge",
    "response_type",
  ];
  const value = fc.oneof(
    fc.constantFrom(...ODD, "login", "none", "0", "{}", "https://evil.example"),
    fc.string({ maxLength: 60, unit: "binary" }),
  );
  await fc.assert(
    fc.asyncProperty(fc.dictionary(fc.constantFrom(...names), value, { minKeys: 1, maxKeys: 4 }), async (changes) => {
      const { origin, pathname, searchParams, hash } = (await browser.open(app.authorizeUrl(changes))).url;
      const isTold = origin === url || searchParams.has("error") || hash.includes("error=");
      expect([pathname, isTold, searchParams.has("code")]).toEqual([pathname, true, false]);
    }),
    { numRuns: 120, seed: 20261120 },
  );
  const failures = rest.log.filter(({ level }) => level === "error");
  expect(failures).toEqual([]);
  expect((await rest.core.listGrants({ actor: rest.actor })).grants).toEqual([]);
}, 60_000);

describe("an authorised app", () => {
  test("cannot extend its own access, neither through the consent page nor through the owner's forms", async () => {
    const { body } = await app.redeem(await allow(browser, app.authorizeUrl({ scope: "memory:read" })));
    const headers = { authorization: `Bearer ${body.access_token}` };
    const asked = await fetch(app.authorizeUrl(), { headers, redirect: "manual" });
    const question = await fetch(new URL(asked.headers.get("location") ?? "", url), { headers, redirect: "manual" });
    expect(question.headers.get("location")).toMatch(/^\/auth\/sign-in/);
  });
});

test.each(["/oauth/authorize", "/oauth/token", "/oauth/register", "/.well-known/oauth-authorization-server"])(
  "%s refuses TRACE and names the methods it accepts",
  async (path) => {
    const { port } = new URL(url);
    const request = `TRACE ${path} HTTP/1.1\r\nHost: 127.0.0.1:${port}\r\nConnection: close\r\n\r\n`;
    const answer = parseRaw(await sendRaw(Number(port), request, { ends: false }));
    expect(answer.status).toBe(405);
    expect(answer.body["error"]).toContain("TRACE");
    expect(rest.log.filter(({ level }) => level === "error")).toEqual([]);
  },
);
