import { type Kysely, type RawBuilder, sql } from "kysely";
import type { KindChoice } from "../../core/ports.js";
import { readRows } from "./fixed-query.js";
import { type Candidate, chooseJobs, createTurns, type RunningLane } from "./job-choice.js";
import { listParameter } from "./json.js";
import type { Database } from "./schema.js";

/** The oldest due jobs that are looked at. With fewer due, all of them are seen and the choice is exact. */
const WINDOW = 64;
/** Lanes (group and kind) that a claim looks at besides, when the window is full. */
const LANES = 32;

interface Place {
  readonly group: string;
  readonly kind: string;
}

const START: Place = { group: "", kind: "" };

type Chooser = (db: Kysely<Database>, now: string, limit: number, kinds: KindChoice | undefined) => Promise<number[]>;

/** Chooses due jobs to take, without a look at every waiting one: the cost does not grow with the queue. */
export function createChooser(): Chooser {
  const turns = createTurns();
  let place = START;

  return async (db, now, limit, kinds) => {
    const oldest = await oldestDue(db, now, kinds);
    if (oldest.length === 0) return [];
    const running = await runningLanes(db);
    if (oldest.length < WINDOW) return chooseJobs(oldest, running, turns, limit);
    return chooseFromMany(db, { now, limit, kinds }, oldest, running);
  };

  /** A crowd at the front may hide other groups and kinds; their heads are visited in turn, some at each claim. */
  async function chooseFromMany(
    db: Kysely<Database>,
    { now, limit, kinds }: { now: string; limit: number; kinds: KindChoice | undefined },
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
      const chosen = chooseJobs(candidates, running, turns, limit);
      if (chosen.length > 0 || (ended && wrapped)) return chosen;
      candidates = [];
      wrapped ||= ended;
    }
  }
}

interface CandidateRow {
  readonly id: number;
  readonly group_key: string;
  readonly kind: string;
  readonly exclusive: number;
  readonly run_at: string;
}

function toCandidate(row: CandidateRow): Candidate {
  return { id: row.id, group: row.group_key, kind: row.kind, exclusive: row.exclusive === 1, runAt: row.run_at };
}

function isWanted({ runAt, kind }: Candidate, now: string, kinds: KindChoice | undefined): boolean {
  if (runAt > now) return false;
  if (kinds === undefined) return true;
  return "only" in kinds ? kinds.only.includes(kind) : !kinds.except.includes(kind);
}

async function oldestDue(db: Kysely<Database>, now: string, kinds: KindChoice | undefined): Promise<Candidate[]> {
  const { rows } = await sql<CandidateRow>`
    select id, group_key, kind, exclusive, run_at from jobs
    where state = 'waiting' and run_at <= ${now} ${conditionOn(kinds)} order by run_at, id limit ${WINDOW}`.execute(db);
  return rows.map(toCandidate);
}

function conditionOn(kinds: KindChoice | undefined): RawBuilder<unknown> {
  if (kinds === undefined) return sql``;
  const [only, ...others] = "only" in kinds ? kinds.only : [];
  if (only !== undefined && others.length === 0) return sql`and kind = ${only}`;
  if ("only" in kinds) return sql`and kind in (select value from json_each(${listParameter(kinds.only)}))`;
  return sql`and kind not in (select value from json_each(${listParameter(kinds.except)}))`;
}

const RUNNING_LANES = `select group_key, kind, max(exclusive) as exclusive, count(*) as count from jobs
  where state = 'running' group by group_key, kind`;

async function runningLanes(db: Kysely<Database>): Promise<RunningLane[]> {
  const rows = await readRows<{ group_key: string; kind: string; exclusive: number; count: number }>(db, RUNNING_LANES);
  return rows.map((row) => ({
    group: row.group_key,
    kind: row.kind,
    exclusive: row.exclusive === 1,
    count: Number(row.count),
  }));
}

/**
 * The oldest waiting job of each of the next lanes: the next kind of the same group, else the first kind of the next
 * group. Two seeks a lane; one comparison of (group, kind) would make SQLite walk through the whole group.
 */
async function laneHeads(db: Kysely<Database>, after: Place): Promise<Candidate[]> {
  const { rows } = await sql<CandidateRow>`
    with recursive head(id, group_key, kind, exclusive, run_at, position) as (
      select 0, ${after.group}, ${after.kind}, 0, '', 0
      union all
      select next.id, next.group_key, next.kind, next.exclusive, next.run_at, head.position + 1
      from head join jobs as next on next.id = coalesce(
        (select id from jobs where state = 'waiting' and group_key = head.group_key and kind > head.kind
          order by kind, run_at, id limit 1),
        (select id from jobs where state = 'waiting' and group_key > head.group_key
          order by group_key, kind, run_at, id limit 1))
      where head.position < ${LANES})
    select id, group_key, kind, exclusive, run_at from head where position > 0`.execute(db);
  return rows.map(toCandidate);
}
