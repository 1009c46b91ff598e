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

  /** A person at a terminal who types this. */
  function person(types: string): CommandOptions {
    const stdin = Object.assign(new PassThrough(), { isTTY: true });
    stdin.end(types);
    return { io: { stdin, isTerminal: true } };
  }

  test("asks at a terminal, and continues only after yes", async () => {
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

  test("requires --yes when input is not a terminal", async () => {
    const id = await add();
    for (const options of [{}, { stdin: "yes\n" }]) {
      const answer = await run(["purge", "--document", id], options);
      expect(answer.code).toBe(2);
      expect(answer.stderr).toContain("--yes");
    }
    expect(await isThere()).toBe(true);
    const purged = parseAnswer<Purged>(await run(["purge", "--container", "home", "--yes", "--json"]));
    expect(purged).toEqual({ documents: 1, memories: 1, files: 0, passages: 0, statedIn: [], complete: true });
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
  test("permanently removes exactly one thing", async () => {
    const rest = await openRest({ asOwner: true });
    try {
      const { body } = await rest.send("POST", "/v3/documents", { content: "I live in Lisbon.", containerTag: "home" });
      await rest.settle();
      expect((await rest.send("POST", "/v3/purge", { documentId: body.id })).status).toBe(400);
      expect((await rest.send("POST", "/v3/purge", { documentId: "nowhere", confirm: true })).status).toBe(404);
      const purged = await rest.send("POST", "/v3/purge", { documentId: body.id, confirm: true });
      expect(purged.body).toMatchObject({ documents: 1, memories: 1, files: 0, complete: true });
      expect((await rest.send("GET", `/v3/documents/${body.id}`)).status).toBe(404);
    } finally {
      await rest.close();
    }
  });
});

describe("a purge with a key for one container", () => {
  test("leaves the request log of other callers unchanged, whatever the purged items are called", async () => {
    const rest = await openRest({ asOwner: true });
    try {
      const secretOf = async (container: string) =>
        (await rest.core.createKey({ actor: rest.actor }, { name: container, grants: [{ containerTag: container }] }))
          .secret;
      const own = { authorization: `Bearer ${await secretOf("e")}` };
      await rest.send("POST", "/v3/documents", { content: "Mine.", customId: "o" }, own);
      await rest.send("POST", "/v3/documents", { content: "Theirs.", containerTag: "other", customId: "note" });
      await rest.send("GET", "/v3/documents/nobody-knows");
      await rest.send("POST", "/v4/search", { containerTag: "other" });
      await rest.send("DELETE", "/v4/memories", { content: "Nothing of the sort", containerTag: "other" });
      await rest.send("POST", "/v4/search", { q: "mine", containerTag: "e" }, own);
      await rest.settle();
      await rest.recorded();
      const everything = async () => (await rest.core.listRequests({ actor: rest.actor }, { limit: 100 })).items;
      const before = await everything();
      const ids = new Set(before.map(({ id }) => id));
      const recorded = async () => (await everything()).filter(({ id }) => ids.has(id));
      expect(before.filter(({ error }) => error !== null)).toHaveLength(3);

      expect((await rest.send("POST", "/v3/purge", { documentId: "o", confirm: true }, own)).status).toBe(200);
      expect(await recorded()).toEqual(before);
      expect((await rest.send("POST", "/v3/purge", { containerTag: "e", confirm: true }, own)).status).toBe(200);
      const blanked = before.map((record) =>
        record.containerTag === "e" ? { ...record, containerTag: null } : record,
      );
      expect(await recorded()).toEqual(blanked);
      expect(blanked.some(({ containerTag }) => containerTag === "other")).toBe(true);
    } finally {
      await rest.close();
    }
  });

  test("finds none of the requested words in that log", async () => {
    const rest = await openRest({ asOwner: true });
    try {
      const word = "xqasked7zv";
      await rest.send("GET", `/v3/documents/${word}`);
      await rest.send("DELETE", "/v4/memories", { content: `The password is ${word}`, containerTag: word });
      await rest.send("POST", "/v3/documents", {
        content: "A.",
        metadata: { [word]: { deeper: word } },
        containerTag: word,
      });
      await rest.send("POST", "/v3/purge", { containerTag: word });
      await rest.recorded();
      const { items } = await rest.core.listRequests({ actor: rest.actor }, { limit: 100 });
      expect(items.filter(({ status }) => status >= 400).map(({ error }) => error)).toEqual([
        "invalid request: confirm",
        "invalid request: metadata",
        "not found",
        "not found",
      ]);
      expect(JSON.stringify(items.map(({ error }) => error))).not.toContain(word);
    } finally {
      await rest.close();
    }
  });
});
