import type { SqliteConnections } from "../../src/adapters/store/sqlite.js";
import type { SqliteConnection, SqliteStatement, SqliteValue } from "../../src/lib/sqlite.js";

/** An executed statement. */
export interface SeenStatement {
  readonly sql: string;
  readonly parameters: readonly SqliteValue[];
}

/** The same connections; every prepared statement run on them is reported to `see`, in order. */
export function watchedConnections(
  { writer, reader }: SqliteConnections,
  see: (statement: SeenStatement) => void,
): SqliteConnections {
  return { writer: watched(writer, see), reader: watched(reader, see) };
}

function watched(connection: SqliteConnection, see: (statement: SeenStatement) => void): SqliteConnection {
  return {
    exec: (sql) => connection.exec(sql),
    function: (name, options, run) => connection.function(name, options, run),
    close: () => connection.close(),
    prepare(sql): SqliteStatement {
      const statement = connection.prepare(sql);
      const seen = (parameters: readonly SqliteValue[]) => see({ sql, parameters });
      return {
        columns: () => statement.columns(),
        all(...parameters) {
          seen(parameters);
          return statement.all(...parameters);
        },
        iterate(...parameters) {
          seen(parameters);
          return statement.iterate(...parameters);
        },
        run(...parameters) {
          seen(parameters);
          return statement.run(...parameters);
        },
      };
    },
  };
}
