import { iso } from "../../lib/time.js";
import { requireAllContainers } from "../auth.js";
import type { AuthorizedCall, CoreContext } from "../context.js";
import { parseInput } from "../input.js";
import type { RequestTally, TimeRange, Volume } from "../ports.js";
import { type Page, rangeSchema, readPeriod } from "./requests.js";
import type { RequestType } from "../types.js";

/** Request types that search the memory. */
const SEARCHES: ReadonlySet<RequestType | null> = new Set<RequestType>(["search", "search_v4", "fast_search"]);

const BEGINNING = new Date(0).toISOString();

interface Counted {
  readonly count: number;
  readonly errors: number;
  /** Mean duration in milliseconds. */
  readonly averageMs: number;
  readonly lastAt: string;
}
type OfType = Counted & { readonly type: RequestType };
type OfHour = Counted & { readonly hour: string };
type OfKey = Counted & { readonly keyId: string; readonly keyName: string | null };

/** How much the service was used. */
export interface UsageReport {
  readonly byType: readonly OfType[];
  readonly byHour: readonly OfHour[];
  /** Requests with a key, busiest key first. */
  readonly byKey: Page<OfKey>;
  readonly documents: number;
}

export async function reportUsage(context: CoreContext, call: AuthorizedCall, raw: unknown): Promise<UsageReport> {
  requireAllContainers(call.actor);
  const { store, clock } = context;
  const { organizationId } = call.actor;
  const { page, limit, ...time } = parseInput(rangeSchema, raw);
  const range = readPeriod(time, clock.now(), "24h");
  const { documents } = await store.volumes.within(organizationId, { from: BEGINNING, to: range.to });
  const keys = await countByKey(context, organizationId, range);
  return {
    byType: (await store.requests.tally(organizationId, range, ["type"])).flatMap(withType),
    byHour: (await store.requests.tally(organizationId, range, ["hour"])).flatMap(withHour),
    byKey: pageOf(keys, page, limit),
    documents,
  };
}

interface ErrorGroup {
  readonly type: RequestType;
  readonly status: number;
  readonly count: number;
  readonly lastAt: string;
}

/** Errors: answers with status 400 or more. */
export interface ErrorReport {
  readonly byType: readonly OfType[];
  readonly byHour: readonly OfHour[];
  readonly byKey: readonly OfKey[];
  /** Errors by type and status, most frequent first. */
  readonly groups: readonly ErrorGroup[];
  /** The requested page of them. */
  readonly page: Page<ErrorGroup>;
  /** Errors by hour and type. */
  readonly timeline: readonly { hour: string; type: RequestType; count: number }[];
  readonly byStatus: readonly { status: number; count: number }[];
}

export async function reportErrors(context: CoreContext, call: AuthorizedCall, raw: unknown): Promise<ErrorReport> {
  requireAllContainers(call.actor);
  const { store, clock } = context;
  const { organizationId } = call.actor;
  const { page, limit, ...time } = parseInput(rangeSchema, raw);
  const range = readPeriod(time, clock.now(), "24h");
  const { requests } = store;
  const errors = { errorsOnly: true };
  const groups = (await requests.tally(organizationId, range, ["type", "status"], errors))
    .flatMap((tally) =>
      withType(tally).map(({ type, count, lastAt }) => ({ type, status: tally.status ?? 0, count, lastAt })),
    )
    .sort(mostFirst);
  const timeline = await requests.tally(organizationId, range, ["hour", "type"], errors);
  const byStatus = await requests.tally(organizationId, range, ["status"], errors);
  return {
    byType: (await requests.tally(organizationId, range, ["type"])).flatMap(withType),
    byHour: (await requests.tally(organizationId, range, ["hour"])).flatMap(withHour),
    byKey: await countByKey(context, organizationId, range),
    groups,
    page: pageOf(groups, page, limit),
    timeline: timeline.flatMap(({ hour, type, count }) =>
      hour === null || type === null ? [] : [{ hour, type, count }],
    ),
    byStatus: byStatus.map(({ status, count }) => ({ status: status ?? 0, count })),
  };
}

/** Current totals, and how much was added in a period and in the equally long period before it. */
export interface GrowthReport {
  readonly total: Volume;
  readonly searches: number;
  /** In percent compared with the period before; 0 when nothing was added then. */
  readonly growth: Volume & { readonly searches: number };
  /** Tokens of the documents added in this period. */
  readonly tokens: number;
}

