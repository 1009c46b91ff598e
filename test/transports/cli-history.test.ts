import { mkdir, mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { basename, dirname, join } from "node:path";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import type { DocumentReceipt, MemoryHistory, Undone } from "../../src/core/index.js";
import { type FoundTexts, parseAnswer, runCommand, textsOf } from "../support/command-line.js";

let data: string;

beforeEach(async () => {
  data = await mkdtemp(join(tmpdir(), "recollect-cli-"));
});

afterEach(async () => {
  await rm(data, { recursive: true, force: true });
});

const UNKNOWN_ID = "1111111111111111111111";

const run = (argv: readonly string[]) => runCommand(data, argv);
const historyOf = async (id: string): Promise<MemoryHistory> => parseAnswer(await run(["history", id, "--json"]));
const recall = async (query: string): Promise<string[]> => {
  const answer: FoundTexts = parseAnswer(await run(["search", query, "--mode", "memories", "-t", "0", "--json"]));
  return textsOf(answer);
};
/** Stores a text that states one fact. @returns id of the fact */
const remember = async (text: string, ...options: string[]): Promise<string> => {
  const { facts }: DocumentReceipt = parseAnswer(await run(["add", text, "--text", "--json", ...options]));
  return facts?.[0]?.id ?? "";
};

describe("recollect history", () => {
  test("shows versions, sources and changes, and how to undo the last one", async () => {
    const id = await remember("I live in Lisbon.", "--title", "About \u009b31mme");
    await run(["forget", id, "--reason", "moved away"]);
    const { code, stdout } = await run(["history", id]);
    expect(code).toBe(0);
    expect(stdout).toMatch(
      /^Versions\n {2}1 {2}User lives in Lisbon {2}forgotten: moved away · \d{4}-\d\d-\d\d · \w{22}\n/,
    );
    expect(stdout).toMatch(/\nSources\n {2}“About 31mme” \[\w{22}\], \d{4}-\d\d-\d\d/);
    expect(stdout).toMatch(
      /\nChanges\n {2}\d{4}-\d\d-\d\d \d\d:\d\d {2}memory\.added by \S+, document \w{22} {2}\[batch \w{22}\]\n/,
    );
    expect(stdout).toMatch(
      /memory\.forgotten by local, moved away {2}\[batch (\w{22})\]\nTo undo the last change: recollect undo \1\n$/,
    );
    expect(stdout).not.toMatch(/[\u0080-\u009f]/);
  });

  test("tells files with the same name apart by their paths, as forget does", async () => {
    const folder = await mkdtemp(join(tmpdir(), "recollect-notes-"));
    const paths = ["home", "work"].map((name) => join(folder, name, "notes.txt"));
    for (const path of paths) {
      await mkdir(dirname(path));
      await writeFile(path, `I live in Lisbon. I wrote that in ${basename(dirname(path))}.`);
    }
    await run(["add", folder]);
    const found: FoundTexts & { results: { id: string }[] } = parseAnswer(
      await run(["search", "I live in Lisbon", "--mode", "memories", "--json"]),
    );
    const id = found.results[0]?.id ?? "";
    const history = await run(["history", id]);
    const forgotten = await run(["forget", id]);
    await rm(folder, { recursive: true });
    for (const path of paths) {
      expect(history.stdout).toContain(path.slice(-40));
      expect(forgotten.stdout).toContain(path.slice(-40));
    }
  });

  test("prints all of it as JSON", async () => {
    const id = await remember("I live in Lisbon.");
    const { memory, versions, sources, entries } = await historyOf(id);
    expect([memory.id, versions.length, sources.length]).toEqual([id, 1, 1]);
    expect(entries.map(({ action, subjectId }) => [action, subjectId])).toEqual([["memory.added", id]]);
  });

  test.each([
    [[], 2, "missing required argument 'id'"],
    [[UNKNOWN_ID], 1, `Memory not found: ${UNKNOWN_ID}`],
    [["x".repeat(300)], 2, "id: must have at most 255 characters"],
  ])("refuses %j", async (argv, code, message) => {
    const result = await run(["history", ...argv]);
    expect(result).toMatchObject({ code, stdout: "", stderr: expect.stringContaining(message) });
  });
});

describe("recollect undo", () => {
  test("restores what was forgotten, and can itself be undone", async () => {
    const id = await remember("I live in Lisbon.");
    const forgotten = await run(["forget", id]);
    expect(await recall("Lisbon")).toEqual([]);
    const batchId = /undo (\w{22})/.exec(forgotten.stdout)?.[1] ?? "";
    expect((await historyOf(id)).entries.at(-1)?.batchId).toBe(batchId);
    const { code, stdout } = await run(["undo", batchId]);
    expect([code, stdout]).toEqual([
      0,
      expect.stringMatching(/^undone: 1 change\nTo undo this: recollect undo \w{22}\n$/),
    ]);
    expect(await recall("Lisbon")).toEqual(["User lives in Lisbon"]);
    const again = /undo (\w{22})/.exec(stdout)?.[1] ?? "";
    expect(parseAnswer<Undone>(await run(["undo", again, "--json"]))).toMatchObject({ undone: 1, skipped: [] });
    expect(await recall("Lisbon")).toEqual([]);
  });

  test("fails with the reason when nothing can be undone", async () => {
    const id = await remember("I live in Lisbon.");
    const batchId = (await historyOf(id)).entries.at(-1)?.batchId ?? "";
    await run(["forget", id]);
    const { code, stderr } = await run(["undo", batchId]);
    expect([code, stderr]).toEqual([
      1,
      expect.stringContaining("it has been changed since (memory.forgotten in batch"),
    ]);
  });

  test.each([
    [[], 2, "missing required argument 'batch'"],
    [[UNKNOWN_ID], 1, `Batch not found: ${UNKNOWN_ID}`],
    [[""], 2, "batchId: must not be empty"],
  ])("refuses %j", async (argv, code, message) => {
    const result = await run(["undo", ...argv]);
    expect(result).toMatchObject({ code, stdout: "", stderr: expect.stringContaining(message) });
  });
});
