import type { Selectable } from "kysely";
import * as z from "zod";
import { kindOf, seqOf, unitOf, type Unit } from "../../../core/types.js";
import { WORDS_VERSION } from "../../../language/words.js";
import type { Database } from "../schema.js";
import { scopeWord } from "../text-index.js";
import { TEXT_INDEX_DIALECTS, type TextEntry } from "../text-index-dialects.js";
import { writtenState } from "../text-index-rewriting.js";
import { digestOf } from "./row-digest.js";
import type { BothSides } from "./settle-table.js";
import { INDEXED_TABLE, type MovedValue } from "./table-shape.js";

const UNITS_AT_ONCE = 500;
const NOTES = `create table if not exists ${INDEXED_TABLE} (unit bigint primary key, digest text not null)`;

/** The units of a JSON list. */
const LISTED = "(select cast(value as bigint) from json_each(?))";

const CHUNKS = `select seq, content as text, context, (select json_group_array(dc.container_id) from document_containers dc
    where dc.document_id = chunks.document_id) as containers,
    (select is_forgotten from documents where documents.id = chunks.document_id) as forgotten
  from chunks where seq in ${LISTED}`;
const MEMORIES = `select seq, text, '' as context, json_array(container_id) as containers, is_forgotten as forgotten
  from memories where seq in ${LISTED}`;

interface IndexedRow {
  readonly seq: number;
  readonly text: string;
  readonly context: string;
  /** JSON. */
  readonly containers: string;
  readonly forgotten: number | null;
}

const containerIdsSchema = z.array(z.number());

type Write = { readonly statement: string; readonly parameters: readonly MovedValue[] };

/**
 * Writes the words of whatever is searchable at the source to the target's index, from the texts copied there. What an earlier
 * pass wrote and is unchanged is recognised by its digest.
 * @returns how many units the index has
 */
export async function settleTextIndex(sides: BothSides): Promise<number> {
  const { source, target, signal, written } = sides;
  await target.write([{ statement: NOTES, parameters: [] }]);
  let count = 0;
  for (let after = 0, isLast = false; !isLast;) {
    signal.throwIfAborted();
    const found = await source.query<{ rowid: Unit }>(
      "select rowid from text_index where rowid > ? order by rowid limit ? + 0",
      [after, UNITS_AT_ONCE],
    );
    const units = found.map(({ rowid }) => rowid);
    isLast = units.length < UNITS_AT_ONCE;
    const upTo = isLast ? Number.MAX_SAFE_INTEGER : (units.at(-1) ?? after);
    const { writes, indexed, kept } = await writesOf(sides, units, { after, upTo });
    await target.write(writes);
    written(indexed);
    count += kept;
    after = upTo;
  }
  return count;
}

/** Marks the target's index as written entirely by this version. */
export async function finishTextIndex({ source, target }: Pick<BothSides, "source" | "target">): Promise<void> {
  const [former] = await source.query<Selectable<Database["word_splitting"]>>("select * from word_splitting");
  const state = Object.entries(writtenState(former));
  await target.write([
    { statement: "delete from word_splitting", parameters: [] },
    {
      statement: `insert into word_splitting (${state.map(([name]) => name).join(", ")}) values (${state.map(() => "?").join(", ")})`,
      parameters: state.map(([, value]) => value),
    },
  ]);
}

async function writesOf(
  { target }: BothSides,
  units: readonly Unit[],
  { after, upTo }: { after: number; upTo: number },
): Promise<{ writes: Write[]; indexed: number; kept: number }> {
  const entries = await entriesOf(target, units);
  const within = [after, upTo, JSON.stringify(entries.map(({ unit }) => unit))];
  const noted = await target.query<{ unit: Unit; digest: string }>(
    `select unit, digest from ${INDEXED_TABLE} where unit > ? and unit <= ?`,
    [after, upTo],
  );
  const digests = new Map(noted.map(({ unit, digest }) => [unit, digest]));
  const isGone = (column: string): string => `${column} > ? and ${column} <= ? and ${column} not in ${LISTED}`;
  const writes: Write[] = [
    { statement: `delete from text_index where ${isGone("rowid")}`, parameters: within },
    { statement: `delete from ${INDEXED_TABLE} where ${isGone("unit")}`, parameters: within },
  ];
  const changed = entries
    .map((entry) => ({ entry, digest: digestOfEntry(entry) }))
    .filter(({ entry, digest }) => digests.get(entry.unit) !== digest);
  if (changed.length === 0) return { writes, indexed: 0, kept: entries.length };
  const listed = JSON.stringify(changed.map(({ entry }) => entry.unit));
  writes.push(
    { statement: `delete from text_index where rowid in ${LISTED}`, parameters: [listed] },
    ...TEXT_INDEX_DIALECTS[target.database].insertions(changed.map(({ entry }) => entry)),
    { statement: `delete from ${INDEXED_TABLE} where unit in ${LISTED}`, parameters: [listed] },
    {
      statement: `insert into ${INDEXED_TABLE} (unit, digest)
        select cast(value ->> '$[0]' as bigint), value ->> '$[1]' from json_each(?)`,
      parameters: [JSON.stringify(changed.map(({ entry, digest }) => [entry.unit, digest]))],
    },
  );
  return { writes, indexed: changed.length, kept: entries.length };
}

function digestOfEntry({ unit, text, context, scope }: TextEntry): string {
  return digestOf([[WORDS_VERSION, unit, text, context, scope.join(" ")]]);
}

/** The entries as the index should have them. What a lost row left in the source's index is no longer searched for. */
async function entriesOf(target: BothSides["target"], units: readonly Unit[]): Promise<TextEntry[]> {
  const entries: TextEntry[] = [];
  for (const [kind, statement] of [
    ["chunk", CHUNKS],
    ["memory", MEMORIES],
  ] as const) {
    const places = units.filter((unit) => kindOf(unit) === kind).map(seqOf);
    const rows = places.length > 0 ? await target.query<IndexedRow>(statement, [JSON.stringify(places)]) : [];
    for (const { seq, text, context, containers, forgotten } of rows) {
      const ids = containerIdsSchema.parse(JSON.parse(containers)).toSorted((a, b) => a - b);
      const scope = ids.map((id) => scopeWord(kind, id, forgotten === 1));
      entries.push({ unit: unitOf(kind, seq), text, context, scope });
    }
  }
  return entries;
}
