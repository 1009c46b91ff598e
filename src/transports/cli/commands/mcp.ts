import { type Command, Option } from "commander";
import type { Cli } from "../cli.js";

export function registerMcp(program: Command, cli: Cli): void {
  program
    .command("mcp")
    .description("Serve MCP on standard input and output, for an agent that starts this program itself.")
    .addOption(
      new Option(
        "--tools <set>",
        "the tools to list: the current ones, or also the names used by earlier servers",
      ).choices(["small", "all"]),
    )
    .addHelpText("after", connectHelp(cli.programName))
    .action(async ({ tools }: { tools?: string }) =>
      cli.starters.serveMcp({ ...cli.settings(), ...(tools !== undefined && { RECOLLECT_MCP_TOOLS: tools }) }),
    );
}

/** How to tell the usual clients about this server. */
function connectHelp(program: string): string {
  const [command = program, ...rest] = program.split(" ");
  const entry = JSON.stringify({ command, args: [...rest, "mcp"] });
  return `
Any number of agents may use one data folder at the same time. The server ends when its input ends.

Examples:
  Claude Code      claude mcp add recollect -- ${program} mcp
  Codex            codex mcp add recollect -- ${program} mcp
  Claude Desktop   claude_desktop_config.json:  {"mcpServers":{"recollect":${entry}}}
  Cursor           ~/.cursor/mcp.json:          {"mcpServers":{"recollect":${entry}}}
  VS Code          .vscode/mcp.json:            {"servers":{"recollect":${entry}}}
`;
}
