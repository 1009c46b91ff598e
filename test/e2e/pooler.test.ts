import pg from "pg";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { beginSession, preparedName } from "../../src/adapters/store/postgres/prepared.js";
import { hasPooler, type Pooler, POOL_SIZE, startPooler } from "../support/pooler.js";
import { findPostgres, type PostgresServer, startPostgres } from "../support/postgres.js";
import { runProgram, type ServeProcess, startServe, waitFor, withDataDirectory } from "../support/recollect-process.js";

const KEY = "sm_tests_0123456789abcdefghijklmn";
const programs = findPostgres();

if (programs === undefined || !hasPooler())
  describe("a transaction-mode connection pooler", () =>
    test.skip("left out: PostgreSQL and PgBouncer are not both installed on this machine", () => undefined));
else
  describe("a transaction-mode connection pooler", () => {
    let server: PostgresServer;
    let pooler: Pooler;
    let running: ServeProcess[] = [];

    beforeAll(async () => {
      server = await startPostgres(programs);
      pooler = await startPooler(await server.createDatabase());
    }, 60_000);
    afterAll(async () => {
      await pooler.stop();
      await server.stop();
    }, 60_000);

    /** Each service has its own data folder; all are stopped afterwards. */
    async function withServices(
      more: Record<string, string>,
      work: (serve: () => Promise<ServeProcess>) => Promise<void>,
    ): Promise<void> {
      const settings = { DATABASE_URL: pooler.through(await server.createDatabase()), RECOLLECT_API_KEY: KEY, ...more };
      await withDataDirectory(async (folder) => {
        try {
          await work(async () => {
            const service = await startServe(`${folder}/${running.length}`, settings);
            running.push(service);
            return service;
          });
        } finally {
          for (const service of running) await service.stop();
          running = [];
        }
      });
    }

    const call = (url: string, path: string, body: unknown): Promise<Response> =>
      fetch(`${url}${path}`, {
        method: "POST",
        headers: { authorization: `Bearer ${KEY}`, "content-type": "application/json" },
        body: JSON.stringify(body),
      });

    const remember = async (url: string, content: string): Promise<number> =>
      (await call(url, "/v4/memories", { containerTag: "house", memories: [{ content }] })).status;

    const find = async (url: string, q: string): Promise<string> =>
      (await call(url, "/v4/search", { q, containerTag: "house" })).text();

    test("is detected, so that no statement is prepared on its connections", async () => {
      const client = new pg.Client(pooler.through(await server.createDatabase()));
      await client.connect();
      try {
        await beginSession(client, "select 1");
        const names = Array.from({ length: 10 }, () => preparedName(client, "select 2"));
        expect(names).not.toContainEqual(expect.any(String));
      } finally {
        await client.end();
      }
    });

    test("keeps a second service out, and admits it after the first was killed", () =>
      withServices({}, async (serve) => {
        const first = await serve();
        const statuses = await Promise.all(
          Array.from({ length: 20 }, (_, index) =>
            remember(first.url, `The key of shed ${index} hangs on hook ${index}.`),
          ),
        );
        expect(new Set(statuses)).toEqual(new Set([201]));
        await expect(serve()).rejects.toThrow("is in use by another service");
        expect(await find(first.url, "Where does the key of shed 7 hang?")).toContain("hook 7");
        await first.stop("SIGKILL");
        const second = await waitFor(() => serve().catch(() => null), "the database to be free", 30);
        expect(await find(second.url, "Where does the key of shed 7 hang?")).toContain("hook 7");
      }));

    test("serves several nodes, each of which immediately finds what another has stored", () =>
      withServices(
        {
          RECOLLECT_NODES: "several",
          RECOLLECT_VECTORS: "exact",
          RECOLLECT_SECRET_KEY: "0123456789abcdef0123456789abcdef",
          RECOLLECT_BLOBS: "s3://files",
          AWS_ACCESS_KEY_ID: "given",
          AWS_SECRET_ACCESS_KEY: "given",
          AWS_REGION: "us-east-1",
        },
        async (serve) => {
          const [one, other] = [await serve(), await serve()] as const;
          for (let shed = 0; shed < 10; shed += 1) {
            expect(await remember(one.url, `The door of barn ${shed} is painted in colour ${shed}.`)).toBe(201);
            expect(await find(other.url, `Which colour has the door of barn ${shed}?`)).toContain(`colour ${shed}`);
          }
        },
      ));

    test("a move beside a service leaves the durability settings of its connections unchanged", () =>
      withDataDirectory(async (folder) => {
        const database = pooler.through(await server.createDatabase());
        const service = await startServe(folder, { RECOLLECT_API_KEY: KEY, DATABASE_URL: database });
        expect(await remember(service.url, "The key of the shed hangs on the hook.")).toBe(201);
        const move = ["move", "--to", "folder", "--no-wait"];
        const impatient = await runProgram(folder, move, { DATABASE_URL: database });
        expect(impatient).toMatchObject({ code: 1, stderr: expect.stringMatching(/a service answers at/) });
        await service.stop();
        expect(await surenessOfAll(database)).toEqual(new Set(["on"]));
      }));
  });

/** As reported by all connections of the pool. */
async function surenessOfAll(database: string): Promise<Set<string | undefined>> {
  const clients = Array.from({ length: POOL_SIZE }, () => new pg.Client(database));
  const found = new Set<string | undefined>();
  try {
    for (const client of clients) {
      await client.connect();
      // Keeps the transaction open, so that the next client gets another connection.
      await client.query("begin");
      const { rows } = await client.query<{ synchronous_commit: string }>("show synchronous_commit");
      found.add(rows[0]?.synchronous_commit);
    }
    return found;
  } finally {
    for (const client of clients) await client.end();
  }
}
