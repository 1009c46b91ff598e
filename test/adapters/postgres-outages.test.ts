import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import pg from "pg";
import { afterAll, beforeAll, expect, test, vi } from "vitest";
import { createPostgresStore } from "../../src/adapters/store/postgres/store.js";
import { AppError } from "../../src/core/errors.js";
import type { Store } from "../../src/core/ports.js";
import { buildDocumentDraft } from "../support/builders.js";
import { ManualClock } from "../support/clock.js";
import { type FaultyLine, startFaultyLine } from "../support/faulty-line.js";
import { describeOnPostgres } from "../support/describe-on-postgres.js";

const STARTS_WITHIN_MS = 60_000;

describeOnPostgres("outages of PostgreSQL", (server) => {
  let dataDirectory: string;
  let line: FaultyLine;
  let store: Store;
  let direct: string;

  beforeAll(async () => {
    dataDirectory = await mkdtemp(join(tmpdir(), "recollect-outages-"));
    direct = await server.createDatabase();
    const url = new URL(direct);
    line = await startFaultyLine(Number(url.port));
    url.port = String(line.port);
    store = await createPostgresStore({ url: url.href, dataDirectory, clock: new ManualClock(), isShared: true });
  }, STARTS_WITHIN_MS);
  afterAll(async () => {
    await store.close();
    await line.close();
    await rm(dataDirectory, { recursive: true, force: true });
  }, STARTS_WITHIN_MS);

  const write = () => store.documents.insert(store.organizationId, buildDocumentDraft({ containerTags: ["a"] }));
  const problems = async () => (await store.health({ deep: false })).problems;
  const setting = async (statement: string): Promise<void> => {
    const client = new pg.Client(new URL("/postgres", direct).href);
    await client.connect();
    await client.query(statement).finally(() => client.end());
    // Settings of a database apply to connections that are opened afterwards.
    line.cut();
  };

  test("a database that has become read-only is reported until something was written", async () => {
    await write();
    expect(await problems()).toEqual([]);
    await setting(`alter database ${new URL(direct).pathname.slice(1)} set default_transaction_read_only = on`);
    await vi.waitFor(() => expect(write()).rejects.toThrow("is read-only"), { timeout: 10_000, interval: 100 });
    expect(await problems()).toEqual([expect.stringContaining("is read-only")]);
    await setting(`alter database ${new URL(direct).pathname.slice(1)} set default_transaction_read_only = off`);
    await vi.waitFor(() => write(), { timeout: 10_000, interval: 100 });
    expect(await problems()).toEqual([]);
  }, 60_000);

  test.each([
    [30_000, "30 seconds ahead of"],
    [-30_000, "30 seconds behind"],
  ])("a clock that differs from the database's by %i ms is reported", async (differenceMs, what) => {
    vi.useFakeTimers({ toFake: ["Date"], now: Date.now() + differenceMs });
    try {
      expect(await problems()).toEqual([
        expect.stringContaining(`The clock of this machine is ${what} the database's.`),
      ]);
    } finally {
      vi.useRealTimers();
    }
  });

  test("what others are told of an outage names neither the database nor its address", async () => {
    const crash = server.crash();
    // The server may still answer for a moment.
    const failure = await vi.waitUntil(
      () =>
        write().then(
          () => null,
          (error: unknown) => error,
        ),
      { timeout: 20_000 },
    );
    await crash;
    await vi.waitFor(() => write(), { timeout: 20_000, interval: 100 });
    const told = failure instanceof AppError ? failure.publicMessage : "";
    expect(told).toMatch(/^The database cannot be reached\. /);
    expect(told).not.toMatch(/127\.0\.0\.1|ECONN|recollect_/);
  }, 60_000);

  test("connections that are open and dead are given up once one of them does not answer", async () => {
    await write();
    line.abandon();
    await vi.waitFor(() => write(), { timeout: 30_000, interval: 100 });
    expect(await problems()).toEqual([]);
  }, 60_000);
});
