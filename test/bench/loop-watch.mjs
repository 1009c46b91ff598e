// Loaded into a service before its program: on SIGUSR2 it reports how long its event loop was blocked, and starts anew.
import { renameSync, writeFileSync } from "node:fs";
import { monitorEventLoopDelay } from "node:perf_hooks";
import { isMainThread } from "node:worker_threads";

const file = process.env.BENCH_LOOP_FILE;
const INTERVAL_MS = 1;

if (isMainThread && file !== undefined) {
  const delay = monitorEventLoopDelay({ resolution: INTERVAL_MS });
  delay.enable();
  process.on("SIGUSR2", () => {
    const milliseconds = (nanoseconds) => Math.max(0, nanoseconds / 1e6 - INTERVAL_MS);
    const [p50, p95, p99] = [50, 95, 99].map((percent) => milliseconds(delay.percentile(percent)));
    writeFileSync(`${file}.new`, JSON.stringify({ p50, p95, p99, longest: milliseconds(delay.max) }));
    renameSync(`${file}.new`, file);
    delay.reset();
  });
}
