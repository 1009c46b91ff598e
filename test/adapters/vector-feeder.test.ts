import { type AddressInfo, connect, createServer, type Socket } from "node:net";
import pg from "pg";
import { beforeAll, expect, test } from "vitest";
import { tryLock } from "../../src/adapters/store/postgres/advisory-lock.js";
import { createVectorFeeder } from "../../src/adapters/store/postgres/vector-feeder.js";
import type { HeldRole } from "../../src/core/ports.js";
import { useCleanups } from "../support/cleanups.js";
import { hasPooler, startPooler } from "../support/pooler.js";
import { describeOnPostgres } from "../support/describe-on-postgres.js";
import { waitFor } from "../support/recollect-process.js";

const WITHIN_MS = 60_000;
const OFTEN = { triesEveryMs: 50, beatsEveryMs: 50 };

describeOnPostgres("the node that feeds Chroma", (server) => {
  const cleanups = useCleanups();
  let url: string;
  beforeAll(async () => {
    url = await server.createDatabase();
  }, WITHIN_MS);

  /** A node that waits for its turn. */
  function waitingNode(address = url, tuning = {}) {
    const ending = new AbortController();
    const node: { held: HeldRole | null } = { held: null };
    const taking = createVectorFeeder(address, { ...OFTEN, ...tuning })
      .take(ending.signal)
      .then((held) => (node.held = held))
      .catch(() => null);
    cleanups.push(async () => {
      ending.abort();
      await (await taking)?.release();
    });
    return node;
  }

  const execute = async (statement: string): Promise<void> => {
    const client = new pg.Client(url);
    await client.connect();
    await client.query(statement).finally(() => client.end());
  };

  test("is one at a time, followed by the next when it leaves", async () => {
    const nodes = [waitingNode(), waitingNode(), waitingNode()];
    const holding = () => nodes.filter(({ held }) => held !== null && !held.lost.aborted);
    for (let turn = 0; turn < nodes.length; turn += 1) {
      await waitFor(() => holding().length === 1, "one has its turn");
      await new Promise((resolve) => setTimeout(resolve, 200));
      expect(holding()).toHaveLength(1);
      await holding()[0]!.held!.release();
    }
  });

  test("is replaced when its connection is cut or the server crashes", async () => {
    const first = waitingNode();
    await waitFor(() => first.held !== null, "the first has its turn");
    const second = waitingNode();
    await execute("select pg_terminate_backend(pid) from pg_stat_activity where state = 'idle in transaction'");
    await waitFor(() => first.held!.lost.aborted, "the first is told");
    await waitFor(() => second.held !== null, "the second has its turn");
    await server.crash();
    await waitFor(() => second.held!.lost.aborted, "the second is told");
    const third = waitingNode();
    await waitFor(() => third.held !== null, "the third has its turn");
  });

  test("is replaced when it is silent for too long, and stops before that", async () => {
    const silent = waitingNode(url, { beatsEveryMs: 100_000, passesAfterMs: 1_000 });
    await waitFor(() => silent.held !== null, "the silent one has its turn");
    const next = waitingNode();
    await waitFor(() => next.held !== null, "the next one has its turn");
    await waitFor(() => silent.held!.lost.aborted, "the silent one is told");

    await next.held!.release();
    const heldUp = waitingNode(url, { stopsAfterMs: 200 });
    await waitFor(() => heldUp.held !== null, "the one that is held up has its turn");
    const until = performance.now() + 400;
    while (performance.now() < until) continue;
    await waitFor(() => heldUp.held!.lost.aborted, "it stops by itself");
  });

  test("gives up its role in time on a connection that has gone silent", async () => {
    const line = await startLineThatFallsSilent(Number(new URL(url).port));
    cleanups.push(() => line.close());
    const through = new URL(url);
    through.port = String(line.port);
    const node = waitingNode(through.href, { beatsEveryMs: 100_000 });
    await waitFor(() => node.held !== null, "it has its turn");
    line.fallSilent();
    const from = performance.now();
    await node.held!.release();
    expect(performance.now() - from).toBeLessThan(10_000);
  });

  test("is considered present for as long as it may be silent", async () => {
    const options = { isShared: false, onEnd: () => undefined, silentMs: 61_000 };
    const client = await tryLock(url, 4_711, options);
    cleanups.push(() => client!.end());
    const { rows } = await client!.query("show tcp_keepalives_idle");
    expect(rows).toEqual([{ tcp_keepalives_idle: "61" }]);
  });

  test("stops waiting when aborted", async () => {
    const first = waitingNode();
    await waitFor(() => first.held !== null, "the first has its turn");
    const ending = new AbortController();
    const taking = createVectorFeeder(url, OFTEN).take(ending.signal);
    ending.abort(new Error("closed"));
    await expect(taking).rejects.toThrow("closed");
  });

  test.skipIf(!hasPooler())("is one at a time through a transaction pooler, too", async () => {
    const pooler = await startPooler(url);
    cleanups.push(() => pooler.stop());
    const [first, second] = [waitingNode(pooler.through(url)), waitingNode(pooler.through(url))];
    const holding = () => [first, second].filter(({ held }) => held !== null);
    await waitFor(() => holding().length === 1, "one has its turn");
    await new Promise((resolve) => setTimeout(resolve, 300));
    expect(holding()).toHaveLength(1);
    await holding()[0]!.held!.release();
    await waitFor(() => holding().length === 2, "the other has its turn");
  });
});

/** A connection to a server that at some point goes silent without closing, as when a machine loses power. */
async function startLineThatFallsSilent(target: number) {
  const open = new Set<Socket>();
  const server = createServer({ allowHalfOpen: true }, (near) => {
    const far = connect(target, "127.0.0.1");
    for (const socket of [near, far]) open.add(socket.on("error", () => undefined));
    near.pipe(far);
    far.pipe(near);
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  return {
    port: (server.address() as AddressInfo).port,
    fallSilent(): void {
      for (const socket of open) socket.unpipe().pause();
    },
    async close(): Promise<void> {
      for (const socket of open) socket.destroy();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}
