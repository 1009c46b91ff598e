import pg from "pg";
import { expect, test } from "vitest";
import { describeOnPostgres } from "../support/describe-on-postgres.js";
import { runProgram, type ServeProcess, startServe, waitFor, withDataDirectory } from "../support/recollect-process.js";

const KEY = "sm_tests_0123456789abcdefghijklmn";

describeOnPostgres("the record in PostgreSQL", (server) => {
  /** A service on a new database; all are stopped afterwards. */
  async function withService(
    work: (serve: () => Promise<ServeProcess>, settings: Record<string, string>, folder: string) => Promise<void>,
  ): Promise<void> {
    const settings = { DATABASE_URL: await server.createDatabase(), RECOLLECT_API_KEY: KEY };
    await withDataDirectory(async (folder) => {
      const started: ServeProcess[] = [];
      const serve = async () => {
        const service = await startServe(folder, settings);
        started.push(service);
        return service;
      };
      try {
        await work(serve, settings, folder);
      } finally {
        for (const service of started) await service.stop();
      }
    });
  }

  const call = (url: string, path: string, body: unknown): Promise<Response> =>
    fetch(`${url}${path}`, {
      method: "POST",
      headers: { authorization: `Bearer ${KEY}`, "content-type": "application/json" },
      body: JSON.stringify(body),
    });

  const add = async (url: string, content: string): Promise<number> =>
    (await call(url, "/v3/documents", { content, containerTag: "house" })).status;

  async function find(url: string, q: string): Promise<string> {
    const answer = await call(url, "/v4/search", { q, containerTag: "house", searchMode: "hybrid" });
    return answer.text();
  }

  test("acknowledged writes are found after a kill, even from another data folder", () =>
    withService(async (serve, settings, folder) => {
      const first = await serve();
      const { stdout } = await runProgram(folder, ["status"], settings);
      expect(stdout).toMatch(/^record +PostgreSQL, recollect_\d+ at 127\.0\.0\.1:\d+$/m);
      expect(await add(first.url, "The boiler in the cellar is a Vaillant from 2019.")).toBe(200);
      await first.stop("SIGKILL");
      await withDataDirectory(async (other) => {
        const second = await startServe(other, settings);
        try {
          await waitFor(
            async () => (await find(second.url, "Which boiler is in the cellar?")).includes("Vaillant"),
            "",
          );
        } finally {
          await second.stop();
        }
      });
    }));

  test("another name of this machine names the same database, without a warning or a refusal", () =>
    withService(async (serve, settings, folder) => {
      const first = await serve();
      expect(await add(first.url, "The boiler in the cellar is a Vaillant from 2019.")).toBe(200);
      const url = new URL(settings["DATABASE_URL"] ?? "");
      url.hostname = "localhost";
      const renamed = { ...settings, DATABASE_URL: url.href };
      const beside = await runProgram(folder, ["status"], renamed);
      expect([beside.code, beside.stderr]).toEqual([0, ""]);
      await first.stop();
      const alone = await runProgram(folder, ["search", "boiler", "--container", "house"], renamed);
      expect([alone.code, alone.stdout]).toEqual([0, expect.stringContaining("Vaillant")]);
    }));

  test("a crash of the database server loses nothing acknowledged, is reported clearly, and needs no intervention", () =>
    withService(async (serve) => {
      const { url } = await serve();
      const acknowledged: number[] = [];
      const statuses = new Set<number>();
      let isOver = false;
      const writer = (async () => {
        for (let index = 0; !isOver; index += 1) {
          const status = await add(url, `Shelf ${index} holds jar number ${index}.`);
          statuses.add(status);
          if (status === 200) acknowledged.push(index);
        }
      })();
      for (let round = 0; round < 3; round += 1) {
        const before = acknowledged.length;
        await waitFor(() => acknowledged.length > before + 10, `additions of round ${round}`, 30);
        await server.crash();
      }
      const after = acknowledged.length;
      await waitFor(() => acknowledged.length > after + 5, "additions after the last crash", 30);
      isOver = true;
      await writer;
      expect([...statuses].filter((status) => status !== 200 && status !== 503)).toEqual([]);
      const texts = await waitFor(async () => {
        const listed = await listAll(url);
        return listed.length >= acknowledged.length ? listed : undefined;
      }, "all documents");
      const kept = new Set(texts);
      expect(acknowledged).not.toEqual([]);
      expect(acknowledged.filter((index) => !kept.has(`Shelf ${index} holds jar number ${index}.`))).toEqual([]);
      expect(texts).toHaveLength(kept.size);
    }));

  async function listAll(url: string): Promise<string[]> {
    const contents: string[] = [];
    for (let page = 1; ; page += 1) {
      const answer = await call(url, "/v3/documents/list", {
        containerTags: ["house"],
        limit: 100,
        page,
        includeContent: true,
      });
      const { memories } = (await answer.json()) as { memories: { content: string }[] };
      contents.push(...memories.map(({ content }) => content));
      if (memories.length < 100) return contents;
    }
  }

  test("a second service is refused while the first one runs, with a reason", () =>
    withService(async (serve, settings) => {
      await serve();
      await withDataDirectory(async (other) => {
        await expect(startServe(other, settings)).rejects.toThrow(/in use by another service/);
      });
    }));

  test("a database that belongs to another program is left unchanged", () =>
    withService(async (serve, { DATABASE_URL = "" }) => {
      const client = new pg.Client(DATABASE_URL);
      await client.connect();
      await client.query("create table orders (id int)");
      await expect(serve()).rejects.toThrow(/tables of another program, such as orders/);
      const { rows } = await client.query(
        "select table_name from information_schema.tables where table_schema = 'public'",
      );
      expect(rows).toEqual([{ table_name: "orders" }]);
      await client.end();
    }));

  test("an unreachable server, an unknown database and an invalid address are reported without the password", () =>
    withDataDirectory(async (folder) => {
      const run = async (address: string) => {
        const { code, stderr } = await runProgram(folder, ["status"], { DATABASE_URL: address });
        expect(code).not.toBe(0);
        expect(stderr).not.toContain("hunter2");
        return stderr;
      };
      expect(await run("postgres://me:hunter2@127.0.0.1:1/none")).toMatch(/cannot be reached .*ECONNREFUSED/);
      const known = await server.createDatabase();
      const missing = Object.assign(new URL(known), { pathname: "/nosuch", password: "hunter2" }).href;
      expect(await run(missing)).toMatch(/refuses this service .*nosuch/);
      expect(await run("mysql://me:hunter2@db.example/shop")).toMatch(/DATABASE_URL must be .*postgres:/);
    }));

  test("a folder whose store is in a database starts no other one, and a folder's own store is not bypassed", () =>
    withService(async (serve, settings, folder) => {
      const service = await serve();
      expect(await add(service.url, "The spare key hangs in the shed.")).toBe(200);
      await service.stop();
      const without = await runProgram(folder, ["search", "spare key"], { DATABASE_URL: "" });
      expect(without.stderr).toMatch(/is in the database recollect_\d+ at 127\.0\.0\.1:\d+\. .*Set DATABASE_URL/);
      await withDataDirectory(async (own) => {
        await runProgram(own, ["add", "The spare key hangs in the cellar."]);
        const { code, stderr } = await runProgram(own, ["search", "spare key"], settings);
        expect(code).not.toBe(0);
        expect(stderr).toMatch(/already contains a record, recollect\.db/);
      });
    }));

  test("a command beside a running service says that another DATABASE_URL is ignored", async () => {
    const elsewhere = { DATABASE_URL: "postgres://nobody@database.invalid/other", RECOLLECT_API_KEY: KEY };
    const ignored = /DATABASE_URL is ignored: a service is running on the data folder .* its record is (.*)\. Choose/;
    await withService(async (serve, settings, folder) => {
      await serve();
      expect((await runProgram(folder, ["list"], settings)).stderr).not.toMatch(ignored);
      const { code, stderr } = await runProgram(folder, ["list"], elsewhere);
      expect([code, ignored.exec(stderr)?.[1]]).toEqual([
        0,
        expect.stringMatching(/^in the database recollect_\d+ at /),
      ]);
    });
    await withDataDirectory(async (folder) => {
      const service = await startServe(folder);
      const { code, stderr } = await runProgram(folder, ["list"], elsewhere);
      expect([code, ignored.exec(stderr)?.[1]]).toEqual([0, "in that folder"]);
      const second = await startServe(folder, elsewhere);
      expect(second.stderr()).toMatch(ignored);
      await second.stop();
      await service.stop();
    });
  });

  test("a service whose database another one has taken ends and says so", () =>
    withService(async (serve, settings) => {
      const { child, stderr } = await serve();
      const other = new pg.Client(settings["DATABASE_URL"]);
      await other.connect();
      const ended = new Promise((resolve) => child.once("exit", resolve));
      // The lock that a service holds on its database: `SERVICE_LOCK`.
      const [high, low] = [Math.floor(7_267_310_002 / 2 ** 32), 7_267_310_002 % 2 ** 32];
      await other.query(
        `select pg_terminate_backend(pid) from pg_locks where locktype = 'advisory' and classid = ${high} and objid = ${low};
           select pg_advisory_lock(7267310002)`,
      );
      expect(await ended).toBe(1);
      await other.end();
      expect(stderr()).toMatch(/another service has taken the database; this one ends/);
      expect(stderr()).not.toMatch(/data folder is lost/);
    }));

  test("backup names the tool that copies a database", () =>
    withService(async (_serve, settings, folder) => {
      const { code, stderr } = await runProgram(folder, ["backup", `${folder}-copy`], settings);
      expect(code).not.toBe(0);
      expect(stderr).toContain("pg_dump");
    }));
});
