import type { Kysely } from "kysely";
import type { Clock, TurnStore, UnreadTurn } from "../../core/ports.js";
import { kindOf, seqOf, type Document } from "../../core/types.js";
import { iso } from "../../lib/time.js";
import { type ChunkColumns, chunkOf } from "./chunks.js";
import { readPacked, readRows } from "./fixed-query.js";
import { listParameter } from "./json.js";
import { repositoryOf, type StoreContext } from "./repository.js";
import type { Database } from "./schema.js";

type TurnRow = readonly [
  chunk: readonly [number, string, number, number, string, string, ChunkColumns["metadata"], string],
  source: readonly [
    id: string,
    origin: Document["origin"],
    client: string | null,
    filepath: string | null,
    metadata: Document["metadata"],
    forgetAfter: string | null,
    wasSentAsTurns: number,
  ],
  containers: readonly (readonly [id: number, tag: string, uid: string, timeZone: string | null])[],
];

const TURN = `json_array(
    json_array(c.seq, c.id, c.revision, c.position, c.content, c.context, c.metadata, c.created_at),
    json_array(d.id, d.origin, d.client, d.filepath, json(d.metadata), d.forget_after, iif(d.turns is not null, 1, 0)),
    json((select json_group_array(json_array(id, tag, uid, time_zone)) from (
      select k.id, k.tag, k.uid, k.time_zone from document_containers dc join containers k on k.id = dc.container_id
      where dc.document_id = d.id and k.deleted_at is null and not exists (select 1 from memories m
        where m.id = c.id and m.container_id = k.id and (m.is_forgotten = 1 or m.is_latest = 0))
      order by dc.position))))`;

/** What only rules have read of the organisation ?1 and has not expired at the time ?2. */
const IS_UNREAD = `+d.organization_id = ?1 and d.task_type = 'memory' and d.facts is null and d.remembered_revision > 0
  and d.is_forgotten = 0 and (d.forget_after is null or d.forget_after > ?2)
  and exists (select 1 from remembered_with r where r.document_id = d.id and substr(r.extractor, 1, 6) = 'rules/')
  and not exists (select 1 from extraction_tasks t where t.document_id = d.id and t.revision = d.revision
    group by t.document_id having count(*) = count(t.done_at))`;
const IS_TURN = "c.metadata ->> '$.speakers[0]' is not null";

const OF_SEQS = `select json_group_array(${TURN}) as packed from json_each(?3) wanted
  cross join chunks c on c.seq = cast(wanted.value as bigint) cross join documents d on d.id = c.document_id
  where ${IS_TURN} and ${IS_UNREAD}`;
const BY_ID = `select json_group_array(${TURN}) as packed from chunks c cross join documents d on d.id = c.document_id
  where c.id = ?3 and ${IS_TURN} and ${IS_UNREAD}`;
const IN_CONTAINER = `document_containers place cross join documents d on d.id = place.document_id and ${IS_UNREAD}
  cross join chunks c on c.document_id = d.id and ${IS_TURN}`;
const BY_CONTENT = `select json_group_array(json(turn)) as packed from (select ${TURN} as turn from ${IN_CONTAINER}
  where place.container_id = ?3 and c.content = ?4 order by c.seq desc limit 20)`;
// A document that is in several of the containers is listed once.
const LISTED = `from (select distinct place.document_id from document_containers place
    where place.container_id in (select cast(value as bigint) from json_each(?3))) place
  cross join documents d on d.id = place.document_id and ${IS_UNREAD}
  cross join chunks c on c.document_id = d.id and ${IS_TURN}
  where cast(?4 as text) is null or c.seq in (select cast(value as bigint) from json_each(?4))`;
const COUNT = `select count(*) as total ${LISTED}`;
const page = (order: string): string => `select json_group_array(json(turn)) as packed from (
  select ${TURN} as turn ${LISTED} order by c.created_at ${order}, c.seq ${order} limit ?5 + 0 offset ?6 + 0)`;
const PAGES = { asc: page("asc"), desc: page("desc") };

const turnStore = repositoryOf<TurnStore, StoreContext>({
  async ofUnits({ db, clock }, organizationId, units) {
    const seqs = units.filter((unit) => kindOf(unit) === "chunk").map(seqOf);
    return seqs.length === 0 ? [] : read({ db, clock }, organizationId, OF_SEQS, [listParameter(seqs)]);
  },

  async byChunkId({ db, clock }, organizationId, chunkId) {
    const [turn] = await read({ db, clock }, organizationId, BY_ID, [chunkId]);
    return turn ?? null;
  },

  byContent: ({ db, clock }, organizationId, containerId, content) =>
    read({ db, clock }, organizationId, BY_CONTENT, [containerId, content]),

  async list({ db, clock }, organizationId, { containerIds, among, order, offset, limit }) {
    // An absent list is SQL null rather than a list as text.
    const narrowed = among ? listParameter(among.filter((unit) => kindOf(unit) === "chunk").map(seqOf)) : null;
    const scope = [organizationId, iso(clock.now()), listParameter(containerIds), narrowed];
    const [count] = await readRows<{ total: number }>(db, COUNT, scope);
    const [found] = await readRows<{ packed: string }>(db, PAGES[order], [...scope, limit, offset]);
    const rows = JSON.parse(found?.packed ?? "[]") as TurnRow[];
    return { turns: rows.map((row) => turnOf(organizationId, row)), total: count?.total ?? 0 };
  },
});

export function createTurnStore(db: Kysely<Database>, clock: Clock): TurnStore {
  return turnStore({ db, clock });
}

async function read(
  { db, clock }: StoreContext,
  organizationId: string,
  statement: string,
  parameters: readonly (string | number)[],
) {
  const rows = await readPacked<TurnRow>(db, statement, [organizationId, iso(clock.now()), ...parameters]);
  return rows.map((row) => turnOf(organizationId, row));
}

function turnOf(organizationId: string, [chunk, source, containers]: TurnRow): UnreadTurn {
  const [seq, chunkId, revision, position, content, context, metadata, created_at] = chunk;
  const [id, origin, client, filepath, ofDocument, forgetAfter, wasSentAsTurns] = source;
  const row = { seq, id: chunkId, document_id: id, revision, position, content, context, metadata, created_at };
  return {
    chunk: chunkOf(row),
    source: {
      id,
      organizationId,
      origin,
      client,
      filepath,
      metadata: ofDocument,
      forgetAfter,
      wasSentAsTurns: wasSentAsTurns === 1,
    },
    containers: containers.map(([containerId, tag, uid, timeZone]) => ({ id: containerId, tag, uid, timeZone })),
  };
}
