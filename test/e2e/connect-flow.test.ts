import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { mkdir, mkdtemp, readFile, rm, stat, writeFile } from "node:fs/promises";
import { randomBytes } from "node:crypto";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { openBrowser } from "../support/owner-browser.js";
import { openRest, type OpenedRest } from "../support/rest.js";

/** The sign-in of each plugin as its source does it: page, callback, state, time limit and stored file (contract 7.2). */

interface Answer {
  readonly parameters: URLSearchParams;
  readonly apiKey: string;
}

interface PluginSignIn {
  readonly name: string;
  readonly page: string;
  /** The host name that the plugin uses for its callback. */
  readonly host: "localhost" | "127.0.0.1";
  /** The parameters it sends besides the callback. */
  readonly sent: Readonly<Record<string, string>>;
  /** Bytes of its `state`, in hexadecimal; 0 for a plugin without one. */
  readonly stateBytes: number;
  /** Milliseconds until it times out. */
  readonly limit: number;
  /** Parameter names in which it looks for the key. */
  readonly keyNames: readonly string[];
  /** The file in the home folder, and its content. */
  readonly file: string;
  readonly kept: (answer: Answer) => Record<string, unknown>;
  /** True when it calls `GET /v3/session` before it stores anything. */
  readonly checksSession?: boolean;
}

const MINUTE = 60_000;
const device = { hostname: "mia", os: "linux", cwd: "/home/mia/atlas", cli_version: "1.0.0" };
const now = () => new Date().toISOString();
/** Codex and OpenCode use the address that comes with the key. */
const apiUrlIn = ({ parameters }: Answer) => parameters.get("api_url") ?? parameters.get("api_base_url");

const PLUGINS: readonly PluginSignIn[] = [
  {
    name: "Claude Code up to 0.0.11",
    page: "/auth/connect",
    host: "localhost",
    sent: { client: "claude_code" },
    stateBytes: 0,
    limit: 25_000,
    keyNames: ["apikey", "api_key"],
    file: ".supermemory-claude/credentials.json",
    kept: ({ apiKey }) => ({ apiKey, savedAt: now() }),
  },
  {
    name: "Claude Code",
    page: "/auth/connect",
    host: "127.0.0.1",
    sent: { client: "claude_code" },
    stateBytes: 32,
    limit: 5 * MINUTE,
    keyNames: ["apikey", "api_key"],
    file: ".supermemory-claude/credentials.json",
    kept: ({ apiKey }) => ({ apiKey, savedAt: now() }),
  },
  {
    name: "Claude Code, switching the organisation",
    page: "/auth/connect",
    host: "127.0.0.1",
    sent: { client: "claude_code", mode: "switch_organization" },
    stateBytes: 32,
    limit: 5 * MINUTE,
    keyNames: ["apikey", "api_key"],
    file: ".supermemory-claude/credentials.json",
    kept: ({ apiKey }) => ({ apiKey, savedAt: now() }),
    checksSession: true,
  },
  {
    name: "Codex",
    page: "/auth/agent-connect",
    host: "127.0.0.1",
    sent: { ...device, client: "codex", hostname: "codex - mia" },
    stateBytes: 16,
    limit: 5 * MINUTE,
    keyNames: ["apikey"],
    file: ".codex/supermemory/credentials.json",
    kept: (answer) => ({ apiKey: answer.apiKey, apiBaseUrl: apiUrlIn(answer), savedAt: now() }),
  },
  {
    name: "OpenCode",
    page: "/auth/agent-connect",
    host: "127.0.0.1",
    sent: { ...device, client: "opencode" },
    stateBytes: 16,
    limit: 5 * MINUTE,
    keyNames: ["apikey"],
    file: ".supermemory-opencode/credentials.json",
    kept: (answer) => ({ apiKey: answer.apiKey, createdAt: now(), apiBaseUrl: apiUrlIn(answer) }),
  },
  {
    name: "Cursor",
    page: "/auth/connect",
    host: "127.0.0.1",
    sent: { client: "cursor" },
    stateBytes: 16,
    limit: 2 * MINUTE,
    keyNames: ["apikey"],
    file: ".supermemory-cursor/credentials.json",
    kept: ({ apiKey }) => ({ apiKey, createdAt: now() }),
    checksSession: true,
  },
  {
    name: "OpenClaw, the branch with a browser",
    page: "/auth/connect",
    host: "localhost",
    sent: { client: "openclaw" },
    stateBytes: 16,
    limit: 2 * MINUTE,
    keyNames: ["apikey"],
    file: ".openclaw/openclaw.json",
    kept: ({ apiKey }) => ({ plugins: { entries: { "openclaw-supermemory": { config: { apiKey } } } } }),
    checksSession: true,
  },
  {
    name: "the command line",
    page: "/auth/agent-connect",
    host: "localhost",
    sent: device,
    stateBytes: 0,
    limit: MINUTE,
    keyNames: ["apikey"],
    file: ".supermemory/credentials.json",
    kept: ({ apiKey }) => ({ apiKey, method: "browser", orgId: apiKey.split("_")[1], createdAt: now() }),
    checksSession: true,
  },
];

