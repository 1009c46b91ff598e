import * as z from "zod";
import { listRequestsSchema, rangeSchema } from "../../../core/index.js";
import { defineEndpoint } from "../endpoint.js";
import { paginationAnswer, presentPagination } from "../pagination.js";
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
import { once, onceNumber } from "../query-parameters.js";

const range = {
  from: once(rangeSchema.shape.from.unwrap()).describe("Begin of the time, inclusive; ISO 8601."),
  to: once(rangeSchema.shape.to.unwrap()).describe("End of the time, exclusive; ISO 8601. Default now."),
  period: once(rangeSchema.shape.period.unwrap()).describe(
    "Length of the time when there is no `from`; `all` is the 90 days that requests are kept.",
  ),
  page: onceNumber(rangeSchema.shape.page.unwrap()).describe("Page, from 1. Default 1."),
  limit: onceNumber(rangeSchema.shape.limit.unwrap()).describe("Entries of a page, 1 to 100. Default 20."),
};
const rangeQuery = z.object(range);

const { id, type, keyId, statusCode, status } = listRequestsSchema.shape;
const logFilters = {
  type: once(type.unwrap()).describe("Only requests of this type."),
  statusCode: onceNumber(statusCode.unwrap()).describe("Only answers with this status."),
  keyId: once(keyId.unwrap()).describe("Only requests with this key."),
  status: once(status.unwrap()).describe("`error` is every answer from 400 up."),
  id: once(id.unwrap()).describe("Only this request."),
};

const logsQuery = z.object({ ...range, ...logFilters });

const KEPT = "Requests are kept for 90 days; a time may be 90 days long. `from` and `to` win over `period`.";

export const analyticsEndpoints = [
  defineEndpoint({
    method: "get",
    path: "/v3/analytics/usage",
    operationId: "getUsage",
    summary: "Count requests by type, hour and key",
    description: `What this server was asked, by default in the last 24 hours. \`pagination\` is that of \`byKey\`, which leaves out requests without a key. ${KEPT}`,
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
    description: `Answers with a status from 400 up, by default of the last 24 hours. Rates are fractions of 1, \`percentage\` is of all errors. \`pagination\` is that of \`errors\`. ${KEPT}`,
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
    description: `By default of all the time that is kept. ${KEPT}`,
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
    description: `By default of all the time that is kept. ${KEPT}`,
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
      "Totals are those of now; searches and tokens are those of the period. Growth is in percent against the equally long time before, 0 when nothing came then or the period is `all`, which is the default. `totalMemories` counts documents and `totalMemoryEntries` memories: the names are older than memories.",
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
