import * as z from "zod";
import { requireAllContainers } from "../auth.js";
import type { AuthorizedCall, CoreContext } from "../context.js";
import { AppError } from "../errors.js";
import { containerTagSchema, invalid, parseInput } from "../input.js";
import type { Connector, FoundResources, Resource, ResourcePage } from "../ports.js";
import type { Connection } from "../types.js";
import { hastenSync, orderSync, removalJob, reopen } from "./connection-jobs.js";
import { everyMinutesSchema, raisedLimitSchema } from "./create-connection.js";
import {
  connectionNameSchema,
  isChosen,
  matching,
  noneOf,
  ofProviderSchema,
  requireConnection,
  requireConnector,
  requireKept,
} from "./find-connections.js";
import { removeLeaving } from "./left-documents.js";
import { withPatience } from "./patience.js";
import { nextSyncOf } from "./schedule.js";
import { openSource } from "./source-access.js";
import { isOpen } from "./sync.js";
import { dropWebhooks, settleWebhooks } from "./webhooks.js";

const MOST_RESOURCES = 500;

/** Page numbers of what a connection could import, from 1, and the size of a page. */
export const resourcePageSchema = z.int().min(1).max(100_000);
export const resourcesPerPageSchema = z.int().min(1).max(100);

const resourcesSchema = connectionNameSchema.extend({
  page: resourcePageSchema.default(1),
  perPage: resourcesPerPageSchema.default(30),
  parentId: z.string().max(2_000).nullish(),
});

/** What a connection could import. @throws AppError `not_implemented` if nothing can be chosen */
export async function listConnectionResources(
  context: CoreContext,
  call: AuthorizedCall,
  raw: unknown,
): Promise<FoundResources> {
  const { id, page, perPage, parentId = null } = parseInput(resourcesSchema, raw);
  return resourcesOf(context, await requireConnection(context, call, id), { page, perPage, parentId });
}

/** As `listConnectionResources`, for an authorised call. */
export async function resourcesOf(
  context: CoreContext,
  connection: Connection,
  page: ResourcePage,
): Promise<FoundResources> {
  const connector = requireConnector(context, connection.provider);
  const listResources = connector.listResources?.bind(connector);
  if (!listResources) throw nothingToChoose(connector.title);
  requireSignedIn(connection);
  return withPatience(connector.title, async (signal) =>
    listResources(await openSource(context, connection, connector, signal), page),
  );
}

const configureSchema = connectionNameSchema.extend({
  resources: z.array(z.record(z.string(), z.unknown())).max(MOST_RESOURCES).optional(),
  everyMinutes: everyMinutesSchema.optional(),
  documentLimit: raisedLimitSchema.optional(),
  isPaused: z.boolean().optional(),
});

/** The state of a connection after `configureConnection`. */
export interface ConfiguredConnection {
  readonly connection: Connection;
  /** Whether it differs from before. */
  readonly isChanged: boolean;
  /** Whether a run was ordered. */
  readonly isSynced: boolean;
  /** Number of documents beyond its limit; they stay. */
  readonly beyondLimit: number;
  readonly webhooksRegistered: number;
}

/**
 * Chooses what a connection imports, or how it is synced; omitted fields stay unchanged. A new choice, a higher document limit
 * and the end of a pause start a sync immediately.
 * @throws AppError `not_found`, `invalid` before somebody has signed in, `not_implemented` if nothing can be chosen
 */
export async function configureConnection(
  context: CoreContext,
  call: AuthorizedCall,
  raw: unknown,
): Promise<ConfiguredConnection> {
  const { id, ...wish } = parseInput(configureSchema, raw);
  return configure(context, await requireConnection(context, call, id), wish);
}

