import { ERROR_KINDS, type ErrorKind } from "../errors.js";

/** Ways into the service. `internal` is another program of the data folder that did not say more. */
export const FACES = ["rest", "mcp", "cli", "console", "oauth", "internal"] as const;
export type Face = (typeof FACES)[number];

/** Where a call came from, according to the face that received it. */
export interface CallSource {
  readonly face: Face;
  /** IP address of the other end of the connection, absent where there is none. */
  readonly address?: string | undefined;
  /** Name of the client program. */
  readonly client?: string | undefined;
}

export const AUDIT_OUTCOMES = ["ok", ...ERROR_KINDS] as const;
export type AuditOutcome = "ok" | ErrorKind;

/** Who did what, and the outcome. Only ids and names, nothing of the content. */
export interface AuditEntry {
  readonly id: string;
  readonly at: string;
  /** `key:<id>`, `sign-in:<id>`, `local`, …; `unknown` for an unauthenticated caller. */
  readonly actor: string;
  /** Name of the use case. */
  readonly action: string;
  readonly outcome: AuditOutcome;
  /** The first 20 containers it was about. */
  readonly containerTags: readonly string[];
  /** The first 20 ids it was about. */
  readonly subjectIds: readonly string[];
  readonly face: Face | null;
  readonly address: string | null;
  readonly client: string | null;
  /** How often the same happened within a minute: refusals and polls are counted, everything else has its own entry. */
  readonly count: number;
}
