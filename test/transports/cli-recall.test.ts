import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import type { CreatedKey, Diagnosis, DocumentReceipt, Forgotten, Profile, Status } from "../../src/core/index.js";
import type { ApiKey } from "../../src/core/types.js";
import { loadSqlite } from "../../src/lib/sqlite.js";
import { parseAnswer, runCommand, textsOf, type CommandOptions, type FoundTexts } from "../support/command-line.js";
import { openManualCore } from "../support/manual-core.js";

let data: string;

beforeEach(async () => {
  data = await mkdtemp(join(tmpdir(), "recollect-cli-"));
});

afterEach(async () => {
  await rm(data, { recursive: true, force: true });
});

const run = (argv: readonly string[], options?: CommandOptions) => runCommand(data, argv, options);

async function add(text: string, ...options: string[]): Promise<DocumentReceipt> {
  return parseAnswer(await run(["add", text, "--text", "--json", ...options]));
}

async function search(query: string, ...options: string[]): Promise<FoundTexts> {
  return parseAnswer(await run(["search", query, "--json", ...options]));
}

describe("recollect search", () => {
  test("prints score, text, source and date", async () => {
    await add("Ana leads the Atlas project.", "--title", "Minutes", "--date", "2025-06-01");
    const { code, stdout, stderr } = await run(["search", "Who leads the Atlas project?", "--mode", "memories"]);
    expect({ code, stderr }).toEqual({ code: 0, stderr: "" });
    expect(stdout).toMatch(
      /^[01]\.\d\d {2}Ana leads the Atlas project\n {6}memory · from “Minutes” · 2025-06-01 · \w{22}\n$/,
    );
  });

  test("says that nothing was found, and exits with 0", async () => {
    await add("I live in Lisbon.");
    expect(await run(["search", "quantum chromodynamics on a lattice"])).toEqual({
      code: 0,
      stdout: "Nothing found for “quantum chromodynamics on a lattice”.\n",
      stderr: "",
    });
  });

  test("says how many documents are still waiting to be indexed", async () => {
    const openDoor = async () => {
      const idle = await openManualCore({ dataDirectory: data, jobs: false });
      return { ...idle, uploads: idle.context.uploads, actor: idle.call().actor, close: () => idle.stop() };
    };
    await run(["add", "I live in Lisbon.", "--no-wait"], { starters: { openDoor } });
    const { stdout } = await run(["search", "Where does the user live?"], { starters: { openDoor } });
    expect(stdout).toContain("1 document is still waiting to be indexed or read for facts; search again later.");
  });

  test("passes on container, limit, threshold, mode and filters", async () => {
    await add("Ana leads the Atlas project.", "-c", "work", "-m", "year=2025");
    await add("Ana leads the Atlas choir.", "-c", "home", "-m", "year=2024");
    const query = "What does Ana lead?";
    const texts = async (...options: string[]) => textsOf(await search(query, ...options));
    expect((await texts("-t", "0")).length).toBeGreaterThan(1);
    expect(await texts("-t", "0", "--limit", "1")).toHaveLength(1);
    await add("The dog is called Rex.", "-c", "home");
    const findsRex = async (threshold: string) => (await texts("-t", threshold)).join().includes("Rex");
    expect([await findsRex("0"), await findsRex("0.9")]).toEqual([true, false]);
    expect(await texts("-t", "0", "-c", "work", "--mode", "memories")).toEqual(["Ana leads the Atlas project"]);
    expect(await texts("-t", "0", "-c", "work", "--mode", "documents")).toEqual(["Ana leads the Atlas project."]);
    const filters = JSON.stringify({ AND: [{ key: "year", value: "2024" }] });
    expect(await texts("-t", "0", "--mode", "memories", "--filters", filters)).toEqual(["Ana leads the Atlas choir"]);
  });

  test("shows stored text without terminal control characters", async () => {
    await add("The secret word is plum \u009b31m\u202eunder.");
    const { stdout } = await run(["search", "secret word plum", "-t", "0"]);
    expect(stdout).toContain("secret word is plum 31munder");
    expect(stdout).not.toMatch(/[\u0080-\u009f\u202e]/);
  });

  test.each([
    [["search"], "missing required argument 'query'"],
    [["search", " "], "<query>: must not be empty"],
    [["search", "x", "--limit", "-1"], "whole number from 1 to 100"],
    [["search", "x", "--limit", "1.5"], "whole number from 1 to 100"],
    [["search", "x", "--limit", ""], "whole number from 1 to 100"],
    [["search", "x", "--threshold", "NaN"], "number from 0 to 1"],
    [["search", "x", "--threshold", "2"], "number from 0 to 1"],
    [["search", "x", "--mode", "all"], "Allowed choices are hybrid, memories, documents"],
    [["search", "x", "--filters", "{"], "It must be JSON"],
    [["search", "x", "--filters", '{"AND":3}'], "--filters (AND): must be an array"],
  ])("refuses %j as a usage error", async (argv, message) => {
    const result = await run(argv);
    expect(result).toMatchObject({ code: 2, stdout: "", stderr: expect.stringContaining(message) });
    expect(result.stderr).toContain("Run `recollect search --help`");
  });
});