/** As `configureConnection`, for an authorised call. */
export async function configure(
  context: CoreContext,
  { organizationId, id, provider }: Connection,
  { resources, isPaused, ...wish }: Omit<z.output<typeof configureSchema>, "id">,
): Promise<ConfiguredConnection> {
  const connector = requireConnector(context, provider);
  const chosen = resources && readResources(connector, resources);
  const now = context.clock.now();
  const configured = await context.store.transaction(async (repositories) => {
    const before = await requireKept(repositories, organizationId, id);
    requireSignedIn(before);
    const { everyMinutes = before.everyMinutes, documentLimit = before.documentLimit } = wish;
    const wanted = { ...before, everyMinutes, documentLimit, resources: chosen ?? before.resources };
    const after = scheduled({ ...wanted, state: stateAfter(before, isPaused) }, before, now);
    const isChanged = JSON.stringify(after) !== JSON.stringify(before);
    const { state, nextSyncAt } = after;
    const isPausing = state === "paused" && before.state !== "paused";
    const change = { state, nextSyncAt, everyMinutes, documentLimit, resources: after.resources };
    await repositories.connections.update(organizationId, id, { ...change, ...(isPausing && { problem: null }) });
    if (isPausing) await hastenSync(repositories, before, now);
    const isSynced = isOpen(after) && isChosen(connector, after) && bringsMore(before, after);
    if (isSynced) await orderSync(repositories, after, { trigger: "manual", now });
    const beyondLimit = Math.max(0, (await repositories.connections.countItems(id)) - documentLimit);
    return { connection: after, isChanged, isSynced, beyondLimit };
  });
  context.wakeJobs();
  return { ...configured, webhooksRegistered: await settleWebhooks(context, configured.connection) };
}

function stateAfter({ state }: Connection, isPaused: boolean | undefined): Connection["state"] {
  if (isPaused === undefined) return state;
  return isPaused ? "paused" : state === "paused" ? "active" : state;
}

/** Adjusts the next run to a new interval; an inactive connection has none. */
function scheduled(after: Connection, before: Connection, now: Date): Connection {
  if (!isOpen(after)) return { ...after, nextSyncAt: null };
  return after.everyMinutes === before.everyMinutes ? after : { ...after, nextSyncAt: nextSyncOf(after, now) };
}

function bringsMore(before: Connection, after: Connection): boolean {
  return (
    !isOpen(before) ||
    after.documentLimit > before.documentLimit ||
    JSON.stringify(after.resources) !== JSON.stringify(before.resources)
  );
}

function readResources(connector: Connector, resources: readonly Readonly<Record<string, unknown>>[]): Resource[] {
  const { resourceSchema } = connector;
  if (!connector.listResources || !resourceSchema) throw nothingToChoose(connector.title);
  return resources.map((resource, index) => {
    const read = resourceSchema.safeParse(resource);
    if (read.success) return read.data;
    throw invalid(
      read.error.issues.map(({ path, message }) => ({ path: ["resources", index, ...path.map(String)], message })),
    );
  });
}

export function nothingToChoose(title: string): AppError {
  return new AppError(
    "not_implemented",
    `There is nothing to choose for ${title}: a connection imports everything it has access to.`,
  );
}

/** Starts a sync of the connections to a provider. @throws AppError `invalid` when there is nothing to sync */
export async function importConnections(
  context: CoreContext,
  call: AuthorizedCall,
  raw: unknown,
): Promise<{ readonly ids: readonly string[] }> {
  requireAllContainers(call.actor);
  const wanted = parseInput(ofProviderSchema, raw);
  const found = await matching(context, call, wanted);
  const ready = found.filter(
    (connection) => isOpen(connection) && isChosen(requireConnector(context, connection.provider), connection),
  );
  if (ready.length === 0)
    throw new AppError(
      "invalid",
      found.length === 0
        ? `There is nothing to sync. ${noneOf(wanted).message}`
        : `There is nothing to sync: ${found.map((connection) => whyIdle(context, connection)).join(" ")}`,
    );
  const now = context.clock.now();
  await context.store.transaction(async (repositories) => {
    for (const connection of ready) await orderSync(repositories, connection, { trigger: "manual", now });
  });
  context.wakeJobs();
  return { ids: ready.map(({ id }) => id) };
}

