import { join } from "node:path";
import { isDeepStrictEqual } from "node:util";
import { ConfigFileError } from "../../../lib/config-file.js";
import { valueAt } from "../../../lib/config-text.js";
import type { Surroundings } from "../starters.js";
import { type Client, type Scope, CLIENT_SCOPES, type WantedConnection } from "./client.js";
import { isAsWritten, type Opened, openClient } from "./connection.js";
import { canAccess } from "../../../lib/can-access.js";

/**
 * A client's state relative to this installation: `connected` to it, `stale` (another Recollect, or as an earlier command left
 * it), `different` (another entry under our name), `absent`, or with an unreadable file.
 */
export type ClientConnectionState = "connected" | "stale" | "different" | "absent" | "unreadable";

export interface ClientState {
  readonly client: string;
  readonly title: string;
  readonly installed: boolean;
  readonly files: readonly {
    readonly scope: Scope;
    readonly file: string;
    readonly state: ClientConnectionState;
    /** Why the file cannot be read. */
    readonly problem?: string;
  }[];
}

/** Looks at every file of a client; project files count only if they hold something of ours or cannot be read. */
export async function readClientState(
  client: Client,
  around: Surroundings,
  expected: readonly WantedConnection[],
): Promise<ClientState> {
  const files: ClientState["files"][number][] = [];
  for (const scope of CLIENT_SCOPES) {
    if (!client.files[scope]) continue;
    const found = await lookAtFile(client, scope, around, expected);
    // In the home folder the project's file is the user's own.
    const isKnown = files.some(({ file }) => file === found.file);
    if (scope === "user" || (found.state !== "absent" && !isKnown)) files.push(found);
  }
  return { client: client.name, title: client.title, installed: await isInstalled(client, around), files };
}

async function lookAtFile(
  client: Client,
  scope: Scope,
  around: Surroundings,
  expected: readonly WantedConnection[],
): Promise<ClientState["files"][number]> {
  try {
    const opened = await openClient(client, scope, around);
    return { scope, file: opened.file.path, state: clientStateOf(opened, expected) };
  } catch (error) {
    if (!(error instanceof ConfigFileError)) throw error;
    const file = client.files[scope]?.(around).at(-1) ?? "";
    return { scope, file, state: "unreadable", problem: error.message };
  }
}

/** Compares the entries with the expected ones, any of which is right. */
export function clientStateOf(opened: Opened, expected: readonly WantedConnection[]): ClientConnectionState {
  const { client, scope, document, receipt } = opened;
  const ways = expected.filter(({ by }) => client.ways.includes(by));
  const wanted = ways.map((way) => client.entries(way, scope, document));
  const paths = wanted.flatMap((entries) => entries.map(({ path }) => path));
  const present = paths.map((path) => valueAt(document, path)).filter((value) => value !== undefined);
  if (present.length === 0) return "absent";
  const isRight = wanted.some((entries) =>
    entries.every(({ path, value }) => leadsTo(valueAt(document, path), value, client.kind)),
  );
  if (isRight) return "connected";
  if (receipt && isAsWritten(document, receipt)) return "stale";
  return present.some(looksLikeOurs) ? "stale" : "different";
}

/** What decides where a client connects; variables, headers and switches are up to its owner. */
const DECIDING = ["command", "args", "url", "serverUrl", "httpUrl"];

function leadsTo(found: unknown, wanted: unknown, kind: Client["kind"]): boolean {
  if (kind === "plugin") return found === wanted;
  if (typeof found !== "object" || found === null || typeof wanted !== "object" || wanted === null) return false;
  return DECIDING.every((field) => isDeepStrictEqual(valueAt(found, [field]), valueAt(wanted, [field])));
}

/** An entry that starts some Recollect, wherever it was installed. */
function looksLikeOurs(value: unknown): boolean {
  const text = JSON.stringify(value);
  return /"mcp"/.test(text) && /recollect|main\.js/.test(text);
}

async function isInstalled(client: Client, around: Surroundings): Promise<boolean> {
  const endings = around.platform === "win32" ? [".exe", ".cmd", ""] : [""];
  const programs = around.programFolders.flatMap((folder) =>
    client.binaries.flatMap((name) => endings.map((ending) => join(folder, name + ending))),
  );
  for (const path of [...client.traces(around), ...programs]) if (await canAccess(path)) return true;
  return false;
}
