import type { KeyRate } from "./key-types.js";

/** Who is asking. Every use case takes one; nothing else decides what may be seen or changed. */
export interface Actor {
  readonly organizationId: string;
  /** Name written to the journal: `key:<id>`, `local`, `system`. */
  readonly name: string;
  /** The container tags this actor may touch, or all of them. */
  readonly containers: "all" | readonly string[];
  /** Those of them it may only read; none if omitted. */
  readonly readOnly?: "all" | readonly string[] | undefined;
  /** What it may see, if `containers` was narrowed to what it may change. */
  readonly sees?: readonly string[] | undefined;
  /** How often it may call the API, if its key limits that. */
  readonly rate?: KeyRate | undefined;
  /** True for a scoped key, which may do less than others (contract 1.2). */
  readonly isScoped?: boolean | undefined;
  /** True for an app that the owner authorised by OAuth: it has no administrative rights. */
  readonly isApp?: boolean | undefined;
  /** True for a program on this machine without a key: it has no administrative rights, and may not purge. */
  readonly isKeyless?: boolean | undefined;
  /** Name of the client that the key was made for, or that the request names; it has settings of its own. */
  readonly client?: string | undefined;
  /** The owner's name for the key, for the log; it decides nothing. */
  readonly keyName?: string | undefined;
}
