import { mkdir, mkdtemp, rename, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { Writable } from "node:stream";
import { afterEach, beforeEach, describe, expect, test, vi } from "vitest";
import { runCommand, type CommandResult } from "../support/command-line.js";
import { openCore } from "../support/open-core.js";

let folder: string;
let data: string;
let notes: string;

beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), "recollect-watch-"));
  data = join(folder, "data");
  notes = join(folder, "notes");
  await mkdir(notes);
});
afterEach(async () => {
  await rm(folder, { recursive: true, force: true });
});

const at = (name: string) => join(notes, name);

interface Watched {
  /** Waits until one line contains all of these. */
  sees(...parts: readonly string[]): Promise<void>;
  lines(): readonly string[];
  readonly ended: Promise<CommandResult>;
  interrupt(): Promise<CommandResult>;
}

async function watching(...options: readonly string[]): Promise<Watched> {
  let text = "";
  const write = (chunk: Buffer, _encoding: string, done: () => void) => {
    text += chunk.toString();
    done();
  };
  const io = { stdout: new Writable({ write }), stderr: new Writable({ write }) };
  const ended = runCommand(data, ["add", notes, "--watch", ...options], { io });
  const lines = () => text.split("\n");
  const sees = (...parts: readonly string[]) =>
    vi.waitFor(
      () =>
        expect(
          lines().some((line) => parts.every((part) => line.includes(part))),
          text,
        ).toBe(true),
      { timeout: 20_000, interval: 50 },
    );
  await sees("Following");
  return {
    sees,
    lines,
    ended,
    interrupt: () => {
      process.emit("SIGHUP", "SIGHUP");
      return ended;
    },
  };
}

async function contents(): Promise<Readonly<Record<string, string>>> {
  const opened = await openCore({ dataDirectory: data });
  try {
    const { documents } = await opened.core.listDocuments({ actor: opened.actor }, {});
    const entries = documents.map(async ({ id, title }): Promise<[string, string]> => {
      const { document } = await opened.core.getDocument({ actor: opened.actor }, { id });
      return [title ?? "", document.content];
    });
    return Object.fromEntries(await Promise.all(entries));
  } finally {
    await opened.close();
  }
}

describe("recollect add --watch", { timeout: 40_000 }, () => {
  test("adds what exists, then follows additions, changes, moves and deletions by the usual rules", async () => {
    await writeFile(at("a.md"), "Ana leads Atlas.");
    await writeFile(at("gone.md"), "Gus leads Gamma.");
    await writeFile(at(".gitignore"), "*.log\n");
    const run = await watching();
    await run.sees("2 added");
    await mkdir(at("deep"));
    await writeFile(at("deep/b.md"), "Ben leads Borealis.");
    await writeFile(at("deep/noise.log"), "noise");
    await run.sees("added: ", "b.md");
    await writeFile(at("deep/b.md"), "Bea leads Borealis now.");
    await run.sees("updated: ", "b.md");
    await rename(at("a.md"), at("deep/moved.md"));
    await run.sees("moved: ", "a.md -> ", "moved.md");
    await rm(at("gone.md"));
    await run.sees("deleted: ", "gone.md");
    const { code } = await run.interrupt();
    expect(code).toBe(0);
    expect(run.lines().join("\n")).not.toContain("noise.log");
    expect(await contents()).toEqual({ "b.md": "Bea leads Borealis now.", "moved.md": "Ana leads Atlas." });
  });

  test("stops when the folder disappears, and deletes nothing", async () => {
    await writeFile(at("a.md"), "Ana leads Atlas.");
    await writeFile(at("b.md"), "Ben leads Borealis.");
    const run = await watching();
    await rm(notes, { recursive: true });
    await mkdir(notes);
    const { code } = await run.ended;
    expect(code).toBe(1);
    await run.sees("error: ", "was removed or replaced");
    expect(Object.keys(await contents()).toSorted()).toEqual(["a.md", "b.md"]);
  });
});

test.each([
  [["--watch"], "--watch needs exactly one folder"],
  [["--watch", "words"], "--watch needs exactly one folder"],
  [["--watch", tmpdir(), "--title", "x"], "--title can be used with one file"],
])("recollect add %j is a usage error", async (argv, message) => {
  expect(await runCommand(data, ["add", ...argv])).toMatchObject({
    code: 2,
    stderr: expect.stringContaining(message),
  });
});
