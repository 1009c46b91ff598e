import type { KeyRate } from "./key-types.js";

/** Who is asking. Every use case takes one; nothing else decides what may be seen or changed. */
export interface Actor {
  readonly organizationId: string;
  /** Name written to the journal: `key:<id>`, `local`, `system`. */
  readonly name: string;
  /** The container tags this actor may touch, or all of them. */
  readonly containers: "all" | readonly string[];
  /** Those of them that it may only read; none when it is left out. */
  readonly readOnly?: "all" | readonly string[] | undefined;
  /** What it may see, where `containers` was narrowed to what it may change. */
  readonly sees?: readonly string[] | undefined;
  /** How often it may call the API, where its key says so. */
  readonly rate?: KeyRate | undefined;
  /** True for a scoped key, which may do less than others (contract 1.2). */
  readonly isScoped?: boolean | undefined;
  /** True for an app that the owner let in by OAuth: it administers nothing. */
  readonly isApp?: boolean | undefined;
  /** True for a program of this machine that showed no key: it administers nothing, and purges nothing. */
  readonly isKeyless?: boolean | undefined;
  /** Name of the client that the key was made for, or that the request names; its settings are its own. */
  readonly client?: string | undefined;
  /** What the owner called its key, for the log; it decides nothing. */
  readonly keyName?: string | undefined;
}
