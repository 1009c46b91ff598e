import { join } from "node:path";
import type { Client, ServiceEndpoint, ConfigEntry, WantedConnection } from "./client.js";

/**
 * The Supermemory plugins of coding agents, which read another base URL and a key from their own files (contract 7.2 and the
 * plugins' sources).
 */
export const PLUGIN_CLIENTS: readonly Client[] = [
  {
    ...plugin("claude-code-plugin", "Supermemory plugin for Claude Code"),
    files: {
      user: ({ home, claudeFolder }) => [join(claudeFolder ?? join(home, ".claude"), "settings.json")],
      project: ({ workingFolder }) => [join(workingFolder, ".claude", ".supermemory-claude", "config.json")],
    },
    traces: ({ home }) => [join(home, ".supermemory-claude")],
    entries: (wanted, scope) => (scope === "user" ? claudeEnvironment(wanted) : fields("repoContainerTag")(wanted)),
    afterwards: "Start a new Claude Code session.",
  },
  {
    ...plugin("codex-plugin", "Supermemory plugin for Codex"),
    files: { user: ({ home }) => [join(home, ".codex", "supermemory.json")] },
    traces: ({ home }) => [join(home, ".codex", "supermemory.json"), join(home, ".codex", "supermemory")],
    entries: fields("projectContainerTag"),
    afterwards: "Start a new Codex session. Its MCP bridge reads the address only from SUPERMEMORY_MCP_URL.",
  },
  {
    ...plugin("cursor-plugin", "Supermemory plugin for Cursor"),
    files: {
      user: ({ home }) => [join(home, ".config", "cursor", "supermemory.json")],
      project: ({ workingFolder }) => [join(workingFolder, ".cursor", ".supermemory", "config.json")],
    },
    traces: ({ home }) => [join(home, ".config", "cursor", "supermemory.json"), join(home, ".supermemory-cursor")],
    entries: fields("repoContainerTag"),
    afterwards: "Restart Cursor.",
  },
  {
    ...plugin("opencode-plugin", "Supermemory plugin for opencode"),
    files: {
      user: ({ home }) => ["jsonc", "json"].map((ending) => join(home, ".config", "opencode", `supermemory.${ending}`)),
    },
    traces: ({ home }) => [
      join(home, ".supermemory-opencode"),
      join(home, ".config", "opencode", "supermemory.json"),
      join(home, ".config", "opencode", "supermemory.jsonc"),
    ],
    entries: fields("projectContainerTag"),
    afterwards: "Restart opencode.",
  },
  {
    ...plugin("openclaw-plugin", "Supermemory plugin for OpenClaw"),
    files: { user: ({ home }) => [join(home, ".openclaw", "openclaw.json")] },
    binaries: ["openclaw"],
    traces: ({ home }) => [join(home, ".openclaw")],
    entries: fields("containerTag", ["plugins", "entries", "openclaw-supermemory", "config"]),
    afterwards: "Restart the OpenClaw gateway. A version of the plugin that rejects `baseUrl` is too old.",
  },
];

/** What plugins have in common. */
function plugin(name: string, title: string) {
  return {
    name,
    title,
    kind: "plugin" as const,
    format: "jsonc" as const,
    binaries: [],
    ways: ["http"] as const,
    variable: undefined,
  };
}

/** A key and a base URL, and the container under the plugin's own name for it. */
function fields(containerField: string, at: readonly string[] = []) {
  return (wanted: WantedConnection): readonly ConfigEntry[] => {
    const { url, key, container } = endpointOf(wanted);
    const values = { apiKey: key, baseUrl: url, [containerField]: container };
    return present(values).map(({ path, value }) => ({ path: [...at, ...path], value }));
  };
}

/** Claude Code passes the variables in its settings on to the plugin's hooks and MCP bridge. */
function claudeEnvironment(wanted: WantedConnection): readonly ConfigEntry[] {
  const { url, key, container } = endpointOf(wanted);
  const variables = {
    SUPERMEMORY_CC_API_KEY: key,
    SUPERMEMORY_API_URL: url,
    SUPERMEMORY_MCP_URL: `${url}/mcp`,
    SUPERMEMORY_REPO_TAG: container,
  };
  return present(variables).map(({ path, value }) => ({ path: ["env", ...path], value }));
}

function present(values: Readonly<Record<string, string | undefined>>): ConfigEntry[] {
  return Object.entries(values).flatMap(([name, value]) => (value === undefined ? [] : { path: [name], value }));
}

function endpointOf(wanted: WantedConnection): ServiceEndpoint {
  if (wanted.by === "http") return wanted.endpoint;
  throw new Error("A plugin was asked to start a program.");
}
