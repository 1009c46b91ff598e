import pg from "pg";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { CLUSTER_KEY, type NodeCluster, startNodeCluster } from "../support/node-cluster.js";
import { findPostgres } from "../support/postgres.js";
import { waitFor } from "../support/recollect-process.js";

const programs = findPostgres();
const WITHIN_MS = 60_000;
/** PostgreSQL delivers notifications in the order of their commits: once this one arrives, every earlier one has. */
const FENCE = "nodes_wake_fence";
const LISTENING = "select from pg_stat_activity where query = 'listen recollect_jobs'";

if (programs === undefined)
  describe("nodes with capacity for work", () =>
    test.skip("left out: PostgreSQL is not installed on this machine", () => undefined));
else
  describe("nodes with capacity for work", () => {
    let cluster: NodeCluster;
    beforeAll(async () => {
      cluster = await startNodeCluster(programs, 1, { RECOLLECT_CONCURRENCY: "1" });
    }, WITHIN_MS);
    afterAll(() => cluster.stop(), WITHIN_MS);

    async function call(path: string, method: string, body?: object): Promise<Record<string, unknown>> {
      const answer = await fetch(`${cluster.url}${path}`, {
        method,
        headers: { authorization: `Bearer ${CLUSTER_KEY}`, "content-type": "application/json" },
        ...(body && { body: JSON.stringify(body) }),
      });
      expect(answer.status).toBe(200);
      return (await answer.json()) as Record<string, unknown>;
    }
    const add = (number: number) =>
      call("/v3/documents", "POST", { content: `Shelf ${number} is empty.`, containerTag: `shelf-${number}` });

    test("are notified by a node that is full, and not by one that handles its work itself", async () => {
      const client = new pg.Client(cluster.settings["DATABASE_URL"]);
      await client.connect();
      let told = 0;
      const fenced = new Promise<void>((resolve) => {
        client.on("notification", ({ channel }) => (channel === FENCE ? resolve() : (told += 1)));
      });
      try {
        await waitFor(async () => (await client.query(LISTENING)).rowCount === 1, "the node listens");
        await client.query('listen "recollect_jobs"');
        await client.query(`listen ${FENCE}`);
        const { id } = await add(0);
        const isDone = async () => {
          const { status, dreamingStatus } = await call(`/v3/documents/${String(id)}`, "GET");
          return status === "done" && dreamingStatus === "done";
        };
        await waitFor(isDone, "the document is done");
        await client.query(`notify ${FENCE}`);
        await fenced;
        expect(told).toBe(0);
        await Promise.all(Array.from({ length: 30 }, (_, index) => add(index + 1)));
        await waitFor(() => told > 0, "those that have room are told");
      } finally {
        await client.end();
      }
    });
  });
