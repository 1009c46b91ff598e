import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { createApp } from "../support/oauth-app.js";
import { allow, createOwnerBrowser } from "../support/oauth-browser.js";
import { type OAuthService, openOAuthService } from "../support/oauth-service.js";
import { useMcp } from "../support/oauth-use.js";

let folder: string;
let service: OAuthService;

beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), "recollect-oauth-"));
  service = await openOAuthService({ dataDirectory: folder });
});
afterEach(async () => {
  await service.close();
  await rm(folder, { recursive: true, force: true });
});

describe("a restart", () => {
  test("keeps apps, codes, tokens and pending consent questions", async () => {
    const { url, port } = await service.listen();
    const app = await createApp(url);
    const browser = await createOwnerBrowser(service, url);
    const tokens = (await app.redeem(await allow(browser, app.authorizeUrl()))).body;
    const callback = await allow(browser, app.authorizeUrl());
    const asked = await browser.open(app.authorizeUrl());
    await service.close();
    service = await openOAuthService({ dataDirectory: folder });
    await service.listen(port);
    // The first request may meet a connection from before the restart, which is dead.
    await fetch(`${url}/health`).catch(() => null);

    expect((await useMcp(url, tokens.access_token)).status).toBe(200);
    expect((await app.redeem(callback)).status).toBe(200);
    const answered = await browser.submit(asked, [
      ["containers", "all"],
      ["permission", "write"],
      ["expires", ""],
      ["answer", "allow"],
    ]);
    expect((await app.redeem(answered.url)).status).toBe(200);
    const again = await app.token({ grant_type: "refresh_token", refresh_token: tokens.refresh_token });
    expect((await useMcp(url, again.body.access_token)).status).toBe(200);
    const keys = (address: string) => fetch(address).then((answer) => answer.text());
    expect(await keys(`${url}/oauth/jwks`)).toContain("ES256");
  });
});

describe("while the store is unavailable", () => {
  test("apps are told to retry, nothing is called invalid, and everything is valid again afterwards", async () => {
    const { url } = await service.listen();
    const app = await createApp(url);
    const browser = await createOwnerBrowser(service, url);
    const { access_token, refresh_token } = (await app.redeem(await allow(browser, app.authorizeUrl()))).body;
    const callback = await allow(browser, app.authorizeUrl());
    const asked = await browser.open(app.authorizeUrl());

    service.way.isCut = true;
    const mcp = await fetch(`${url}/mcp`, {
      method: "POST",
      headers: { authorization: `Bearer ${access_token}`, "content-type": "application/json" },
      body: "{}",
    });
    expect([mcp.status, mcp.headers.get("www-authenticate")]).toEqual([503, null]);
    expect(Number(mcp.headers.get("retry-after"))).toBeGreaterThan(0);
    for (const answer of [
      await app.redeem(callback),
      await app.token({ grant_type: "refresh_token", refresh_token }),
      await app.token({ grant_type: "refresh_token", refresh_token: "unknown" }),
    ]) {
      expect([answer.status, answer.body.error]).toEqual([503, "temporarily_unavailable"]);
      expect(Number(answer.headers.get("retry-after"))).toBeGreaterThan(0);
    }
    const revoked = await fetch(`${url}/oauth/revoke`, {
      method: "POST",
      body: new URLSearchParams({ token: refresh_token, client_id: app.clientId }),
    });
    expect(revoked.status).toBe(503);
    expect((await createApp(url).catch(() => null))?.clientId ?? "undefined").toBe("undefined");
    expect((await browser.open(app.authorizeUrl())).status).toBe(503);
    expect((await browser.open(asked.url)).status).toBe(503);

    service.way.isCut = false;
    expect((await useMcp(url, access_token)).status).toBe(200);
    expect((await app.redeem(callback)).status).toBe(200);
    expect((await app.token({ grant_type: "refresh_token", refresh_token })).status).toBe(200);
    expect((await browser.open(asked.url)).status).toBe(200);
  });

  test("a failed exchange does not use up its code or token", async () => {
    const { url } = await service.listen();
    const app = await createApp(url);
    const callback = await allow(await createOwnerBrowser(service, url), app.authorizeUrl());
    service.way.isReadOnly = true;
    expect((await app.redeem(callback)).body.error).toBe("temporarily_unavailable");
    service.way.isReadOnly = false;
    const { refresh_token } = (await app.redeem(callback)).body;
    const refresh = () => app.token({ grant_type: "refresh_token", refresh_token });
    service.way.isReadOnly = true;
    for (let attempt = 0; attempt < 3; attempt += 1) expect((await refresh()).status).toBe(503);
    service.way.isReadOnly = false;
    const { status, body } = await refresh();
    expect([status, (await useMcp(url, body.access_token)).status]).toEqual([200, 200]);
    expect((await refresh()).body.error).toBe("invalid_grant");
  });

  test("an early request does not break later ones once the store is available", async () => {
    const { url } = await service.listen();
    service.way.isCut = true;
    expect((await fetch(`${url}/.well-known/oauth-authorization-server`)).status).toBe(503);
    expect((await fetch(`${url}/.well-known/oauth-protected-resource/mcp`)).status).toBe(200);
    service.way.isCut = false;
    expect((await fetch(`${url}/.well-known/oauth-authorization-server`)).status).toBe(200);
  });
});

