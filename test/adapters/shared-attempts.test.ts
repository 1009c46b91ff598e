import pg from "pg";
import { afterAll, beforeAll, expect, test } from "vitest";
import { migrate } from "../../src/adapters/store/postgres/migrate.js";
import { createSharedAttempts, type SharedAttempts } from "../../src/adapters/store/postgres/shared-attempts.js";
import { WRITE_LOCK } from "../../src/adapters/store/postgres/advisory-lock.js";
import { sha256 } from "../../src/lib/crypto.js";
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
    await untilTogether();
  }, WITHIN_MS);
  afterAll(async () => {
    await Promise.all([client.end(), one.close(), other.close()]);
  }, WITHIN_MS);

  /** A node counts alone while the server takes long to answer, as it may for the first connections. */
  const untilTogether = async (): Promise<void> => {
    const counters = [one, one, other, other];
    for (let round = 0; ; round++) {
      const name = `round ${round}`;
      const taken = await Promise.all(counters.map((counter) => counter.take(name, TEN_AN_HOUR)));
      const left = taken.map(({ remaining }) => remaining).toSorted((a, b) => b - a);
      if (left.join() === "9,8,7,6") return;
    }
  };

  /** As if attempts under this name had been made earlier. */
  const pass = async (name: string, milliseconds: number): Promise<void> => {
    const change = "update attempt_counts set full_at = full_at - $2::bigint where name = $1";
    expect((await client.query(change, [sha256(name), milliseconds * 1_000])).rowCount).toBe(1);
  };

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
    const fast: Rate = { requests: 100, windowMs: 1_000 };
    const from = performance.now();
    let allowed = 0;
    const insist = async (counter: SharedAttempts): Promise<void> => {
      while (allowed < 250) if ((await counter.take("insisting", fast)).allowed) allowed += 1;
    };
    await Promise.all([one, other, one, other, one, other].map(insist));
    expect(allowed).toBeLessThanOrEqual(100 + (performance.now() - from) / 10);
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
    const short: Rate = { requests: 2, windowMs: 600_000 };
    await one.take("earning", short, 2);
    expect((await other.take("earning", short)).allowed).toBe(false);
    await pass("earning", 310_000);
    expect((await other.take("earning", short)).allowed).toBe(true);
    expect((await other.take("earning", short)).allowed).toBe(false);
    await one.take("earning", TEN_AN_HOUR, 8);
    expect((await one.take("earning", short)).waitMs).toBeLessThanOrEqual(300_000);
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
    expect(rows).toHaveLength(2);
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
      await untilTogether();
    },
    WITHIN_MS,
  );
});
