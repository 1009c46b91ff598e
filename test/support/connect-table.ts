import { CONFIG_FORMATS } from "../../src/transports/cli/clients/formats.js";
import type { Client, WantedConnection } from "../../src/transports/cli/clients/client.js";
import { CLIENT_TABLE } from "../../src/transports/cli/clients/table.js";
import type { Surroundings } from "../../src/transports/cli/index.js";

/** A person's folders as named on a page: on Linux, with the usual ones. */
const READER: Surroundings = {
  home: "~",
  platform: "linux",
  configFolder: "~/.config",
  appData: "",
  claudeFolder: undefined,
  codexFolder: "~/.codex",
  programFolders: [],
  workingFolder: "",
  program: ["recollect"],
  dataDirectory: undefined,
  hasMemory: true,
  serviceUrl: "http://127.0.0.1:6767",
  apiKey: undefined,
};

const STARTING: WantedConnection = { by: "stdio", launch: { command: "recollect", args: ["mcp"], env: {} } };
const CALLING: WantedConnection = {
  by: "http",
  endpoint: { url: READER.serviceUrl, key: "sm_…", keyVariable: undefined, container: undefined },
};

/** The table of clients supported by `connect`, as in docs/clients.md. */
export function renderConnectTable(): string {
  const rows = CLIENT_TABLE.map((client) => {
    const cells = [client.title, `\`connect ${client.name}\``, files(client), entry(client)];
    return `| ${cells.join(" | ")} |`;
  });
  return ["| Client | Command | File, of yours or of a project | By hand |", "| --- | --- | --- | --- |", ...rows].join(
    "\n",
  );
}

function files({ files: { user, project } }: Client): string {
  return [user, project]
    .flatMap((paths) => paths?.(READER).at(-1) ?? [])
    .map((path) => `\`${path}\``)
    .join(", ");
}

/** On one line, for a table. */
function entry(client: Client): string {
  const wanted = client.kind === "mcp" ? STARTING : CALLING;
  const entries = client.entries(wanted, "user", undefined);
  const text = entries.reduce((before, { path, value }) => CONFIG_FORMATS[client.format].set(before, path, value), "");
  if (client.format === "jsonc") return `\`${onOneLine(text)}\``;
  return text
    .trim()
    .split("\n")
    .map((line) => `\`${line}\``)
    .join("<br>");
}

/** JSON with the usual spaces. */
function onOneLine(text: string): string {
  return JSON.stringify(JSON.parse(text), null, 1)
    .replaceAll(/([{[])\n\s*/g, "$1")
    .replaceAll(/\n\s*([}\]])/g, "$1")
    .replaceAll(/\n\s*/g, " ");
}
