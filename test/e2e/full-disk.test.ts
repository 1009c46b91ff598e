import { mkdir } from "node:fs/promises";
import { setTimeout as sleep } from "node:timers/promises";
import { join } from "node:path";
import { afterAll, describe, expect, test } from "vitest";
import { findPostgres, startPostgres } from "../support/postgres.js";
import { kill, processesOf, runProgram, startServe, waitFor } from "../support/recollect-process.js";
import { mountSmallDisk } from "../support/small-disk.js";

const mounted = mountSmallDisk("60m");

describe.skipIf(mounted === null)("a service on a full disk", () => {
  const data = join(mounted?.path ?? "", "data");
  afterAll(() => {
    for (const pid of processesOf(data)) kill(pid, "SIGKILL");
    mounted?.remove();
  });

  async function call(url: string, path: string, body: object): Promise<{ status: number; body: string }> {
    const init = { method: "POST", headers: { "content-type": "application/json" }, body: JSON.stringify(body) };
    const response = await fetch(`${url}${path}`, init);
    return { status: response.status, body: await response.text() };
  }

  const healthOf = async (url: string): Promise<unknown> => (await fetch(`${url}/health`)).json();
  const add = (url: string, content: string) => call(url, "/v3/documents", { content, containerTag: "full" });
  const search = (url: string) => call(url, "/v4/search", { q: "lamp", containerTag: "full", searchMode: "documents" });

  test("reports it, starts after a kill, and still answers reads", async () => {
    await mkdir(data, { mode: 0o700 });
    const first = await startServe(data);
    expect((await add(first.url, "The lamp in the hall is blue.")).status).toBe(200);
    expect((await runProgram(data, ["add", "The lamp in the kitchen is red."])).code).toBe(0);
    expect(await healthOf(first.url)).not.toHaveProperty("storageFull");
    mounted?.fill();
    expect(await add(first.url, "long ".repeat(20_000))).toMatchObject({ status: 507 });
    expect(await healthOf(first.url)).toMatchObject({
      ready: true,
      storageFull: {
        lastAt: expect.stringContaining("T") as string,
        fix: expect.stringContaining("Free some space") as string,
      },
    });
    const { stdout } = await runProgram(data, ["status"]);
    expect(stdout).toMatch(/no room +for a write at .* UTC: free some space/);
    await first.stop("SIGKILL");
    mounted?.fill();

    const second = await startServe(data);
    expect(await search(second.url)).toMatchObject({ status: 200, body: expect.stringContaining("lamp") as string });
    expect(await add(second.url, "long ".repeat(20_000))).toMatchObject({ status: 507 });
    await second.stop();
  }, 60_000);
});

describe.skipIf(mounted === null)("a first start on a full disk", () => {
  const programs = findPostgres();

  /** The end of a first `serve`, in the folder `data` of a new disk. */
  async function firstStart(size: string, entries?: number, extra?: Readonly<Record<string, string>>): Promise<string> {
    const disk = mountSmallDisk(size, entries);
    if (disk === null) throw new Error("No disk could be mounted.");
    try {
      const { code, stderr } = await runProgram(join(disk.path, "data"), ["serve", "--port", "0"], extra);
      expect(code).toBe(1);
      return stderr.replaceAll(disk.path, "DISK");
    } finally {
      disk.remove();
    }
  }

  test.each([
    ["for its folder", "1m", 1, "The data folder DISK/data cannot be written: its disk is full."],
    ["for its lock", "1m", 2, "The data folder DISK/data cannot be written: its disk is full."],
    ["for its store", "1m", 3, "The store DISK/data/recollect.db cannot be created: the disk is full."],
    ["for the log of its store", "1m", 4, "The store DISK/data/recollect.db cannot grow: the disk is full"],
    ["for the index of that log", "8k", undefined, "The store DISK/data/recollect.db cannot grow: the disk is full"],
    ["for its tables", "100k", undefined, "The store DISK/data/recollect.db cannot grow: the disk is full"],
  ])("that has no room %s says which folder is full and what to do", async (_, size, entries, expected) => {
    const stderr = await firstStart(size, entries);
    expect(stderr).toContain(`error: ${expected}`);
    expect(stderr).toContain("Free some space");
    expect(stderr).not.toMatch(/permission|unexpected/);
  });

  test.skipIf(programs === undefined)(
    "with a database says the same, and does not half-name the database",
    async () => {
      const server = await startPostgres(programs!);
      const database = { DATABASE_URL: await server.createDatabase() };
      const disk = mountSmallDisk("4k");
      if (disk === null) throw new Error("No disk could be mounted.");
      const data = join(disk.path, "data");
      try {
        await mkdir(data, { mode: 0o700 });
        disk.fill();
        const full = await runProgram(data, ["add", "The lamp is blue."], database);
        expect(full.code).toBe(1);
        expect(full.stderr).toContain(`error: The data folder ${data} cannot be written: its disk is full.`);
        expect(full.stderr).toContain("Free some space");
        disk.resize("1m");
        expect((await runProgram(data, ["add", "The lamp is blue."], database)).code).toBe(0);
      } finally {
        disk.remove();
        await server.stop();
      }
    },
    60_000,
  );
});

test.skipIf(mounted === null)(
  "a command beside a service that had no room for its address says that the address is missing, and why",
  async () => {
    // Room for the folder, the lock, and the store with its log; not for `service.json`.
    const disk = mountSmallDisk("10m", 6);
    if (disk === null) throw new Error("No disk could be mounted.");
    const data = join(disk.path, "data");
    try {
      const service = await startServe(data);
      await waitFor(() => service.stderr().includes("service.json cannot be written"), "a refused address");
      const { code, stderr } = await runProgram(data, ["status"]);
      expect(code).toBe(1);
      expect(stderr).toContain(
        `owns the data folder ${data}, but does not say where it answers: service.json is missing`,
      );
      expect(stderr).toContain("free some space");
      expect(stderr).not.toContain("see service.json");
      // Several attempts later, it was said once.
      await sleep(5_000);
      expect(service.stderr().split("service.json cannot be written")).toHaveLength(2);
      await service.stop();
    } finally {
      for (const pid of processesOf(data)) kill(pid, "SIGKILL");
      disk.remove();
    }
  },
  60_000,
);
