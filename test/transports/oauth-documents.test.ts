import { createServer, type Server } from "node:https";
import type { IncomingMessage, ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { StreamableHTTPClientTransport } from "@modelcontextprotocol/client";
import { StreamableHTTPClientTransport as EarlierTransport } from "@modelcontextprotocol/sdk/client/streamableHttp.js";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { isInnerAddress } from "../../src/transports/oauth/client-documents.js";
import { createClient } from "../support/mcp-client.js";
import { CALLBACK, createApp } from "../support/oauth-app.js";
import { allow, type Browser, createOwnerBrowser } from "../support/oauth-browser.js";
import { createClientProvider } from "../support/oauth-client.js";
import { type OAuthService, openOAuthService } from "../support/oauth-service.js";
import { useMcp } from "../support/oauth-use.js";
import { makeSelfSigned } from "../support/self-signed.js";

const { certificate, key } = makeSelfSigned();

let service: OAuthService;
let url: string;
let browser: Browser;
/** The host of an app, on this machine. */
let host: Server;
let visits: number;
let answer: (request: IncomingMessage, response: ServerResponse) => void;
let documentUrl: string;

beforeEach(async () => {
  visits = 0;
  host = createServer({ cert: certificate, key }, (request, response) => {
    visits += 1;
    answer(request, response);
  });
  await new Promise<void>((resolve) => host.listen(0, "127.0.0.1", resolve));
  documentUrl = `https://localhost:${(host.address() as AddressInfo).port}/client.json`;
  answer = (_request, response) => tell(response);
  await open({ fromThisMachine: { certificate } });
});
afterEach(async () => {
  await service.close();
  host.closeAllConnections();
  await new Promise((resolve) => host.close(resolve));
});

async function open(documents?: { fromThisMachine: { certificate: string } }): Promise<void> {
  service = await openOAuthService({ documents });
  ({ url } = await service.listen());
  browser = await createOwnerBrowser(service, url);
}

function tell(response: ServerResponse, changes: object = {}): void {
  const document = {
    client_id: documentUrl,
    client_name: "Documented app",
    redirect_uris: [CALLBACK],
    grant_types: ["authorization_code", "refresh_token"],
    response_types: ["code"],
    token_endpoint_auth_method: "none",
    ...changes,
  };
  response.setHeader("content-type", "application/json");
  response.end(JSON.stringify(document));
}

const documented = () => createApp(url, { clientId: documentUrl });

describe("an app that publishes its own metadata document", () => {
  test.each([
    ["v1", EarlierTransport],
    ["v2 auto", StreamableHTTPClientTransport],
  ] as const)("is admitted without registering, with the client %s", async (name, Transport) => {
    const provider = createClientProvider({ documentUrl });
    const make = () =>
      new Transport(new URL(`${url}/mcp`), {
        authProvider: provider,
        requestInit: { headers: { via: "1.1 proxy.example" } },
      });
    const connect = (to: unknown) => (createClient(name) as { connect(to: unknown): Promise<void> }).connect(to);
    const first = make();
    await expect(connect(first)).rejects.toThrow(/unauthorized/i);
    const callback = await allow(browser, provider.opened ?? "");
    if (first instanceof StreamableHTTPClientTransport) await first.finishAuth(callback.searchParams);
    else await first.finishAuth(callback.searchParams.get("code") ?? "");
    const second = make();
    await connect(second);
    await second.close();
    expect((await useMcp(url, provider.kept.tokens.access_token)).status).toBe(200);
    const { grants } = await service.core.listGrants({ actor: service.actor });
    expect(grants).toMatchObject([
      { clientId: documentUrl, clientName: "Documented app", clientHost: new URL(documentUrl).host },
    ]);
  });

  test("is shown with its host, the only thing the owner can recognise it by", async () => {
    const page = await browser.open((await documented()).authorizeUrl());
    expect(page.text).toContain(new URL(documentUrl).host);
    expect(page.text).toContain("Documented app");
  });

  test("may only redirect to the addresses in its document, and to any port of this machine", async () => {
    const app = await documented();
    expect((await browser.open(app.authorizeUrl({ redirect_uri: "https://evil.example/" }))).status).toBe(400);
    const callback = await allow(browser, app.authorizeUrl({ redirect_uri: "http://127.0.0.1:9/callback" }));
    expect(callback.port).toBe("9");
  });

  test("is admitted even if its document asks for more than this server supports", async () => {
    const changes = {
      scope: "everything",
      grant_types: ["authorization_code", "refresh_token", "urn:example:grant"],
      redirect_uris: [CALLBACK, "unknown-app://callback"],
      logo_uri: "http://localhost/logo.png",
      token_endpoint_auth_method: "private_key_jwt",
      jwks_uri: "https://127.0.0.1/keys",
    };
    answer = (_request, response) => tell(response, changes);
    const app = await documented();
    expect((await app.redeem(await allow(browser, app.authorizeUrl()))).status).toBe(200);
  });
});

describe("refused metadata documents:", () => {
  test.each<[string, (request: IncomingMessage, response: ServerResponse) => void]>([
    [
      "one that names another app",
      (_request, response) => tell(response, { client_id: "https://other.example/client.json" }),
    ],
    ["one with a client secret", (_request, response) => tell(response, { client_secret: "x" })],
    [
      "one that requires a client secret",
      (_request, response) => tell(response, { token_endpoint_auth_method: "client_secret_post" }),
    ],
    [
      "one that redirects to http on another host",
      (_request, response) => tell(response, { redirect_uris: ["http://evil.example/"] }),
    ],
    ["one that is too large", (_request, response) => tell(response, { client_name: "x".repeat(100_000) })],
    ["one that is not JSON", (_request, response) => response.end("<html>")],
    ["one that is a list", (_request, response) => response.end("[]")],
    [
      "one that redirects elsewhere",
      (_request, response) => response.writeHead(302, { location: "https://localhost/" }).end(),
    ],
    ["one that does not exist", (_request, response) => response.writeHead(404).end()],
    ["one that is truncated", (_request, response) => response.destroy()],
    ["one that never ends", (_request, response) => void response.write('{"client_id":')],
  ])("%s", async (_name, how) => {
    answer = how;
    const page = await browser.open((await documented()).authorizeUrl());
    expect([page.url.origin, page.status]).toEqual([url, 400]);
    expect(page.text).toContain("cannot be given access");
    expect((await service.core.listGrants({ actor: service.actor })).grants).toEqual([]);
  });
});

describe("protection of the server's own network:", () => {
  test.each(["localhost", "127.0.0.1", "[::1]", "[::ffff:127.0.0.1]"])(
    "does not fetch a document at %s",
    async (name) => {
      await service.close();
      await open();
      const { port } = new URL(documentUrl);
      const app = await createApp(url, { clientId: `https://${name}:${port}/client.json` });
      expect((await browser.open(app.authorizeUrl())).status).toBe(400);
      expect(visits).toBe(0);
    },
  );

  test.each([
    ["127.0.0.1", true],
    ["10.1.2.3", true],
    ["172.31.0.1", true],
    ["192.168.1.1", true],
    ["169.254.169.254", true],
    ["100.64.0.1", true],
    ["0.0.0.0", true],
    ["224.0.0.1", true],
    ["255.255.255.255", true],
    ["::1", true],
    ["::", true],
    ["::ffff:10.0.0.1", true],
    ["::ffff:a00:1", true],
    ["64:ff9b::a00:1", true],
    ["fe80::1%eth0", true],
    ["fd00::1", true],
    ["2002:a00:1::", true],
    ["no address", true],
    ["8.8.8.8", false],
    ["172.32.0.1", false],
    ["2606:4700::1111", false],
    ["::ffff:8.8.8.8", false],
  ])("classifies %s as an inner address: %s", (address, isInner) => expect(isInnerAddress(address)).toBe(isInner));
});
