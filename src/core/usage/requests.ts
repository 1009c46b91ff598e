import * as z from "zod";
import { iso, parseIso } from "../../lib/time.js";
import { requireAllContainers } from "../auth.js";
import type { AuthorizedCall, CoreContext } from "../context.js";
import { clientSchema, invalid, momentSchema, parseInput } from "../input.js";
import type { TimeRange } from "../ports.js";
import { REQUEST_TYPES, type RequestRecord } from "../types.js";

const HOUR_MS = 60 * 60 * 1_000;
const DAY_MS = 24 * HOUR_MS;

/** How long requests are kept (contract 6.8). */
export const REQUESTS_KEPT_MS = 90 * DAY_MS;

/** The most requests kept, for a server with many requests per second: as many as stay cheap to store. */
export const REQUESTS_KEPT = 1_000_000;

const PERIODS = {
  "1h": HOUR_MS,
  "24h": DAY_MS,
  "7d": 7 * DAY_MS,
  "30d": 30 * DAY_MS,
  "90d": REQUESTS_KEPT_MS,
  all: REQUESTS_KEPT_MS,
} as const;
type Period = keyof typeof PERIODS;

/** A text of this many characters is no longer a name. */
const MAX_NAME = 255;
const MAX_BATCH = 1_000;
const MAX_PAGE = 1_000_000_000;

const name = z.string().max(MAX_NAME);

const recordSchema = z.object({
  id: name,
  keyId: name.nullable(),
  client: clientSchema.nullable(),
  type: z.enum(REQUEST_TYPES),
  method: z.string().max(20),
  path: name,
  status: z.int().min(100).max(599),
  duration: z.number().nonnegative(),
  containerTag: name.nullable(),
  error: z.string().max(500).nullable(),
  address: z.string().max(64).nullish(),
  operations: z.int().min(1).optional(),
  createdAt: momentSchema,
});

const noteRequestsSchema = z.object({ requests: z.array(recordSchema).max(MAX_BATCH) });

/** Records requests that a face has answered. Repeating it changes nothing. */
export async function noteRequests(
  { store }: CoreContext,
  call: AuthorizedCall,
  raw: unknown,
): Promise<{ noted: number }> {
  requireAllContainers(call.actor);
  const { requests } = parseInput(noteRequestsSchema, raw);
  await store.requests.insert(call.actor.organizationId, requests);
  return { noted: requests.length };
}

/** The period and page of a query about requests (contract 6.8). */
export const rangeSchema = z.object({
  from: momentSchema.optional(),
  to: momentSchema.optional(),
  period: z.enum(["1h", "24h", "7d", "30d", "90d", "all"], "must be one of 1h, 24h, 7d, 30d, 90d, all").optional(),
  page: z
    .int("must be a whole number")
    .min(1, "must be at least 1")
    .max(MAX_PAGE, `must be at most ${MAX_PAGE}`)
    .default(1),
  limit: z.int("must be a whole number").min(1, "must be at least 1").max(100, "must be at most 100").default(20),
});

export const listRequestsSchema = rangeSchema.extend({
  id: name.optional(),
  type: z.enum(REQUEST_TYPES, `must be one of ${REQUEST_TYPES.join(", ")}`).optional(),
  keyId: name.optional(),
  statusCode: z
    .int("must be a whole number")
    .min(100, "must be an HTTP status code from 100 to 599")
    .max(599, "must be an HTTP status code from 100 to 599")
    .optional(),
  status: z.enum(["success", "error"], "must be success or error").optional(),
});

/** One page of a longer list. */
export interface Page<T> {
  readonly items: readonly T[];
  readonly page: number;
  readonly limit: number;
  readonly total: number;
}

/** Requests, newest first; all that are kept unless a period is given. */
export async function listRequests(
  context: CoreContext,
  call: AuthorizedCall,
  raw: unknown,
): Promise<Page<RequestRecord>> {
  requireAllContainers(call.actor);
  const { page, limit, status, id, type, keyId, statusCode, ...time } = parseInput(listRequestsSchema, raw);
  const { requests, total } = await context.store.requests.list(call.actor.organizationId, {
    ...readPeriod(time, context.clock.now(), "all"),
    id,
    type,
    keyId,
    statusCode,
    outcome: status,
    limit,
    offset: (page - 1) * limit,
  });
  return { items: requests, page, limit, total };
}

/**
 * The requested period: `from` and `to`, or a period that ends at `to`, or now.
 * @throws AppError `invalid` when it ends before it begins, or is longer than requests are kept
 */
export function readPeriod(
  { from, to, period }: { from?: string | undefined; to?: string | undefined; period?: Period | undefined },
  now: Date,
  usual: Period,
): TimeRange {
  // What happened in this very millisecond is included.
  const end = to === undefined ? now.getTime() + 1 : Date.parse(to);
  const begin = from === undefined ? end - PERIODS[period ?? usual] : (parseIso(from)?.getTime() ?? end);
  if (begin >= end) throw invalid([{ path: ["from"], message: "must be before the end of the period" }]);
  // The millisecond above must not make 90 days too long.
  if (end - begin > REQUESTS_KEPT_MS + 1)
    throw invalid([{ path: ["from"], message: "must be at most 90 days before the end of the period" }]);
  return { from: earliest(begin), to: earliest(end) };
}

/** Text of a moment; one before the year 0 would sort wrongly and means the beginning anyway. */
function earliest(moment: number): string {
  return iso(new Date(Math.max(0, moment)));
}