/** The requirements of all plugins for a key: Claude Code its prefix, OpenClaw its length, MCP no spaces. */
const KEY = /^sm_[^_\s]+_\S{20,}$/;

/** A plugin that waits for its key as the real one does: on its own port, for this state only, and with a time limit. */
async function startPlugin(plugin: PluginSignIn, { url, home }: { url: string; home: string }) {
  const state = randomBytes(plugin.stateBytes).toString("hex");
  let settle: { keep: (file: string) => void; fail: (error: Error) => void };
  const outcome = new Promise<string>((keep, fail) => (settle = { keep, fail }));
  outcome.catch(() => undefined);
  const timer = setTimeout(() => settle.fail(new Error("timed out")), plugin.limit);
  const server = createServer(({ url: path = "" }, response) => {
    const { pathname, searchParams: parameters } = new URL(path, "http://localhost");
    if (pathname !== "/callback") return void response.writeHead(404).end();
    if (plugin.stateBytes > 0 && parameters.get("state") !== state) return void response.writeHead(403).end("state");
    const apiKey = plugin.keyNames.map((name) => parameters.get(name)).find((key) => key !== null);
    if (!apiKey || !KEY.test(apiKey)) {
      settle.fail(new Error(parameters.get("error") ?? "no key"));
      return void response.writeHead(400).end("no key");
    }
    response.writeHead(200).end("You can close this window");
    keep({ parameters, apiKey }).then(settle.keep, settle.fail);
  });
  const keep = async (answer: Answer): Promise<string> => {
    if (plugin.checksSession) {
      const session = await fetch(`${url}/v3/session`, { headers: { authorization: `Bearer ${answer.apiKey}` } });
      const { org } = (await session.json()) as { org?: { id?: string; name?: string } };
      if (!org?.id || !org.name) throw new Error("no organisation");
    }
    const file = join(home, plugin.file);
    await mkdir(dirname(file), { recursive: true });
    await writeFile(file, JSON.stringify(plugin.kept(answer)), { mode: 0o600 });
    return file;
  };
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const { port } = server.address() as AddressInfo;
  const query = state === "" ? "" : `?state=${state}`;
  const callback = `http://${plugin.host}:${port}/callback${query}`;
  return {
    callback,
    page: `${plugin.page}?${new URLSearchParams({ callback, ...plugin.sent }).toString()}`,
    outcome,
    close: () => {
      clearTimeout(timer);
      return new Promise<void>((resolve) => server.close(() => resolve()));
    },
  };
}

const EVERYTHING = { containers: "all", permission: "write", expires: "" };

