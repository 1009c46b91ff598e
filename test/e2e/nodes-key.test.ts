import { readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import pg from "pg";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { CLUSTER_KEY, type NodeCluster, startNodeCluster } from "../support/node-cluster.js";
import { findPostgres } from "../support/postgres.js";
import { type ServeProcess, startServe, withDataDirectory } from "../support/recollect-process.js";

/* Nodes with different keys could not open each other's encrypted values. */

const programs = findPostgres();
const FIRST = "the first key of them all, 32 characters";
const SECOND = "the second key, which nobody had before";
const REFUSAL = /ended with 2: .*RECOLLECT_SECRET_KEY is not the key that .* Set it to the same value on all nodes/s;
const WITHIN_MS = 60_000;

if (programs === undefined)
  describe("the encryption key that nodes share", () =>
    test.skip("left out: PostgreSQL is not installed on this machine", () => undefined));
else
  describe("the encryption key that nodes share", () => {
    let cluster: NodeCluster;
    beforeAll(async () => {
      cluster = await startNodeCluster(programs, 0);
    }, WITHIN_MS);
    afterAll(() => cluster.stop(), WITHIN_MS);

    /** Settings of nodes on their own database. */
    async function newRecord(): Promise<
      (key: string | undefined, nodes?: "one" | "several") => Record<string, string>
    > {
      const { RECOLLECT_SECRET_KEY: _unused, ...settings } = cluster.settings;
      const DATABASE_URL = await cluster.postgres.createDatabase();
      return (key, nodes = "several") => ({
        ...settings,
        DATABASE_URL,
        RECOLLECT_NODES: nodes,
        ...(key !== undefined && { RECOLLECT_SECRET_KEY: key }),
      });
    }

    const whileServing = async <T>(
      folder: string,
      settings: Record<string, string>,
      work: (node: ServeProcess) => Promise<T>,
    ): Promise<T> => {
      const node = await startServe(folder, settings);
      try {
        return await work(node);
      } finally {
        await node.stop();
      }
    };

    async function ask({ url }: ServeProcess, method: string, body?: object): Promise<Record<string, unknown>> {
      const answer = await fetch(`${url}/v3/settings`, {
        method,
        headers: { authorization: `Bearer ${CLUSTER_KEY}`, "content-type": "application/json" },
        ...(body && { body: JSON.stringify(body) }),
      });
      expect(answer.status).toBe(200);
      return (await answer.json()) as Record<string, unknown>;
    }
    const sealSomething = (node: ServeProcess) => ask(node, "PATCH", { notionClientSecret: "a-secret-of-an-app-1234" });
    /** A secret is shown by its last characters if it can be opened. */
    const secretAt = async (node: ServeProcess) => (await ask(node, "GET"))["notionClientSecret"];

    const expectRefused = (settings: Record<string, string>): Promise<void> =>
      withDataDirectory((folder) => expect(startServe(folder, settings)).rejects.toThrow(REFUSAL));
    const serveIn = <T>(settings: Record<string, string>, work: (node: ServeProcess, folder: string) => Promise<T>) =>
      withDataDirectory((folder) => whileServing(folder, settings, (node) => work(node, folder)));

    test(
      "a different key is refused beside and after other nodes, even before anything is encrypted",
      async () => {
        const withKey = await newRecord();
        await serveIn(withKey(FIRST), async () => {
          await serveIn(withKey(FIRST), () => Promise.resolve());
          await expectRefused(withKey(SECOND));
        });
        await expectRefused(withKey(SECOND));
        await serveIn(withKey(FIRST), () => Promise.resolve());
      },
      WITHIN_MS,
    );

    test(
      "a record of an earlier version, without a key proof, accepts only the key that opens its secrets",
      async () => {
        const withKey = await newRecord();
        await serveIn(withKey(FIRST), sealSomething);
        const client = new pg.Client(withKey(FIRST)["DATABASE_URL"]);
        await client.connect();
        const { rowCount } = await client.query("delete from meta where key = 'secret_key_proof'");
        await client.end();
        expect(rowCount).toBe(1);
        await expectRefused(withKey(SECOND));
        await serveIn(withKey(FIRST), async (node) => expect(await secretAt(node)).toMatch(/1234$/));
      },
      WITHIN_MS,
    );

    test(
      "a single service becomes nodes with the key it generated, and with no other",
      async () => {
        const withKey = await newRecord();
        const own = await serveIn(withKey(undefined, "one"), async (node, folder) => {
          await sealSomething(node);
          return (await readFile(join(folder, "secret.key"), "utf8")).trim();
        });
        await expectRefused(withKey(FIRST));
        await serveIn(withKey(own), async (node) => expect(await secretAt(node)).toMatch(/1234$/));
      },
      WITHIN_MS,
    );

    test(
      "a node with the former key in its file can change the key",
      async () => {
        const withKey = await newRecord();
        await serveIn(withKey(FIRST), sealSomething);
        await withDataDirectory(async (folder) => {
          await writeFile(join(folder, "secret.key"), `${FIRST}\n`);
          await whileServing(folder, withKey(SECOND), () =>
            serveIn(withKey(SECOND), async (node) => expect(await secretAt(node)).toMatch(/1234$/)),
          );
        });
        await expectRefused(withKey(FIRST));
      },
      WITHIN_MS,
    );

    test(
      "a lost key locks nobody out: a single service sets a new one for all",
      async () => {
        const withKey = await newRecord();
        await serveIn(withKey(FIRST), sealSomething);
        await expectRefused(withKey(SECOND));
        await serveIn(withKey(SECOND, "one"), () => Promise.resolve());
        await serveIn(withKey(SECOND), async (node) => {
          expect(await secretAt(node)).toBeNull();
          await sealSomething(node);
          expect(await secretAt(node)).toMatch(/1234$/);
        });
        await expectRefused(withKey(FIRST));
      },
      WITHIN_MS,
    );
  });
