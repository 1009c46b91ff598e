import * as z from "zod";
import { raisedLimitSchema, resourcePageSchema, resourcesPerPageSchema } from "../../../core/index.js";
import { defineEndpoint } from "../endpoint.js";
import { optionalNumber, optionalParameter } from "../query-parameters.js";
import { dateTime } from "../schemas.js";
import { everyMinutes, idParameter, NOTHING_TO_CHOOSE } from "./connection-fields.js";
import { tellConfigured } from "./present-connection.js";

/** What a connection imports (contract 6.10). */
export const connectionChoiceEndpoints = [
  defineEndpoint({
    method: "get",
    path: "/v3/connections/{connection}/resources",
    parameters: idParameter,
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
    parameters: idParameter,
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
    path: "/v3/connections/{connection}/google-drive/hosted-picker",
    parameters: idParameter,
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
];
