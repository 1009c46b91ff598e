import { join } from "node:path";
import { valueAt } from "../../../lib/config-text.js";
import type { Surroundings } from "../starters.js";
import type { Client, ServiceEndpoint, ConfigEntry, Launch, WantedConnection } from "./client.js";

/** The name of our entry in every client. */
const NAME = "recollect";

/** Names of the fields in which clients write the same things. */
interface Shape {
  readonly local: (launch: Launch) => Readonly<Record<string, unknown>>;
  /** Undefined where a file cannot name a remote server. */
  readonly remote?: (endpoint: ServiceEndpoint) => Readonly<Record<string, unknown>>;
}

const command = ({ command, args, env }: Launch) => ({ command, args, ...(hasAny(env) && { env }) });
const typedCommand = (launch: Launch) => ({ type: "stdio", ...command(launch) });

/** Fields of a remote server, with the URL under the client's name for it. */
const remote = (urlField: string, fields: Readonly<Record<string, unknown>> = {}) => {
  return (endpoint: ServiceEndpoint) => {
    const headers = headersOf(endpoint);
    return { ...fields, [urlField]: `${endpoint.url}/mcp`, ...(hasAny(headers) && { headers }) };
  };
};

/** `x-sm-project` pins the container (contract 7.5). */
function headersOf({ key, container }: ServiceEndpoint): Record<string, string> {
  return {
    ...(key !== undefined && { Authorization: `Bearer ${key}` }),
    ...(container !== undefined && { "x-sm-project": container }),
  };
}

/** Codex wants the bare name of a variable, and has its own field name for headers. */
function codexRemote({ url, key, keyVariable, container }: ServiceEndpoint): Record<string, unknown> {
  const headers = headersOf({ url, key: keyVariable === undefined ? key : undefined, keyVariable, container });
  return {
    url: `${url}/mcp`,
    ...(keyVariable !== undefined && { bearer_token_env_var: keyVariable }),
    ...(hasAny(headers) && { http_headers: headers }),
  };
}

const opencodeLocal = ({ command, args, env }: Launch) => ({
  type: "local",
  command: [command, ...args],
  ...(hasAny(env) && { environment: env }),
});

/** Version 2 keeps servers in `mcp.servers`, but still reads version 1's place, so the new one is only for new files. */
function opencodeEntries(wanted: WantedConnection, _scope: unknown, document: unknown): readonly ConfigEntry[] {
  const isSecond = typeof valueAt(document, ["mcp", "servers"]) === "object";
  const value = valueOf({ local: opencodeLocal, remote: remote("url", { type: "remote" }) }, wanted);
  return isSecond
    ? [{ path: ["mcp", "servers", NAME], value }]
    : [{ path: ["mcp", NAME], value: { ...value, enabled: true } }];
}

