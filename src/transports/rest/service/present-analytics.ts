import * as z from "zod";
import type { ErrorReport, GrowthReport, UsageReport } from "../../../core/index.js";
import { REQUEST_TYPES, type RequestRecord } from "../../../core/types.js";
import { presentPagination } from "../../pagination.js";
import { paginationAnswer } from "../pagination.js";
import { dateTime } from "../schemas.js";

const requestType = z.enum(REQUEST_TYPES);
const duration = z.number().describe("Mean duration in milliseconds.");
const rate = z.number().min(0).max(1).describe("Fraction of 1.");

const keyUse = z.object({
  keyId: z.string(),
  keyName: z.string().nullable(),
  count: z.int(),
  lastUsed: dateTime,
});

/** `GET /v3/analytics/usage` (contract 6.8). */
export const usageAnswer = z.object({
  usage: z.array(z.object({ type: requestType, count: z.int(), avgDuration: duration, lastUsed: dateTime })),
  hourly: z.array(z.object({ hour: dateTime, count: z.int(), avgDuration: duration })),
  byKey: z.array(keyUse.extend({ avgDuration: duration })),
  totalMemories: z.int().describe("Number of documents."),
  pagination: paginationAnswer,
});

export function presentUsage({ byType, byHour, byKey, documents }: UsageReport): z.infer<typeof usageAnswer> {
  return {
    usage: byType.map(({ type, count, averageMs, lastAt }) => ({
      type,
      count,
      avgDuration: averageMs,
      lastUsed: lastAt,
    })),
    hourly: byHour.map(({ hour, count, averageMs }) => ({ hour, count, avgDuration: averageMs })),
    byKey: byKey.items.map((key) => ({ ...presentKey(key), avgDuration: key.averageMs })),
    totalMemories: documents,
    pagination: presentPagination(byKey),
  };
}

type KeyUse = UsageReport["byKey"]["items"][number];

function presentKey({ keyId, keyName, count, lastAt }: KeyUse): z.infer<typeof keyUse> {
  return { keyId, keyName, count, lastUsed: lastAt };
}

/** `GET /v3/analytics/errors`: the keys of the documentation and those of the web app (contract 6.8). */
export const errorsAnswer = z.object({
  totalErrors: z.int(),
  errorRate: rate,
  topErrors: z.array(
    z.object({ type: requestType, count: z.int(), statusCodes: z.array(z.int()), lastOccurred: dateTime }),
  ),
  timeline: z.array(z.object({ time: dateTime, count: z.int(), types: z.array(requestType) })),
  byStatusCode: z.record(z.string(), z.int()),
  byKey: z.array(keyUse.extend({ errorCount: z.int(), errorRate: rate })),
  errors: z.array(
    z.object({
      type: requestType,
      statusCode: z.int(),
      count: z.int(),
      percentage: z.number().describe("Percentage of all errors."),
    }),
  ),
  hourly: z.array(z.object({ hour: dateTime, count: z.int(), errorCount: z.int(), errorRate: rate })),
  summary: z.array(
    z.object({
      type: requestType,
      totalRequests: z.int(),
      errorRate: rate,
      successRate: rate,
      lastRequest: dateTime,
    }),
  ),
  pagination: paginationAnswer,
});

export function presentErrors(report: ErrorReport): z.infer<typeof errorsAnswer> {
  const { byType, byHour, byKey, page, byStatus } = report;
  const totalErrors = byStatus.reduce((sum, { count }) => sum + count, 0);
  const totalRequests = byType.reduce((sum, { count }) => sum + count, 0);
  return {
    totalErrors,
    errorRate: fraction(totalErrors, totalRequests),
    topErrors: presentTopErrors(report),
    timeline: presentTimeline(report),
    byStatusCode: Object.fromEntries(byStatus.map(({ status, count }) => [String(status), count])),
    byKey: byKey.map((key) => ({
      ...presentKey(key),
      errorCount: key.errors,
      errorRate: fraction(key.errors, key.count),
    })),
    errors: page.items.map(({ type, status, count }) => ({
      type,
      statusCode: status,
      count,
      percentage: Math.round(fraction(count, totalErrors) * 10_000) / 100,
    })),
    hourly: byHour.map(({ hour, count, errors }) => ({
      hour,
      count,
      errorCount: errors,
      errorRate: fraction(errors, count),
    })),
    summary: byType.map(({ type, count, errors, lastAt }) => ({
      type,
      totalRequests: count,
      errorRate: fraction(errors, count),
      successRate: fraction(count - errors, count),
      lastRequest: lastAt,
    })),
    pagination: presentPagination(page),
  };
}

/** Groups of the same type together, most frequent type first. */
function presentTopErrors({ groups }: ErrorReport) {
  const types = [...new Set(groups.map(({ type }) => type))];
  const ofType = types.map((type) => {
    const own = groups.filter((group) => group.type === type);
    return {
      type,
      count: own.reduce((sum, { count }) => sum + count, 0),
      statusCodes: own.map(({ status }) => status).sort((left, right) => left - right),
      lastOccurred: own.map(({ lastAt }) => lastAt).reduce((left, right) => (left > right ? left : right)),
    };
  });
  return ofType.sort((left, right) => right.count - left.count);
}

