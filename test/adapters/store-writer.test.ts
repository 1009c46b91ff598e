import { setImmediate as nextTurn } from "node:timers/promises";
import { CompiledQuery } from "kysely";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { SqliteSession } from "../../src/adapters/store/sqlite-session.js";
import { EventLoopScheduler } from "../../src/adapters/store/event-loop-scheduler.js";
import { SqliteWriter } from "../../src/adapters/store/sqlite-writer.js";
import { loadSqlite, type SqliteConnection } from "../../src/lib/sqlite.js";

const insert = (id: number) => CompiledQuery.raw("insert into notes (id) values (?)", [id]);

let connection: SqliteConnection;
let isClosed = false;
let writer: SqliteWriter;

beforeEach(async () => {
  const { DatabaseSync } = await loadSqlite();
  connection = new DatabaseSync(":memory:");
  connection.exec(`
    create table notes (id integer primary key) strict;
    create table links (note integer references notes deferrable initially deferred) strict;
    pragma foreign_keys = on;`);
  const session = new SqliteSession(connection, ":memory:", 100);
  writer = new SqliteWriter(session, new EventLoopScheduler(), {
    permit: () => undefined,
    committed: () => undefined,
    sync: () => Promise.resolve(),
  });
});
afterEach(() => {
  if (!isClosed) connection.close();
  isClosed = false;
});

describe("a group whose commit fails", () => {
  test("reports to its members, and the connection goes to the next in line", async () => {
    const holder = await writer.begin("normal");
    await holder.run(CompiledQuery.raw("insert into links (note) values (1)"));
    const waiting = [writer.run(insert(2), "full"), writer.run(insert(3), "full")];
    await nextTurn();
    const failed = holder.commit();
    await expect(failed).rejects.toMatchObject({ message: expect.stringMatching(/FOREIGN KEY/i) as string });
    await Promise.all(waiting);
    expect(connection.prepare("select id from notes order by id").all()).toEqual([{ id: 2 }, { id: 3 }]);
  });

  test("and cannot be rolled back either leaves nobody waiting and ends no process", async () => {
    const earlier = await writer.begin("normal");
    await earlier.run(insert(1));
    const lost = earlier.commit();
    const holder = await writer.begin("normal");
    const waiting = [writer.run(insert(2), "full"), writer.run(insert(3), "normal")];
    for (const one of waiting) one.catch(() => undefined);
    await nextTurn();
    connection.close();
    isClosed = true;
    await expect(holder.commit()).rejects.toThrow();
    expect(() => holder.rollback()).toThrow();
    for (const { status } of await Promise.allSettled([...waiting, lost])) expect(status).toBe("rejected");
  });
});
