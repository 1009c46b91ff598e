import type { Surroundings } from "../starters.js";

/** Whose configuration is edited: the user's, or that of the project in the working folder. */
export const CLIENT_SCOPES = ["user", "project"] as const;
export type Scope = (typeof CLIENT_SCOPES)[number];

/** A program that the client starts and talks to over standard input and output. */
export interface Launch {
  readonly command: string;
  readonly args: readonly string[];
  readonly env: Readonly<Record<string, string>>;
}

/** A service that the client calls. */
export interface ServiceEndpoint {
  /** Base URL without a trailing slash. */
  readonly url: string;
  /** The key itself, or the client's syntax for the variable that holds it. */
  readonly key: string | undefined;
  /** Name of the variable that holds the key, for clients that want the bare name. */
  readonly keyVariable: string | undefined;
  readonly container: string | undefined;
}

/** How a client is to reach the memory. */
export type WantedConnection =
  { readonly by: "stdio"; readonly launch: Launch } | { readonly by: "http"; readonly endpoint: ServiceEndpoint };

/** One thing to write: the path of names from the outside in, and the value there. */
export interface ConfigEntry {
  readonly path: readonly string[];
  readonly value: unknown;
}

/** What one client stores where. Paths are from each client's documentation. */
export interface Client {
  /** Its name on the command line. */
  readonly name: string;
  readonly title: string;
  readonly kind: "mcp" | "plugin";
  readonly format: "jsonc" | "toml";
  /** Files for each scope that the client supports; of several, the first that exists counts, otherwise the last. */
  readonly files: Partial<Readonly<Record<Scope, (around: Surroundings) => readonly string[]>>>;
  /** Programs and paths that exist when it is installed. */
  readonly binaries: readonly string[];
  readonly traces: (around: Surroundings) => readonly string[];
  /** How it can connect; plugins only call the service over HTTP. */
  readonly ways: readonly WantedConnection["by"][];
  /** How its file refers to an environment variable; undefined where it cannot. */
  readonly variable: ((name: string) => string) | undefined;
  /** What to write, given the file's present content. */
  readonly entries: (wanted: WantedConnection, scope: Scope, document: unknown) => readonly ConfigEntry[];
  /** What makes the client pick up the change. */
  readonly afterwards: string;
}