describe("recollect profile", () => {
  test("shows lasting and recent facts, and the results for a question", async () => {
    await add("I live in Lisbon. Ana leads the Atlas project.", "-c", "work");
    const { stdout } = await run(["profile", "-c", "work", "-q", "Who leads the Atlas project?"]);
    expect(stdout).toMatch(/- User lives in Lisbon {2}\[\w{22}\]\n/);
    expect(stdout).toMatch(/\nSearch\n[01]\.\d\d {2}.*Ana leads the Atlas project/);
    const profile = parseAnswer<Profile>(await run(["profile", "-c", "work", "--json"]));
    expect([...(profile.static ?? []), ...(profile.dynamic ?? [])]).toHaveLength(2);
  });

  test("says so when nothing is known", async () => {
    expect(await run(["profile", "--container", "empty"])).toMatchObject({
      code: 0,
      stdout: "Nothing is known in empty yet.\n",
    });
  });
});

describe("recollect forget", () => {
  async function remembered(): Promise<{ document: string; lisbon: string; tea: string }> {
    const receipt = await add("I live in Lisbon. I prefer green tea to coffee.");
    const idOf = (word: string) => receipt.facts?.find(({ text }) => text.includes(word))?.id ?? "";
    return { document: receipt.id, lisbon: idOf("Lisbon"), tea: idOf("tea") };
  }

  async function known(): Promise<string[]> {
    const profile = parseAnswer<Profile>(await run(["profile", "--json"]));
    return [...(profile.static ?? []), ...(profile.dynamic ?? [])].map(({ text }) => text).toSorted();
  }

  test("forgets a memory by id", async () => {
    const { lisbon, document } = await remembered();
    const { code, stdout } = await run(["forget", lisbon]);
    const [forgotten, undo, ...offer] = stdout.split("\n");
    expect([code, forgotten]).toEqual([0, `forgotten: User lives in Lisbon  [${lisbon}]`]);
    expect(undo).toMatch(/^To undo this: recollect undo \w{22}$/);
    expect(offer).toEqual([
      "The text of a document still states it:",
      `  “I live in Lisbon. I prefer green tea to coffee.”  [${document}]`,
      `To remove it with what only it states: recollect forget ${document}`,
      `To permanently cut only what the memory says out of it: recollect purge --memory ${lisbon}`,
      "",
    ]);
    expect(await known()).toEqual(["User prefers green tea to coffee"]);
    expect(await run(["forget", lisbon])).toMatchObject({
      code: 1,
      stderr: expect.stringContaining("already forgotten"),
    });
  });

  test("deletes a document by id with what only it stated, along with memories by id", async () => {
    const { document } = await remembered();
    const other = await add("My sister works at a museum. It was quiet there.");
    const sister = other.facts?.[0]?.id ?? "";
    const answer = parseAnswer<Forgotten & { deletedDocuments: string[] }>(
      await run(["forget", document, sister, "--json"]),
    );
    expect(answer).toMatchObject({ forgotten: [{ id: sister }], deletedDocuments: [document] });
    expect(await known()).toEqual([]);
    const left = await search("Lisbon", "--threshold", "0", "--mode", "documents");
    expect(textsOf(left)).toEqual(["[…] It was quiet there."]);
  });

  test("warns when the reason is recorded nowhere", async () => {
    const { lisbon, document } = await remembered();
    const listed = await run(["forget", "--query", "green tea", "--reason", "moved"]);
    expect(listed.stderr).toBe("warning: --reason has no effect with --query, which forgets nothing\n");
    expect((await run(["forget", lisbon, "--reason", "moved"])).stderr).toBe("");
    const deleted = await run(["forget", document, "--reason", "moved"]);
    expect(deleted.stderr).toBe("warning: --reason has no effect on documents, whose deletion records none\n");
  });

  test("forgets by the exact text only", async () => {
    await remembered();
    expect(await run(["forget", "--text", "User lives"])).toMatchObject({ code: 1, stdout: "" });
    expect(await known()).toHaveLength(2);
    expect(await run(["forget", "--text", "User lives in Lisbon", "--reason", "moved"])).toMatchObject({ code: 0 });
    expect(await known()).toEqual(["User prefers green tea to coffee"]);
  });

  test("lists what a query could mean, and forgets nothing", async () => {
    const { tea } = await remembered();
    const { code, stdout } = await run(["forget", "--query", "green tea"]);
    expect(code).toBe(0);
    expect(stdout).toContain("1 memory could be meant; nothing was forgotten yet:");
    expect(stdout).toContain(`recollect forget ${tea}`);
    expect((await run(["forget", "--query", "quantum lattice"])).stdout).toContain("No memory matches");
    expect(await known()).toHaveLength(2);
  });

  test("changes nothing when an id is unknown or belongs to another container", async () => {
    const { lisbon, document } = await remembered();
    const unknown = await run(["forget", lisbon, document, "no-such-id"]);
    expect(unknown).toMatchObject({
      code: 1,
      stdout: "",
      stderr: expect.stringContaining("There is no memory or document no-such-id. Nothing was changed."),
    });
    expect(await run(["forget", lisbon, "-c", "elsewhere"])).toMatchObject({ code: 1, stdout: "" });
    expect(await run(["forget", document, "-c", "elsewhere"])).toMatchObject({ code: 1, stdout: "" });
    expect(await known()).toHaveLength(2);
  });

  test.each([[["forget"]], [["forget", "id", "--query", "x"]], [["forget", "--query", "x", "--text", "y"]]])(
    "refuses %j: what to forget must be given in exactly one way",
    async (argv) => {
      expect(await run(argv)).toMatchObject({ code: 2, stderr: expect.stringContaining("in exactly one way") });
    },
  );
});

