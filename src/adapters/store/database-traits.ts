import type { Kysely } from "kysely";
import { executorOf, type RecordDatabase } from "./record-executor.js";

/** What differs between the databases of the record, apart from the text index (`text-index-dialects.ts`). */
interface DatabaseTraits {
  /** How much one statement looks at when many rows are compared with a filter, also one that is costly with large metadata. */
  readonly slices: { readonly plain: SliceSize; readonly costly: SliceSize };
  /** Beyond this many documents and memories with a metadata value, looking at everything in turn is no slower. */
  readonly mostOwners: number;
  /** Whether a cross join is read in the order in which it is written; if not, the statement has to say so. */
  readonly readsInWrittenOrder: boolean;
}

/** How many rows a statement looks at, so that they take about so long. */
export interface SliceSize {
  /** Also in the first statement, when it is not known how long a row takes. */
  readonly leastRows: number;
  /** Large rows may follow where all were small before. */
  readonly mostRows: number;
  readonly milliseconds: number;
}

const TRAITS: Readonly<Record<RecordDatabase, DatabaseTraits>> = {
  // After each slice, other work of this process gets a turn.
  sqlite: {
    slices: {
      plain: { leastRows: 16, mostRows: 1_000, milliseconds: 2 },
      costly: { leastRows: 1, mostRows: 100, milliseconds: 2 },
    },
    mostOwners: 5_000,
    readsInWrittenOrder: true,
  },
  // It works in another process, each statement sorts what is left, and it takes longer to look at a row's metadata.
  postgres: {
    slices: {
      plain: { leastRows: 5_000, mostRows: 100_000, milliseconds: 200 },
      costly: { leastRows: 100, mostRows: 100_000, milliseconds: 200 },
    },
    mostOwners: 50_000,
    readsInWrittenOrder: false,
  },
};

export function databaseTraits<Tables>(db: Kysely<Tables>): DatabaseTraits {
  return TRAITS[executorOf(db).database];
}
