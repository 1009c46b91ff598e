import pg from "pg";
import { afterAll, beforeAll, expect, test } from "vitest";
import { migrate } from "../../src/adapters/store/postgres/migrate.js";
import { createSharedAttempts, type SharedAttempts } from "../../src/adapters/store/postgres/shared-attempts.js";
import { WRITE_LOCK } from "../../src/adapters/store/postgres/advisory-lock.js";
import type { Rate } from "../../src/lib/rate-limit.js";
import { describeOnPostgres } from "../support/describe-on-postgres.js";

const TEN_AN_HOUR: Rate = { requests: 10, windowMs: 3_600_000 };
const WITHIN_MS = 60_000;

describeOnPostgres("attempts counted by several nodes together", (server) => {
  let client: pg.Pool;
  let one: SharedAttempts;
  let other: SharedAttempts;
  beforeAll(async () => {
    const url = await server.createDatabase();
    client = new pg.Pool({ connectionString: url, max: 2 });
    client.on("error", () => undefined);
    await migrate(client, "of the test");
    one = createSharedAttempts(url);
    other = createSharedAttempts(url);
  }, WITHIN_MS);
  afterAll(async () => {
    await Promise.all([client.end(), one.close(), other.close()]);
  }, WITHIN_MS);

  const countRows = async (): Promise<number> => (await client.query("select from attempt_counts")).rowCount ?? 0;

  test("never exceed the rate, however many arrive at the same time at any node", async () => {
    const tried = Array.from({ length: 100 }, (_, index) => (index % 2 ? one : other).take("many", TEN_AN_HOUR));
    const taken = await Promise.all(tried);
    expect(taken.filter(({ allowed }) => allowed)).toHaveLength(10);
    for (const { allowed, waitMs } of taken) if (allowed) expect(waitMs).toBe(0);
    const { waitMs, fullMs, remaining } = await one.take("many", TEN_AN_HOUR);
    expect(remaining).toBe(0);
    expect(waitMs).toBeGreaterThan(300_000);
    expect(waitMs).toBeLessThanOrEqual(360_000);
    expect(fullMs - waitMs).toBeCloseTo(3_240_000, -1);
  });

  test("do not exceed the rate in the long run, however many wait for each other", async () => {
    const fast: Rate = { requests: 1_000, windowMs: 1_000 };
    const from = performance.now();
    let allowed = 0;
    const insist = async (counter: SharedAttempts): Promise<void> => {
      while (performance.now() - from < 3_000) if ((await counter.take("insisting", fast)).allowed) allowed += 1;
    };
    await Promise.all([one, other, one, other, one, other].map(insist));
    expect(allowed).toBeLessThanOrEqual(1_000 + (performance.now() - from));
    expect(allowed).toBeGreaterThan(1_000);
  });

  test("report what is left, are taken all or none, and count again when given back", async () => {
    expect(await one.take("some", TEN_AN_HOUR, 4)).toMatchObject({ allowed: true, remaining: 6 });
    expect(await other.take("some", TEN_AN_HOUR, 7)).toMatchObject({ allowed: false, remaining: 6 });
    expect(await other.take("some", TEN_AN_HOUR, 6)).toMatchObject({ allowed: true, remaining: 0 });
    expect((await one.take("some", TEN_AN_HOUR)).allowed).toBe(false);
    await other.giveBack("some", TEN_AN_HOUR);
    expect((await one.take("some", TEN_AN_HOUR)).allowed).toBe(true);
    expect((await one.take("more than ever", TEN_AN_HOUR, 11)).allowed).toBe(false);
    expect((await one.take("more than ever", TEN_AN_HOUR, 10)).allowed).toBe(true);
  });

  test("are earned back evenly, and a shorter window is not held up by a longer one before it", async () => {
    const fast: Rate = { requests: 2, windowMs: 400 };
    await one.take("earning", fast, 2);
    expect((await other.take("earning", fast)).allowed).toBe(false);
    await new Promise((resolve) => setTimeout(resolve, 250));
    expect((await other.take("earning", fast)).allowed).toBe(true);
    await one.take("earning", TEN_AN_HOUR, 9);
    expect((await one.take("earning", fast)).waitMs).toBeLessThanOrEqual(200);
  });

  test("do not wait for a transaction that writes", async () => {
    const writer = await client.connect();
    await writer.query(`begin; select pg_advisory_xact_lock(${WRITE_LOCK})`);
    try {
      expect(await one.take("beside a writer", TEN_AN_HOUR)).toMatchObject({ allowed: true, remaining: 9 });
      expect(await other.take("beside a writer", TEN_AN_HOUR)).toMatchObject({ allowed: true, remaining: 8 });
    } finally {
      await writer.query("rollback");
      writer.release();
    }
  });

  test("are stored without names, and removed once they no longer count", async () => {
    await client.query("delete from attempt_counts");
    await one.take("keys from 192.0.2.0", TEN_AN_HOUR);
    await one.take("gone at once", { requests: 1, windowMs: 1 });
    const { rows } = await client.query<{ text: string }>("select attempt_counts::text as text from attempt_counts");
    expect(rows.map(({ text }) => text).join("\n")).not.toContain("192.0.2");
    await new Promise((resolve) => setTimeout(resolve, 20));
    await other.clean();
    expect(await countRows()).toBe(1);
  });

  test(
    "are counted by each node alone while the server is down or silent, and together again afterwards",
    async () => {
      const holder = await client.connect();
      await one.take("held", TEN_AN_HOUR, 4);
      await holder.query("begin; lock table attempt_counts");
      const [first, second] = await Promise.all([
        one.take("held", TEN_AN_HOUR, 6),
        other.take("held", TEN_AN_HOUR, 10),
      ]);
      expect([first.allowed, second.allowed]).toEqual([true, true]);
      // What a node has counted with the others counts for it alone as well.
      expect((await one.take("held", TEN_AN_HOUR)).allowed).toBe(false);
      holder.release(true);
      await server.crash();
      await one.take("after the crash", TEN_AN_HOUR, 4);
      expect(await other.take("after the crash", TEN_AN_HOUR, 4)).toMatchObject({ allowed: true, remaining: 2 });
    },
    WITHIN_MS,
  );
});
