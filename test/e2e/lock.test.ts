import { type ChildProcess, spawn } from "node:child_process";
import { rmSync } from "node:fs";
import { join, resolve } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { pathToFileURL } from "node:url";
import { expect, test } from "vitest";
import { expectNothingLeft, readService, startMcp, waitFor, withDataDirectory } from "../support/recollect-process.js";

const LOCK = pathToFileURL(resolve(import.meta.dirname, "../../dist/adapters/owner/lock.js")).href;

/**
 * Takes and releases the lock for ever. While it holds the lock, `holder` contains its process id. A process that finds
 * another id there must see that process end without touching the file again: it was killed while it held the lock.
 */
const CONTENDER = `
  import { readFileSync, writeFileSync } from "node:fs";
  import { setTimeout as sleep } from "node:timers/promises";
  import { tryLock } from ${JSON.stringify(LOCK)};
  const [folder] = process.argv.slice(1);
  const holder = folder + "/holder";
  const read = (file) => { try { return readFileSync(file, "utf8"); } catch { return ""; } };
  const isAlive = (pid) => { const stat = read("/proc/" + pid + "/stat"); return stat !== "" && !/\\) [ZX] /.test(stat); };
  for (;;) {
    const lock = await tryLock(folder);
    if (!lock) { await sleep(Math.random() * 2); continue; }
    const before = read(holder);
    for (let waits = 0; before !== "" && isAlive(before); waits++) {
      if (waits > 500 || read(holder) !== before) { console.log("two owners: " + before + " and " + process.pid); break; }
      await sleep(10);
    }
    writeFileSync(holder, String(process.pid));
    await sleep(Math.random() * 2);
    if (read(holder) !== String(process.pid)) console.log("two owners: " + read(holder) + " and " + process.pid);
    writeFileSync(holder, "");
    lock.release();
    console.log("released");
  }`;

test("never two of many processes hold the lock while they take it, release it, stop, resume and are killed", async () => {
  await withDataDirectory(async (dataDirectory) => {
    const contenders = new Set<ChildProcess>();
    const said: string[] = [];
    const errors: string[] = [];
    const start = (): void => {
      const child = spawn(process.execPath, ["--input-type=module", "--eval", CONTENDER, dataDirectory]);
      child.stdout.setEncoding("utf8").on("data", (text: string) => said.push(...text.trim().split("\n")));
      child.stderr.setEncoding("utf8").on("data", (text: string) => errors.push(text));
      contenders.add(child);
    };
    const replace = (child: ChildProcess): void => {
      child.kill("SIGKILL");
      contenders.delete(child);
      start();
    };
    for (let count = 0; count < 6; count++) start();
    try {
      for (let round = 1; round <= 16; round++) {
        await waitFor(() => said.length > round * 60, `round ${round}`, 60);
        const [oldest, second] = contenders;
        if (oldest) replace(oldest);
        // Stopped at any point, mostly between two steps of taking or releasing.
        second?.kill("SIGSTOP");
        await sleep(20);
        second?.kill("SIGCONT");
      }
    } finally {
      for (const child of contenders) child.kill("SIGKILL");
    }
    expect(errors).toEqual([]);
    expect(said).not.toEqual([]);
    expect(said.filter((line) => line !== "released")).toEqual([]);
  });
}, 120_000);

test("removing the lock file of a running owner does not create a second owner", async () => {
  await withDataDirectory(async (dataDirectory) => {
    const first = await startMcp(dataDirectory);
    await first.client.callTool({ name: "add-memory", arguments: { content: "Ines paints walls.", wait: 30 } });
    const owner = await waitFor(() => readService(dataDirectory), "an owner");
    rmSync(join(dataDirectory, "owner.lock"));

    const second = await startMcp(dataDirectory);
    const found = await second.client.callTool({ name: "search", arguments: { query: "Who paints?" } });
    expect(JSON.stringify(found.content)).toContain("Ines paints walls.");
    expect(readService(dataDirectory)).toEqual(owner);

    await first.close();
    const added = await second.client.callTool({ name: "add-memory", arguments: { content: "Ines also plasters." } });
    expect(added.isError).not.toBe(true);
    await waitFor(() => readService(dataDirectory)?.pid === second.pid, "the second process to become the owner");
    await second.close();
    await expectNothingLeft(dataDirectory);
  });
}, 60_000);
