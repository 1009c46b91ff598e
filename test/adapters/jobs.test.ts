import { CompiledQuery } from "kysely";
import { expect, test } from "vitest";
import { createJobStore } from "../../src/adapters/store/jobs.js";
import { atomically } from "../../src/adapters/store/transact.js";
import { describeJobStore } from "../contract/jobs.js";
import { ManualClock } from "../support/clock.js";
import { openJobDatabase } from "../support/job-database.js";

describeJobStore("SQLite", openJobDatabase);

test("a job enqueued in a transaction is rolled back with it", async () => {
  const { db, jobs, close } = await openJobDatabase(new ManualClock());
  const failing = atomically(db, async (transaction) => {
    await createJobStore(transaction).enqueue([{ kind: "embed", payload: 1, group: "a" }]);
    throw new Error("rolled back");
  });
  await expect(failing).rejects.toThrow("rolled back");
  expect((await jobs.counts()).waiting).toBe(0);
  await close();
});

test("a payload that is not JSON is returned as text and does not stop the claim", async () => {
  const clock = new ManualClock();
  const { db, jobs, close } = await openJobDatabase(clock);
  await jobs.enqueue([{ kind: "embed", payload: 1, group: "a" }]);
  await db.updateTable("jobs").set({ payload: "{cut o" }).execute();
  expect((await jobs.claim("one", 1, 1000)).map((job) => job.payload)).toEqual(["{cut o"]);
  await close();
});

test("a claim uses an index and never scans the waiting jobs", async () => {
  const { db, jobs, statements, close } = await openJobDatabase(new ManualClock());
  await jobs.enqueue(Array.from({ length: 200 }, (_, at) => ({ kind: "embed", payload: at, group: "a" })));
  const before = statements.length;
  expect(await jobs.claim("one", 4, 1000)).toHaveLength(4);
  const plans: string[] = [];
  for (const { sql, parameters } of statements.slice(before).filter((query) => / jobs|"jobs"/.test(query.sql))) {
    const explained = CompiledQuery.raw(`explain query plan ${sql}`, [...parameters]);
    const { rows } = await db.executeQuery<{ detail: string }>(explained);
    plans.push(rows.map((row) => row.detail).join("\n"));
  }
  expect(plans).toHaveLength(4);
  expect(plans.join("\n")).not.toMatch(/SCAN jobs|TEMP B-TREE/);
  expect(plans.at(-1)).toContain("INTEGER PRIMARY KEY");
  await close();
});
