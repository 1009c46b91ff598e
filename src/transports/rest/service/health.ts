import type { Context } from "hono";
import { AppError } from "../../../core/errors.js";
import type { Core } from "../../../core/index.js";
import { iso } from "../../../lib/time.js";
import { identify, callSource } from "../../auth.js";
import { type AccessRules, type HttpBindings, visitorOf } from "../../visitor.js";
import { COMMON_HEADERS } from "../common-headers.js";
import type { RestApp } from "../mount.js";
import type { LimitRequests } from "../rate-limit.js";
import { presentHealth } from "./status.js";

interface HealthOptions {
  readonly core: Core;
  readonly organizationId: string;
  readonly publicUrl?: string | undefined;
  readonly access?: AccessRules | undefined;
  readonly limitRequests: LimitRequests;
  readonly version: string;
  readonly isReady: () => boolean;
  readonly fullAt?: (() => Date | null) | undefined;
}

/**
 * Health for supervisors and people, without a key and without anything confidential: `live` says that the process answers,
 * `ready` that it can work; `/health` says both and fails like `ready`. `storageFull` is present once something could not be
 * written for lack of space: reading still works. With an owner's key, `/health` also reports on jobs, disk and index, and on
 * degraded parts; with any other key it says what everybody is told.
 */
export function mountHealth(app: RestApp, options: HealthOptions): void {
  const { version, isReady, fullAt } = options;
  const ready = () => ({
    status: isReady() ? "ok" : "unavailable",
    live: true,
    ready: isReady(),
    version,
    ...describeFull(fullAt?.() ?? null),
  });
  const answer = (context: Context, details: object) =>
    isReady()
      ? context.json({ ...ready(), ...details }, 200, HEADERS)
      : context.json(ready(), 503, { ...HEADERS, "retry-after": "1" });
  app.get("/health/live", (context) => {
    context.get("facts").path = "/health/live";
    return context.json({ status: "ok" }, 200, COMMON_HEADERS);
  });
  app.get("/health/ready", (context) => {
    context.get("facts").path = "/health/ready";
    return answer(context, {});
  });
  app.get("/health", async (context) => {
    context.get("facts").path = "/health";
    return answer(context, isReady() ? await detailsFor(context.req.raw, context.env, options) : {});
  });
}

const HEADERS = { ...COMMON_HEADERS, "cache-control": "no-store" };

/** Nothing for a caller who is not the owner, for whatever reason: basic health is public. */
async function detailsFor(request: Request, env: HttpBindings | undefined, options: HealthOptions): Promise<object> {
  const { headers } = request;
  if (headers.get("authorization") === null && headers.get("x-api-key") === null) return {};
  try {
    const visitor = visitorOf(request, env, options.access);
    const actor = await identify(visitor, { ...options, isKeylessOff: options.access?.isKeylessOff });
    await options.limitRequests(actor, () => undefined);
    return presentHealth(await options.core.ownerStatus({ actor, from: callSource(visitor) }));
  } catch (error) {
    if (error instanceof AppError) return {};
    throw error;
  }
}

function describeFull(lastAt: Date | null): object {
  if (lastAt === null) return {};
  const fix =
    "Free some space on the disk of the data folder, or of the database if the record is in one, or raise RECOLLECT_MAX_STORE_MEGABYTES if it is set.";
  return { storageFull: { lastAt: iso(lastAt), fix } };
}
