import * as z from "zod";
import { AppError } from "../../../core/errors.js";
import {
  documentLimitSchema,
  everyMinutesSchema,
  FileBytes,
  PROVIDERS,
  providerSchema,
  raisedLimitSchema,
  resourcePageSchema,
  resourcesPerPageSchema,
} from "../../../core/index.js";
import { count } from "../../../lib/count.js";
import { defineEndpoint } from "../endpoint.js";
import { optionalParameter, optionalNumber } from "../query-parameters.js";
import { containerTag, dateTime, documentStatus } from "../schemas.js";
import { connection, presentConnection, presentSyncRun, syncRun, tellConfigured } from "./present-connection.js";
import { showFinishedSignIn } from "./sign-in-page.js";

const removedConnection = z.object({ id: z.string(), provider: z.string() });

const connectionDocument = z.object({
  id: z.string().nullable(),
  title: z.string().nullable(),
  summary: z.string().nullable(),
  type: z.string(),
  status: documentStatus,
  createdAt: dateTime,
  updatedAt: dateTime,
});

const NOTHING_TO_CHOOSE =
  "Connections of this provider import everything that they have access to: there is nothing to choose.";
const containerTags = z.array(containerTag).max(100);
const ofContainers = z.object({ containerTags: containerTags.optional() });
const metadata = z
  .record(z.string(), z.union([z.string(), z.number(), z.boolean()]))
  .nullable()
  .describe("Settings and credentials of the provider, as listed in docs/connections.md.");
const everyMinutes = everyMinutesSchema.describe(
  "Minutes between two sync runs; null to sync only on request. The default depends on the provider.",
);

const redirectUrl = z.string().optional().describe("Where to send the browser after the sign-in.");
const isDevice = z.boolean().optional().describe("True to sign in on another device, with a code.");

const createBody = ofContainers.extend({
  containerTag: containerTag.optional(),
  documentLimit: documentLimitSchema.optional(),
  metadata: metadata.optional(),
  redirectUrl,
  endUserId: z.string().max(1_000).optional().describe("The end user that its documents belong to."),
  everyMinutes: everyMinutes.optional(),
  isDevice,
});

const device = z.object({
  userCode: z.string(),
  verificationUrl: z.string(),
  expiresIn: z.int(),
  interval: z.int(),
});

const createdConnection = z.object({
  id: z.string(),
  authLink: z.string().optional(),
  expiresIn: z.string().optional(),
  redirectsTo: z.string().optional(),
  device: device.optional(),
  warnings: z.array(z.string()).optional(),
});

type Created = z.output<typeof createdConnection>;

/** Says which options were for a sign-in that is not needed. */
function withIdleWishes(made: Created, wish: { readonly redirectUrl?: unknown; readonly isDevice?: unknown }): Created {
  const isBrowser = made.authLink !== undefined;
  const warnings = [
    ...(wish.redirectUrl !== undefined && !isBrowser
      ? ["redirectUrl: has no effect: no sign-in in a browser is needed"]
      : []),
    ...(wish.isDevice === true && made.device === undefined
      ? [
          `isDevice: has no effect: ${isBrowser ? "this provider has no sign-in on another device" : "no sign-in is needed"}`,
        ]
      : []),
  ];
  return warnings.length > 0 ? { ...made, warnings } : made;
}

const provider = { connection: `Name of the provider: ${PROVIDERS.join(", ")}.` };
const id = { connection: "Id of the connection." };

