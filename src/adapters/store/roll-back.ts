import type { SqliteConnection } from "../../lib/sqlite.js";

/** A full disk may have ended the transaction already; the first error tells why. */
export function rollBack(connection: SqliteConnection): void {
  try {
    connection.exec("rollback");
  } catch (error) {
    if (!String(error).includes("no transaction is active")) throw error;
  }
}
