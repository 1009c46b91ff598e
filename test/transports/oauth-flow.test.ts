import { readdir, readFile } from "node:fs/promises";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { type App, CALLBACK, createApp, register } from "../support/oauth-app.js";
import { allow, type Answer, type Browser, createBrowser, createOwnerBrowser } from "../support/oauth-browser.js";
import { callRest as callRestAt, useMcp } from "../support/oauth-use.js";
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

const use = (token: string, base = url) => useMcp(base, token);
const callRest = (token: string, path: string, init: RequestInit = {}) => callRestAt({ base: url, token }, path, init);

async function readJson(address: string): Promise<any> {
  return (await fetch(address, { headers: { origin: "https://app.example" } })).json();
}

async function signIn(answer: Answer = {}, changes: Record<string, string | null> = {}): Promise<any> {
  const tokens = await app.redeem(await allow(browser, app.authorizeUrl(changes), answer));
  expect([tokens.status, tokens.body.error_description]).toEqual([200, undefined]);
  return tokens.body;
}

const refresh = (token: string, fields: Record<string, string> = {}) =>
  app.token({ grant_type: "refresh_token", refresh_token: token, ...fields });

describe("OAuth discovery", () => {
  test("leads from the first 401 to scopes, resource and authorization server metadata", async () => {
    const refused = await fetch(`${url}/mcp`, { method: "POST", headers: { origin: url }, body: "{}" });
    const [, metadata = ""] = /resource_metadata="([^"]+)"/.exec(refused.headers.get("www-authenticate") ?? "") ?? [];
    expect(refused.headers.get("www-authenticate")).toContain('scope="memory:read memory:write"');
    expect([refused.status, metadata]).toEqual([401, `${url}/.well-known/oauth-protected-resource/mcp`]);
    const resource = await (await fetch(metadata)).json();
    expect(resource).toMatchObject({
      resource: `${url}/mcp`,
      authorization_servers: [url],
      bearer_methods_supported: ["header"],
    });
    expect(await (await fetch(`${url}/.well-known/oauth-protected-resource`)).json()).toEqual(resource);
    for (const path of ["/.well-known/oauth-authorization-server", "/.well-known/openid-configuration"]) {
      const server = await readJson(url + path);
      expect(server).toMatchObject({
        issuer: url,
        authorization_endpoint: `${url}/oauth/authorize`,
        token_endpoint: `${url}/oauth/token`,
        registration_endpoint: `${url}/oauth/register`,
        revocation_endpoint: `${url}/oauth/revoke`,
        jwks_uri: `${url}/oauth/jwks`,
        response_types_supported: ["code"],
        code_challenge_methods_supported: ["S256"],
        token_endpoint_auth_methods_supported: ["none"],
        grant_types_supported: ["authorization_code", "refresh_token"],
        authorization_response_iss_parameter_supported: true,
        client_id_metadata_document_supported: true,
        scopes_supported: expect.arrayContaining(["memory:read", "memory:write", "offline_access"]),
      });
    }
  });

  test("treats another name of this machine as a separate server that rejects these tokens", async () => {
    const elsewhere = url.replace("127.0.0.1", "localhost");
    const metadata = await readJson(`${elsewhere}/.well-known/oauth-authorization-server`);
    expect([metadata.issuer, metadata.token_endpoint]).toEqual([elsewhere, `${elsewhere}/oauth/token`]);
    const { access_token } = await signIn();
    expect([(await use(access_token)).status, (await use(access_token, elsewhere)).status]).toEqual([200, 401]);
    const stranger = createBrowser(elsewhere, browser.cookies);
    const page = await stranger.open(app.authorizeUrl().href.replace(url, elsewhere));
    expect([page.status, page.url.pathname]).toEqual([400, "/oauth/authorize"]);
    expect(page.text).not.toContain("form_token");
  });
});

