/** A due job that may be chosen. */
export interface Candidate {
  readonly id: number;
  readonly group: string;
  readonly kind: string;
  readonly exclusive: boolean;
  /** ISO 8601, so that it sorts as text. */
  readonly runAt: string;
  /** How many processes died while running it. */
  readonly crashes: number;
}

/** Currently running jobs of one group and kind. */
export interface RunningLane {
  readonly group: string;
  readonly kind: string;
  readonly exclusive: boolean;
  readonly count: number;
}

/** Remembers which groups were served last, so that a crowded group cannot starve the others. */
export interface Turns {
  /** A larger number is later; 0 for a group that was never served. */
  of(group: string): number;
  take(group: string): void;
}

/** Beyond `capacity`, forgets the groups unserved for longest, which only moves them forward. */
export function createTurns(capacity = 10_000): Turns {
  const served = new Map<string, number>();
  let turn = 0;
  return {
    of: (group) => served.get(group) ?? 0,
    take: (group) => {
      turn += 1;
      served.delete(group);
      served.set(group, turn);
      const oldest = served.size > capacity ? served.keys().next() : undefined;
      if (oldest && !oldest.done) served.delete(oldest.value);
    },
  };
}

/**
 * Picks up to `limit` jobs: first from the groups with the fewest running, then from those served longest ago, then the oldest;
 * within a group always the oldest that no exclusive job blocks, with at most `mostOfLane` of each kind running at once. Counts
 * the picks in `turns`.
 */
export function chooseJobs(
  candidates: readonly Candidate[],
  running: readonly RunningLane[],
  turns: Turns,
  limit: number,
  mostOfLane = Number.POSITIVE_INFINITY,
): number[] {
  const queues = queueByGroup(candidates);
  const load = new Map<string, number>();
  const lanes = new Map<string, "shared" | "exclusive">();
  const lengths = new Map<string, number>();
  for (const lane of running) {
    load.set(lane.group, (load.get(lane.group) ?? 0) + lane.count);
    const key = laneKey(lane);
    lengths.set(key, (lengths.get(key) ?? 0) + lane.count);
    if (lane.exclusive || !lanes.has(key)) lanes.set(key, lane.exclusive ? "exclusive" : "shared");
  }
  const isFree = (candidate: Candidate): boolean => {
    const key = laneKey(candidate);
    const lane = lanes.get(key);
    if ((lengths.get(key) ?? 0) >= mostOfLane) return false;
    return lane === undefined || (lane === "shared" && !candidate.exclusive);
  };

  const chosen: number[] = [];
  while (chosen.length < limit) {
    const heads = [...queues.values()].flatMap((queue) => queue.find(isFree) ?? []);
    const best = heads.reduce<Candidate | undefined>(
      (left, right) => (left && compare(left, right) < 0 ? left : right),
      undefined,
    );
    if (!best) break;
    chosen.push(best.id);
    queues.set(
      best.group,
      (queues.get(best.group) ?? []).filter((candidate) => candidate.id !== best.id),
    );
    load.set(best.group, (load.get(best.group) ?? 0) + 1);
    const key = laneKey(best);
    lanes.set(key, best.exclusive ? "exclusive" : "shared");
    lengths.set(key, (lengths.get(key) ?? 0) + 1);
    turns.take(best.group);
  }
  return chosen;

  function compare(left: Candidate, right: Candidate): number {
    return (
      (load.get(left.group) ?? 0) - (load.get(right.group) ?? 0) ||
      turns.of(left.group) - turns.of(right.group) ||
      byAge(left, right)
    );
  }
}

function queueByGroup(candidates: readonly Candidate[]): Map<string, Candidate[]> {
  const queues = new Map<string, Candidate[]>();
  for (const candidate of candidates.toSorted(byAge)) {
    const queue = queues.get(candidate.group);
    if (queue) queue.push(candidate);
    else queues.set(candidate.group, [candidate]);
  }
  return queues;
}

function byAge(left: Candidate, right: Candidate): number {
  if (left.runAt !== right.runAt) return left.runAt < right.runAt ? -1 : 1;
  return left.id - right.id;
}

function laneKey({ group, kind }: { group: string; kind: string }): string {
  return `${kind}\n${group}`;
}