/** The clients that speak MCP, in listing order. */
export const MCP_CLIENTS: readonly Client[] = [
  {
    ...mcp("claude-code", "Claude Code", {
      at: ["mcpServers"],
      shape: { local: typedCommand, remote: remote("url", { type: "http" }) },
    }),
    files: {
      user: ({ home, claudeFolder }) => [join(claudeFolder ?? home, ".claude.json")],
      project: ({ workingFolder }) => [join(workingFolder, ".mcp.json")],
    },
    binaries: ["claude"],
    traces: ({ home, claudeFolder }) => [claudeFolder ?? join(home, ".claude")],
    variable: (name) => `\${${name}}`,
    afterwards: "Start a new Claude Code session; /mcp shows it.",
  },
  {
    ...mcp("claude-desktop", "Claude Desktop", { at: ["mcpServers"], shape: { local: command } }),
    files: { user: (around) => [join(desktopFolder(around, "Claude"), "claude_desktop_config.json")] },
    traces: (around) => [desktopFolder(around, "Claude")],
    afterwards: "Quit Claude Desktop and start it again.",
  },
  {
    ...mcp("cursor", "Cursor", { at: ["mcpServers"], shape: { local: typedCommand, remote: remote("url") } }),
    files: {
      user: ({ home }) => [join(home, ".cursor", "mcp.json")],
      project: ({ workingFolder }) => [join(workingFolder, ".cursor", "mcp.json")],
    },
    binaries: ["cursor", "cursor-agent"],
    traces: ({ home }) => [join(home, ".cursor")],
    variable: (name) => `\${env:${name}}`,
    afterwards: "Cursor shows it under Settings, MCP; turn it on there if it is off.",
  },
  {
    ...mcp("vscode", "VS Code", {
      at: ["servers"],
      shape: { local: typedCommand, remote: remote("url", { type: "http" }) },
    }),
    files: {
      user: (around) => [join(desktopFolder(around, "Code"), "User", "mcp.json")],
      project: ({ workingFolder }) => [join(workingFolder, ".vscode", "mcp.json")],
    },
    binaries: ["code"],
    traces: (around) => [desktopFolder(around, "Code")],
    variable: (name) => `\${env:${name}}`,
    afterwards: "Run `MCP: List Servers` in VS Code and start it.",
  },
  {
    ...mcp("windsurf", "Windsurf", { at: ["mcpServers"], shape: { local: command, remote: remote("serverUrl") } }),
    files: { user: ({ home }) => [join(home, ".codeium", "windsurf", "mcp_config.json")] },
    binaries: ["windsurf"],
    traces: ({ home }) => [join(home, ".codeium", "windsurf")],
    variable: (name) => `\${env:${name}}`,
    afterwards: "Refresh the MCP servers in Cascade.",
  },
  {
    ...mcp("zed", "Zed", { at: ["context_servers"], shape: { local: command, remote: remote("url") } }),
    files: {
      user: (around) => [join(zedFolder(around), "settings.json")],
      project: ({ workingFolder }) => [join(workingFolder, ".zed", "settings.json")],
    },
    binaries: ["zed", "zeditor"],
    traces: (around) => [zedFolder(around)],
    afterwards: "Zed picks it up immediately; the Agent Panel's settings show it.",
  },
  {
    ...mcp("codex", "Codex", { at: ["mcp_servers"], shape: { local: command, remote: codexRemote } }),
    format: "toml",
    files: {
      user: ({ codexFolder }) => [join(codexFolder, "config.toml")],
      project: ({ workingFolder }) => [join(workingFolder, ".codex", "config.toml")],
    },
    binaries: ["codex"],
    traces: ({ codexFolder }) => [codexFolder],
    variable: (name) => name,
    afterwards: "Start a new Codex session; /mcp shows it. Project files count only in trusted projects.",
  },
  {
    ...mcp("gemini-cli", "Gemini CLI", { at: ["mcpServers"], shape: { local: command, remote: remote("httpUrl") } }),
    files: {
      user: ({ home }) => [join(home, ".gemini", "settings.json")],
      project: ({ workingFolder }) => [join(workingFolder, ".gemini", "settings.json")],
    },
    binaries: ["gemini"],
    traces: ({ home }) => [join(home, ".gemini")],
    variable: (name) => `$${name}`,
    afterwards: "Restart Gemini CLI; /mcp shows it.",
  },
  {
    ...mcp("opencode", "opencode", { at: ["mcp"], shape: { local: opencodeLocal, remote: remote("url") } }),
    files: {
      user: ({ configFolder }) => jsoncFirst(join(configFolder, "opencode"), "opencode"),
      project: ({ workingFolder }) => jsoncFirst(workingFolder, "opencode"),
    },
    binaries: ["opencode"],
    traces: ({ configFolder }) => [join(configFolder, "opencode")],
    variable: (name) => `{env:${name}}`,
    entries: opencodeEntries,
    afterwards: "Restart opencode; `opencode mcp list` shows it.",
  },
];

/** What MCP clients have in common. */
function mcp(name: string, title: string, { at, shape }: { at: readonly string[]; shape: Shape }) {
  return {
    name,
    title,
    kind: "mcp" as const,
    format: "jsonc" as const,
    binaries: [],
    ways: shape.remote ? (["stdio", "http"] as const) : (["stdio"] as const),
    variable: undefined,
    entries: (wanted: WantedConnection): readonly ConfigEntry[] => [
      { path: [...at, NAME], value: valueOf(shape, wanted) },
    ],
  };
}

function valueOf(shape: Shape, wanted: WantedConnection): Readonly<Record<string, unknown>> {
  if (wanted.by === "stdio") return shape.local(wanted.launch);
  if (!shape.remote) throw new Error("A client that can only start programs was asked to call a service.");
  return shape.remote(wanted.endpoint);
}

/** Where desktop apps keep their settings. */
function desktopFolder({ platform, home, configFolder, appData }: Surroundings, name: string): string {
  if (platform === "darwin") return join(home, "Library", "Application Support", name);
  return join(platform === "win32" ? appData : configFolder, name);
}

function zedFolder({ platform, home, configFolder, appData }: Surroundings): string {
  if (platform === "win32") return join(appData, "Zed");
  return platform === "darwin" ? join(home, ".config", "zed") : join(configFolder, "zed");
}

function jsoncFirst(folder: string, name: string): readonly string[] {
  return [join(folder, `${name}.jsonc`), join(folder, `${name}.json`)];
}

function hasAny(fields: object): boolean {
  return Object.keys(fields).length > 0;
}
