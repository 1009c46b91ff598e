import { DummyDriver, type Kysely, Transaction } from "kysely";
import { DIALECT, executorOf } from "./record-executor.js";
import type { Database } from "./schema.js";

const PARTS = { config: { dialect: DIALECT }, dialect: DIALECT, driver: new DummyDriver() };

/**
 * Runs several statements as one change: in the open transaction, otherwise in one of its own, which is rolled back if `work`
 * throws.
 */
export async function atomically<T>(db: Kysely<Database>, work: (db: Kysely<Database>) => Promise<T>): Promise<T> {
  if (db.isTransaction) return work(db);
  const executor = executorOf(db);
  const transaction = await executor.begin();
  try {
    const result = await work(new Transaction<Database>({ ...PARTS, executor: executor.within(transaction) }));
    await transaction.commit();
    return result;
  } catch (error) {
    await transaction.rollback();
    throw error;
  }
}
