import * as z from "zod";
import type { Call, Core } from "../../../core/index.js";
import { PROVIDERS, providerSchema } from "../../../core/index.js";
import { defineEndpoint } from "../endpoint.js";
import { once } from "../query-parameters.js";
import { containerTag, dateTime, documentStatus } from "../schemas.js";

/** A connection (contract 6.10): what is not known is absent, never null. */
const connection = z.object({
  id: z.string(),
  provider: providerSchema,
  createdAt: dateTime,
  documentLimit: z.int().optional(),
  email: z.string().optional(),
  expiresAt: dateTime.optional(),
  metadata: z.record(z.string(), z.unknown()).optional(),
  containerTags: z.array(z.string()).optional(),
});

const removedConnection = z.object({ id: z.string(), provider: providerSchema });

const connectionDocument = z.object({
  id: z.string().nullable(),
  title: z.string().nullable(),
  summary: z.string().nullable(),
  type: z.string(),
  status: documentStatus,
  createdAt: dateTime,
  updatedAt: dateTime,
});

const syncRun = z.object({
  id: z.string(),
  connectionId: z.string(),
  status: z.enum(["running", "completed", "failed"]),
  triggerType: z.enum(["event", "cron", "manual"]),
  startedAt: dateTime,
  completedAt: dateTime.nullable(),
  itemsProcessed: z.int(),
  itemsFailed: z.int(),
  error: z.string().nullable(),
});

const containerTags = z.array(containerTag).max(100);
const ofContainers = z.object({ containerTags: containerTags.optional() });
const metadata = z.record(z.string(), z.union([z.string(), z.number(), z.boolean()])).nullable();

const createBody = ofContainers.extend({
  containerTag: containerTag.optional(),
  documentLimit: z.int().min(1).max(10_000).optional(),
  metadata: metadata.optional(),
  redirectUrl: z.string().optional(),
});

const NO_CONNECTORS = "This version has no connectors, so there are no connections yet.";
const provider = { connection: `Name of the provider: ${PROVIDERS.join(", ")}.` };
const id = { connection: "Id of the connection." };

function find(core: Core, call: Call, parameter: (name: string) => string): Promise<never> {
  return core.findConnection(call, { id: parameter("connection") });
}

