import type { CoreContext } from "../context.js";
import type { Connector, SourceAccess } from "../ports.js";
import type { Connection } from "../types.js";
import type { RunningSync } from "./sync-run.js";

/** One run of a connection while it goes on. */
export interface Sync {
  readonly context: CoreContext;
  readonly connection: Connection;
  readonly connector: Connector;
  readonly source: SourceAccess;
  readonly run: RunningSync;
  readonly signal: AbortSignal;
  /** Its owner has agreed to whatever is to be removed. */
  readonly mayRemoveMany: boolean;
  /** When it gives way to others, in milliseconds. */
  readonly deadline: number;
  /** How often in a row the source was out of order while it was read. */
  readonly outages: { inARow: number };
}

/** A run would remove so much that its owner has to agree. */
export class RemovalsHeld extends Error {}
