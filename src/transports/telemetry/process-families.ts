import { type IntervalHistogram, monitorEventLoopDelay } from "node:perf_hooks";
import type { Family } from "../../lib/exposition.js";

const RESOLUTION_MS = 20;
const PERCENTILES = [50, 90, 99, 100] as const;
let delay: IntervalHistogram | undefined;

/**
 * Memory, time and event loop delays of this process. Delays cover the time since they were last read, and are measured from the
 * first reading on.
 */
export function processFamilies(): Family[] {
  const { rss, heapUsed, external } = process.memoryUsage();
  const { user, system } = process.cpuUsage();
  return [
    gauge("process_resident_memory_bytes", "Resident memory of the process.", rss),
    gauge("nodejs_heap_size_used_bytes", "Heap in use.", heapUsed),
    gauge("nodejs_external_memory_bytes", "Memory of buffers outside the heap.", external),
    gauge(
      "process_start_time_seconds",
      "When the process started, in seconds since 1970.",
      performance.timeOrigin / 1_000,
    ),
    {
      name: "process_cpu_seconds_total",
      help: "Processor time used.",
      type: "counter",
      samples: [{ value: (user + system) / 1_000_000 }],
    },
    eventLoopDelays(),
  ];
}

function gauge(name: string, help: string, value: number): Family {
  return { name, help, type: "gauge", samples: [{ value }] };
}

function eventLoopDelays(): Family {
  const watched = delay;
  const samples = watched && watched.count > 0 ? PERCENTILES.map((percent) => lagAt(watched, percent)) : [];
  delay ??= monitorEventLoopDelay({ resolution: RESOLUTION_MS });
  delay.enable();
  delay.reset();
  return {
    name: "recollect_event_loop_lag_seconds",
    help: "Delay of the event loop since the last scrape.",
    type: "gauge",
    samples,
  };
}

function lagAt(histogram: IntervalHistogram, percent: number) {
  const seconds = Math.max(0, histogram.percentile(percent) / 1e9 - RESOLUTION_MS / 1_000);
  return { labels: { quantile: String(percent / 100) }, value: seconds };
}
