import { existsSync, readFileSync, statSync } from "node:fs";
import { chmod, mkdir, writeFile } from "node:fs/promises";
import { createServer, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { afterAll, beforeAll, describe, expect, test, vi } from "vitest";
import { loadSqlite, type SqliteConnection } from "../../src/lib/sqlite.js";
import {
  expectNothingLeft,
  readService,
  runProgram,
  startProgram,
  startServe,
  traces,
  waitFor,
  withDataDirectory,
} from "../support/recollect-process.js";

vi.setConfig({ testTimeout: 60_000 });

/** Another program, which answers every path with a page. */
let stranger: Server;
let strangerUrl: string;
beforeAll(async () => {
  stranger = createServer((_request, response) => response.writeHead(200).end("<!doctype html>"));
  await new Promise<void>((resolve) => stranger.listen(0, "127.0.0.1", resolve));
  strangerUrl = `http://127.0.0.1:${(stranger.address() as AddressInfo).port}`;
});
afterAll(() => {
  stranger.closeAllConnections();
  stranger.close();
});

async function openStore(data: string): Promise<SqliteConnection> {
  const { DatabaseSync } = await loadSqlite();
  return new DatabaseSync(join(data, "recollect.db"));
}

describe("a start that is not possible", () => {
  /** Exits with 1 and one clear message, and leaves nothing behind. */
  async function expectRefusal(data: string, args: readonly string[], message: RegExp): Promise<void> {
    const { code, stdout, stderr } = await runProgram(data, ["serve", "--port", "0", ...args]);
    expect({ code, stdout }).toEqual({ code: 1, stdout: "" });
    const lines = stderr.split("\n").filter((line) => !line.includes("no Chroma engine"));
    expect(lines).toEqual([expect.stringMatching(message), ""]);
    await expectNothingLeft(data);
  }

  test("on a port that is in use", () =>
    withDataDirectory((data) =>
      expectRefusal(data, ["--port", new URL(strangerUrl).port], /^error: Port \d+ on 127\.0\.0\.1 is in use.*--port/),
    ));

  test("in a data folder that is a file, is below a file, or cannot be created", () =>
    withDataDirectory(async (data) => {
      const file = join(data, "file");
      await writeFile(file, "kept");
      const places = [file, join(file, "below"), ...(process.platform === "linux" ? ["/proc/recollect"] : [])];
      for (const place of places)
        await expectRefusal(data, ["--data-dir", place], /^error: The data folder .* cannot be written.*--data-dir/);
      expect(readFileSync(file, "utf8")).toBe("kept");
    }));

  test.skipIf(process.getuid?.() === 0)(
    "in a data folder without write permission (not run as root, who may write everywhere)",
    () =>
      withDataDirectory(async (data) => {
        const folder = join(data, "locked");
        await mkdir(folder);
        await chmod(folder, 0o500);
        await expectRefusal(data, ["--data-dir", folder], /^error: The data folder .* cannot be written \(EACCES\)/);
      }),
  );

  test("on a store that is damaged, newer, or locked by another program, which stays unchanged", () =>
    withDataDirectory(async (data) => {
      const file = join(data, "recollect.db");
      await writeFile(file, "this was a database once ".repeat(1_000));
      await expectRefusal(data, [], /^error: .*recollect\.db.*Nothing was written/);
      expect(readFileSync(file, "utf8")).toBe("this was a database once ".repeat(1_000));

      await withDataDirectory(async (other) => {
        await runProgram(other, ["add", "Lena knits."]);
        const store = await openStore(other);
        store.exec("begin exclusive");
        await expectRefusal(other, [], /^error: The store .* is locked by another program/);
        store.exec("rollback");
        store.exec("pragma user_version = 999");
        store.close();
        const before = readFileSync(join(other, "recollect.db"));
        await expectRefusal(other, [], /^error: The store .* written by a newer version/);
        expect(readFileSync(join(other, "recollect.db")).equals(before)).toBe(true);
      });
    }));

  test("beside a lock file that is not one", () =>
    withDataDirectory(async (data) => {
      await writeFile(join(data, "owner.lock"), "not made by SQLite ".repeat(100));
      const { code, stderr } = await runProgram(data, ["serve", "--port", "0"]);
      expect({ code, stderr }).toEqual({
        code: 1,
        stderr: expect.stringMatching(/owner\.lock cannot be locked.*remove/),
      });
    }));

  test.each(["serve", "mcp"])("%s with an invalid setting exits with 2 and names the setting", (command) =>
    withDataDirectory(async (data) => {
      const wrong = { CHROMA_TOKEN: "token", RECOLLECT_THRESHOLD: "7" };
      // A client that closes its input is not waited for, and gets no message.
      const { code, stdout, stderr } = await startProgram(data, [command], wrong, "open").ended;
      expect({ code, stdout }).toEqual({ code: 2, stdout: "" });
      expect(stderr).toContain("RECOLLECT_THRESHOLD must be a number from 0 to 1");
      expect(stderr).toContain("CHROMA_TOKEN is set, but CHROMA_URL is not");
      await expectNothingLeft(data);
    }),
  );
});

describe("the address in service.json", () => {
  test("is readable by this user only, and exists exactly while the service answers", () =>
    withDataDirectory(async (data) => {
      const service = await startServe(data);
      const address = await waitFor(() => readService(data), "service.json");
      expect(address).toMatchObject({ url: service.url, pid: service.child.pid });
      expect(statSync(join(data, "service.json")).mode & 0o777).toBe(0o600);
      expect(traces(data)).toEqual(["owner.lock", "service.json"]);

      // Another process that watches its owner.
      const headers = { "x-recollect-owner": address.token };
      const watching = await fetch(`${service.url}/internal/watch`, { headers });
      const stopped = service.stop();
      let hasStopped = false;
      void stopped.then(() => (hasStopped = true));
      const lies: string[] = [];
      while (!hasStopped) {
        const isAnswered = await fetch(`${service.url}/health`).then(
          (response) => response.ok,
          () => false,
        );
        if (!isAnswered && readService(data)) lies.push("service.json is there, and nobody answers");
      }
      expect(lies).toEqual([]);
      expect(await watching.text()).toBe("owner\n");
      await expectNothingLeft(data);
    }));

  test.each([
    ["points to another program", () => JSON.stringify({ url: strangerUrl, pid: 1, version: "0.0.0", token: "t" })],
    ["points nowhere", () => JSON.stringify({ url: "http://127.0.0.1:9", pid: 1, version: "0.0.0", token: "t" })],
    ["is incomplete", () => '{"url": "http://127'],
  ])("that %s, left by a killed process, is replaced", (_what, content) =>
    withDataDirectory(async (data) => {
      await writeFile(join(data, "service.json"), content(), { mode: 0o644 });
      await writeFile(join(data, "service.json.new"), '{"url"', { mode: 0o644 });
      await writeFile(join(data, "owner.lock"), "");
      const service = await startServe(data);
      expect(readService(data)?.pid).toBe(service.child.pid);
      expect(statSync(join(data, "service.json")).mode & 0o777).toBe(0o600);
      await service.stop();
      await expectNothingLeft(data);
    }),
  );

  test("tells a second service for the folder on the same port that the first is running", () =>
    withDataDirectory(async (data) => {
      const service = await startServe(data);
      try {
        const { port } = new URL(service.url);
        const second = await runProgram(data, ["serve", "--port", port]);
        expect(second).toMatchObject({
          code: 1,
          stderr: expect.stringContaining(`Recollect already serves the data folder ${data} at ${service.url}.`),
        });
      } finally {
        await service.stop();
      }
    }));

  test("is removed when the start fails", () =>
    withDataDirectory(async (data) => {
      await writeFile(
        join(data, "service.json"),
        JSON.stringify({ url: strangerUrl, pid: 1, version: "0", token: "t" }),
      );
      await writeFile(join(data, "recollect.db"), "this was a database once ".repeat(1_000));
      expect(await runProgram(data, ["serve", "--port", "0"])).toMatchObject({ code: 1 });
      expect(traces(data)).toEqual([]);
    }));

  test("beside an empty store proves that there was an earlier one, and no start removes it", () =>
    withDataDirectory(async (data) => {
      await writeFile(
        join(data, "service.json"),
        JSON.stringify({ url: "http://127.0.0.1:9", pid: 1, version: "0", token: "t" }),
      );
      await writeFile(join(data, "recollect.db"), "");
      for (const _start of ["first", "second"])
        expect(await runProgram(data, ["add", "I own a boat."])).toMatchObject({
          code: 1,
          stderr: expect.stringContaining("it is empty, but beside it is service.json: a service was here before"),
        });
      expect(statSync(join(data, "recollect.db")).size).toBe(0);
    }));
});

describe("a signal", () => {
  test.each(["SIGINT", "SIGTERM", "SIGHUP"] as const)("%s shuts the service down cleanly", (signal) =>
    withDataDirectory(async (data) => {
      const service = startProgram(data, ["serve", "--port", "0"]);
      await waitFor(() => service.printed().includes("is running"), "the announcement");
      const { code, stdout, stderr } = await service.signal(signal);
      expect({ code, stdout }).toEqual({ code: 0, stdout: "" });
      expect(stderr).not.toMatch(/ERROR|error:|\n\s+at /);
      await expectNothingLeft(data);
    }),
  );

  test.each(["serve", "status"])("at any moment during the start of %s leaves nothing behind", (command) =>
    withDataDirectory(async (data) => {
      for (const file of ["owner.lock", "recollect.db", "service.json"]) {
        const starting = startProgram(data, [command, ...(command === "serve" ? ["--port", "0"] : [])]);
        await waitFor(() => existsSync(join(data, file)) || starting.child.exitCode !== null, file);
        await starting.signal("SIGTERM");
        await expectNothingLeft(data);
      }
    }),
  );

  test("at any moment during a start beside another owner ends that start only", () =>
    withDataDirectory(async (data) => {
      const owner = await startServe(data);
      for (const command of ["serve", "status"])
        for (const delay of [100, 250, 450]) {
          const starting = startProgram(data, [command, ...(command === "serve" ? ["--port", "0"] : [])]);
          await sleep(delay);
          await starting.signal("SIGTERM");
        }
      expect((await fetch(`${owner.url}/health`)).status).toBe(200);
      expect(readService(data)?.pid).toBe(owner.child.pid);
      await owner.stop();
      await expectNothingLeft(data);
    }));
});

describe("the key", () => {
  test("set in RECOLLECT_API_KEY works in either header, and names the organisation", () =>
    withDataDirectory(async (data) => {
      const key = "sm_acme42_0123456789abcdefghij";
      const settings = { RECOLLECT_API_KEY: key };
      for (const start of ["first", "second"]) {
        const service = await startServe(data, settings);
        for (const headers of [{ authorization: `Bearer ${key}` }, { "x-api-key": key }]) {
          const session = await fetch(`${service.url}/v3/session`, {
            headers: { ...headers, origin: "https://a.example" },
          });
          expect(`${start} ${session.status}`).toBe(`${start} 200`);
          expect(JSON.stringify(await session.json())).toContain('"acme42"');
        }
        const wrong = await fetch(`${service.url}/v3/session`, { headers: { "x-api-key": `${key}x` } });
        expect(wrong.status).toBe(401);
        await service.stop();
      }
      await expectNothingLeft(data);
    }));
});

describe("five simultaneous runs of `recollect add`", () => {
  const sentences = Array.from({ length: 5 }, (_, number) => `The boat number ${number} is called Boat${number}a.`);

  async function addAll(data: string): Promise<void> {
    const outcomes = await Promise.all(sentences.map((text) => runProgram(data, ["add", "--json", text])));
    expect(outcomes.map(({ code, stderr }) => ({ code, stderr }))).toEqual(
      outcomes.map(() => ({ code: 0, stderr: "" })),
    );
    const ids = outcomes.map(({ stdout }) => (JSON.parse(stdout) as { id: string }).id);
    expect(new Set(ids).size).toBe(5);
  }

  async function expectAll(data: string): Promise<void> {
    const status = await runProgram(data, ["status", "--json"]);
    expect(JSON.parse(status.stdout)).toMatchObject({ store: { documents: 5 } });
  }

  test("on a new folder store everything", () =>
    withDataDirectory(async (data) => {
      await addAll(data);
      await expectAll(data);
      await expectNothingLeft(data);
    }));

  test("beside a running service store everything", () =>
    withDataDirectory(async (data) => {
      const service = await startServe(data);
      await addAll(data);
      await expectAll(data);
      expect(readService(data)?.pid).toBe(service.child.pid);
      await service.stop();
      await expectNothingLeft(data);
    }));
});
