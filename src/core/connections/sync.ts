import type { CoreContext } from "../context.js";
import type { Connector, Repositories, SourceAccess } from "../ports.js";
import type { Connection } from "../types.js";
import type { RunningSync } from "./sync-run.js";

/** Removals that the owner of a connection has agreed to. */
export interface RemovalAgreement {
  /** The most documents; null: whatever is gone, since nothing had been asked yet. */
  readonly most: number | null;
  /** ISO date-time. */
  readonly until: string;
}

/** One run of a connection in progress. */
export interface Sync {
  readonly context: CoreContext;
  readonly connection: Connection;
  readonly connector: Connector;
  readonly source: SourceAccess;
  readonly run: RunningSync;
  readonly signal: AbortSignal;
  readonly agreement: RemovalAgreement | null;
  /** When it yields to others, in milliseconds. */
  readonly deadline: number;
  /**
   * Since it began or continued: how many outages of the source in a row, how many items and pages were stored, and items read.
   */
  readonly turn: { outages: number; kept: number; read: number };
}

/** The connection was paused, removed or changed while the run went on. */
export class RunOvertaken extends Error {}

/** True for a connection that a run may work on. */
export function isOpen({ state }: Connection): boolean {
  return state === "active" || state === "held";
}

/**
 * Called inside the transaction that writes for a run: changes by the owner take precedence.
 * @throws RunOvertaken unless the connection is still as the run found it
 */
export async function requireUnchanged(
  { connections }: Pick<Repositories, "connections">,
  { connection: before }: Pick<Sync, "connection">,
): Promise<void> {
  const now = await connections.byId(before.organizationId, before.id);
  if (now === null || !isOpen(now) || choiceOf(now) !== choiceOf(before)) throw new RunOvertaken();
}

function choiceOf({ containerTags, resources, settings, account }: Connection): string {
  return JSON.stringify([containerTags, resources, settings, account]);
}

/** A run would remove so many documents that its owner has to agree. */
export class RemovalsHeld extends Error {}
