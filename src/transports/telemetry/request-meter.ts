import type { Family, Sample } from "../../lib/exposition.js";
import type { CountedRequest } from "./report-requests.js";

/** Upper bounds in seconds. */
const BOUNDS = [0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10] as const;
/** Routes are our own patterns, so there are never this many; should there be, the rest are counted together. */
const MOST_ROUTES = 2_000;
const OTHERS = "(other)";

export interface RequestMeter {
  count(request: CountedRequest): void;
  families(): Family[];
}

interface Tally {
  readonly method: string;
  readonly route: string;
  readonly byStatus: Map<number, number>;
  /** How many took at most as long as each bound, but longer than the one before. */
  readonly buckets: number[];
  seconds: number;
  total: number;
}

export function createRequestMeter(): RequestMeter {
  const tallies = new Map<string, Tally>();

  function tallyOf(method: string, route: string): Tally {
    const known = tallies.get(`${method} ${route}`);
    if (known) return known;
    if (tallies.size >= MOST_ROUTES && route !== OTHERS) return tallyOf(method, OTHERS);
    const made = { method, route, byStatus: new Map(), buckets: BOUNDS.map(() => 0), seconds: 0, total: 0 };
    tallies.set(`${method} ${route}`, made);
    return made;
  }

  return {
    count({ method, route, status, ms }) {
      const tally = tallyOf(method, route);
      const seconds = ms / 1_000;
      tally.byStatus.set(status, (tally.byStatus.get(status) ?? 0) + 1);
      const bucket = BOUNDS.findIndex((bound) => seconds <= bound);
      if (bucket >= 0) tally.buckets[bucket] = (tally.buckets[bucket] ?? 0) + 1;
      tally.seconds += seconds;
      tally.total += 1;
    },
    families: () => [
      {
        name: "recollect_http_requests_total",
        help: "Requests answered.",
        type: "counter",
        samples: [...tallies.values()].flatMap(countsOf),
      },
      {
        name: "recollect_http_request_duration_seconds",
        help: "Time until the response began.",
        type: "histogram",
        samples: [...tallies.values()].flatMap(durationsOf),
      },
    ],
  };
}

function countsOf({ method, route, byStatus }: Tally): Sample[] {
  return [...byStatus].map(([status, value]) => ({ labels: { method, route, status: String(status) }, value }));
}

function durationsOf({ method, route, buckets, seconds, total }: Tally): Sample[] {
  let within = 0;
  const bounded = BOUNDS.map((bound, index) => {
    within += buckets[index] ?? 0;
    return { suffix: "_bucket", labels: { method, route, le: String(bound) }, value: within };
  });
  return [
    ...bounded,
    { suffix: "_bucket", labels: { method, route, le: "+Inf" }, value: total },
    { suffix: "_sum", labels: { method, route }, value: seconds },
    { suffix: "_count", labels: { method, route }, value: total },
  ];
}
