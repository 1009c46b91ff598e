import * as z from "zod";
import { AppError } from "../../../core/errors.js";
import { providerSchema } from "../../../core/index.js";
import { defineEndpoint } from "../endpoint.js";
import { optionalParameter } from "../query-parameters.js";
import { containerTags, idParameter, ofContainers, providerParameter } from "./connection-fields.js";
import { connection, connectionDocument, presentConnection } from "./present-connection.js";

const removedConnection = z.object({ id: z.string(), provider: z.string() });

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
    parameters: idParameter,
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
    parameters: providerParameter,
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
    parameters: providerParameter,
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
];
