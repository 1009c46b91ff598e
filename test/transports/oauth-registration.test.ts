import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { createApp, register } from "../support/oauth-app.js";
import { allow, createOwnerBrowser } from "../support/oauth-browser.js";
import { callRest } from "../support/oauth-use.js";
import { type OpenedRest, openRest } from "../support/rest.js";

let rest: OpenedRest;
let url: string;

beforeEach(async () => {
  rest = await openRest();
  ({ url } = await rest.listen());
});
afterEach(() => rest.close());

describe("app registration", () => {
  test("creates public apps only, whatever they ask for", async () => {
    const { status, body } = await register(url, {
      token_endpoint_auth_method: "client_secret_basic",
      grant_types: ["authorization_code", "refresh_token", "client_credentials"],
      response_types: ["code", "token"],
      scope: "everything",
      logo_uri: "http://127.0.0.1/admin",
      jwks_uri: "http://169.254.169.254/",
      application_type: "web",
    });
    expect(status).toBe(201);
    expect(body).toMatchObject({
      client_id: expect.any(String),
      token_endpoint_auth_method: "none",
      grant_types: ["authorization_code", "refresh_token"],
      response_types: ["code"],
    });
    for (const left of ["client_secret", "scope", "jwks_uri", "logo_uri"]) expect(body).not.toHaveProperty(left);
  });

  test.each([
    ["http on another host", ["http://evil.example/callback"]],
    ["a script", ["javascript:alert(1)"]],
    ["the scheme of an unknown program", ["evil-app://callback"]],
    ["a fragment", ["https://app.example/callback#x"]],
    ["a password", ["https://user:password@app.example/callback"]],
    ["one invalid one among valid ones", ["https://app.example/callback", "file:///etc/passwd"]],
    ["no URI", []],
    ["a number", [1]],
    ["too many", Array.from({ length: 100 }, (_, index) => `https://app.example/${index}`)],
    ["something that is not a list", "https://app.example/callback"],
    ["a host with a semicolon", ["https://good.example;.evil.example/callback"]],
    ["a host with a star", ["https://*.example/callback"]],
    ["a host with a comma", ["https://good.example,evil.example/callback"]],
    ["a host with an encoded space", ["https://good%20.example/callback"]],
    ["a host that begins with a hyphen", ["https://-good.example/callback"]],
    ["an invalid loopback port", ["http://127.0.0.1:port/callback"]],
  ])("with %s as redirect URI is refused with a reason", async (_name, redirect_uris) => {
    const { status, body } = await register(url, { redirect_uris });
    expect([status, body.error]).toEqual([400, expect.stringMatching(/^invalid_/)]);
    expect(body.error_description).toContain("redirect");
  });

  test.each([
    "https://claude.ai/api/mcp/auth_callback",
    "cursor://anysphere.cursor-mcp/oauth/callback",
    "http://localhost:8080/callback",
    "http://[::1]/callback",
  ])("accepts the redirect URI %s", async (address) =>
    expect((await register(url, { redirect_uris: [address] })).status).toBe(201),
  );

  test("is refused for a body that is not JSON or is too large", async () => {
    for (const body of ["", "{", "[]", '"x"', "null"]) {
      const answer = await fetch(`${url}/oauth/register`, {
        method: "POST",
        headers: { "content-type": "application/json" },
        body,
      });
      expect([body, answer.status]).toEqual([body, 400]);
    }
    expect((await register(url, { client_name: "x".repeat(100_000) })).status).toBe(413);
  });

  test("is rate-limited, so that nobody can fill the store", async () => {
    const answers = [];
    for (let count = 0; count < 25; count += 1) answers.push(await register(url));
    const refused = answers.find(({ status }) => status === 429);
    expect(Number(refused?.headers.get("retry-after"))).toBeGreaterThan(0);
  });
});

test("endless registrations from one address block no other address, not even of the same network", async () => {
  const proxied = await openRest({ settings: { RECOLLECT_TRUSTED_PROXIES: "127.0.0.1" } });
  const { url: at } = await proxied.listen();
  const from = async (address: string) => {
    const answer = await fetch(`${at}/oauth/register`, {
      method: "POST",
      headers: { "content-type": "application/json", "x-forwarded-for": address },
      body: JSON.stringify({ redirect_uris: ["http://127.0.0.1/callback"] }),
    });
    return answer.status;
  };
  const answers = [];
  for (let count = 0; count < 220; count += 1) answers.push(await from(`2001:db8::${count.toString(16)}`));
  expect([answers.filter((status) => status === 201).length, answers.at(-1)]).toEqual([20, 429]);
  expect(await from("2001:db8:0:1::1")).toBe(201);
  await proxied.close();
});

test("other origins may register, request tokens and read public metadata, but not see the owner's page", async () => {
  const origin = "https://inspector.example";
  for (const path of ["/oauth/register", "/oauth/token", "/.well-known/oauth-protected-resource/mcp"]) {
    const answer = await fetch(url + path, {
      method: "OPTIONS",
      headers: { origin, "access-control-request-method": "POST", "access-control-request-headers": "content-type" },
    });
    expect([path, answer.status, answer.headers.get("access-control-allow-origin")]).toEqual([path, 204, "*"]);
    expect(answer.headers.has("access-control-allow-credentials")).toBe(false);
  }
  const app = await createApp(url);
  const page = await (await createOwnerBrowser(rest, url)).open(app.authorizeUrl());
  expect(page.headers.has("access-control-allow-origin")).toBe(false);
});

test("the paths built into the vendor's own apps work as aliases", async () => {
  const vendor = await createApp(url, {
    clientId: "supermemory-claude-code",
    callback: "http://localhost:19876/callback",
  });
  const asked = vendor.authorizeUrl({ scope: "openid profile email offline_access", resource: url });
  const callback = await allow(
    await createOwnerBrowser(rest, url),
    asked.href.replace("/oauth/authorize", "/api/auth/oauth2/authorize"),
  );
  expect(callback.port).toBe("19876");
  const tokens = await fetch(`${url}/api/auth/oauth2/token`, {
    method: "POST",
    body: new URLSearchParams({
      grant_type: "authorization_code",
      client_id: "supermemory-claude-code",
      code: callback.searchParams.get("code") ?? "",
      redirect_uri: "http://localhost:19876/callback",
      code_verifier: vendor.verifier,
      resource: url,
    }),
  });
  const { access_token } = (await tokens.json()) as { access_token: string };
  expect((await callRest({ base: url, token: access_token }, "/v3/session")).status).toBe(200);
  const keys = await (await fetch(`${url}/api/auth/jwks`)).json();
  expect(keys).toEqual({ keys: [expect.objectContaining({ kty: "EC", use: "sig", alg: "ES256" })] });
  expect(JSON.stringify(keys)).not.toContain('"d"');
});
