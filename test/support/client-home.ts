import { chmodSync, existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { afterEach } from "vitest";
import { CLIENT_TABLE } from "../../src/transports/cli/clients/table.js";
import type { Client, Scope } from "../../src/transports/cli/clients/client.js";
import type { Surroundings } from "../../src/transports/cli/index.js";
import { type CommandResult, parseAnswer, runCommand } from "./command-line.js";

/** A home folder with a project for the duration of one test, and the command line of its user. */
export interface ClientHome {
  readonly home: string;
  readonly around: Surroundings;
  readonly run: (...argv: string[]) => Promise<CommandResult>;
  /** Runs with `--json` and returns the output. */
  readonly ask: <T = ConnectAnswer>(...argv: string[]) => Promise<T>;
  /** The file that a client reads. */
  readonly fileOf: (client: Client, scope: Scope) => string;
  readonly put: (file: string, text: string | Buffer, mode?: number) => void;
}

export interface ConnectAnswer {
  readonly file: string;
  readonly action: "create" | "change" | "none";
  readonly written: boolean;
  readonly backup: string | null;
  readonly keyId: string | null;
  readonly changes: readonly string[];
}

export const PROGRAM = ["/opt/node/bin/node", "/opt/recollect/dist/main.js"] as const;

const homes: string[] = [];
afterEach(() => {
  for (const home of homes.splice(0)) rmSync(home, { recursive: true, force: true });
});

/** Opens a new home; it is removed after the test. */
export function openHome(changes: Partial<Surroundings> = {}): ClientHome {
  const home = mkdtempSync(join(tmpdir(), "recollect-home-"));
  homes.push(home);
  const workingFolder = join(home, "project");
  mkdirSync(workingFolder);
  const around: Surroundings = {
    home,
    platform: "linux",
    configFolder: join(home, ".config"),
    appData: join(home, "AppData", "Roaming"),
    claudeFolder: undefined,
    codexFolder: join(home, ".codex"),
    programFolders: [],
    workingFolder,
    program: PROGRAM,
    dataDirectory: undefined,
    hasMemory: true,
    serviceUrl: "http://127.0.0.1:6767",
    apiKey: undefined,
    ...changes,
  };
  const starters = { surroundings: () => Promise.resolve(around) };
  const run = (...argv: string[]) => runCommand(join(home, "data"), argv, { starters });
  return {
    home,
    around,
    run,
    ask: async <T>(...argv: string[]) => parseAnswer<T>(await run(...argv, "--json")),
    fileOf: (client, scope) => client.files[scope]?.(around).at(-1) ?? "",
    put: (file, text, mode = 0o644) => {
      mkdirSync(dirname(file), { recursive: true });
      writeFileSync(file, text);
      chmodSync(file, mode);
    },
  };
}

/** Every client with every scope that it supports. */
export const PLACES = CLIENT_TABLE.flatMap((client) =>
  (["user", "project"] as const).filter((scope) => client.files[scope]).map((scope) => ({ client, scope })),
);

/** The client of this name. */
export function clientNamed(name: string): Client {
  const client = CLIENT_TABLE.find((known) => known.name === name);
  if (!client) throw new Error(`no client ${name}`);
  return client;
}

/** Bytes and permissions of a file, or undefined if there is none. */
export function snapshot(file: string): { bytes: string; mode: number } | undefined {
  if (!existsSync(file)) return undefined;
  return { bytes: readFileSync(file).toString("latin1"), mode: statSync(file).mode & 0o777 };
}
