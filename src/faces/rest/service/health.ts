import { COMMON_HEADERS } from "../common-headers.js";
import type { RestApp } from "../mount.js";

interface HealthOptions {
  readonly version: string;
  readonly isReady: () => boolean;
}

/**
 * Health for supervisors and people, without a key and without anything worth hiding: `live` says that the process
 * answers, `ready` that it can work; `/health` says both and fails like `ready`.
 */
export function mountHealth(app: RestApp, { version, isReady }: HealthOptions): void {
  const ready = () => ({ status: isReady() ? "ok" : "unavailable", live: true, ready: isReady(), version });
  app.get("/health/live", (context) => context.json({ status: "ok" }, 200, COMMON_HEADERS));
  for (const path of ["/health", "/health/ready"])
    app.get(path, (context) =>
      isReady()
        ? context.json(ready(), 200, COMMON_HEADERS)
        : context.json(ready(), 503, { ...COMMON_HEADERS, "retry-after": "1" }),
    );
}
