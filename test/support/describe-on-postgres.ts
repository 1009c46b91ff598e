import { afterAll, beforeAll, describe, test } from "vitest";
import { findPostgres, type PostgresServer, startPostgres } from "./postgres.js";

/** Time to start a server, to stop it, and for a test that opens stores on it. */
const WITHIN_MS = 60_000;

/** Tests with a PostgreSQL server of their own; where PostgreSQL is not installed, one skipped test says so. */
export function describeOnPostgres(title: string, tests: (server: PostgresServer) => void): void {
  const programs = findPostgres();
  if (programs === undefined) {
    describe(title, () => test.skip("left out: PostgreSQL is not installed on this machine", () => undefined));
    return;
  }
  describe(title, { timeout: WITHIN_MS }, () => {
    let started: PostgresServer;
    beforeAll(async () => {
      started = await startPostgres(programs);
    }, WITHIN_MS);
    afterAll(() => started.stop(), WITHIN_MS);
    tests({
      createDatabase: (template) => started.createDatabase(template),
      crash: () => started.crash(),
      stop: () => started.stop(),
    });
  });
}
