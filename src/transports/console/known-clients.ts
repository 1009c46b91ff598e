/** Names of clients as people know them; a client not listed here is shown as unknown. */
const LABELS: Readonly<Record<string, string>> = {
  claude_code: "Claude Code",
  "claude-code": "Claude Code",
  cli: "Supermemory CLI",
  clawdbot: "OpenClaw (Clawdbot)",
  codex: "Codex",
  cursor: "Cursor",
  desktop: "Supermemory desktop app",
  hermes: "Hermes",
  openclaw: "OpenClaw",
  opencode: "OpenCode",
  raycast: "Raycast",
  smfs: "Supermemory file system",
};

/** The name that people know a client by, or null for an unknown one. */
export function labelOf(client: string): string | null {
  return Object.hasOwn(LABELS, client) ? (LABELS[client] ?? null) : null;
}
