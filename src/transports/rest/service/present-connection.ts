import * as z from "zod";
import type { ConfiguredConnection, ShownConnection } from "../../../core/index.js";
import {
  CONNECTION_STATES,
  SYNC_ERROR_CODES,
  SYNC_STATUSES,
  SYNC_TRIGGERS,
  type SyncFailure,
  type SyncRun,
} from "../../../core/types.js";
import { dateTime, documentStatus } from "../schemas.js";

const lastSyncRun = z.object({
  status: z.enum(SYNC_STATUSES),
  errorCode: z.enum(SYNC_ERROR_CODES).nullable(),
  error: z.string().nullable(),
  startedAt: dateTime,
  completedAt: dateTime.nullable(),
});

/** A connection (contract 6.10): unknown values are absent, never null. */
export const connection = z.object({
  id: z.string(),
  provider: z.string(),
  createdAt: dateTime,
  documentLimit: z.int().optional(),
  email: z.string().optional(),
  metadata: z.record(z.string(), z.unknown()).optional(),
  containerTags: z.array(z.string()).optional(),
  endUserId: z.string().optional(),
  lastSyncRun: lastSyncRun.optional(),
  state: z
    .enum(CONNECTION_STATES)
    .describe(
      "`reconnect`: a new sign-in is needed. `held`: a run would remove so much that the owner has to confirm it.",
    ),
  problem: z.string().optional().describe("Why it does not continue."),
  everyMinutes: z.int().optional().describe("Minutes between two sync runs; absent if it is synced only on request."),
  nextSyncAt: dateTime.optional(),
  documentCount: z.int(),
});

/** A document that came from a provider. */
export const connectionDocument = z.object({
  id: z.string().nullable(),
  title: z.string().nullable(),
  summary: z.string().nullable(),
  type: z.string(),
  status: documentStatus,
  createdAt: dateTime,
  updatedAt: dateTime,
});

const syncFailure = z.object({
  itemId: z.string(),
  documentId: z.string().nullable(),
  title: z.string().nullable(),
  errorMessage: z.string(),
  failedAt: dateTime,
});

export const syncRun = z.object({
  id: z.string(),
  connectionId: z.string(),
  status: z.enum(SYNC_STATUSES).describe("`partial`: some items were not imported; `failures` and `notes` say which."),
  triggerType: z.enum(SYNC_TRIGGERS),
  startedAt: dateTime,
  completedAt: dateTime.nullable(),
  itemsListed: z.int(),
  itemsProcessed: z.int(),
  itemsRead: z.int(),
  itemsUnchanged: z.int(),
  itemsRemoved: z.int(),
  itemsSkipped: z.int(),
  itemsFailed: z.int(),
  errorCode: z.enum(SYNC_ERROR_CODES).nullable(),
  error: z.string().nullable(),
  notes: z.array(z.string()),
  failures: z.array(syncFailure).describe("The first hundred failures."),
  skippedItems: z
    .array(syncFailure)
    .describe("The first hundred items that will not be imported, such as unsupported kinds of files, and why."),
});

export function presentConnection(shown: ShownConnection): z.output<typeof connection> {
  const { account, problem, everyMinutes, nextSyncAt, lastRun, lastSyncedAt, resources, settings } = shown;
  const chosen =
    resources.length === 0 ? {} : shown.provider === "github" ? { repositories: resources } : { resources };
  const metadata = { ...settings, ...chosen, ...(lastSyncedAt !== null && { lastSyncedAt }) };
  return {
    id: shown.id,
    provider: shown.provider,
    createdAt: shown.createdAt,
    documentLimit: shown.documentLimit,
    ...(account !== null && { email: account }),
    metadata,
    containerTags: [...shown.containerTags],
    ...(shown.endUserId !== null && { endUserId: shown.endUserId }),
    ...(lastRun && {
      lastSyncRun: {
        status: lastRun.status,
        errorCode: lastRun.errorCode,
        error: lastRun.error,
        startedAt: lastRun.startedAt,
        completedAt: lastRun.completedAt,
      },
    }),
    state: shown.state,
    ...(problem !== null && { problem }),
    ...(everyMinutes !== null && { everyMinutes }),
    ...(nextSyncAt !== null && { nextSyncAt }),
    documentCount: shown.documentCount,
  };
}

/** The effect of a change, as a sentence. */
export function tellConfigured({
  connection: { state, documentLimit },
  isChanged,
  isSynced,
  beyondLimit,
}: ConfiguredConnection): string {
  if (isChanged && beyondLimit > 0)
    return `The change is saved. The connection already has ${documentLimit + beyondLimit} documents: they stay, and nothing new is imported until there are fewer than ${documentLimit}.`;
  if (isSynced) return "The change is saved, and the connection is synced.";
  if (!isChanged) return "Nothing was changed.";
  if (state === "paused") return "The change is saved. The connection is paused.";
  if (state === "reconnect") return "The change is saved. The connection needs a new sign-in before it is synced.";
  return "The change is saved.";
}

function presentFailure({ itemId, documentId, title, reason, failedAt }: SyncFailure): z.output<typeof syncFailure> {
  return { itemId, documentId, title, failedAt, errorMessage: reason };
}

export function presentSyncRun(run: SyncRun): z.output<typeof syncRun> {
  return {
    id: run.id,
    connectionId: run.connectionId,
    status: run.status,
    triggerType: run.trigger,
    startedAt: run.startedAt,
    completedAt: run.completedAt,
    itemsListed: run.listed,
    itemsProcessed: run.read + run.unchanged + run.removed + run.skipped,
    itemsRead: run.read,
    itemsUnchanged: run.unchanged,
    itemsRemoved: run.removed,
    itemsSkipped: run.skipped,
    itemsFailed: run.failed,
    errorCode: run.errorCode,
    error: run.error,
    notes: [...run.notes],
    failures: run.failures.filter(({ isSkipped }) => !isSkipped).map(presentFailure),
    skippedItems: run.failures.filter(({ isSkipped }) => isSkipped).map(presentFailure),
  };
}