describe("recollect keys", () => {
  test("creates a key that is printed once, lists it without its secret and revokes it", async () => {
    const made = await run(["keys", "create", "--name", "laptop"]);
    expect(made.stdout).toMatch(/^sm_\w{22}_[\w-]{20,}\n$/);
    expect(made.stderr).toContain("(laptop). It is shown only once");
    const { key, secret } = parseAnswer<CreatedKey>(await run(["keys", "create", "--json"]));
    const listed = await run(["keys", "list"]);
    expect(listed.stdout.trim().split("\n")).toHaveLength(2);
    expect(listed.stdout).not.toContain(secret);
    expect(await run(["keys", "revoke", key.id])).toMatchObject({ code: 0, stdout: `revoked: ${key.id}\n` });
    const { keys } = parseAnswer<{ keys: ApiKey[] }>(await run(["keys", "list", "--json"]));
    expect(keys.filter(({ revokedAt }) => revokedAt !== null).map(({ id }) => id)).toEqual([key.id]);
    expect(await run(["keys", "revoke", key.id])).toMatchObject({ code: 1, stderr: expect.stringContaining(key.id) });
  });

  test("creates a key for a client, and refuses an invalid client name", async () => {
    const { key } = parseAnswer<CreatedKey>(await run(["keys", "create", "--client", "OpenCode", "--json"]));
    expect(key.client).toBe("opencode");
    expect((await run(["keys", "list"])).stdout).toMatch(/ {2}key, for opencode {2}created /);
    const refused = await run(["keys", "create", "--client", "a b"]);
    expect(refused).toMatchObject({ code: 2, stderr: expect.stringContaining("client: must be 1 to 64 letters") });
  });

  test("says how to create the first key", async () => {
    expect((await run(["keys", "list"])).stdout).toBe("There are no keys yet. Create one: recollect keys create\n");
  });

  test("requires a subcommand", async () => {
    const result = await run(["keys"]);
    expect(result).toMatchObject({ code: 2, stdout: "", stderr: expect.stringContaining("Usage: recollect keys") });
  });
});

describe("recollect status and doctor", () => {
  test("status shows what is in use and how much is stored", async () => {
    await add("I live in Lisbon.");
    const { code, stdout } = await run(["status"]);
    expect(code).toBe(0);
    expect(stdout).toContain(`data folder   ${data}\n`);
    expect(stdout).toMatch(/\nkept {10}1 documents?, 1 passages?, 1 memor(?:y|ies) including former versions\n/);
    const status = parseAnswer<Status>(await run(["status", "--json"]));
    expect(status).toMatchObject({ dataDirectory: data, embedder: "builtin", store: { documents: 1, memories: 1 } });
  });

  test("doctor lists every check, leaves nothing behind and exits with 0 when all is well", async () => {
    const { code, stdout } = await run(["doctor"]);
    expect(stdout).toMatch(/^ok {4}store {5}0 documents/);
    expect(stdout).toMatch(/\nok {4}pipeline {2}a document was written, understood and found again/);
    expect(stdout).toContain("All is well.");
    expect(code).toBe(0);
    expect(parseAnswer<Status>(await run(["status", "--json"])).store).toMatchObject({ documents: 0, memories: 0 });
  });

  test("doctor fails when a check fails, and says what to do", async () => {
    await run(["status"]);
    await giveUpJob("the page has moved");
    const { code, stdout } = await run(["doctor"]);
    expect(code).toBe(1);
    expect(stdout).toMatch(/\nFAIL {2}jobs {6}0 waiting, 0 running, 1 dead; .*the page has moved\n +what to do: \w/);
    expect(stdout).toContain("1 check failed.\n");
    const inJson = await run(["doctor", "--json"]);
    expect(inJson).toMatchObject({ code: 1, stderr: "" });
    expect(parseAnswer<Diagnosis>(inJson).checks.filter(({ ok }) => !ok)).toMatchObject([{ name: "jobs" }]);
  });

  async function giveUpJob(reason: string): Promise<void> {
    const { DatabaseSync } = await loadSqlite();
    const database = new DatabaseSync(join(data, "recollect.db"));
    const sql = `insert into jobs (kind, payload, group_key, state, run_at, reason, created_at, finished_at)
      values ('extract', '{}', 'test', 'dead', ?, ?, ?, ?)`;
    const now = new Date().toISOString();
    database.prepare(sql).run(now, reason, now, now);
    database.close();
  }
});
