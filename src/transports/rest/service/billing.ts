import * as z from "zod";
import { consumptionSchema, ORGANIZATION_NAME } from "../../../core/index.js";
import { defineEndpoint } from "../endpoint.js";
import { optionalParameter } from "../query-parameters.js";
import { dateTime } from "../schemas.js";

const UNLIMITED = 0;
const limit = z.int().describe("0 means no limit.");
const used = z.object({ used: z.int(), limit });

const moneyless = "This server bills nothing. ";
const OPERATIONS =
  "A request counts as one operation, plus one for each document that it has read immediately (`dreaming: instant`).";
const anything = z.record(z.string(), z.unknown());

const topUps = z.object({
  enabled: z.boolean(),
  threshold: z.number().nullable(),
  amount: z.number().nullable(),
});

/** contract 6.7. */
export const billingEndpoints = [
  defineEndpoint({
    method: "get",
    path: "/v3/auth/billing",
    operationId: "getBilling",
    summary: "Get the plan and this month's usage",
    description: `${moneyless}Tokens and searches are those that this server has recorded since the beginning of the month, in UTC.`,
    tag: "billing",
    status: 200,
    answer: z.object({
      plan: z.literal("enterprise"),
      usage: z.object({ tokens: used, queries: used }),
      credits: z.null(),
      resetDate: dateTime,
      orgName: z.string(),
      billingEmail: z.null(),
    }),
    async handle({ core, call }) {
      const { tokens, searches, resetsAt } = await core.reportConsumption(call);
      return {
        plan: "enterprise" as const,
        usage: { tokens: { used: tokens, limit: UNLIMITED }, queries: { used: searches, limit: UNLIMITED } },
        credits: null,
        resetDate: resetsAt,
        orgName: ORGANIZATION_NAME,
        billingEmail: null,
      };
    },
  }),
  defineEndpoint({
    method: "get",
    path: "/v3/auth/billing/usage",
    operationId: "getBillingUsage",
    summary: "Get this month's usage by meter",
    description: `${moneyless}${OPERATIONS}`,
    tag: "billing",
    status: 200,
    answer: z.object({
      items: z.array(z.object({ name: z.string(), used: z.int(), limit, unit: z.string() })),
      periodStart: dateTime,
      periodEnd: dateTime,
    }),
    async handle({ core, call }) {
      const { tokens, searches, operations, from, resetsAt } = await core.reportConsumption(call);
      const items = [
        { name: "Tokens", used: tokens, limit: UNLIMITED, unit: "tokens" },
        { name: "Searches", used: searches, limit: UNLIMITED, unit: "queries" },
        { name: "Requests", used: operations, limit: UNLIMITED, unit: "operations" },
      ];
      return { items, periodStart: from, periodEnd: resetsAt };
    },
  }),
  defineEndpoint({
    method: "get",
    path: "/v3/auth/billing/usage-events",
    operationId: "listUsageEvents",
    summary: "List usage by feature and day",
    description: `${moneyless}A period may be up to 90 days long; the default is this month. ${OPERATIONS}`,
    tag: "billing",
    query: z.object({
      start: optionalParameter(consumptionSchema.shape.from.unwrap()).describe(
        "Start of the period, inclusive, in ISO 8601 format.",
      ),
      end: optionalParameter(consumptionSchema.shape.to.unwrap()).describe(
        "End of the period, exclusive, in ISO 8601 format.",
      ),
    }),
    status: 200,
    answer: z.object({
      byFeature: z.array(z.object({ feature: z.string(), total: z.int() })),
      byDay: z.array(z.object({ date: z.iso.date(), total: z.int() })).describe("Operations."),
      memoryTotal: z.int().describe("Tokens of documents that were sent."),
      superragTotal: z.int(),
      periodStart: dateTime,
      periodEnd: dateTime,
    }),
    async handle({ core, call, query }) {
      const report = await core.reportConsumption(call, { from: query.start, to: query.end });
      return {
        byFeature: [
          { feature: "sm_tokens_text", total: report.tokens },
          { feature: "sm_search_queries", total: report.searches },
          { feature: "sm_operations", total: report.operations },
        ],
        byDay: report.byDay.map(({ day, count }) => ({ date: day, total: count })),
        memoryTotal: report.tokens,
        superragTotal: 0,
        periodStart: report.from,
        periodEnd: report.to,
      };
    },
  }),
  defineEndpoint({
    method: "get",
    path: "/v3/auth/billing/invoices",
    operationId: "listInvoices",
    summary: "List invoices",
    description: `${moneyless}The list is empty.`,
    tag: "billing",
    status: 200,
    answer: z.object({
      invoices: z.array(
        z.object({ id: z.string(), date: dateTime, amount: z.int(), currency: z.string(), status: z.string() }),
      ),
    }),
    async handle({ core, call }) {
      await core.getTeam(call);
      return { invoices: [] };
    },
  }),
  defineEndpoint({
    method: "get",
    path: "/v3/auth/billing/auto-topups",
    operationId: "getAutoTopups",
    summary: "Get the setting for automatic top-ups",
    description: `${moneyless}They are always off.`,
    tag: "billing",
    status: 200,
    answer: topUps,
    async handle({ core, call }) {
      await core.getTeam(call);
      return { enabled: false, threshold: null, amount: null };
    },
  }),
  defineEndpoint({
    method: "patch",
    path: "/v3/auth/billing/auto-topups",
    operationId: "updateAutoTopups",
    summary: "Change the setting for automatic top-ups",
    description: `${moneyless}This is therefore always refused with 403.`,
    tag: "billing",
    body: anything,
    isBodyOptional: true,
    status: 200,
    answer: topUps,
    handle: ({ core, call }) => core.changeBilling(call),
  }),
];
