import * as z from "zod";
import { endUserSchema } from "../access/end-user.js";
import { requireAllContainers } from "../auth.js";
import type { AuthorizedCall, CoreContext } from "../context.js";
import { AppError, notFound } from "../errors.js";
import { containerTagSchema, customIdSchema, parseInput } from "../input.js";
import type { Connector, Repositories } from "../ports.js";
import type { Connection, DocumentHead, SyncRun } from "../types.js";

/** Services from which connections import documents (contract 1.14), and two of our own. */
export const PROVIDERS = [
  "notion",
  "google-drive",
  "onedrive",
  "gmail",
  "github",
  "web-crawler",
  "s3",
  "granola",
  "imap",
  "folder",
] as const;

export const providerSchema = z.enum(PROVIDERS, `must be one of ${PROVIDERS.join(", ")}`);
const tagsSchema = z.array(containerTagSchema, "must be an array of container tags").max(100).optional();
const filterSchema = z.object({
  provider: providerSchema.optional(),
  containerTags: tagsSchema,
  endUserId: endUserSchema.optional(),
});
export const ofProviderSchema = z.object({ provider: providerSchema, containerTags: tagsSchema });
export const connectionNameSchema = z.object({ id: customIdSchema });

const RUNS_SHOWN = 50;
const DOCUMENTS_SHOWN = 10_000;
const PAGE = 500;

/** A connection with the result of its last run. */
export interface ShownConnection extends Connection {
  readonly lastRun: SyncRun | null;
  readonly documentCount: number;
}

/** Connections of the organisation, the newest first. */
export async function listConnections(
  context: CoreContext,
  call: AuthorizedCall,
  raw: unknown = {},
): Promise<{ connections: readonly ShownConnection[] }> {
  requireAllContainers(call.actor);
  const found = await matching(context, call, parseInput(filterSchema, raw ?? {}));
  return { connections: await Promise.all(found.map((connection) => shown(context, connection))) };
}

/** @throws AppError `not_found` */
export async function findConnection(
  context: CoreContext,
  call: AuthorizedCall,
  raw: unknown,
): Promise<ShownConnection> {
  return shown(context, await requireConnection(context, call, parseInput(connectionNameSchema, raw).id));
}

/** The newest connection to a provider in any of the containers. @throws AppError `not_found` */
export async function findConnectionOf(
  context: CoreContext,
  call: AuthorizedCall,
  raw: unknown,
): Promise<ShownConnection> {
  requireAllContainers(call.actor);
  const wanted = parseInput(ofProviderSchema, raw);
  const [first] = await matching(context, call, wanted);
  if (!first) throw noneOf(wanted);
  return shown(context, first);
}

/** Documents of these containers, or of all, that connections to a provider imported, newest first. */
export async function listConnectionDocuments(
  context: CoreContext,
  call: AuthorizedCall,
  raw: unknown,
): Promise<{ documents: readonly DocumentHead[] }> {
  requireAllContainers(call.actor);
  const { provider, containerTags: tags = [] } = parseInput(ofProviderSchema, raw);
  const found = await matching(context, call, { provider });
  const isWanted = (document: DocumentHead) =>
    tags.length === 0 || document.containerTags.some((tag) => tags.includes(tag));
  const documents: DocumentHead[] = [];
  for (const connection of found)
    for await (const ids of documentIdsOf(context, connection)) {
      const heads = await context.store.documents.headsByIds(call.actor.organizationId, ids);
      documents.push(...heads.filter(isWanted));
      if (documents.length >= DOCUMENTS_SHOWN) break;
    }
  return {
    documents: documents.sort((one, other) => (one.createdAt < other.createdAt ? 1 : -1)).slice(0, DOCUMENTS_SHOWN),
  };
}

/** The newest runs of a connection. @throws AppError `not_found` */
export async function listSyncRuns(
  context: CoreContext,
  call: AuthorizedCall,
  raw: unknown,
): Promise<{ runs: readonly SyncRun[] }> {
  const { id } = await requireConnection(context, call, parseInput(connectionNameSchema, raw).id);
  return { runs: await context.store.connections.runs(id, RUNS_SHOWN) };
}

/** @throws AppError `forbidden` for an actor who may not use all containers; `not_found`, also for one that is being removed */
export async function requireConnection(
  { store }: CoreContext,
  { actor }: AuthorizedCall,
  id: string,
): Promise<Connection> {
  requireAllContainers(actor);
  return requireKept(store, actor.organizationId, id);
}

/** The connection as stored now, inside a transaction. @throws AppError `not_found`, also for one that is being removed */
export async function requireKept(
  { connections }: Pick<Repositories, "connections">,
  organizationId: string,
  id: string,
): Promise<Connection> {
  const connection = await connections.byId(organizationId, id);
  if (!connection || connection.state === "removing") throw notFound("connection", id);
  return connection;
}

/** Those that are neither being removed nor waiting for a sign-in (contract 6.10), newest first. */
export async function matching(
  { store }: CoreContext,
  { actor }: AuthorizedCall,
  { provider, containerTags = [], endUserId }: z.output<typeof filterSchema>,
): Promise<Connection[]> {
  const all = await store.connections.list(actor.organizationId);
  return all.filter(
    (connection) =>
      connection.state !== "removing" &&
      connection.state !== "pending" &&
      (provider === undefined || connection.provider === provider) &&
      (endUserId === undefined || connection.endUserId === endUserId) &&
      (containerTags.length === 0 || containerTags.some((tag) => connection.containerTags.includes(tag))),
  );
}

export function noneOf({ provider, containerTags = [] }: z.output<typeof ofProviderSchema>): AppError {
  const where = containerTags.length === 0 ? "" : ` for ${containerTags.join(", ")}`;
  return new AppError("not_found", `There is no connection to ${provider}${where}.`);
}

/** @throws AppError `unsupported` for a provider that this server does not connect to */
export function requireConnector({ connectors }: CoreContext, provider: string): Connector {
  const connector = connectors.get(provider);
  if (!connector)
    throw new AppError(
      "unsupported",
      provider === "folder"
        ? "No folder on the server's machine may be read. Name those that may in RECOLLECT_CONNECTION_FOLDERS, and restart the service."
        : `This version cannot connect to ${provider}. Send documents with POST /v3/documents instead.`,
    );
  return connector;
}

/** False while somebody still has to choose what is imported. */
export function isChosen(
  { needsSelection }: Pick<Connector, "needsSelection">,
  { resources, settings }: Pick<Connection, "resources" | "settings">,
): boolean {
  return resources.length > 0 || needsSelection?.(settings) !== true;
}

async function shown({ store }: CoreContext, connection: Connection): Promise<ShownConnection> {
  const [lastRun = null] = await store.connections.runs(connection.id, 1);
  return { ...connection, lastRun, documentCount: await store.connections.countDocuments(connection.id) };
}

async function* documentIdsOf({ store }: CoreContext, { id }: Connection): AsyncIterable<string[]> {
  for (let after = ""; ;) {
    const some = await store.connections.itemsWithDocuments(id, { after, limit: PAGE });
    if (some.length > 0) yield some.flatMap(({ documentId }) => documentId ?? []);
    if (some.length < PAGE) return;
    after = some.at(-1)?.item.id ?? after;
  }
}
