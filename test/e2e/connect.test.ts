import { execFile } from "node:child_process";
import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { promisify } from "node:util";
import { Client } from "@modelcontextprotocol/sdk/client/index.js";
import { StdioClientTransport } from "@modelcontextprotocol/sdk/client/stdio.js";
import { afterEach, beforeEach, expect, test } from "vitest";
import { PROGRAM } from "../support/recollect-process.js";

const run = promisify(execFile);
let home: string;
beforeEach(() => {
  home = mkdtempSync(join(tmpdir(), "recollect-connect-"));
});
afterEach(() => rmSync(home, { recursive: true, force: true, maxRetries: 5 }));

const environment = () => ({ PATH: process.env["PATH"] ?? "", HOME: home, RECOLLECT_OFFLINE: "1" });
const ask = async (...argv: string[]): Promise<Record<string, unknown>> => {
  const { stdout } = await run(process.execPath, [PROGRAM, "connect", ...argv, "--json"], {
    env: environment(),
    cwd: home,
  });
  return JSON.parse(stdout) as Record<string, unknown>;
};

test("the configuration written by connect starts a working server; undo restores the home folder", async () => {
  const file = join(home, ".cursor", "mcp.json");
  mkdirSync(join(home, ".cursor"));
  const before = '{\n  // mine\n  "mcpServers": {}\n}\n';
  writeFileSync(file, before, { mode: 0o600 });

  expect(await ask("cursor")).toMatchObject({ file, action: "change", written: false });
  expect(readFileSync(file, "utf8")).toBe(before);
  expect(await ask("cursor", "--container", "work", "--write")).toMatchObject({ written: true });

  const text = readFileSync(file, "utf8").replace("// mine", "");
  const { recollect } = (JSON.parse(text) as { mcpServers: Record<string, Launch> }).mcpServers;
  const env = { ...environment(), ...recollect?.env };
  const transport = new StdioClientTransport({ ...recollect!, env, cwd: tmpdir(), stderr: "ignore" });
  const client = new Client({ name: "test", version: "1.0.0" });
  await client.connect(transport);
  const added = await client.callTool({ name: "add-memory", arguments: { content: "Mia lives in Porto." } });
  await client.close();
  expect(added.structuredContent).toMatchObject({ containerTag: "work" });
  expect(readdirSync(join(home, ".recollect"))).toContain("clients");

  const { clients } = (await ask("--list")) as { clients: { client: string; installed: boolean; files: unknown }[] };
  const cursor = clients.find(({ client: name }) => name === "cursor");
  expect(cursor).toMatchObject({ installed: true, files: [{ state: "connected", file }] });

  await ask("cursor", "--undo", "--write");
  expect(readFileSync(file, "utf8")).toBe(before);
  expect(statSync(file).mode & 0o777).toBe(0o600);
  expect(readdirSync(join(home, ".cursor"))).toEqual(["mcp.json"]);
}, 60_000);

interface Launch {
  readonly command: string;
  readonly args: string[];
  readonly env: Record<string, string>;
}

test("a plugin gets its own key, which the data folder knows", async () => {
  const { keyId, file } = (await ask("codex-plugin", "--write")) as { keyId: string; file: string };
  expect(file).toBe(join(home, ".codex", "supermemory.json"));
  const { apiKey } = JSON.parse(readFileSync(file, "utf8")) as { apiKey: string };
  expect(apiKey).toMatch(/^sm_/);
  const { stdout } = await run(process.execPath, [PROGRAM, "keys", "list", "--json"], { env: environment() });
  expect(JSON.parse(stdout)).toMatchObject({ keys: [{ id: keyId, client: "codex" }] });
  await ask("codex-plugin", "--undo", "--write");
  expect(existsSync(join(home, ".codex"))).toBe(false);
}, 60_000);