export async function reportGrowth(context: CoreContext, call: AuthorizedCall, raw: unknown): Promise<GrowthReport> {
  requireAllContainers(call.actor);
  const { store, clock } = context;
  const { organizationId } = call.actor;
  const { page: _page, limit: _limit, ...time } = parseInput(rangeSchema, raw);
  const range = readPeriod(time, clock.now(), "all");
  const isAll = (time.period ?? "all") === "all" && time.from === undefined;
  const now = await measure(context, organizationId, isAll ? { ...range, from: BEGINNING } : range);
  const before = isAll ? null : await measure(context, organizationId, timeBefore(range));
  const growth = (part: keyof typeof now) => percent(now[part], before?.[part] ?? 0);
  return {
    total: isAll ? now : await store.volumes.within(organizationId, { from: BEGINNING, to: range.to }),
    searches: now.searches,
    growth: {
      documents: growth("documents"),
      memories: growth("memories"),
      containers: growth("containers"),
      tokens: growth("tokens"),
      searches: growth("searches"),
    },
    tokens: now.tokens,
  };
}

/** Usage in a period: from the beginning of the month, in UTC, unless another one is given. */
export interface ConsumptionReport extends TimeRange {
  readonly tokens: number;
  readonly searches: number;
  /** All requests, including searches, and one more for each document that was read at once (`dreaming: instant`). */
  readonly operations: number;
  /** The same by day (YYYY-MM-DD, UTC). */
  readonly byDay: readonly { day: string; count: number }[];
  /** When the month ends. */
  readonly resetsAt: string;
}

export const consumptionSchema = rangeSchema.pick({ from: true, to: true });

export async function reportConsumption(
  context: CoreContext,
  call: AuthorizedCall,
  raw: unknown = {},
): Promise<ConsumptionReport> {
  requireAllContainers(call.actor);
  const named = parseInput(consumptionSchema, raw);
  const { organizationId } = call.actor;
  const now = context.clock.now();
  const monthAt = (offset: number) => iso(new Date(Date.UTC(now.getUTCFullYear(), now.getUTCMonth() + offset, 1)));
  const range = readPeriod(named.to === undefined ? { ...named, from: named.from ?? monthAt(0) } : named, now, "30d");
  const { tokens } = await context.store.volumes.within(organizationId, range);
  const tallies = await context.store.requests.tally(organizationId, range, ["hour", "type"]);
  const byDay = new Map<string, number>();
  for (const { hour, operations } of tallies) {
    const day = hour?.slice(0, 10) ?? "";
    byDay.set(day, (byDay.get(day) ?? 0) + operations);
  }
  return {
    ...range,
    tokens,
    searches: searchesIn(tallies),
    operations: tallies.reduce((sum, { operations }) => sum + operations, 0),
    byDay: [...byDay].map(([day, count]) => ({ day, count })),
    resetsAt: monthAt(1),
  };
}

async function measure({ store }: CoreContext, organizationId: string, range: TimeRange) {
  const volume = await store.volumes.within(organizationId, range);
  return { ...volume, searches: searchesIn(await store.requests.tally(organizationId, range, ["type"])) };
}

function searchesIn(tallies: readonly RequestTally[]): number {
  return tallies.filter(({ type }) => SEARCHES.has(type)).reduce((sum, { count }) => sum + count, 0);
}

function timeBefore({ from, to }: TimeRange): TimeRange {
  const length = Date.parse(to) - Date.parse(from);
  return { from: iso(new Date(Math.max(0, Date.parse(from) - length))), to: from };
}

function percent(now: number, before: number): number {
  return before === 0 ? 0 : Math.round(((now - before) / before) * 100);
}

async function countByKey({ store }: CoreContext, organizationId: string, range: TimeRange): Promise<OfKey[]> {
  const names = new Map((await store.keys.list(organizationId)).map(({ id, name }) => [id, name]));
  const tallies = await store.requests.tally(organizationId, range, ["keyId"]);
  return tallies
    .flatMap(({ keyId, ...tally }) =>
      keyId === null ? [] : [{ ...countsOf(tally), keyId, keyName: names.get(keyId) ?? null }],
    )
    .sort(mostFirst);
}

function withType({ type, ...tally }: RequestTally): OfType[] {
  return type === null ? [] : [{ type, ...countsOf(tally) }];
}

function withHour({ hour, ...tally }: RequestTally): OfHour[] {
  return hour === null ? [] : [{ hour, ...countsOf(tally) }];
}

function countsOf({ count, errors, averageMs, lastAt }: Counted): Counted {
  return { count, errors, averageMs, lastAt };
}

function mostFirst(left: { count: number }, right: { count: number }): number {
  return right.count - left.count;
}

function pageOf<T>(items: readonly T[], page: number, limit: number): Page<T> {
  const begin = (page - 1) * limit;
  return { items: items.slice(begin, begin + limit), page, limit, total: items.length };
}
