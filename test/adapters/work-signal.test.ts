import pg from "pg";
import { beforeAll, expect, test } from "vitest";
import { createWorkSignal, type SharedWorkSignal } from "../../src/adapters/store/postgres/work-signal.js";
import { useCleanups } from "../support/cleanups.js";
import { hasPooler, startPooler } from "../support/pooler.js";
import { describeOnPostgres } from "../support/describe-on-postgres.js";
import { waitFor } from "../support/recollect-process.js";

const WITHIN_MS = 60_000;

describeOnPostgres("signals that wake other nodes", (server) => {
  const cleanups = useCleanups();
  let url: string;
  beforeAll(async () => {
    url = await server.createDatabase();
  }, WITHIN_MS);

  function open(address: string): SharedWorkSignal {
    const pool = new pg.Pool({ connectionString: address, max: 1 });
    pool.on("error", () => undefined);
    const signal = createWorkSignal(address, pool);
    cleanups.push(() => Promise.all([signal.close(), pool.end()]));
    return signal;
  }

  async function countListeners(): Promise<number> {
    const client = new pg.Client(url);
    await client.connect();
    const { rowCount } = await client.query("select from pg_stat_activity where query ilike 'listen %'");
    await client.end();
    return rowCount ?? 0;
  }

  test(
    "reach all listeners, also again after the server was down",
    async () => {
      const [teller, listener] = [open(url), open(url)];
      let told = 0;
      listener.listen(() => (told += 1));
      await waitFor(async () => (await countListeners()) === 1, "somebody listens");
      teller.tell();
      await waitFor(() => told === 1, "the listener is told");
      await server.crash();
      await waitFor(async () => (await countListeners()) === 1, "somebody listens again");
      await waitFor(() => {
        teller.tell();
        return told > 1;
      }, "the listener is told again");
    },
    WITHIN_MS,
  );

  test("sent many times in a row arrive as one, and only at others", async () => {
    const [teller, listener] = [open(url), open(url)];
    let [told, toldItself] = [0, 0];
    listener.listen(() => (told += 1));
    teller.listen(() => (toldItself += 1));
    await waitFor(async () => (await countListeners()) === 2, "both listen");
    for (let time = 0; time < 50; time += 1) teller.tell();
    await waitFor(() => told > 0, "the listener is told");
    await new Promise((resolve) => setTimeout(resolve, 50));
    expect([told, toldItself]).toEqual([1, 0]);
  });

  test.skipIf(!hasPooler())(
    "are not listened for through a pooler, whose connections belong to others, too",
    async () => {
      const pooler = await startPooler(url);
      cleanups.push(() => pooler.stop());
      const signal = open(pooler.through(url));
      let told = 0;
      signal.listen(() => (told += 1));
      await new Promise((resolve) => setTimeout(resolve, 300));
      signal.tell();
      await new Promise((resolve) => setTimeout(resolve, 300));
      expect(await countListeners()).toBe(0);
      expect(told).toBe(0);
    },
  );
});