describe("from other machines", () => {
  const LOOPBACK = { incoming: { socket: { remoteAddress: "127.0.0.1" } }, isLoopbackOnly: true };
  const OPEN = { incoming: { socket: { remoteAddress: "192.0.2.7" } }, isLoopbackOnly: false };
  const METADATA = "/.well-known/oauth-authorization-server";

  const reopen = async (settings: Record<string, string>) => {
    await service.close();
    service = await openOAuthService({ dataDirectory: folder, settings });
  };
  const ask = async (path: string, host: string, bindings = OPEN) => {
    const answer = await service.app.request(path, { headers: { host } }, bindings);
    const text = await answer.text();
    return { status: answer.status, headers: answer.headers, text };
  };

  test("no app is admitted without a public address, and each endpoint says so", async () => {
    for (const path of [
      METADATA,
      "/.well-known/oauth-protected-resource",
      "/.well-known/oauth-protected-resource/mcp",
    ]) {
      const { status, text } = await ask(path, "192.0.2.1:6767");
      expect([path, status, text.includes("RECOLLECT_PUBLIC_URL")]).toEqual([path, 404, true]);
    }
    for (const path of ["/oauth/authorize?client_id=x", "/oauth/token"]) {
      const { status, text } = await ask(path, "192.0.2.1:6767");
      expect([path, status, text.includes("RECOLLECT_PUBLIC_URL")]).toEqual([path, 400, true]);
    }
    const mcp = await service.app.request("/mcp", { method: "POST", headers: { host: "192.0.2.1:6767" } }, OPEN);
    expect([mcp.status, mcp.headers.get("www-authenticate")]).toEqual([401, "Bearer"]);
  });

  test("a public address without TLS is refused with a reason", async () => {
    await reopen({ RECOLLECT_PUBLIC_URL: "http://memory.example" });
    const { status, text } = await ask(METADATA, "memory.example");
    expect([status, text]).toEqual([404, expect.stringContaining("https")]);
  });

  test("all addresses start with the public one, even behind a proxy that hides it", async () => {
    await reopen({ RECOLLECT_PUBLIC_URL: "https://memory.example" });
    for (const [host, bindings] of [
      ["memory.example", OPEN],
      ["127.0.0.1:6767", LOOPBACK],
    ] as const) {
      const server = JSON.parse((await ask(METADATA, host, bindings)).text) as Record<string, unknown>;
      expect(server["issuer"]).toBe("https://memory.example");
      const addresses = Object.entries(server).filter(([name]) => /_(endpoint|uri)$/.test(name));
      expect(addresses.length).toBeGreaterThanOrEqual(5);
      for (const [name, address] of addresses)
        expect([name, address]).toEqual([name, expect.stringMatching(/^https:\/\/memory\.example\//)]);
      const resource = JSON.parse((await ask("/.well-known/oauth-protected-resource/mcp", host, bindings)).text);
      expect(resource).toMatchObject({
        resource: "https://memory.example/mcp",
        authorization_servers: ["https://memory.example"],
      });
    }
    const app = await createApp("https://memory.example", {
      clientId: "supermemory-codex",
      callback: "http://127.0.0.1:1/callback",
    });
    const { pathname, search } = app.authorizeUrl();
    const { status, headers } = await ask(pathname + search, "memory.example");
    expect([status, headers.get("location")]).toEqual([303, expect.stringMatching(/^\/auth\/consent\//)]);
    for (const cookie of headers.getSetCookie()) expect(cookie.toLowerCase()).toContain("; secure");
  });

  test("a request under a name that is not this server's is refused", async () => {
    for (const path of [METADATA, "/oauth/authorize", "/.well-known/oauth-protected-resource/mcp"])
      expect([path, (await ask(path, "evil.example", LOOPBACK)).status]).toEqual([path, 403]);
  });
});