describe("an access token", () => {
  test("opens MCP and the API within the owner's consent, under the name of its grant", async () => {
    const { access_token, token_type, expires_in, scope, refresh_token } = await signIn();
    expect([token_type, expires_in, scope]).toEqual(["Bearer", 3_600, "memory:read memory:write"]);
    expect([access_token, refresh_token].map((text) => text.length > 40)).toEqual([true, true]);
    expect(await use(access_token)).toEqual({ status: 200, tools: expect.arrayContaining(["search", "add-memory"]) });
    const added = await callRest(access_token, "/v3/documents", {
      method: "POST",
      body: JSON.stringify({ content: "Mia keeps bees.", containerTag: "mia" }),
    });
    expect(added.status).toBe(200);
    const { grants } = await rest.core.listGrants({ actor: rest.actor });
    expect(grants).toMatchObject([
      {
        clientId: app.clientId,
        clientName: "Test app",
        clientHost: "this machine",
        containerTags: null,
        permission: "write",
        issuer: url,
        lastUsedAt: expect.any(String),
      },
    ]);
    const { items } = await rest.core.listJournal({ actor: rest.actor }, {});
    expect(items.map(({ actor }) => actor)).toContain(`oauth:${grants[0]?.id}`);
  });

  test("administers nothing, whatever the owner chose: keys and settings are reserved for the owner", async () => {
    const { access_token } = await signIn();
    for (const [method, path, body] of [
      ["POST", "/v3/auth/scoped-key", { containerTag: "mia" }],
      ["GET", "/v3/auth/keys", undefined],
      ["PATCH", "/v3/settings", { chunkSize: 2_000 }],
      ["GET", "/v3/oauth/grants", undefined],
    ] as const) {
      const init = { method, ...(body && { body: JSON.stringify(body) }) };
      expect([path, (await callRest(access_token, path, init)).status]).toEqual([path, 403]);
    }
  });

  test("of a read grant for one container sees no writing tools and no other container", async () => {
    for (const [containerTag, name] of [
      ["mia", "Mia"],
      ["tom", "Tom"],
    ] as const)
      await rest.core.addDocument(
        { actor: rest.actor },
        { content: `${name} keeps bees.`, containerTags: [containerTag] },
      );
    await rest.settle();
    const { access_token } = await signIn({ containers: ["mia"], permission: "read" });
    const { tools } = await use(access_token);
    expect(tools).toEqual(expect.arrayContaining(["search", "profile"]));
    expect(tools).not.toEqual(expect.arrayContaining(["add-memory"]));
    const search = (containerTag?: string) =>
      callRest(access_token, "/v4/search", {
        method: "POST",
        body: JSON.stringify({ q: "Who keeps bees?", threshold: 0, containerTag }),
      });
    expect((await search("tom")).status).toBe(403);
    const found = JSON.stringify((await search()).body);
    expect([found.includes("Mia keeps"), found.includes("Tom keeps")]).toEqual([true, false]);
    const written = await callRest(access_token, "/v3/documents", {
      method: "POST",
      body: JSON.stringify({ content: "x", containerTag: "mia" }),
    });
    expect(written.status).toBe(403);
  });

  test("stays read-only if the app asked for read access, even where the owner allowed more", async () => {
    const { access_token, scope } = await signIn({ permission: "write" }, { scope: "memory:read" });
    expect(scope).toBe("memory:read");
    expect((await use(access_token)).tools).not.toContain("add-memory");
  });

  test.each([
    ["no scope", null, "memory:read memory:write"],
    ["scopes of other servers", "read write claudeai", "memory:read memory:write"],
    ["OpenID scopes", "openid profile email offline_access", "memory:read memory:write"],
    ["the read scope and an unknown one", "memory:read files:all", "memory:read"],
  ])("for an app that asks for %s", async (_name, scope, expected) => {
    const tokens = await signIn({}, { scope, resource: null });
    expect(tokens.scope).toBe(expected);
    expect("id_token" in tokens).toBe(scope?.includes("openid") ?? false);
    expect((await use(tokens.access_token)).status).toBe(200);
  });

  test("is not stored in clear text; neither are codes and refresh tokens", async () => {
    const callback = await allow(browser, app.authorizeUrl());
    const { body } = await app.redeem(callback);
    const files = (await readdir(rest.dataDirectory)).filter((file) => file.startsWith("recollect.db"));
    expect(files).not.toEqual([]);
    for (const name of files) {
      const bytes = await readFile(join(rest.dataDirectory, name));
      const secrets = [callback.searchParams.get("code"), body.access_token, body.refresh_token];
      for (const secret of secrets) expect([name, bytes.includes(String(secret))]).toEqual([name, false]);
    }
  });

  test("is refused in the query string; a refresh token is refused in its place", async () => {
    const { access_token, refresh_token } = await signIn();
    const inAddress = await fetch(`${url}/mcp?access_token=${access_token}`, {
      method: "POST",
      headers: { origin: url, "content-type": "application/json" },
      body: "{}",
    });
    expect(inAddress.status).toBe(401);
    expect((await use(refresh_token)).status).toBe(401);
  });

  test("is not issued for another resource", async () => {
    const page = await browser.open(app.authorizeUrl({ resource: "https://elsewhere.example/mcp" }));
    expect(page.url.origin + page.url.pathname).toBe(CALLBACK);
    expect(Object.fromEntries(page.url.searchParams)).toMatchObject({ error: "invalid_target", iss: url });
    const callback = await allow(browser, app.authorizeUrl());
    expect((await app.redeem(callback, { resource: "https://elsewhere.example/mcp" })).body).toMatchObject({
      error: "invalid_target",
    });
  });
});

