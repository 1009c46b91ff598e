import { execFile, spawn } from "node:child_process";
import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { createInterface } from "node:readline";
import { pathToFileURL } from "node:url";
import { promisify } from "node:util";
import { afterAll, beforeAll, expect, test } from "vitest";

const run = promisify(execFile);
const ROOT = resolve(import.meta.dirname, "../..");
const PACKER = "@anthropic-ai/mcpb@2.1.2";

let folder: string;
const unpacked = () => join(folder, "unpacked");

beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), "recollect-bundled-"));
  const bundle = join(folder, "recollect.mcpb");
  await run(process.execPath, [join(ROOT, "src/bundle.mjs"), bundle], { maxBuffer: 16 * 1024 * 1024 });
  await run("npx", ["-y", PACKER, "unpack", bundle, unpacked()], { maxBuffer: 16 * 1024 * 1024 });
}, 240_000);
afterAll(() => rmSync(folder, { recursive: true, force: true, maxRetries: 5 }));

const INITIALIZE = {
  jsonrpc: "2.0",
  id: 1,
  method: "initialize",
  params: { protocolVersion: "2025-06-18", capabilities: {}, clientInfo: { name: "test", version: "1.0.0" } },
};
const ADD = {
  jsonrpc: "2.0",
  id: 2,
  method: "tools/call",
  params: { name: "add-memory", arguments: { content: "Mia lives in Porto." } },
};

/** Allows modules to be loaded only from this folder: folders above it may contain packages by chance. */
function onlyFrom(place: string): string[] {
  const hooks = `export async function resolve(name, context, next) {
    const found = await next(name, context);
    if (found.url.startsWith("file:") && !found.url.startsWith(${JSON.stringify(pathToFileURL(place).href)}))
      throw new Error("not in the bundle: " + name);
    return found;
  }`;
  writeFileSync(join(folder, "hooks.mjs"), hooks);
  const register = `import { register } from "node:module"; register(${JSON.stringify(pathToFileURL(join(folder, "hooks.mjs")).href)});`;
  return ["--import", `data:text/javascript,${encodeURIComponent(register)}`];
}

interface Manifest {
  readonly version: string;
  readonly server: { readonly mcp_config: { readonly args: readonly string[] } };
}

const manifest = () => JSON.parse(readFileSync(join(unpacked(), "manifest.json"), "utf8")) as Manifest;

/** The values that a desktop client substitutes in a manifest; placeholders without an answer stay. */
const fill = (text: string) => text.replaceAll("${__dirname}", unpacked());

test("the unpacked bundle starts as its manifest says, answers initialize and stores a memory", async () => {
  const { version, server } = manifest();
  const child = spawn(process.execPath, [...onlyFrom(folder), ...server.mcp_config.args.map(fill)], {
    cwd: unpacked(),
    env: {
      PATH: process.env["PATH"] ?? "",
      HOME: folder,
      RECOLLECT_OFFLINE: "1",
      RECOLLECT_DATA_DIR: join(folder, "data"),
      RECOLLECT_LLM_API_KEY: "${user_config.llm_api_key}",
    },
    stdio: ["pipe", "pipe", "ignore"],
  });
  const ended = new Promise<number | null>((done) => child.on("exit", done));
  try {
    const lines = createInterface({ input: child.stdout })[Symbol.asyncIterator]();
    const next = async () => JSON.parse(((await lines.next()) as { value: string }).value) as { result: unknown };
    child.stdin.write(`${JSON.stringify(INITIALIZE)}\n`);
    expect((await next()).result).toMatchObject({ serverInfo: { name: "recollect", version } });
    child.stdin.write(`${JSON.stringify({ jsonrpc: "2.0", method: "notifications/initialized" })}\n`);
    child.stdin.write(`${JSON.stringify(ADD)}\n`);
    expect((await next()).result).toMatchObject({ structuredContent: { documentId: expect.any(String) } });
  } finally {
    child.stdin.end();
  }
  expect(await ended).toBe(0);
}, 60_000);

test("the bundle contains what runs on every platform, and neither sources nor tools", () => {
  expect(readdirSync(unpacked()).toSorted()).toEqual([
    "LICENSE",
    "dist",
    "manifest.json",
    "node_modules",
    "package.json",
  ]);
  const names = readdirSync(join(unpacked(), "node_modules"));
  expect(names).toEqual(expect.arrayContaining(["@photostructure", "chromadb"]));
  expect(names.filter((name) => /^(vitest|typescript|prettier|zod|chromadb-js-bindings.*)$/.test(name))).toEqual([]);
  const sources = readdirSync(join(unpacked(), "dist"), { recursive: true }).filter((file) =>
    /\.(ts|map)$/.test(String(file)),
  );
  expect(sources).toEqual([]);
});
