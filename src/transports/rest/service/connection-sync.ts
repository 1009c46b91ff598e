import * as z from "zod";
import { FileBytes } from "../../../core/index.js";
import { count } from "../../../lib/count.js";
import { defineEndpoint } from "../endpoint.js";
import { optionalParameter } from "../query-parameters.js";
import { idParameter, ofContainers, providerParameter } from "./connection-fields.js";
import { presentSyncRun, syncRun } from "./present-connection.js";

/** Sync runs of a connection, and what causes them (contract 6.10). */
export const connectionSyncEndpoints = [
  defineEndpoint({
    method: "post",
    path: "/v3/connections/{connection}/import",
    parameters: providerParameter,
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
    parameters: idParameter,
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
    path: "/v3/connections/{connection}/sync-runs",
    parameters: idParameter,
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
    path: "/v3/connections/webhooks/{connection}",
    parameters: idParameter,
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
