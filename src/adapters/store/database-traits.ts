import type { Kysely } from "kysely";
import { executorOf, type RecordDatabase } from "./record-executor.js";

/** What differs between the databases of the record, apart from the text index (`text-index-dialects.ts`). */
interface DatabaseTraits {
  /** Rows that one statement looks at when a whole scope is searched for so many conditions. */
  readonly rowsPerSlice: (conditions: number) => number;
  /** Beyond this many documents and memories with a metadata value, looking at everything in turn is no slower. */
  readonly mostOwners: number;
  /** Whether a cross join is read in the order in which it is written; if not, the statement has to say so. */
  readonly readsInWrittenOrder: boolean;
}

const TRAITS: Readonly<Record<RecordDatabase, DatabaseTraits>> = {
  // A slice takes 1 to 2 ms; then other work of this process gets a turn. Each condition looks at the metadata of a row anew.
  sqlite: {
    rowsPerSlice: (conditions) => Math.ceil(2_000 / Math.max(2, conditions)),
    mostOwners: 5_000,
    readsInWrittenOrder: true,
  },
  // It works in another process, each statement sorts what is left, and it takes longer to look at a row's metadata.
  postgres: { rowsPerSlice: () => 100_000, mostOwners: 50_000, readsInWrittenOrder: false },
};

export function databaseTraits<Tables>(db: Kysely<Tables>): DatabaseTraits {
  return TRAITS[executorOf(db).database];
}
