import type { Surroundings } from "../starters.js";

/** Whose configuration is edited: the person's own, or that of the project in the working folder. */
export const SCOPES = ["user", "project"] as const;
export type Scope = (typeof SCOPES)[number];

/** A program that the client starts and talks to over standard input and output. */
export interface Launch {
  readonly command: string;
  readonly args: readonly string[];
  readonly env: Readonly<Record<string, string>>;
}

/** A service that the client calls. */
export interface Endpoint {
  /** Base URL without a slash at the end. */
  readonly url: string;
  /** The key itself, or how the client writes the variable that holds it. */
  readonly key: string | undefined;
  /** Name of the variable that holds the key, for clients that want its bare name. */
  readonly keyVariable: string | undefined;
  readonly container: string | undefined;
}

/** How a client shall reach the memory. */
export type Wanted =
  { readonly by: "stdio"; readonly launch: Launch } | { readonly by: "http"; readonly endpoint: Endpoint };

/** One thing to write: names from the outside in, and the value there. */
export interface Entry {
  readonly path: readonly string[];
  readonly value: unknown;
}

/** What one client keeps where. Paths as the documentation of each client has them. */
export interface Client {
  /** How it is named on the command line. */
  readonly name: string;
  readonly title: string;
  readonly kind: "mcp" | "plugin";
  readonly format: "jsonc" | "toml";
  /** Files for each scope that the client knows; of several the first that exists counts, else the last. */
  readonly files: Partial<Readonly<Record<Scope, (around: Surroundings) => readonly string[]>>>;
  /** Programs and paths that are there when it is installed. */
  readonly binaries: readonly string[];
  readonly traces: (around: Surroundings) => readonly string[];
  /** What it can do; plugins call the service over HTTP only. */
  readonly ways: readonly Wanted["by"][];
  /** How its file refers to an environment variable; undefined where it cannot. */
  readonly variable: ((name: string) => string) | undefined;
  /** What to write, given what the file says now. */
  readonly entries: (wanted: Wanted, scope: Scope, document: unknown) => readonly Entry[];
  /** What makes the client take it up. */
  readonly afterwards: string;
}