describe("the authorization request", () => {
  const errorOf = async (changes: Record<string, string | null>) => {
    const page = await browser.open(app.authorizeUrl(changes));
    const said = page.url.hash === "" ? page.url.searchParams : new URLSearchParams(page.url.hash.slice(1));
    return { at: page.url.origin + page.url.pathname, ...Object.fromEntries(said) };
  };

  test("redirects with an error when PKCE is missing or the challenge is plain", async () => {
    const missing = { code_challenge: null, code_challenge_method: null };
    for (const changes of [missing, { code_challenge_method: "plain" }, { code_challenge_method: null }])
      expect(await errorOf(changes)).toMatchObject({
        at: CALLBACK,
        error: "invalid_request",
        state: "state-1",
        iss: url,
      });
  });

  test("redirects with an error for any response type other than code", async () => {
    for (const response_type of ["token", "id_token", "code token"])
      expect(await errorOf({ response_type })).toMatchObject({
        error: expect.stringMatching(/^(unsupported|invalid)_/),
      });
  });

  test.each([
    ["another host", "https://evil.example/callback"],
    ["another path on this machine", "http://127.0.0.1:33418/other"],
    ["a host name that starts like this machine's", "http://127.0.0.1.evil.example/callback"],
    ["a script", "javascript:alert(1)"],
    ["something that is not a URL", "callback"],
  ])("with %s as redirect URI shows the owner an error page and does not redirect", async (_name, redirect_uri) => {
    const page = await browser.open(app.authorizeUrl({ redirect_uri }));
    expect([page.url.origin, page.status]).toEqual([url, 400]);
    expect(page.headers.get("content-security-policy")).toContain("default-src 'none'");
    expect(page.text).toContain("cannot be given access");
  });

  test("accepts and ignores OpenID Connect parameters", async () => {
    const callback = await allow(
      browser,
      app.authorizeUrl({ nonce: "n-1", max_age: "1", ui_locales: "it", foo: "bar" }),
    );
    expect((await app.redeem(callback)).status).toBe(200);
  });

  test("may redirect to any port of this machine", async () => {
    const callback = await allow(browser, app.authorizeUrl({ redirect_uri: "http://127.0.0.1:5555/callback" }));
    expect(callback.port).toBe("5555");
    expect((await app.redeem(callback, { redirect_uri: "http://127.0.0.1:5555/callback" })).status).toBe(200);
  });

  test("of an unknown app is explained on a page, and as JSON to programs", async () => {
    const stranger = await createApp(url, { clientId: "nobody" });
    const page = await browser.open(stranger.authorizeUrl());
    expect([page.status, page.text.includes("does not know the app")]).toEqual([400, true]);
    const program = await fetch(stranger.authorizeUrl(), { headers: { accept: "application/json" } });
    expect(await program.json()).toMatchObject({ error: "invalid_client" });
  });

  test("sends a browser that is not signed in to the sign-in page", async () => {
    const page = await createBrowser(url).open(app.authorizeUrl());
    expect([page.url.pathname, page.url.searchParams.get("next")]).toEqual([
      "/auth/sign-in",
      expect.stringMatching(/^\/auth\/consent\//),
    ]);
  });
});

describe("the owner", () => {
  test("sees which app asks and where it redirects, whatever the app calls itself", async () => {
    const name = `<img src=x onerror=alert(1)>\u202Eevil ${"x".repeat(500)}`;
    const { body } = await register(url, { client_name: name });
    const hostile = await createApp(url, { clientId: body.client_id });
    const page = await browser.open(hostile.authorizeUrl());
    expect(page.status).toBe(200);
    expect([page.text.includes("<img"), page.text.includes("\u202E"), page.text.includes("x".repeat(200))]).toEqual([
      false,
      false,
      false,
    ]);
    expect(page.text).toContain("&lt;img");
    expect(page.text).toContain(CALLBACK);
    expect(page.headers.get("content-security-policy")).toContain("form-action 'self' http://127.0.0.1:33418");
    expect(page.headers.get("content-security-policy")).toContain("frame-ancestors 'none'");
  });

  test("may decline, and the app receives access_denied", async () => {
    const page = await browser.open(app.authorizeUrl());
    const after = await browser.submit(page, [["answer", "decline"]]);
    expect(Object.fromEntries(after.url.searchParams)).toMatchObject({
      error: "access_denied",
      state: "state-1",
      iss: url,
    });
    expect((await rest.core.listGrants({ actor: rest.actor })).grants).toEqual([]);
  });

  test("is asked again for each authorization", async () => {
    await signIn();
    const page = await browser.open(app.authorizeUrl());
    expect(page.url.pathname).toMatch(/^\/auth\/consent\//);
    const silent = await browser.open(app.authorizeUrl({ prompt: "none" }));
    expect(silent.url.searchParams.get("error")).toBe("login_required");
  });

  test("can answer only in the browser that was asked, with the form of its page, and only once", async () => {
    const page = await browser.open(app.authorizeUrl());
    const fields = [
      ["containers", "all"],
      ["permission", "write"],
      ["expires", ""],
      ["answer", "allow"],
    ] as const;
    const other = await createOwnerBrowser(rest, url);
    expect((await other.open(page.url)).status).toBe(400);
    const forged = await browser.submit({ ...page, text: "" }, fields);
    expect(forged.status).toBe(403);
    const cookie = browser.cookies.map(({ name, value }) => `${name}=${value}`).join("; ");
    const foreign = await fetch(page.url, {
      method: "POST",
      headers: { cookie, origin: "https://evil.example", "content-type": "application/x-www-form-urlencoded" },
      body: "answer=allow",
      redirect: "manual",
    });
    expect(foreign.status).toBe(403);
    expect((await rest.core.listGrants({ actor: rest.actor })).grants).toEqual([]);
    expect((await browser.submit(page, fields)).url.searchParams.has("code")).toBe(true);
    expect((await browser.submit(page, fields)).status).toBe(400);
  });

  test("is asked again after choosing no container, or a lifetime that is not offered", async () => {
    const page = await browser.open(app.authorizeUrl());
    for (const fields of [
      [
        ["containers", "some"],
        ["permission", "write"],
        ["expires", ""],
        ["answer", "allow"],
      ],
      [
        ["containers", "all"],
        ["permission", "write"],
        ["expires", "100000"],
        ["answer", "allow"],
      ],
    ] as const) {
      const again = await browser.submit(page, fields);
      expect([again.status, again.url.pathname]).toEqual([400, page.url.pathname]);
      expect(again.text).toContain("Choose");
    }
    expect((await rest.core.listGrants({ actor: rest.actor })).grants).toEqual([]);
  });
});

describe("an authorization code", () => {
  test("requires the PKCE verifier and the same redirect URI", async () => {
    const callback = await allow(browser, app.authorizeUrl());
    const wrong = [
      { code_verifier: "x".repeat(43) },
      { code_verifier: "" },
      { redirect_uri: "http://127.0.0.1:1/callback" },
    ];
    for (const changes of wrong) {
      const { status, body } = await app.redeem(callback, changes);
      expect([status, body.error]).toEqual([400, expect.stringMatching(/^invalid_(grant|request)$/)]);
    }
    expect((await app.redeem(callback)).status).toBe(200);
  });

  test("belongs to one app", async () => {
    const callback = await allow(browser, app.authorizeUrl());
    const other = await createApp(url);
    expect((await other.redeem(callback, { code_verifier: app.verifier })).body.error).toBe("invalid_grant");
  });

  test("revokes everything issued for it when it is used a second time", async () => {
    const callback = await allow(browser, app.authorizeUrl());
    const { body } = await app.redeem(callback);
    expect((await use(body.access_token)).status).toBe(200);
    expect((await app.redeem(callback)).body.error).toBe("invalid_grant");
    expect((await use(body.access_token)).status).toBe(401);
    expect((await refresh(body.refresh_token)).body.error).toBe("invalid_grant");
    expect((await rest.core.listGrants({ actor: rest.actor })).grants).toEqual([]);
  });

  test("issues tokens once for ten simultaneous requests, and revokes them", async () => {
    const callback = await allow(browser, app.authorizeUrl());
    const answers = await Promise.all(Array.from({ length: 10 }, () => app.redeem(callback)));
    expect(answers.filter(({ status }) => status === 200)).toHaveLength(1);
    for (const { status, body } of answers)
      if (status !== 200) expect([status, body.error]).toEqual([400, "invalid_grant"]);
    for (const { body } of answers)
      if (body.access_token !== undefined) expect((await use(body.access_token)).status).toBe(401);
    expect((await rest.core.listGrants({ actor: rest.actor })).grants).toEqual([]);
  });
});

describe("a refresh token", () => {
  test("is rotated with each use, and the access token before it is revoked", async () => {
    const first = await signIn();
    const second = (await refresh(first.refresh_token)).body;
    expect(second.refresh_token).not.toBe(first.refresh_token);
    expect((await use(second.access_token)).status).toBe(200);
    const third = (await refresh(second.refresh_token)).body;
    expect((await use(third.access_token)).status).toBe(200);
  });

  test("ends its grant when it is used twice, because one of the two users stole it", async () => {
    const first = await signIn();
    const second = (await refresh(first.refresh_token)).body;
    expect((await refresh(first.refresh_token)).body.error).toBe("invalid_grant");
    expect((await use(second.access_token)).status).toBe(401);
    expect((await refresh(second.refresh_token)).body.error).toBe("invalid_grant");
    expect((await rest.core.listGrants({ actor: rest.actor })).grants).toEqual([]);
  });

  test("cannot widen the granted scope", async () => {
    const { refresh_token } = await signIn({}, { scope: "memory:read" });
    const more = await refresh(refresh_token, { scope: "memory:read memory:write" });
    expect([more.status, more.body.error]).toEqual([400, "invalid_scope"]);
    const { body } = await refresh(refresh_token, { scope: "memory:read" });
    expect((await use(body.access_token)).tools).not.toContain("add-memory");
  });

  test("of a read grant carries no write scope, even if the app asked for it", async () => {
    const { refresh_token } = await signIn({ permission: "read" });
    const { body } = await refresh(refresh_token);
    expect(body.scope).toBe("memory:read");
    expect((await use(body.access_token)).tools).not.toContain("add-memory");
  });

  test("belongs to one app, and is issued only to apps that registered for it", async () => {
    const { refresh_token } = await signIn();
    const other = await createApp(url);
    const stolen = await other.token({ grant_type: "refresh_token", refresh_token });
    expect(stolen.body.error).toBe("invalid_grant");
    app = await createApp(url, {
      clientId: (await register(url, { grant_types: ["authorization_code"] })).body.client_id,
    });
    expect(await signIn()).not.toHaveProperty("refresh_token");
  });
});

describe("ending a grant", () => {
  const end = async (clientId: string) => {
    const key = (await rest.core.createKey({ actor: rest.actor }, {})).secret;
    return callRest(key, `/v3/oauth/grants/${encodeURIComponent(clientId)}`, { method: "DELETE" });
  };

  test("as the owner revokes its tokens immediately", async () => {
    const { access_token, refresh_token } = await signIn();
    expect(await end(app.clientId)).toEqual({ status: 200, body: { success: true, revoked: 1 } });
    expect((await use(access_token)).status).toBe(401);
    expect((await refresh(refresh_token)).body.error).toBe("invalid_grant");
    expect((await end(app.clientId)).status).toBe(404);
  });

  test("by signing the app out revokes its tokens, and no tokens of other grants", async () => {
    const { access_token, refresh_token } = await signIn();
    const kept = await signIn();
    const other = await createApp(url);
    const revoke = (token: string, client_id: string) =>
      fetch(`${url}/oauth/revoke`, { method: "POST", body: new URLSearchParams({ token, client_id }) });
    expect((await revoke(refresh_token, other.clientId)).status).toBe(200);
    expect((await use(access_token)).status).toBe(200);
    expect((await revoke(refresh_token, app.clientId)).status).toBe(200);
    expect([(await use(access_token)).status, (await use(kept.access_token)).status]).toEqual([401, 200]);
    expect((await rest.core.listGrants({ actor: rest.actor })).grants).toHaveLength(1);
    expect((await revoke("unknown", app.clientId)).status).toBe(200);
  });
});
