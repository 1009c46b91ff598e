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
  const ready = () => ({ status: isReady() ? "ok" : "starting", live: true, ready: isReady(), version });
  app.get("/health/live", (context) => context.json({ status: "ok" }));
  for (const path of ["/health", "/health/ready"])
    app.get(path, (context) =>
      isReady() ? context.json(ready()) : context.json(ready(), 503, { "retry-after": "1" }),
    );
}
