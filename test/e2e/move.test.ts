import { readdir, readFile } from "node:fs/promises";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { findPostgres, type PostgresServer, startPostgres } from "../support/postgres.js";
import { rowsOfDatabase, rowsOfStore, withDatabase } from "../support/record-rows.js";
import {
  type Outcome,
  runProgram,
  type ServeProcess,
  startProgram,
  startServe,
  waitFor,
  withDataDirectory,
} from "../support/recollect-process.js";

const KEY = "sm_tests_0123456789abcdefghijklmn";
const PASSWORD = "hunter2-of-the-database";
const programs = findPostgres();
const STARTS_WITHIN_MS = 60_000;
const TIMEOUT_MS = 180_000;
/** A move prints one line per table. */
const LINES_BETWEEN_KILLS = 5;

if (programs === undefined)
  describe("recollect move", () => test.skip("left out: PostgreSQL is not installed on this machine", () => undefined));
else
  describe("recollect move", () => {
    let server: PostgresServer;

    beforeAll(async () => {
      server = await startPostgres(programs);
    }, STARTS_WITHIN_MS);
    afterAll(() => server.stop(), STARTS_WITHIN_MS);

    /** The address of an empty database, with a password that the server does not ask for. */
    async function newDatabase(): Promise<string> {
      const url = new URL(await server.createDatabase());
      url.password = PASSWORD;
      return url.href;
    }

    const settings = { RECOLLECT_API_KEY: KEY };
    const post = (url: string, path: string, body: unknown): Promise<Response> =>
      fetch(`${url}${path}`, {
        method: "POST",
        headers: { authorization: `Bearer ${KEY}`, "content-type": "application/json" },
        body: JSON.stringify(body),
      });

    async function withService<T>(
      folder: string,
      more: Record<string, string>,
      work: (service: ServeProcess) => Promise<T>,
    ): Promise<T> {
      const service = await startServe(folder, { ...settings, ...more });
      try {
        return await work(service);
      } finally {
        await service.stop();
      }
    }

    /** Texts, an uploaded file and a key, written by a service that then exits. */
    async function fill(folder: string, documents: number): Promise<void> {
      await withService(folder, {}, async ({ url }) => {
        for (let at = 0; at < documents; at += 1)
          await post(url, "/v3/documents", {
            content: `Shelf ${at} holds jar number ${at}. Person${at} lives in Porto.`,
            containerTag: "house",
            customId: `shelf-${at}`,
          });
        const form = new FormData();
        form.append("file", new File(["The tower has ninety steps."], "tower.txt", { type: "text/plain" }));
        form.append("containerTags", "house");
        const answer = await fetch(`${url}/v3/documents/file`, {
          method: "POST",
          body: form,
          headers: { authorization: `Bearer ${KEY}`, prefer: "wait=20" },
        });
        expect(answer.ok).toBe(true);
      });
    }

    async function contents(url: string): Promise<Set<string>> {
      const found = new Set<string>();
      for (let page = 1; ; page += 1) {
        const query = { containerTags: ["house"], limit: 100, page, includeContent: true };
        const answer = await post(url, "/v3/documents/list", query);
        const { memories } = (await answer.json()) as { memories: { content: string }[] };
        for (const { content } of memories) found.add(content);
        if (memories.length < 100) return found;
      }
    }

    async function answersOf(url: string): Promise<string[]> {
      const texts: string[] = [];
      for (const q of ["How many steps has the tower?", "jar number 7", "Who lives in Porto?"]) {
        const answer = await post(url, "/v4/search", { q, containerTag: "house", searchMode: "hybrid" });
        const { results } = (await answer.json()) as { results: { id: string }[] };
        texts.push(results.map(({ id }) => id).join());
      }
      return texts;
    }

    function expectSecret({ stdout, stderr }: Outcome): void {
      expect(stdout + stderr).not.toContain(PASSWORD);
    }

    test(
      "moving there and back keeps searches and lists the same, and no output contains the password",
      () =>
        withDataDirectory(async (folder) => {
          await fill(folder, 20);
          const before = await withService(folder, {}, async ({ url }) => ({
            answers: await answersOf(url),
            texts: await contents(url),
          }));
          const database = await newDatabase();
          const there = await runProgram(folder, ["move", "--to", database]);
          expectSecret(there);
          expect(there).toMatchObject({ code: 0, stdout: expect.stringMatching(/every table has the same rows/) });
          expect(there.stdout).toContain(`DATABASE_URL=${database.replace(`:${PASSWORD}`, "")}`);
          await withService(folder, { DATABASE_URL: database }, async ({ url }) => {
            expect(await answersOf(url)).toEqual(before.answers);
            expect(await contents(url)).toEqual(before.texts);
            expect((await post(url, "/v3/documents", { content: "Added there.", containerTag: "house" })).ok).toBe(
              true,
            );
          });
          const unset = await runProgram(folder, ["status"]);
          expect(unset).toMatchObject({ code: 1, stderr: expect.stringMatching(/Set DATABASE_URL/) });
          const back = await runProgram(folder, ["move", "--to", "folder", "--json"], { DATABASE_URL: database });
          expectSecret(back);
          expect(JSON.parse(back.stdout)).toMatchObject({
            wasMoved: false,
            setAside: null,
            to: join(folder, "recollect.db"),
          });
          await withService(folder, {}, async ({ url }) =>
            expect(await contents(url)).toEqual(new Set([...before.texts, "Added there."])),
          );
          const former = await withDataDirectory((other) => runProgram(other, ["status"], { DATABASE_URL: database }));
          expectSecret(former);
          expect(former).toMatchObject({ code: 1, stderr: expect.stringMatching(/was moved to the data folder/) });
        }),
      TIMEOUT_MS,
    );

    /** A database whose user needs a password, as an address without it. */
    async function guardedDatabase(): Promise<string> {
      const url = await server.createDatabase();
      await withDatabase(url, async (client) => {
        const { rows } = await client.query<{ hba_file: string }>("show hba_file");
        const rules = ["host all guarded 127.0.0.1/32 scram-sha-256", "host all all 127.0.0.1/32 trust"];
        await client.query(`create role guarded login superuser password '${PASSWORD}'`);
        await client.query(`copy (values ${rules.map((rule) => `('${rule}')`).join(", ")}) to '${rows[0]?.hba_file}'`);
        await client.query("select pg_reload_conf()");
      });
      return Object.assign(new URL(url), { username: "guarded" }).href;
    }

    test(
      "reads the password from PGPASSWORD alone, and says so when it is missing or wrong",
      () =>
        withDataDirectory(async (folder) => {
          await fill(folder, 1);
          const database = await guardedDatabase();
          const move = ["move", "--to", database];
          const missing = await runProgram(folder, move);
          expect(missing).toMatchObject({ code: 1, stderr: expect.stringMatching(/asks for a password.* PGPASSWORD/) });
          const wrong = await runProgram(folder, move, { PGPASSWORD: "another-word" });
          expect(wrong).toMatchObject({ code: 1, stderr: expect.stringMatching(/refuses this service/) });
          expect(wrong.stderr).not.toContain("another-word");
          const there = await runProgram(folder, move, { PGPASSWORD: PASSWORD });
          expectSecret(there);
          expect(there).toMatchObject({ code: 0, stdout: expect.stringContaining(`DATABASE_URL=${database},`) });
          expect(await readFile(join(folder, "database.txt"), "utf8")).not.toContain(PASSWORD);
          const settled = { DATABASE_URL: database, PGPASSWORD: PASSWORD };
          await withService(folder, settled, async ({ url }) => expect(await contents(url)).toHaveProperty("size", 2));
          const back = await runProgram(folder, ["move", "--to", "folder"], settled);
          expectSecret(back);
          expect(back).toMatchObject({ code: 0 });
        }),
      TIMEOUT_MS,
    );

    test(
      "a move beside a writing service loses nothing, and continues once the service is stopped",
      () =>
        withDataDirectory(async (folder) => {
          await fill(folder, 20);
          const database = await newDatabase();
          const service = await startServe(folder, settings);
          const acknowledged: string[] = [];
          let isOver = false;
          const writing = (async () => {
            for (let at = 0; !isOver; at += 1) {
              const content = `Ship ${at} passed the lighthouse.`;
              const answer = await post(service.url, "/v3/documents", { content, containerTag: "house" }).catch(
                () => null,
              );
              if (answer?.ok) acknowledged.push(content);
            }
          })();
          const impatient = await runProgram(folder, ["move", "--no-wait", "--to", database]);
          expectSecret(impatient);
          expect(impatient).toMatchObject({
            code: 1,
            stderr: expect.stringMatching(/a service answers at .* Stop it/),
          });
          const move = startProgram(folder, ["move", "--to", database]);
          await waitFor(() => move.printed().includes("waiting for the service"), "the first pass", 60);
          const during = acknowledged.length;
          await waitFor(() => acknowledged.length > during + 20, "writes while it waits", 30);
          await service.stop();
          isOver = true;
          await writing;
          const outcome = await move.ended;
          expectSecret(outcome);
          expect(outcome).toMatchObject({ code: 0 });
          const texts = await withService(folder, { DATABASE_URL: database }, ({ url }) => contents(url));
          expect(acknowledged).not.toEqual([]);
          expect(acknowledged.filter((text) => !texts.has(text))).toEqual([]);
        }),
      TIMEOUT_MS,
    );

    test(
      "an address without a database is refused, and the end of a move names what several nodes need",
      () =>
        withDataDirectory(async (folder) => {
          await withService(folder, {}, () => Promise.resolve());
          const database = await newDatabase();
          for (const name of ["%2", "notes%E0%A4"]) {
            const address = `postgres://ada:${PASSWORD}@db.example/${name}`;
            const stray = await runProgram(folder, ["move", "--to", address]);
            expectSecret(stray);
            expect(stray).toMatchObject({
              code: 2,
              stderr: expect.stringMatching(/--to contains a percent sign.*%25/),
            });
            const setting = await runProgram(folder, ["status"], { DATABASE_URL: address });
            expectSecret(setting);
            expect(setting).toMatchObject({ code: 2, stderr: expect.stringMatching(/^error: DATABASE_URL .*%25/) });
          }
          const refused = await runProgram(folder, ["move", "--to", new URL("/", database).href]);
          expect(refused).toMatchObject({
            code: 2,
            stderr: expect.stringMatching(/names no database.*Create a database/),
          });
          const there = await runProgram(folder, ["move", "--to", database]);
          expect(there.stdout).toMatch(/^To use it: set DATABASE_URL=.* RECOLLECT_NODES=several/m);
          const back = await runProgram(folder, ["move", "--to", "folder"], { DATABASE_URL: database });
          expect(back.stdout).toMatch(/^To use it: unset DATABASE_URL, and RECOLLECT_NODES if it is set/m);
        }),
      TIMEOUT_MS,
    );

    test(
      "after a kill at any moment in either direction, one store is valid and the same command completes",
      () =>
        withDataDirectory(async (folder) => {
          await fill(folder, 60);
          const database = await newDatabase();
          const file = join(folder, "recollect.db");
          const before = await rowsOfStore(file);
          const total = await killedOften(folder, ["move", "--to", database], {}, async () => {
            if ((await readdir(folder)).includes("recollect.db")) expect(await rowsOfStore(file)).toEqual(before);
          });
          expect(total).toBeGreaterThan(2);
          expect(await rowsOfDatabase(database)).toEqual(before);
          const back = ["move", "--to", "folder"];
          await killedOften(folder, back, { DATABASE_URL: database }, async () => {
            expect(await rowsOfDatabase(database)).toEqual(before);
          });
          expect(await rowsOfStore(file)).toEqual(before);
          expect(await withService(folder, {}, ({ url }) => contents(url))).toHaveProperty("size", 61);
        }),
      TIMEOUT_MS,
    );

    /** Kills the command later each time, by its progress output, until it completes. @returns the number of kills */
    async function killedOften(
      folder: string,
      args: readonly string[],
      extra: Record<string, string>,
      look: () => Promise<void>,
    ): Promise<number> {
      for (let kills = 0; ; kills += 1) {
        const run = startProgram(folder, args, extra);
        let isEnded = false;
        void run.ended.then(() => (isEnded = true));
        const hasSaid = (): number => run.printed().split("\n").length - 1;
        await waitFor(() => isEnded || hasSaid() > kills * LINES_BETWEEN_KILLS, "the moment of the kill", 60);
        const outcome = isEnded ? await run.ended : await run.signal("SIGKILL");
        expectSecret(outcome);
        if (outcome.signal === null) {
          expect(outcome).toMatchObject({ code: 0 });
          return kills;
        }
        await look();
      }
    }
  });
