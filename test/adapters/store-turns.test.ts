import { setImmediate as nextTurn } from "node:timers/promises";
import { CompiledQuery } from "kysely";
import { beforeEach, describe, expect, test } from "vitest";
import { EventLoopScheduler } from "../../src/adapters/store/event-loop-scheduler.js";
import { SqliteSession } from "../../src/adapters/store/sqlite-session.js";
import { SqliteWriter } from "../../src/adapters/store/sqlite-writer.js";
import { TURN_SHARES } from "../../src/adapters/store/turn-shares.js";
import { loadSqlite } from "../../src/lib/sqlite.js";

/** Just beyond a limit, in milliseconds. */
const A_BIT = 0.01;

/** Time advances only when a test says so. */
let now: number;
let scheduler: EventLoopScheduler;
beforeEach(() => {
  now = 1_000;
  scheduler = new EventLoopScheduler(() => now);
});

const goesOn = (): boolean => scheduler.forBackground() === undefined;

describe("background work", () => {
  test("gets a long slice of a turn while no caller has come for a while", () => {
    expect(goesOn()).toBe(true);
    now += TURN_SHARES.backgroundSlice;
    expect(goesOn()).toBe(true);
    now += A_BIT;
    expect(goesOn()).toBe(false);
  });

  test("gets a short slice while callers follow one another, until no further one is expected", async () => {
    void scheduler.forCaller();
    await nextTurn();
    expect(goesOn()).toBe(true);
    now += TURN_SHARES.shortSlice + A_BIT;
    expect(goesOn()).toBe(false);
    now += TURN_SHARES.nextCaller;
    await nextTurn();
    expect(goesOn()).toBe(true);
    now += TURN_SHARES.shortSlice + A_BIT;
    expect(goesOn()).toBe(true);
  });

  test("pauses in a turn that a caller uses, and continues in the next one", async () => {
    expect(scheduler.forCaller()).toBeUndefined();
    const rest = scheduler.forBackground();
    expect(rest).toBeInstanceOf(Promise);
    await rest;
  });

  test("gets a slice after a maximum wait even if callers use every turn", async () => {
    void scheduler.forCaller();
    const since = now;
    let waited: number | undefined;
    const background = scheduler.forBackground()?.then(() => (waited = now - since));
    // A caller waits for each next turn, and uses it before the background can.
    while (waited === undefined && now - since < 1_000) {
      now += TURN_SHARES.turn + A_BIT;
      await scheduler.forCaller();
    }
    await background;
    expect(waited).toBeGreaterThanOrEqual(TURN_SHARES.patienceForTurn);
    expect(waited).toBeLessThan(TURN_SHARES.patienceForTurn + 2 * TURN_SHARES.turn);
  });
});

describe("callers", () => {
  test("wait for the next turn once one has lasted too long", async () => {
    expect(scheduler.forCaller()).toBeUndefined();
    now += TURN_SHARES.turn;
    expect(scheduler.forCaller()).toBeUndefined();
    now += A_BIT;
    const waiting = scheduler.forCaller();
    expect(waiting).toBeInstanceOf(Promise);
    await waiting;
  });

  test("make way for a short transaction, and share the turns with a long one", async () => {
    scheduler.beginTransaction();
    expect(scheduler.forWriter()).toBeUndefined();
    const waiting = scheduler.forCaller();
    expect(waiting).toBeInstanceOf(Promise);
    now += TURN_SHARES.shortTransaction;
    await waiting;
    scheduler.endTransaction();
    scheduler.beginTransaction();
    scheduler.endTransaction();
    expect(scheduler.forCaller()).toBeUndefined();
  });
});

describe("the writing connection", () => {
  const insert = (id: number) => CompiledQuery.raw("insert into notes (id) values (?)", [id]);

  /** Who gets the connection next if the background began waiting before a caller, this long ago. */
  async function orderAfter(waitedMs: number): Promise<string[]> {
    const { DatabaseSync } = await loadSqlite();
    const connection = new DatabaseSync(":memory:");
    connection.exec("create table notes (id integer primary key) strict");
    const care = { permit: () => undefined, committed: () => undefined, sync: () => Promise.resolve() };
    const writer = new SqliteWriter(new SqliteSession(connection, ":memory:", 100), scheduler, care);
    const order: string[] = [];
    const holder = await writer.begin("full");
    const background = writer.run(insert(1), "normal").then(() => order.push("background"));
    const caller = writer.run(insert(2), "full").then(() => order.push("caller"));
    await nextTurn();
    await nextTurn();
    now += waitedMs;
    await holder.commit();
    await Promise.all([background, caller]);
    writer.close();
    return order;
  }

  test("goes to callers first", async () => {
    expect(await orderAfter(TURN_SHARES.patienceForConnection)).toEqual(["caller", "background"]);
  });

  test("goes to the background next once that has waited long enough", async () => {
    expect(await orderAfter(TURN_SHARES.patienceForConnection + A_BIT)).toEqual(["background", "caller"]);
  });
});
