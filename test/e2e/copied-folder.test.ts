import { once } from "node:events";
import { cp, mkdtemp, rename, rm, symlink } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { afterAll, beforeAll, expect, test, vi } from "vitest";
import { loadSqlite } from "../../src/lib/sqlite.js";
import { runProgram, startMcp, startServe, withDataDirectory } from "../support/recollect-process.js";

/** A busy machine takes longer to start a process. */
vi.setConfig({ testTimeout: 60_000, hookTimeout: 60_000 });

const FACT = "The lighthouse keeper is called Oskar.";

/** A folder that no program has open; every test uses a copy. */
let original: string;
beforeAll(async () => {
  original = await mkdtemp(join(tmpdir(), "recollect-original-"));
  expect((await runProgram(original, ["add", FACT])).code).toBe(0);
});
afterAll(() => rm(original, { recursive: true, force: true }));

interface Served {
  readonly parent: string;
  readonly data: string;
  readonly url: string;
  readonly stop: () => Promise<void>;
  /** Resolves when the service has exited on its own. */
  readonly ended: Promise<unknown>;
}

/** A folder with one fact that is being served, inside another in which copies can be made. */
function withServed(work: (served: Served) => Promise<void>) {
  return withDataDirectory(async (parent) => {
    const data = join(parent, "data");
    await cp(original, data, { recursive: true });
    const service = await startServe(data);
    const ended = once(service.child, "exit");
    try {
      await work({ parent, data, url: service.url, ended, stop: () => service.stop() });
    } finally {
      await service.stop();
    }
  });
}

/** Read from the store, which no process has open. */
async function documentsIn(data: string): Promise<number> {
  const { DatabaseSync } = await loadSqlite();
  const store = new DatabaseSync(join(data, "recollect.db"), { readOnly: true });
  try {
    return (store.prepare("select count(*) as count from documents").all() as { count: number }[])[0]?.count ?? 0;
  } finally {
    store.close();
  }
}

/** The same, read from the service. */
async function documentsAt(url: string): Promise<number> {
  const answer = await fetch(`${url}/v3/documents/list`, {
    method: "POST",
    headers: { "content-type": "application/json" },
    body: "{}",
  });
  return ((await answer.json()) as { pagination: { totalItems: number } }).pagination.totalItems;
}

test("no command on a copy of a folder acts on the original while that is being served", () =>
  withServed(async ({ parent, data, url }) => {
    const copy = join(parent, "copy");
    await cp(data, copy, { recursive: true });
    const commands = [
      ["purge", "--container", "sm_project_default", "--yes"],
      ["add", "The tower was painted red."],
      ["forget", "--text", FACT],
      ["search", "lighthouse keeper"],
      ["status"],
      ["serve", "--port", "0"],
    ];
    for (const command of commands) {
      const { code, stdout, stderr } = await runProgram(data, ["--data-dir", copy, ...command]);
      expect({ command, code, stdout }).toEqual({ command, code: 1, stdout: "" });
      expect(stderr).toContain("Nothing was done");
      expect(stderr.replace(/\s+/g, " ")).toContain(copy);
      expect(stderr).toContain(`served ${data},`);
    }
    expect(await documentsAt(url)).toBe(1);
    const found = await runProgram(data, ["search", "lighthouse keeper", "--json"]);
    expect(found.stdout).toContain("Oskar");
  }));

test("an agent on a copy gets an error, and neither reads nor writes the original", () =>
  withServed(async ({ parent, data, url }) => {
    const copy = join(parent, "copy");
    await cp(data, copy, { recursive: true });
    const agent = await startMcp(copy);
    try {
      for (const [name, input] of [
        ["add-memory", { content: "The tower was painted red." }],
        ["search", { query: "lighthouse keeper" }],
      ] as const) {
        const answer = JSON.stringify(
          await agent.client.callTool({ name, arguments: input }).catch((error: unknown) => String(error)),
        );
        expect(answer).not.toContain("Oskar");
        expect(answer).toContain(copy);
        expect(answer).toContain(data);
      }
    } finally {
      await agent.close();
    }
    expect(await documentsAt(url)).toBe(1);
  }));

test("a copy is independent once the original's service has ended, or the copied address was removed", () =>
  withServed(async ({ parent, data, url, stop }) => {
    const copy = join(parent, "copy");
    await cp(data, copy, { recursive: true });
    await rm(join(copy, "service.json"));
    expect((await runProgram(copy, ["add", "The tower was painted red."])).code).toBe(0);
    expect([await documentsIn(copy), await documentsAt(url)]).toEqual([2, 1]);

    const later = join(parent, "later");
    await cp(data, later, { recursive: true });
    await stop();
    expect((await runProgram(later, ["add", "The tower was painted blue."])).code).toBe(0);
    expect([await documentsIn(later), await documentsIn(data)]).toEqual([2, 1]);
  }));

test("a symbolic link or another spelling of the same path reaches the same service", () =>
  withServed(async ({ parent, data, url }) => {
    const link = join(parent, "link");
    await symlink(data, link);
    for (const path of [link, `${data}/../data/`, resolve(data)]) {
      expect((await runProgram(path, ["add", `One more, by ${path.length}.`])).code).toBe(0);
    }
    expect(await documentsAt(url)).toBe(4);
    const { stdout } = await runProgram(link, ["status", "--json"]);
    expect(JSON.parse(stdout)).toMatchObject({ store: { documents: 4 } });
  }));

test("a folder that was moved while served, and a copy in its old place, are independent", () =>
  withServed(async ({ parent, data, ended }) => {
    const moved = join(parent, "moved");
    await rename(data, moved);
    await cp(moved, data, { recursive: true });
    await ended;
    expect((await runProgram(moved, ["add", "The tower was painted red."])).code).toBe(0);
    expect([await documentsIn(moved), await documentsIn(data)]).toEqual([2, 1]);
  }));

test("removing only the lock file does not separate a service from its clients", () =>
  withServed(async ({ data, url }) => {
    await rm(join(data, "owner.lock"));
    expect((await runProgram(data, ["add", "The tower was painted red."])).code).toBe(0);
    expect(await documentsAt(url)).toBe(2);
  }));
