import * as z from "zod";
import { listRequestsSchema, rangeSchema } from "../../../core/index.js";
import { defineEndpoint } from "../endpoint.js";
import { presentPagination } from "../../pagination.js";
import { paginationAnswer } from "../pagination.js";
import {
  chatAnswer,
  errorsAnswer,
  growthAnswer,
  presentNoChat,
  presentErrors,
  presentGrowth,
  presentLog,
  presentUsage,
  requestLog,
  usageAnswer,
} from "./present-analytics.js";
import { optionalParameter, optionalNumber } from "../query-parameters.js";

const range = {
  from: optionalParameter(rangeSchema.shape.from.unwrap()).describe(
    "Start of the period, inclusive, in ISO 8601 format.",
  ),
  to: optionalParameter(rangeSchema.shape.to.unwrap()).describe(
    "End of the period, exclusive, in ISO 8601 format. Default now.",
  ),
  period: optionalParameter(rangeSchema.shape.period.unwrap()).describe(
    "Length of the period if there is no `from`; `all` means the 90 days for which requests are kept.",
  ),
  page: optionalNumber(rangeSchema.shape.page.unwrap()).describe("Page number, starting at 1. Default 1."),
  limit: optionalNumber(rangeSchema.shape.limit.unwrap()).describe("Entries per page, 1 to 100. Default 20."),
};
const rangeQuery = z.object(range);

const { id, type, keyId, statusCode, status } = listRequestsSchema.shape;
const logFilters = {
  type: optionalParameter(type.unwrap()).describe("Only requests of this type."),
  statusCode: optionalNumber(statusCode.unwrap()).describe("Only responses with this status."),
  keyId: optionalParameter(keyId.unwrap()).describe("Only requests with this key."),
  status: optionalParameter(status.unwrap()).describe("`error` means every status from 400 up."),
  id: optionalParameter(id.unwrap()).describe("Only this request."),
};

const logsQuery = z.object({ ...range, ...logFilters });

const KEPT =
  "Requests are kept for 90 days, which is also the longest period. `from` and `to` take precedence over `period`.";

export const analyticsEndpoints = [
  defineEndpoint({
    method: "get",
    path: "/v3/analytics/usage",
    operationId: "getUsage",
    summary: "Count requests by type, hour and key",
    description: `Requests to this server, by default in the last 24 hours. \`pagination\` applies to \`byKey\`, which leaves out requests without a key. ${KEPT}`,
    tag: "analytics",
    query: rangeQuery,
    status: 200,
    answer: usageAnswer,
    handle: async ({ core, call, query }) => presentUsage(await core.reportUsage(call, query)),
  }),
  defineEndpoint({
    method: "get",
    path: "/v3/analytics/errors",
    operationId: "getErrorStatistics",
    summary: "Count rejected and failed requests by type, status, hour and key",
    description: `Responses with a status from 400 up, by default in the last 24 hours. Rates are fractions of 1; \`percentage\` is the share of all errors. \`pagination\` applies to \`errors\`. ${KEPT}`,
    tag: "analytics",
    query: rangeQuery,
    status: 200,
    answer: errorsAnswer,
    handle: async ({ core, call, query }) => presentErrors(await core.reportErrors(call, query)),
  }),
  defineEndpoint({
    method: "get",
    path: "/v3/analytics/logs",
    operationId: "listLoggedRequests",
    summary: "List individual requests, newest first",
    description: `By default, all requests that are kept. ${KEPT}`,
    tag: "analytics",
    query: logsQuery,
    status: 200,
    answer: z.object({ logs: z.array(requestLog.omit({ keyId: true })), pagination: paginationAnswer }),
    async handle({ core, call, query }) {
      const page = await core.listRequests(call, query);
      const logs = page.items.map((record) => {
        const { keyId: _keyId, ...log } = presentLog(record);
        return log;
      });
      return { logs, pagination: presentPagination(page) };
    },
  }),
  defineEndpoint({
    method: "get",
    path: "/v3/analytics/requests",
    operationId: "listRequests",
    summary: "List individual requests with their keys, newest first",
    description: `By default, all requests that are kept. ${KEPT}`,
    tag: "analytics",
    query: logsQuery,
    status: 200,
    answer: z.object({ logs: z.array(requestLog), pagination: paginationAnswer }),
    async handle({ core, call, query }) {
      const page = await core.listRequests(call, query);
      return { logs: page.items.map(presentLog), pagination: presentPagination(page) };
    },
  }),
  defineEndpoint({
    method: "get",
    path: "/v3/analytics/memory",
    operationId: "getMemoryStatistics",
    summary: "Get the amount of stored content and its growth",
    description:
      "Totals are current; searches and tokens are those of the period. Growth is in percent compared with the period of equal length before, and 0 if nothing was added then or the period is `all`, which is the default. `totalMemories` counts documents and `totalMemoryEntries` memories: the names are older than memories.",
    tag: "analytics",
    query: rangeQuery,
    status: 200,
    answer: growthAnswer,
    handle: async ({ core, call, query }) => presentGrowth(await core.reportGrowth(call, query)),
  }),
  defineEndpoint({
    method: "get",
    path: "/v3/analytics/chat",
    operationId: "getChatStatistics",
    summary: "Get chat usage; this server has no chat",
    description: "All numbers are 0: this server has no chat and no memory router.",
    tag: "analytics",
    query: rangeQuery,
    status: 200,
    answer: chatAnswer,
    async handle({ core, call, query }) {
      // Checks the period and the caller, as everywhere here.
      await core.listRequests(call, query);
      return presentNoChat(new Date());
    },
  }),
];