/** contract 6.10. Provider names and connection ids share one place in the path: names take precedence. */
export const connectionEndpoints = [
  defineEndpoint({
    method: "post",
    path: "/v3/connections/list",
    operationId: "listConnections",
    summary: "List connections",
    description: "Connections whose sign-in is complete, newest first.",
    tag: "connections",
    body: ofContainers.extend({ provider: providerSchema.optional() }),
    isBodyOptional: true,
    status: 200,
    answer: z.array(connection),
    handle: async ({ core, call, body }) => (await core.listConnections(call, body)).connections.map(presentConnection),
  }),
  defineEndpoint({
    method: "get",
    path: "/v3/connections",
    operationId: "listConnectionsByQuery",
    summary: "List connections, with query parameters",
    description: "Connections whose sign-in is complete, newest first.",
    tag: "connections",
    query: z.object({
      endUserId: optionalParameter(z.string().max(1_000)).describe("Only connections of this end user."),
    }),
    status: 200,
    answer: z.array(connection),
    handle: async ({ core, call, query }) =>
      (await core.listConnections(call, query)).connections.map(presentConnection),
  }),
  defineEndpoint({
    method: "get",
    path: "/v3/connections/{connection}",
    parameters: id,
    operationId: "getConnection",
    summary: "Get a connection",
    description: "Includes its state and the result of its last sync run.",
    tag: "connections",
    status: 200,
    answer: connection,
    handle: async ({ core, call, parameter }) =>
      presentConnection(await core.findConnection(call, { id: parameter("connection") })),
  }),
  defineEndpoint({
    method: "post",
    path: "/v3/connections/{connection}",
    parameters: provider,
    operationId: "createConnection",
    summary: "Connect to a provider",
    description:
      "Credentials in `metadata` are tested before the response. If a sign-in is needed, `authLink` is the link to it, which works once, within an hour. The first sync run starts automatically, unless resources must first be chosen with `configure`.",
    tag: "connections",
    body: createBody,
    isBodyOptional: true,
    status: 200,
    answer: createdConnection,
    async handle({ core, call, parameter, body, origin }) {
      const made = await core.createConnection(call, { ...body, provider: parameter("connection"), origin });
      return withIdleWishes(made, body);
    },
  }),
  defineEndpoint({
    method: "delete",
    path: "/v3/connections/{connection}",
    parameters: { connection: "Id of the connection, or name of a provider, for its connections of the containers." },
    operationId: "deleteConnection",
    summary: "Delete a connection by id, or by provider and containers",
    description: "`containerTags` is required for a provider. The documents are deleted in the background.",
    tag: "connections",
    body: ofContainers,
    isBodyOptional: true,
    query: z.object({
      deleteDocuments: optionalParameter(z.enum(["true", "false", "1", "0"])).describe(
        "`false` keeps the documents that the connection imported. Default `true`.",
      ),
    }),
    status: 200,
    answer: removedConnection,
    async handle({ core, call, parameter, body, query }) {
      const named = providerSchema.safeParse(parameter("connection"));
      const deleteDocuments = query.deleteDocuments !== "false" && query.deleteDocuments !== "0";
      if (!named.success) {
        if (body.containerTags !== undefined)
          throw new AppError(
            "invalid",
            "containerTags: can be used only with the name of a provider, not with the id of a connection",
          );
        return core.removeConnection(call, { id: parameter("connection"), deleteDocuments });
      }
      const { containerTags: tags = null } = body;
      const of = { provider: named.data, containerTags: tags, deleteDocuments };
      const { removed } = await core.removeConnectionsOf(call, of);
      return removed[0];
    },
  }),
  defineEndpoint({
    method: "post",
    path: "/v3/connections/{connection}/connection",
    parameters: provider,
    operationId: "getConnectionOfProvider",
    summary: "Get the connection of a provider and containers",
    description: "The newest one.",
    tag: "connections",
    body: z.object({ containerTags: containerTags.min(1, "must not be empty") }),
    status: 200,
    answer: connection,
    handle: async ({ core, call, parameter, body }) =>
      presentConnection(
        await core.findConnectionOf(call, { provider: parameter("connection"), containerTags: body.containerTags }),
      ),
  }),
  defineEndpoint({
    method: "post",
    path: "/v3/connections/{connection}/documents",
    parameters: provider,
    operationId: "listProviderDocuments",
    summary: "List documents that came from a provider",
    description: "Newest first, at most 10,000.",
    tag: "connections",
    body: ofContainers,
    isBodyOptional: true,
    status: 200,
    answer: z.array(connectionDocument),
    async handle({ core, call, parameter, body }) {
      const of = { provider: parameter("connection"), containerTags: body.containerTags };
      const { documents } = await core.listConnectionDocuments(call, of);
      return documents.map((document) => connectionDocument.parse(document));
    },
  }),
  defineEndpoint({
    method: "post",
    path: "/v3/connections/{connection}/import",
    parameters: provider,
    operationId: "importFromProvider",
    summary: "Synchronise the connections of a provider now",
    description: "Only those that are active and have something to import.",
    tag: "connections",
    body: ofContainers,
    isBodyOptional: true,
    status: 202,
    produces: "text/plain",
    async handle({ core, call, parameter, body }) {
      const of = { provider: parameter("connection"), containerTags: body.containerTags };
      const { ids } = await core.importConnections(call, of);
      const text = `Syncing ${count(ids.length, "connection")}.`;
      return new Response(text, { status: 202, headers: { "content-type": "text/plain; charset=utf-8" } });
    },
  }),
  defineEndpoint({
    method: "post",
    path: "/v3/connections/{connection}/sync",
    parameters: id,
    operationId: "syncConnection",
    summary: "Synchronise a connection now",
    description: "`sync-runs` shows the progress.",
    tag: "connections",
    body: z.object({
      confirmRemovals: z.boolean().optional().describe("True to confirm the removals that the last run held back."),
    }),
    isBodyOptional: true,
    status: 202,
    answer: z.object({ id: z.string(), status: z.literal("queued") }),
    refusals: { 409: "It is paused, needs a new sign-in, or nothing has been chosen for it yet." },
    async handle({ core, call, parameter, body }) {
      const { id: synced } = await core.syncOneConnection(call, { ...body, id: parameter("connection") });
      return { id: synced, status: "queued" as const };
    },
  }),
  defineEndpoint({
    method: "get",
    path: "/v3/connections/{connection}/resources",
    parameters: id,
    operationId: "listConnectionResources",
    summary: "List the resources that a connection can import",
    description: "What a user can choose from, one page at a time.",
    refusals: { 501: NOTHING_TO_CHOOSE },
    tag: "connections",
    query: z.object({
      page: optionalNumber(resourcePageSchema).describe("Page number, starting at 1."),
      per_page: optionalNumber(resourcesPerPageSchema).describe("Resources per page, 1 to 100. Default 30."),
      parent_id: optionalParameter(z.string()).describe("Id of a resource that contains others."),
    }),
    status: 200,
    answer: z.object({
      resources: z.array(z.record(z.string(), z.unknown())),
      total_count: z.int().optional(),
    }),
    async handle({ core, call, parameter, query }) {
      const { page, per_page: perPage, parent_id: parentId } = query;
      const found = await core.listConnectionResources(call, { id: parameter("connection"), page, perPage, parentId });
      return { resources: [...found.resources], ...(found.total !== undefined && { total_count: found.total }) };
    },
  }),
  defineEndpoint({
    method: "post",
    path: "/v3/connections/{connection}/configure",
    parameters: id,
    operationId: "configureConnection",
    summary: "Choose what a connection imports, and how it is kept up to date",
    description:
      "Absent fields stay unchanged. A new choice or a higher limit of documents starts a sync run immediately.",
    refusals: { 501: NOTHING_TO_CHOOSE },
    tag: "connections",
    body: z.object({
      resources: z.array(z.record(z.string(), z.unknown())).max(500).optional(),
      everyMinutes: everyMinutes.optional(),
      documentLimit: raisedLimitSchema.optional(),
      isPaused: z.boolean().optional().describe("True to sync nothing until it is false again."),
    }),
    status: 200,
    answer: z.object({ success: z.boolean(), message: z.string(), webhooksRegistered: z.int().optional() }),
    async handle({ core, call, parameter, body }) {
      const configured = await core.configureConnection(call, { ...body, id: parameter("connection") });
      return { success: true, message: tellConfigured(configured), webhooksRegistered: configured.webhooksRegistered };
    },
  }),
  defineEndpoint({
    method: "post",
    path: "/v3/connections/{connection}/reconnect",
    parameters: id,
    operationId: "reconnectConnection",
    summary: "Sign in to a connection again",
    description:
      "Immediately, with other credentials in `metadata`; otherwise with the link in the response, or on another device. Its documents stay, and so do its settings and credentials until the new ones have worked.",
    tag: "connections",
    body: z.object({ metadata: metadata.optional(), redirectUrl, isDevice }),
    isBodyOptional: true,
    status: 200,
    answer: createdConnection,
    handle: ({ core, call, parameter, body, origin }) =>
      core.reconnectConnection(call, { ...body, id: parameter("connection"), origin }),
  }),
  defineEndpoint({
    method: "post",
    path: "/v3/connections/{connection}/device",
    parameters: id,
    operationId: "checkDeviceSignIn",
    summary: "Check whether the sign-in on another device is complete",
    description: "Poll no more often than the `interval` of the code, and less often after `isSlowDown`.",
    tag: "connections",
    body: z.object({}),
    isBodyOptional: true,
    status: 200,
    answer: z.object({ isConnected: z.boolean(), isSlowDown: z.boolean() }),
    handle: ({ core, call, parameter }) => core.pollConnection(call, { id: parameter("connection") }),
  }),
  defineEndpoint({
    method: "get",
    path: "/v3/connections/{connection}/sync-runs",
    parameters: id,
    operationId: "listSyncRuns",
    summary: "List synchronisations of a connection",
    description: "Newest first, at most 50.",
    tag: "connections",
    status: 200,
    answer: z.array(syncRun),
    handle: async ({ core, call, parameter }) =>
      (await core.listSyncRuns(call, { id: parameter("connection") })).runs.map(presentSyncRun),
  }),
  defineEndpoint({
    method: "post",
    path: "/v3/connections/{connection}/google-drive/hosted-picker",
    parameters: id,
    operationId: "openPicker",
    summary: "Open a file picker for a connection",
    description:
      "Returns the address of a page where a user makes the choice in any browser, without a key. It works for an hour, or until something has been chosen. The browser is then sent to `returnUrl`.",
    tag: "connections",
    body: z.object({
      returnUrl: z.string().nullish().describe("Where to send the browser after the choice."),
    }),
    isBodyOptional: true,
    status: 200,
    refusals: { 501: NOTHING_TO_CHOOSE },
    answer: z.object({ url: z.string(), expiresAt: dateTime }),
    handle: ({ core, call, parameter, body, origin }) =>
      core.openPicker(call, { ...body, id: parameter("connection"), origin }),
  }),
  defineEndpoint({
    method: "get",
    path: "/v3/connections/auth/callback/{connection}",
    aliases: ["/v3/connections/{connection}/callback"],
    parameters: provider,
    operationId: "completeSignIn",
    summary: "Complete a sign-in at a provider",
    description:
      "The provider sends the browser here; it is then redirected to `redirectUrl` or shown a page. Works once for each sign-in.",
    tag: "connections",
    needsKey: false,
    isOnce: true,
    query: z.object({
      code: optionalParameter(z.string()).describe("The code that the provider issued for the sign-in."),
      state: optionalParameter(z.string()).describe("The value that was sent when the sign-in began."),
      error: optionalParameter(z.string()).describe("Why the provider refused access."),
    }),
    status: 302,
    otherAnswers: { 200: "A page that reports the result, if no `redirectUrl` was given." },
    async handle({ core, call, parameter, query }) {
      const { code, state, error } = query;
      const finished = await core.finishConnection(call, { provider: parameter("connection"), code, state, error });
      return showFinishedSignIn(finished);
    },
  }),
  defineEndpoint({
    method: "post",
    path: "/v3/connections/webhooks/{connection}",
    parameters: id,
    operationId: "receiveWebhook",
    summary: "Receive a provider's notification of changes",
    description:
      "Causes a sync run of its connection soon, and nothing else: the content is neither trusted nor stored. It needs the proof that the source was given, not a key; without it the response is 404, as for a connection that does not exist. At most 1 MB.",
    tag: "connections",
    needsKey: false,
    carries: "bytes",
    refusals: {
      413: "The notification is larger than 1 MB.",
      429: "Too many messages without proof came from this network.",
    },
    query: z.object({
      validationToken: optionalParameter(z.string()).describe(
        "What Microsoft expects to be sent back when the address is registered.",
      ),
    }),
    status: 200,
    produces: "text/plain",
    async handle({ core, call, parameter, headers, query, body }) {
      const { answer } = await core.receiveWebhook(call, {
        id: parameter("connection"),
        headers: Object.fromEntries(Object.entries(headers()).filter(([name]) => name.startsWith("x-"))),
        validationToken: query.validationToken ?? null,
        bytes: new FileBytes(z.instanceof(Uint8Array).parse(body)),
      });
      return new Response(answer, { headers: { "content-type": "text/plain; charset=utf-8" } });
    },
  }),
];
