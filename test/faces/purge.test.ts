import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { PassThrough } from "node:stream";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import type { DocumentReceipt, Purged } from "../../src/core/index.js";
import { type CommandOptions, parseAnswer, runCommand } from "../support/command-line.js";
import { openRest } from "../support/rest.js";

describe("recollect purge", () => {
  let dataDirectory: string;
  beforeEach(async () => {
    dataDirectory = await mkdtemp(join(tmpdir(), "recollect-purge-"));
  });
  afterEach(() => rm(dataDirectory, { recursive: true, force: true }));

  const run = (argv: readonly string[], options?: CommandOptions) => runCommand(dataDirectory, argv, options);
  const add = async () =>
    parseAnswer<DocumentReceipt>(await run(["add", "I live in Lisbon.", "-c", "home", "--text", "--json"])).id;
  const isThere = async () => (await run(["search", "Lisbon", "-c", "home"])).stdout.includes("in Lisbon");

  /** Somebody at a terminal who types this. */
  function person(types: string): CommandOptions {
    const stdin = Object.assign(new PassThrough(), { isTTY: true });
    stdin.end(types);
    return { io: { stdin, isTerminal: true } };
  }

  test("asks a person, and goes on only after yes", async () => {
    const id = await add();
    for (const types of ["no\n", "\n", "", "yes please\n"]) {
      const answer = await run(["purge", "--document", id], person(types));
      expect(answer).toMatchObject({ code: 1, stdout: "" });
      expect(answer.stderr).toContain(id);
      expect(answer.stderr).toContain("Nothing was changed.");
    }
    expect(await isThere()).toBe(true);
    expect(await run(["purge", "--document", id], person("Yes\n"))).toMatchObject({
      code: 0,
      stdout: expect.stringContaining("1 document, 1 version of memories, 0 files"),
    });
    expect(await isThere()).toBe(false);
  });

  test("needs --yes where nobody can be asked", async () => {
    const id = await add();
    for (const options of [{}, { stdin: "yes\n" }]) {
      const answer = await run(["purge", "--document", id], options);
      expect(answer.code).toBe(2);
      expect(answer.stderr).toContain("--yes");
    }
    expect(await isThere()).toBe(true);
    const purged = parseAnswer<Purged>(await run(["purge", "--container", "home", "--yes", "--json"]));
    expect(purged).toEqual({ documents: 1, memories: 1, files: 0, complete: true });
  });

  test.each([
    [["purge", "--yes"], 2],
    [["purge", "--document", "a", "--memory", "b", "--yes"], 2],
    [["purge", "--document", "", "--yes"], 2],
    [["purge", "some-id", "--yes"], 2],
    [["purge", "--memory", "nowhere", "--yes"], 1],
  ])("%j changes nothing", async (argv, code) => {
    expect(await run(argv)).toMatchObject({ code, stdout: "" });
  });
});

describe("POST /v3/purge", () => {
  test("removes exactly one thing for good", async () => {
    const rest = await openRest();
    try {
      const { body } = await rest.send("POST", "/v3/documents", { content: "I live in Lisbon.", containerTag: "home" });
      await rest.settle();
      expect((await rest.send("POST", "/v3/purge", { documentId: body.id })).status).toBe(400);
      expect((await rest.send("POST", "/v3/purge", { documentId: "nowhere", confirm: true })).status).toBe(404);
      const purged = await rest.send("POST", "/v3/purge", { documentId: body.id, confirm: true });
      expect(purged.body).toEqual({ documents: 1, memories: 1, files: 0, complete: true });
      expect((await rest.send("GET", `/v3/documents/${body.id}`)).status).toBe(404);
    } finally {
      await rest.close();
    }
  });
});
