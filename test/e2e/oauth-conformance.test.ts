import { spawn } from "node:child_process";
import { createServer } from "node:net";
import type { AddressInfo } from "node:net";
import { createRequire } from "node:module";
import { dirname, join } from "node:path";
import { expect, onTestFinished, test } from "vitest";
import { register } from "../support/oauth-app.js";
import { allow, createOwnerBrowser } from "../support/oauth-browser.js";
import { type OAuthService, openOAuthService } from "../support/oauth-service.js";

const require = createRequire(import.meta.url);
const PACKAGE = dirname(require.resolve("@modelcontextprotocol/conformance/package.json"));
const SUBSTITUTE = join(import.meta.dirname, "../support/glob-sync.mjs");
const LONGEST_MS = 50_000;

async function findFreePort(): Promise<number> {
  const server = createServer();
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const { port } = server.address() as AddressInfo;
  await new Promise((resolve) => server.close(resolve));
  return port;
}

interface Run {
  readonly service: OAuthService;
  readonly url: string;
  readonly port: number;
  readonly clientId: string;
}

/** Runs the suite, and acts as the owner when it asks for a browser. */
async function runSuite({ service, url, port, clientId }: Run): Promise<{ exitCode: number | null; output: string }> {
  const facts = ["--url", url, "--client-id", clientId, "--resource", `${url}/mcp`, "--port", String(port)];
  const suite = [join(PACKAGE, "dist/index.js"), "authorization", ...facts];
  const child = spawn(process.execPath, ["--import", SUBSTITUTE, ...suite], { stdio: "pipe" });
  const timer = setTimeout(() => child.kill(), LONGEST_MS);
  let output = "";
  let answering: Promise<unknown> | undefined;
  const read = (data: Buffer): void => {
    output += data.toString();
    const asked = /(http:\/\/127\.0\.0\.1:\d+\/oauth\/authorize\S+)\s/.exec(output)?.[1];
    if (asked !== undefined)
      answering ??= createOwnerBrowser(service, url).then(async (browser) => fetch(await allow(browser, asked)));
  };
  child.stdout.on("data", read);
  child.stderr.on("data", read);
  const exitCode = await new Promise<number | null>((resolve) => child.on("exit", resolve));
  clearTimeout(timer);
  await answering;
  return { exitCode, output };
}

test("the authorization server passes the official conformance suite", { timeout: LONGEST_MS + 5_000 }, async () => {
  const service = await openOAuthService();
  onTestFinished(() => service.close());
  const { url } = await service.listen();
  const port = await findFreePort();
  const { body } = await register(url, { redirect_uris: [`http://127.0.0.1:${port}/callback`] });
  const { exitCode, output } = await runSuite({ service, url, port, clientId: body.client_id });
  expect(output).toMatch(/Total: [1-9]\d* passed, 0 failed/);
  expect(output).toContain("authorization-server-metadata-endpoint: 2 passed, 0 failed");
  expect(output).toContain("authorization-code-grant: 1 passed, 0 failed");
  expect(exitCode).toBe(0);
});