describe.each(PLUGINS)("$name", (plugin) => {
  let rest: OpenedRest;
  let url: string;
  let home: string;
  beforeAll(async () => {
    rest = await openRest();
    url = (await rest.listen()).url;
    home = await mkdtemp(join(tmpdir(), "recollect-plugin-"));
  });
  afterAll(async () => {
    await rest.close();
    await rm(home, { recursive: true });
  });

  /** What the owner's browser does with the page that the plugin opened; returns the status of the callback. */
  async function decide(page: string, decision: "approve" | "decline"): Promise<number> {
    const browser = openBrowser(rest, { host: new URL(url).host });
    const asked = await browser.get(page);
    const { secret } = await rest.core.createKey({ actor: rest.actor }, { name: "owner" });
    const back = await browser.fill(asked.location, { secret });
    const { location } = await browser.fill(back.location, { ...EVERYTHING, decision });
    const arrived = await fetch(location);
    await arrived.text();
    return arrived.status;
  }

  test("is signed in, stores what it needs, and its key works", async () => {
    const waiting = await startPlugin(plugin, { url, home });
    expect(await decide(waiting.page, "approve")).toBe(200);
    const file = await waiting.outcome;
    await waiting.close();
    const kept = JSON.parse(await readFile(file, "utf8")) as Record<string, unknown>;
    expect((await stat(file)).mode & 0o777).toBe(0o600);
    if ("apiBaseUrl" in kept) expect(kept["apiBaseUrl"]).toBe(url);
    const apiKey = /sm_[^"]+/.exec(JSON.stringify(kept))?.[0] ?? "";
    const added = await fetch(`${url}/v3/documents`, {
      method: "POST",
      headers: { authorization: `Bearer ${apiKey}`, "content-type": "application/json" },
      body: JSON.stringify({ content: "Mia writes tests.", containerTag: "repo_atlas" }),
    });
    expect(added.status).toBe(200);
    const { keys } = await rest.core.listKeys({ actor: rest.actor });
    const { client = "cli" } = plugin.sent;
    expect(keys.find(({ hint, client: of }) => of === client && apiKey.endsWith(hint))).toBeDefined();
    await rest.settle();
  });

  test("learns that the owner declined, and stores nothing new", async () => {
    const before = (await rest.core.listKeys({ actor: rest.actor })).keys.filter(({ client }) => client !== null);
    const waiting = await startPlugin(plugin, { url, home });
    expect(await decide(waiting.page, "decline")).toBe(400);
    await expect(waiting.outcome).rejects.toThrow("access_denied");
    await waiting.close();
    const after = (await rest.core.listKeys({ actor: rest.actor })).keys.filter(({ client }) => client !== null);
    expect(after).toEqual(before);
  });

  test("receives nothing after it timed out, and its key is visible and revocable", async () => {
    const waiting = await startPlugin({ ...plugin, limit: 0 }, { url, home });
    await expect(waiting.outcome).rejects.toThrow("timed out");
    await waiting.close();
    const before = (await rest.core.listKeys({ actor: rest.actor })).keys.length;
    await expect(decide(waiting.page, "approve")).rejects.toThrow();
    const { keys } = await rest.core.listKeys({ actor: rest.actor });
    const lost = keys.slice(before).find(({ client }) => client !== null);
    expect(lost).toMatchObject({ client: plugin.sent["client"] ?? "cli", lastUsedAt: null });
    await rest.core.revokeKey({ actor: rest.actor }, { id: lost?.id });
  });

  // The other plugins send no state, so they cannot check it.
  if (plugin.stateBytes > 0)
    test("rejects a callback with another state", async () => {
      const waiting = await startPlugin(plugin, { url, home });
      const forged = waiting.page.replace(/state%3D[0-9a-f]+/, "state%3D00");
      expect(forged).not.toBe(waiting.page);
      expect(await decide(forged, "approve")).toBe(403);
      await waiting.close();
    });
});
