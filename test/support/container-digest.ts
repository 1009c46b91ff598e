import type { SqliteConnection } from "../../src/lib/sqlite.js";
import type { ManualCore } from "./manual-core.js";
import { openDatabase } from "./store-folder.js";

/** Tables of callers' actions and of job states, and rows that record times, which may differ at a second look. */
const NOT_KEPT = new Set(["audit_entries", "requests", "jobs", "operations", "vector_changes", "vector_followers"]);

/** Every row that belongs to a container, by the columns that say so: a new table is included automatically. */
export async function digestOf({ file }: Pick<ManualCore, "file">, tag: string): Promise<string> {
  const digests = await openDigests({ file });
  try {
    return digests.of(tag);
  } finally {
    digests.close();
  }
}

/** The digests of a store whose schema does not change. */
export interface Digests {
  of(tag: string): string;
  close(): void;
}

export async function openDigests({ file }: Pick<ManualCore, "file">): Promise<Digests> {
  const connection = await openDatabase(file, { readOnly: true });
  const rows = selectionsOf(connection).map(({ table, sql }) => ({ table, statement: connection.prepare(sql) }));
  return {
    of: (tag) => rows.map(({ table, statement }) => `${table}: ${JSON.stringify(statement.all(tag))}`).join("\n"),
    close: () => connection.close(),
  };
}

/** For each table with data of containers, a statement that returns all that belongs to one as a single text. */
function selectionsOf(connection: SqliteConnection): { table: string; sql: string }[] {
  const namesIn = (source: string): string[] =>
    (connection.prepare(`select name from ${source}`).all() as { name: string }[]).map(({ name }) => name);
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
  return namesIn("sqlite_schema where type = 'table'").flatMap((table) => {
    if (NOT_KEPT.has(table) || /^(?:text_index|sqlite_)/.test(table)) return [];
    const columns = namesIn(`pragma_table_info('${table}')`);
    const own: Readonly<Record<string, string>> = { documents, memories, containers: inContainer };
    const [column, among] = own[table]
      ? ["id", own[table]]
      : (Object.entries(ways).find(([name]) => columns.includes(name)) ?? ["", ""]);
    if (column === "") return [];
    // A relation to something deleted is not a relation any more.
    const more = columns.includes("to_id") ? ` and to_id in ${memories}` : "";
    const row = columns.map((name) => `'${name}=' || quote("${name}")`).join(" || ', ' || ");
    return [
      {
        table,
        sql: `select group_concat(${row}, ' | ') as rows_told from ${table} where ${column} in ${among}${more}`,
      },
    ];
  });
}