const syncSchema = connectionNameSchema.extend({ confirmRemovals: z.boolean().default(false) });

/** Starts a sync of one connection; `confirmRemovals` agrees to removals that a run did not make by itself. */
export async function syncOneConnection(
  context: CoreContext,
  call: AuthorizedCall,
  raw: unknown,
): Promise<{ readonly id: string }> {
  const { id, confirmRemovals } = parseInput(syncSchema, raw);
  const connection = await requireConnection(context, call, id);
  const isRefused = connection.state === "reconnect";
  if (!(isOpen(connection) || isRefused) || !isChosen(requireConnector(context, connection.provider), connection))
    throw new AppError("conflict", whyIdle(context, connection));
  const order = { trigger: "manual", now: context.clock.now(), isAgreed: confirmRemovals } as const;
  await context.store.transaction((repositories) => (isRefused ? reopen : orderSync)(repositories, connection, order));
  context.wakeJobs();
  return { id };
}

function whyIdle(context: CoreContext, connection: Connection): string {
  const { id, state, problem } = connection;
  if (state === "paused") return `The connection ${id} is paused. Resume it first.`;
  if (state === "reconnect") return `The connection ${id} has to be signed in again: ${problem ?? ""}`.trim();
  if (state === "pending") return unsigned(id);
  return isChosen(requireConnector(context, connection.provider), connection)
    ? `The connection ${id} cannot be synced now.`
    : `Nothing has been chosen for the connection ${id} yet.`;
}

export function requireSignedIn({ state, id }: Connection): void {
  if (state === "pending") throw new AppError("invalid", unsigned(id));
}

function unsigned(id: string): string {
  return `The connection ${id} has not been signed in yet.`;
}

const removeSchema = connectionNameSchema.extend({ deleteDocuments: z.boolean().default(true) });
const removeOfSchema = ofProviderSchema.extend({
  containerTags: z.array(containerTagSchema, "must be an array of container tags").min(1, "must not be empty").max(100),
  deleteDocuments: z.boolean().default(true),
});

export interface RemovedConnection {
  readonly id: string;
  readonly provider: string;
}

/** Removes a connection; its documents are removed in the background, or stay. @throws AppError `not_found` */
export async function removeConnection(
  context: CoreContext,
  call: AuthorizedCall,
  raw: unknown,
): Promise<RemovedConnection> {
  const { id, deleteDocuments } = parseInput(removeSchema, raw);
  const connection = await requireConnection(context, call, id);
  await removeAll(context, [connection], deleteDocuments);
  return { id, provider: connection.provider };
}

/**
 * Removes the connections of these containers to a provider.
 * @returns them, newest first
 * @throws AppError `not_found`
 */
export async function removeConnectionsOf(
  context: CoreContext,
  call: AuthorizedCall,
  raw: unknown,
): Promise<{ readonly removed: readonly [RemovedConnection, ...RemovedConnection[]] }> {
  requireAllContainers(call.actor);
  const { deleteDocuments, ...wanted } = parseInput(removeOfSchema, raw);
  const found = await matching(context, call, wanted);
  const [first, ...others] = found.map(({ id, provider }) => ({ id, provider }));
  if (!first) throw noneOf(wanted);
  await removeAll(context, found, deleteDocuments);
  return { removed: [first, ...others] };
}

async function removeAll(context: CoreContext, found: readonly Connection[], deleteDocuments: boolean): Promise<void> {
  const silent = await Promise.all(found.map((connection) => dropWebhooks(context, connection)));
  await context.store.transaction(async (repositories) => {
    const { connections, jobs } = repositories;
    for (const [at, connection] of found.entries()) {
      const { organizationId, id } = connection;
      if (!deleteDocuments && silent[at] === true) {
        await removeLeaving(context, repositories, connection);
        continue;
      }
      await connections.update(organizationId, id, { state: "removing", nextSyncAt: null });
      await jobs.enqueue([removalJob(connection, { keepsDocuments: !deleteDocuments })]);
    }
  });
  context.wakeJobs();
}
