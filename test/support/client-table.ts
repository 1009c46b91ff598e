import { readFileSync, writeFileSync } from "node:fs";
import { resolve } from "node:path";
import { expect, test } from "vitest";

const PAGE = resolve(import.meta.dirname, "../../docs/clients.md");
const PACKAGES = resolve(import.meta.dirname, "../../node_modules");
const MARKED = /(<!-- clients -->\n)([^]*?)(\n<!-- \/clients -->)/;
const HEADER = ["| Client | Version | Methods tried | Passed | What |", "| --- | --- | ---: | ---: | --- |"];

/** Enough for several programs in a row on a busy machine, in milliseconds. */
const TEST_LIMIT = 30_000;

/** With UPDATE_README=1 a run writes its rows into docs/clients.md; otherwise it compares them. */
const IS_UPDATE = process.env["UPDATE_README"] === "1";

/** Every client that the suite runs, in the order of the table. Those without a package are replayed call by call. */
export const CLIENTS = {
  sdk: { name: "SDK `supermemory`", package: "supermemory" },
  sdk3: { name: "SDK `supermemory` 3", package: "supermemory-3" },
  cli: { name: "CLI in `supermemory`", package: "supermemory" },
  aiSdkTools: { name: "`@supermemory/tools/ai-sdk`", package: "@supermemory/tools" },
  openAiTools: { name: "`@supermemory/tools/openai`", package: "@supermemory/tools" },
  agentTools: { name: "`@supermemory/tools/mastra`, `/voltagent`", package: "@supermemory/tools" },
  claudeMemory: { name: "`@supermemory/tools/claude-memory`", package: "@supermemory/tools" },
  memoryGraph: { name: "`@supermemory/memory-graph`", package: "@supermemory/memory-graph" },
  claudeCode: { name: "Claude Code plugin" },
  codex: { name: "Codex plugin" },
  cursor: { name: "Cursor plugin" },
  openCode: { name: "OpenCode plugin" },
  openClaw: { name: "OpenClaw plugin" },
  hermes: { name: "Hermes" },
  smfs: { name: "smfs, `@supermemory/bash`" },
  raycast: { name: "Raycast extension" },
  browser: { name: "Browser extension" },
  mcpWorker: { name: "MCP worker" },
} as const satisfies Readonly<Record<string, { readonly name: string; readonly package?: string }>>;

export type ClientName = keyof typeof CLIENTS;

type Work = () => Promise<void> | void;

/** One client in a test run: what was tested, and what of that passed. */
export interface ClientTrial {
  /** Declares a test of these methods. A method has passed when every test that names it has. */
  readonly tries: (methods: string | readonly string[], title: string, work: Work) => void;
  /** Declares, at the end of a file, that every capability of the client was tested. */
  readonly leavesNothingOut: (everything: () => Iterable<string> | Promise<Iterable<string>>) => void;
  /**
   * Declares, at the end of a file, that the table in docs/clients.md agrees with this run.
   * @param note added to the table, for example which parts wait for a later version
   */
  readonly isInTable: (note?: string) => void;
}

/** Begins the test of a client. */
export function tryClient(client: ClientName): ClientTrial {
  /** Method -> tests that have not passed yet. */
  const open = new Map<string, number>();
  const count = (method: string, change: number) => open.set(method, (open.get(method) ?? 0) + change);
  return {
    tries(methods, title, work) {
      const names = typeof methods === "string" ? [methods] : methods;
      for (const name of names) count(name, 1);
      test(`${names.join(", ")}: ${title}`, { timeout: TEST_LIMIT }, async () => {
        await work();
        for (const name of names) count(name, -1);
      });
    },
    leavesNothingOut(everything) {
      test("every capability of the client is tested", async () => {
        const all = [...(await everything())];
        expect(all).not.toEqual([]);
        expect([...open.keys()].toSorted()).toEqual(all.toSorted());
      });
    },
    isInTable(note = "") {
      test("docs/clients.md agrees with this run", () => {
        const passed = [...open].filter(([, left]) => left === 0).length;
        const what = [grouped([...open.keys()].toSorted()), note].filter((text) => text !== "").join(". ");
        const row = [CLIENTS[client].name, versionOf(client), open.size, passed, what].join(" | ");
        if (IS_UPDATE) writeRow(client, `| ${row} |`);
        expect(readClientRows()).toContain(`| ${row} |`);
      });
    },
  };
}

/** The rows of the table in docs/clients.md, without its header. */
export function readClientRows(): string[] {
  const table = MARKED.exec(readFileSync(PAGE, "utf8"))?.[2] ?? "";
  return table.split("\n").slice(HEADER.length);
}

/** The client of a row, or undefined for other rows. */
export function clientOfRow(row: string): ClientName | undefined {
  return clientNames().find((client) => row.startsWith(`| ${CLIENTS[client].name} | `));
}

export function clientNames(): ClientName[] {
  return Object.keys(CLIENTS).filter((name): name is ClientName => name in CLIENTS);
}

function versionOf(client: ClientName): string {
  const { package: name } = { package: undefined, ...CLIENTS[client] };
  if (name === undefined) return "replayed";
  const manifest = JSON.parse(readFileSync(resolve(PACKAGES, name, "package.json"), "utf8")) as { version: string };
  return manifest.version;
}

function writeRow(client: ClientName, row: string): void {
  const others = readClientRows().filter((other) => ![undefined, client].includes(clientOfRow(other)));
  const order = (one: string) => clientNames().indexOf(clientOfRow(one) ?? client);
  const rows = [...others, row].toSorted((left, right) => order(left) - order(right));
  const readme = readFileSync(PAGE, "utf8");
  writeFileSync(
    PAGE,
    readme.replace(MARKED, (_all, begin: string, _old, end: string) => begin + [...HEADER, ...rows].join("\n") + end),
  );
}

/** `add`, `documents.add` and `documents.get` as "`add`, `documents.{add,get}`"; words of a command line likewise. */
function grouped(methods: readonly string[]): string {
  const families = new Map<string, string[]>();
  for (const method of methods) {
    const [, family = method, separator = "", name] = /^([a-z]\w*)([. ])(.+)$/.exec(method) ?? [];
    const key = family + separator;
    const names = families.get(key) ?? [];
    families.set(key, name === undefined ? names : [...names, name]);
  }
  return [...families]
    .map(([key, names]) => (names.length > 1 ? `${key}{${names.toSorted().join(",")}}` : key + names.join("")))
    .map((text) => `\`${text}\``)
    .join(", ");
}