/** contract 6.10. Names of providers and ids of connections share one place in the path: the names win. */
export const connectionEndpoints = [
  defineEndpoint({
    method: "post",
    path: "/v3/connections/list",
    summary: "List connections",
    description: NO_CONNECTORS,
    tag: "connections",
    body: ofContainers.extend({ provider: providerSchema.optional() }),
    isBodyOptional: true,
    status: 200,
    answer: z.array(connection),
    handle: async ({ core, call }) => (await core.listConnections(call)).connections,
  }),
  defineEndpoint({
    method: "get",
    path: "/v3/connections",
    summary: "List connections, by query",
    description: NO_CONNECTORS,
    tag: "connections",
    query: z.object({ endUserId: once(z.string().max(255)).describe("Only connections of this end user.") }),
    status: 200,
    answer: z.array(connection),
    handle: async ({ core, call }) => (await core.listConnections(call)).connections,
  }),
  defineEndpoint({
    method: "get",
    path: "/v3/connections/{connection}",
    parameters: id,
    summary: "Get a connection",
    description: NO_CONNECTORS,
    tag: "connections",
    status: 200,
    answer: connection,
    handle: ({ core, call, parameter }) => find(core, call, parameter),
  }),
  defineEndpoint({
    method: "post",
    path: "/v3/connections/{connection}",
    parameters: provider,
    summary: "Connect to a provider",
    description: `${NO_CONNECTORS} Answers 404 for a provider that connectors exist for elsewhere, 400 for any other name.`,
    tag: "connections",
    body: createBody,
    isBodyOptional: true,
    status: 200,
    answer: z.object({
      id: z.string(),
      authLink: z.string().optional(),
      expiresIn: z.string().optional(),
      redirectsTo: z.string().optional(),
    }),
    handle: ({ core, call, parameter, body }) =>
      core.createConnection(call, { provider: parameter("connection"), containerTags: body.containerTags }),
  }),
  defineEndpoint({
    method: "delete",
    path: "/v3/connections/{connection}",
    parameters: { connection: "Id of the connection, or name of a provider: then its connections of the containers." },
    summary: "Delete a connection, by id or by provider and containers",
    description: `${NO_CONNECTORS} \`containerTags\` is required for a provider.`,
    tag: "connections",
    body: ofContainers,
    isBodyOptional: true,
    query: z.object({
      deleteDocuments: once(z.enum(["true", "false", "1", "0"])).describe(
        "`false` keeps the documents that the connection brought in. Default `true`.",
      ),
    }),
    status: 200,
    answer: removedConnection,
    async handle({ core, call, parameter, body }) {
      const named = providerSchema.safeParse(parameter("connection"));
      if (!named.success) return find(core, call, parameter);
      return core.findConnectionOf(call, { provider: named.data, containerTags: body.containerTags ?? null });
    },
  }),
  defineEndpoint({
    method: "post",
    path: "/v3/connections/{connection}/connection",
    parameters: provider,
    summary: "Get the connection of a provider and containers",
    description: NO_CONNECTORS,
    tag: "connections",
    body: z.object({ containerTags: containerTags.min(1, "must not be empty") }),
    status: 200,
    answer: connection,
    handle: ({ core, call, parameter, body }) =>
      core.findConnectionOf(call, { provider: parameter("connection"), containerTags: body.containerTags }),
  }),
  defineEndpoint({
    method: "post",
    path: "/v3/connections/{connection}/documents",
    parameters: provider,
    summary: "List documents that a provider brought in",
    description: NO_CONNECTORS,
    tag: "connections",
    body: ofContainers,
    isBodyOptional: true,
    status: 200,
    answer: z.array(connectionDocument),
    async handle({ core, call, parameter, body }) {
      const of = { provider: parameter("connection"), containerTags: body.containerTags };
      return (await core.listConnectionDocuments(call, of)).documents;
    },
  }),
  defineEndpoint({
    method: "post",
    path: "/v3/connections/{connection}/import",
    parameters: provider,
    summary: "Sync the connections of a provider now",
    description: `${NO_CONNECTORS} Answers 400, because there is nothing to sync.`,
    tag: "connections",
    body: ofContainers,
    isBodyOptional: true,
    status: 202,
    produces: "text/plain",
    handle: ({ core, call, parameter, body }) =>
      core.importConnections(call, { provider: parameter("connection"), containerTags: body.containerTags }),
  }),
  defineEndpoint({
    method: "get",
    path: "/v3/connections/{connection}/resources",
    parameters: id,
    summary: "List what a connection could bring in",
    description: NO_CONNECTORS,
    tag: "connections",
    status: 200,
    answer: z.object({
      resources: z.array(z.record(z.string(), z.unknown())),
      total_count: z.int().optional(),
    }),
    handle: ({ core, call, parameter }) => find(core, call, parameter),
  }),
  defineEndpoint({
    method: "post",
    path: "/v3/connections/{connection}/configure",
    parameters: id,
    summary: "Choose what a connection brings in",
    description: NO_CONNECTORS,
    tag: "connections",
    body: z.object({ resources: z.array(z.record(z.string(), z.unknown())) }),
    status: 200,
    answer: z.object({ success: z.boolean(), message: z.string(), webhooksRegistered: z.int().optional() }),
    handle: ({ core, call, parameter }) => find(core, call, parameter),
  }),
  defineEndpoint({
    method: "get",
    path: "/v3/connections/{connection}/sync-runs",
    parameters: id,
    summary: "List when a connection was synced",
    description: NO_CONNECTORS,
    tag: "connections",
    status: 200,
    answer: z.array(syncRun),
    handle: ({ core, call, parameter }) => find(core, call, parameter),
  }),
  defineEndpoint({
    method: "post",
    path: "/v3/connections/{connection}/google-drive/hosted-picker",
    parameters: id,
    summary: "Open a picker for the files of a connection",
    description: NO_CONNECTORS,
    tag: "connections",
    body: z.record(z.string(), z.unknown()),
    isBodyOptional: true,
    status: 200,
    answer: z.object({ url: z.string(), expiresAt: dateTime }),
    handle: ({ core, call, parameter }) => find(core, call, parameter),
  }),
  defineEndpoint({
    method: "get",
    path: "/v3/connections/auth/callback/{connection}",
    aliases: ["/v3/connections/{connection}/callback"],
    parameters: provider,
    summary: "Where a provider sends the browser after a sign-in",
    description: `${NO_CONNECTORS} Answers 400, because no sign-in can have been begun here.`,
    tag: "connections",
    needsKey: false,
    query: z.object({
      code: once(z.string()).describe("What the provider gives for the sign-in."),
      state: once(z.string()).describe("What was sent along when it was begun."),
    }),
    status: 302,
    handle: ({ core, call, parameter }) => core.finishConnection(call, { provider: parameter("connection") }),
  }),
];
