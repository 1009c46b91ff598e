import type { ManualCore } from "./manual-core.js";
import { openDatabase } from "./store-folder.js";

/** Tables of what callers did, and of where work stands; and rows that say when, which a second look may change. */
const NOT_KEPT = new Set(["audit_entries", "requests", "jobs", "operations", "vector_changes", "vector_followers"]);

/** Every row that belongs to a container, by the columns that say so: a new table counts by itself. */
export async function digestOf({ file }: Pick<ManualCore, "file">, tag: string): Promise<string> {
  const connection = await openDatabase(file, { readOnly: true });
  try {
    const read = (statement: string, ...values: string[]) =>
      connection.prepare(statement).all(...values) as Record<string, unknown>[];
    const tables = read("select name from sqlite_schema where type = 'table'").map(({ name }) => String(name));
    const inContainer = "(select id from containers where tag = ?1)";
    const documents = `(select document_id from document_containers where container_id in ${inContainer})`;
    const memories = `(select id from memories where container_id in ${inContainer})`;
    const ways: Readonly<Record<string, string>> = {
      container_id: inContainer,
      container_tag: "(?1)",
      memory_id: memories,
      from_id: memories,
      document_id: documents,
    };
    const parts = tables.flatMap((table) => {
      if (NOT_KEPT.has(table) || /^(?:text_index|sqlite_)/.test(table)) return [];
      const columns = read(`select name from pragma_table_info('${table}')`).map(({ name }) => String(name));
      const own: Readonly<Record<string, string>> = { documents, memories, containers: inContainer };
      const [column, among] = own[table]
        ? ["id", own[table]]
        : (Object.entries(ways).find(([name]) => columns.includes(name)) ?? ["", ""]);
      if (column === "") return [];
      // What was related to something that is gone is no relative any more.
      const more = columns.includes("to_id") ? ` and to_id in ${memories}` : "";
      return `${table}: ${JSON.stringify(read(`select * from ${table} where ${column} in ${among}${more}`, tag))}`;
    });
    return parts.join("\n");
  } finally {
    connection.close();
  }
}