function presentTimeline({ timeline }: ErrorReport) {
  const times = [...new Set(timeline.map(({ hour }) => hour))];
  return times.map((time) => {
    const own = timeline.filter(({ hour }) => hour === time);
    return { time, count: own.reduce((sum, { count }) => sum + count, 0), types: own.map(({ type }) => type) };
  });
}

function fraction(part: number, whole: number): number {
  return whole === 0 ? 0 : part / whole;
}

/** One request. Its content is not stored, so `input` and `output` hold what else is known. */
export const requestLog = z.object({
  id: z.string(),
  createdAt: dateTime,
  type: requestType,
  statusCode: z.int(),
  duration: z.number().describe("Milliseconds."),
  input: z
    .object({ method: z.string(), path: z.string(), containerTag: z.string().nullable() })
    .describe(
      "Method, path pattern, and the container if only one was named. The content of requests is never recorded.",
    ),
  output: z
    .object({ error: z.string() })
    .nullable()
    .describe("The error message of a refused request; null if the request succeeded. Responses are never recorded."),
  keyId: z.string().nullable(),
  client: z.string().nullable().describe("Name of the client program. Not in the documented API."),
  address: z.string().nullable().describe("IP address of the other end. Not in the documented API."),
});

export function presentLog(record: RequestRecord): z.infer<typeof requestLog> {
  const { id, createdAt, type, status, duration, method, path, containerTag, error, keyId } = record;
  const { client, address = null } = record;
  return {
    id,
    createdAt,
    type,
    statusCode: status,
    duration,
    input: { method, path, containerTag },
    output: error === null ? null : { error },
    keyId,
    client,
    address,
  };
}

/** `GET /v3/analytics/memory`, with the keys of the web app and those of the CLI. */
export const growthAnswer = z.object({
  totalMemories: z.int(),
  memoriesGrowth: z.int(),
  totalMemoryEntries: z.int(),
  memoryEntriesGrowth: z.int(),
  totalContainerTags: z.int(),
  containerTagsGrowth: z.int(),
  totalConnections: z.int(),
  connectionsGrowth: z.int(),
  searchQueries: z.int(),
  searchGrowth: z.int(),
  tokensProcessed: z.int().describe("Tokens of the documents that were added in the period, at four bytes each."),
  tokensGrowth: z.int(),
});

export function presentGrowth({ total, growth, searches, tokens }: GrowthReport): z.infer<typeof growthAnswer> {
  return {
    totalMemories: total.documents,
    memoriesGrowth: growth.documents,
    totalMemoryEntries: total.memories,
    memoryEntriesGrowth: growth.memories,
    totalContainerTags: total.containers,
    containerTagsGrowth: growth.containers,
    totalConnections: 0,
    connectionsGrowth: 0,
    searchQueries: searches,
    searchGrowth: growth.searches,
    tokensProcessed: tokens,
    tokensGrowth: growth.tokens,
  };
}

const comparison = z.object({ current: z.number(), previousPeriod: z.number() });
const savings = z.object({
  amountSaved: comparison,
  tokensProcessed: comparison,
  tokensSent: comparison,
  totalTokensSaved: comparison,
});
const WEEKDAYS = ["Sun", "Mon", "Tue", "Wed", "Thu", "Fri", "Sat"] as const;

/** `GET /v3/analytics/chat` (contract 6.8). */
export const chatAnswer = z.object({
  analytics: z.object({
    apiUsage: z.object({ current: z.number(), limit: z.number() }),
    latency: z.object({ current: z.number(), trend: z.array(z.number()), unit: z.literal("ms") }),
    usage: z.object({ currentDay: z.enum(WEEKDAYS), tokensByDay: z.record(z.enum(WEEKDAYS), z.number()) }),
  }),
  overview: z.object({ "7d": savings, "30d": savings, "90d": savings, lifetime: savings }),
});

const NOTHING = { current: 0, previousPeriod: 0 };
const NO_SAVINGS = {
  amountSaved: NOTHING,
  tokensProcessed: NOTHING,
  tokensSent: NOTHING,
  totalTokensSaved: NOTHING,
};

/** The chat figures of a server without a chat. */
export function presentNoChat(now: Date): z.infer<typeof chatAnswer> {
  return {
    analytics: {
      apiUsage: { current: 0, limit: 0 },
      latency: { current: 0, trend: [], unit: "ms" },
      usage: {
        currentDay: WEEKDAYS[now.getUTCDay()] ?? "Sun",
        tokensByDay: { Sun: 0, Mon: 0, Tue: 0, Wed: 0, Thu: 0, Fri: 0, Sat: 0 },
      },
    },
    overview: { "7d": NO_SAVINGS, "30d": NO_SAVINGS, "90d": NO_SAVINGS, lifetime: NO_SAVINGS },
  };
}
