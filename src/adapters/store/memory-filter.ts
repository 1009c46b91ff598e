import { type Kysely, sql } from "kysely";
import type { FilterExpression } from "../../core/types.js";
import { memorySatisfies } from "./filter-evaluation.js";
import { filterRows, type RowFilter } from "./filtered-rows.js";
import { isEvaluated, memoryFilterSql } from "./filters.js";
import { fixedQuery } from "./fixed-query.js";
import { listParameter } from "./json.js";
import { executorOf } from "./record-executor.js";
import type { Database } from "./schema.js";
import { Slices } from "./slices.js";

interface Filtered {
  /** As `SlicedRead` has them. */
  readonly containers: readonly (string | number)[];
  readonly filters: FilterExpression;
}

/** For memories. */
export function createMemoryFilter(db: Kysely<Database>, filtered: Filtered): RowFilter {
  const { database } = executorOf(db);
  if (isEvaluated(database, filtered.filters)) return evaluatedFilter(db, filtered);
  const condition = memoryFilterSql(database, filtered.filters);
  return filterRows({ table: "memories", condition, slices: new Slices(db, filtered) });
}

/** How many memories are looked at before what is known of their documents is forgotten. */
const MEMORIES_AT_ONCE = 100;

/**
 * Evaluates a memory's documents before the memory, so that the time of a statement depends neither on how many documents state
 * a memory, nor on how many memories a document states.
 */
function evaluatedFilter(db: Kysely<Database>, { filters, containers }: Filtered): RowFilter {
  const filter = JSON.stringify(filters);
  const selectHeld = (table: "memories" | "documents") =>
    fixedQuery<{ seq: number; held: string }>(
      (_, slot) => sql`select seq, held_conditions(${filter}, metadata) as held
        from json_each(${slot(0)}) wanted cross join ${sql.table(table)} on seq = wanted.value`,
    );
  const selectSources = fixedQuery<{ memory: number; document: number }>(
    (_, slot) => sql`select memories.seq as memory, d.seq as document
      from json_each(${slot(0)}) wanted cross join memories on memories.seq = wanted.value
      cross join memory_sources ms on ms.memory_id = memories.id cross join documents d on d.id = ms.document_id`,
  );
  const selectOwn = selectHeld("memories");
  const selectOfDocuments = selectHeld("documents");
  const slices = new Slices(db, { filters, containers });
  type Held = ReadonlyMap<number, string>;
  const heldBy = async (select: typeof selectOwn, seqs: readonly number[]): Promise<Held> => {
    const rows = await slices.collect(seqs, (db, some) => select(db, listParameter(some)));
    return new Map(rows.map(({ seq, held }) => [seq, held]));
  };

  return async (seqs, most = Infinity) => {
    const found: number[] = [];
    for (let from = 0; from < seqs.length && found.length < most; from += MEMORIES_AT_ONCE) {
      const some = seqs.slice(from, from + MEMORIES_AT_ONCE);
      const own = await heldBy(selectOwn, some);
      const sources = await selectSources(db, listParameter(some));
      const documents = await heldBy(selectOfDocuments, [...new Set(sources.map(({ document }) => document))]);
      const judges = new Map<number, Set<string>>();
      for (const { memory, document } of sources) {
        const held = documents.get(document);
        if (held !== undefined) judges.set(memory, (judges.get(memory) ?? new Set()).add(held));
      }
      for (const seq of some) {
        const held = own.get(seq);
        if (held !== undefined && memorySatisfies(filters, held, [...(judges.get(seq) ?? [])])) found.push(seq);
      }
    }
    return found.length > most ? found.slice(0, most) : found;
  };
}
