import { iso } from "../../../lib/time.js";
import { COMMON_HEADERS } from "../common-headers.js";
import type { RestApp } from "../mount.js";

interface HealthOptions {
  readonly version: string;
  readonly isReady: () => boolean;
  readonly fullAt?: (() => Date | null) | undefined;
}

/**
 * Health for supervisors and people, without a key and without anything worth hiding: `live` says that the process
 * answers, `ready` that it can work; `/health` says both and fails like `ready`. `storageFull` is there once something could
 * not be written for want of room: reading goes on.
 */
export function mountHealth(app: RestApp, { version, isReady, fullAt }: HealthOptions): void {
  const ready = () => ({
    status: isReady() ? "ok" : "unavailable",
    live: true,
    ready: isReady(),
    version,
    ...describeFull(fullAt?.() ?? null),
  });
  app.get("/health/live", (context) => {
    context.get("facts").path = "/health/live";
    return context.json({ status: "ok" }, 200, COMMON_HEADERS);
  });
  for (const path of ["/health", "/health/ready"])
    app.get(path, (context) => {
      context.get("facts").path = path;
      return isReady()
        ? context.json(ready(), 200, COMMON_HEADERS)
        : context.json(ready(), 503, { ...COMMON_HEADERS, "retry-after": "1" });
    });
}

function describeFull(lastAt: Date | null): object {
  if (lastAt === null) return {};
  const fix = "Free some space on the disk of the data folder, or raise RECOLLECT_MAX_STORE_MEGABYTES where it is set.";
  return { storageFull: { lastAt: iso(lastAt), fix } };
}
