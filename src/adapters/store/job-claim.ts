import { type Kysely, sql } from "kysely";
import type { JobChoice } from "../../core/ports.js";
import { readRows } from "./fixed-query.js";
import { type Candidate, chooseJobs, createTurns, type RunningLane } from "./job-choice.js";
import { listParameter } from "./json.js";
import type { Database } from "./schema.js";

/** The oldest due jobs to look at. If fewer are due, all are seen and the choice is exact. */
const WINDOW = 64;
/** Further lanes (group and kind) that a claim looks at when the window is full. */
const LANES = 32;

interface Place {
  readonly group: string;
  readonly kind: string;
}

const START: Place = { group: "", kind: "" };

export type Chooser = (
  db: Kysely<Database>,
  now: string,
  limit: number,
  kinds: JobChoice | undefined,
) => Promise<number[]>;

/**
 * Chooses which due jobs to take without looking at every waiting one: the cost does not grow with the queue. A job that a
 * process died with is taken alone.
 */
export function createChooser(): Chooser {
  const turns = createTurns();
  let place = START;

  return async (db, now, limit, kinds) => {
    const { oldest, running } = await readGround(db, now, kinds);
    if (oldest.length === 0) return [];
    const suspects = oldest.filter(({ crashes }) => crashes > 0);
    const alone = chooseJobs(suspects, running, turns, Math.min(limit, 1), mostOfLane(kinds));
    if (alone.length > 0) return alone;
    if (oldest.length < WINDOW) return chooseJobs(oldest, running, turns, limit, mostOfLane(kinds));
    return chooseFromMany(db, { now, limit, kinds }, oldest, running);
  };

  /** A crowd at the front may hide other groups and kinds; their heads are visited in rotation, some at each claim. */
  async function chooseFromMany(
    db: Kysely<Database>,
    { now, limit, kinds }: { now: string; limit: number; kinds: JobChoice | undefined },
    oldest: readonly Candidate[],
    running: readonly RunningLane[],
  ): Promise<number[]> {
    let candidates = oldest;
    for (let wrapped = false; ;) {
      const heads = await laneHeads(db, place);
      const ended = heads.length < LANES;
      place = ended ? START : (heads.at(-1) ?? START);
      const known = new Set(candidates.map((candidate) => candidate.id));
      candidates = [...candidates, ...heads.filter((head) => isWanted(head, now, kinds) && !known.has(head.id))];
      const chosen = chooseJobs(candidates, running, turns, limit, mostOfLane(kinds));
      if (chosen.length > 0 || (ended && wrapped)) return chosen;
      candidates = [];
      wrapped ||= ended;
    }
  }
}

function mostOfLane(kinds: JobChoice | undefined): number | undefined {
  return kinds && "only" in kinds ? kinds.mostOfGroup : undefined;
}

interface CandidateRow {
  readonly id: number;
  readonly group_key: string;
  readonly kind: string;
  readonly exclusive: number;
  readonly run_at: string;
  readonly crashes: number;
}

function toCandidate({ id, group_key: group, kind, exclusive, run_at: runAt, crashes }: CandidateRow): Candidate {
  return { id, group, kind, exclusive: exclusive === 1, runAt, crashes };
}

function isWanted({ runAt, kind }: Candidate, now: string, kinds: JobChoice | undefined): boolean {
  if (runAt > now) return false;
  if (kinds === undefined) return true;
  if ("crashed" in kinds) return false;
  return "only" in kinds ? kinds.only.includes(kind) : !kinds.except.includes(kind);
}

/** What a claim chooses from: due jobs, oldest first, and running ones. As two JSON texts: many small values cost more. */
const groundOf = (condition: string): string => `select
  (select json_group_array(json_array(id, group_key, kind, exclusive, run_at, crashes)) from (
    select id, group_key, kind, exclusive, run_at, crashes from jobs
    where state = 'waiting' and run_at <= ?1 ${condition} order by run_at, id limit ${WINDOW})) as oldest,
  (select json_group_array(json_array(group_key, kind, exclusive, count)) from (
    select group_key, kind, max(exclusive) as exclusive, count(*) as count from jobs
    where state = 'running' group by group_key, kind)) as running`;

const GROUND = {
  any: groundOf(""),
  one: groundOf("and kind = ?2"),
  some: groundOf("and kind in (select value from json_each(?2))"),
  others: groundOf("and kind not in (select value from json_each(?2))"),
  crashed: groundOf("and crashes > 0"),
};

interface SearchScope {
  readonly oldest: readonly Candidate[];
  readonly running: readonly RunningLane[];
}

type LaneValues = readonly [group: string, kind: string, exclusive: number, count: number];
type CandidateValues = readonly [
  id: number,
  group: string,
  kind: string,
  exclusive: number,
  runAt: string,
  crashes: number,
];

async function readGround(db: Kysely<Database>, now: string, kinds: JobChoice | undefined): Promise<SearchScope> {
  const [statement, ...parameters] = groundFor(kinds);
  const [row] = await readRows<{ oldest: string; running: string }>(db, statement, [now, ...parameters]);
  const oldest = JSON.parse(row?.oldest ?? "[]") as readonly CandidateValues[];
  const running = JSON.parse(row?.running ?? "[]") as readonly LaneValues[];
  return {
    oldest: oldest.map(([id, group, kind, exclusive, runAt, crashes]) => ({
      id,
      group,
      kind,
      exclusive: exclusive === 1,
      runAt,
      crashes,
    })),
    running: running.map(([group, kind, exclusive, count]) => ({ group, kind, exclusive: exclusive === 1, count })),
  };
}

function groundFor(kinds: JobChoice | undefined): [statement: string, ...parameters: string[]] {
  if (kinds === undefined || ("except" in kinds && kinds.except.length === 0)) return [GROUND.any];
  if ("crashed" in kinds) return [GROUND.crashed];
  if ("except" in kinds) return [GROUND.others, listParameter(kinds.except)];
  const [only, ...more] = kinds.only;
  return only !== undefined && more.length === 0 ? [GROUND.one, only] : [GROUND.some, listParameter(kinds.only)];
}

/**
 * The oldest waiting job of each of the next lanes: the next kind of the same group, otherwise the first kind of the next group.
 * Two seeks a lane; a single comparison of (group, kind) would make SQLite walk the whole group.
 */
async function laneHeads(db: Kysely<Database>, after: Place): Promise<Candidate[]> {
  const { rows } = await sql<CandidateRow>`
    with recursive head(id, group_key, kind, exclusive, run_at, crashes, position) as (
      select cast(0 as bigint), cast(${after.group} as text) collate binary,
        cast(${after.kind} as text) collate binary, cast(0 as bigint),
        '' collate binary, cast(0 as bigint), 0
      union all
      select next.id, next.group_key, next.kind, next.exclusive, next.run_at, next.crashes, head.position + 1
      from head join jobs as next on next.id = coalesce(
        (select id from jobs where state = 'waiting' and group_key = head.group_key and kind > head.kind
          order by kind, run_at, id limit 1),
        (select id from jobs where state = 'waiting' and group_key > head.group_key
          order by group_key, kind, run_at, id limit 1))
      where head.position < ${LANES})
    select id, group_key, kind, exclusive, run_at, crashes from head where position > 0`.execute(db);
  return rows.map(toCandidate);
}
