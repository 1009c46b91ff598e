import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { PassThrough } from "node:stream";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import type { DocumentReceipt, Reprocessed } from "../../src/core/index.js";
import { type CommandOptions, parseAnswer, runCommand } from "../support/command-line.js";
import { openCore } from "../support/open-core.js";
import { type ScriptedModel, startScriptedModel } from "../support/scripted-model.js";

type Answer = Reprocessed & { readonly waiting: number };

let provider: ScriptedModel;
let dataDirectory: string;
beforeEach(async () => {
  provider = await startScriptedModel();
  const fact = { text: "User lives in Lisbon.", kind: "fact", isStatic: true, eventDates: [], forgetAfter: null };
  const facts = [{ ...fact, entities: [], buckets: [], quote: "in Lisbon" }];
  provider.always(() => JSON.stringify({ facts, summary: "", title: "", relations: [], derived: [] }));
  dataDirectory = await mkdtemp(join(tmpdir(), "recollect-reprocess-"));
});
afterEach(async () => {
  await provider.close();
  await rm(dataDirectory, { recursive: true, force: true });
});

/** Options with a language model at these prices. */
function withModel(prices: Readonly<Record<string, string>> = {}, options: CommandOptions = {}): CommandOptions {
  const settings = {
    RECOLLECT_LLM_BASE_URL: provider.url,
    RECOLLECT_LLM_MODEL: "scripted",
    ...prices,
  };
  return { ...options, starters: { openDoor: () => openCore({ dataDirectory, settings }) } };
}

const PRICES = { RECOLLECT_LLM_INPUT_PRICE: "1000", RECOLLECT_LLM_OUTPUT_PRICE: "3000" };

const run = (argv: readonly string[], options?: CommandOptions) => runCommand(dataDirectory, argv, options);
const add = async (text = "My flat is in Lisbon.") =>
  parseAnswer<DocumentReceipt>(await run(["add", text, "-c", "home", "--text", "--json"])).id;

/** A user at a terminal who types this. */
function person(types: string): CommandOptions {
  const stdin = Object.assign(new PassThrough(), { isTTY: true });
  stdin.end(types);
  return { io: { stdin, isTerminal: true } };
}

describe("recollect reprocess", () => {
  test("reads with the model what rules have read, and waits for it", async () => {
    await add();
    const done = parseAnswer<Answer>(await run(["reprocess", "--all", "--yes", "--json"], withModel()));
    expect(done).toMatchObject({ extractor: "extract-facts/2", documents: 1, waiting: 0, dryRun: false });
    expect((await run(["search", "Lisbon", "-c", "home"])).stdout).toContain("User lives in Lisbon.");
    const again = await run(["reprocess", "--all", "--yes"], withModel());
    expect(again).toMatchObject({ code: 0, stdout: "No documents need to be read again.\n" });
    const anyway = await run(["reprocess", "--all", "--no-outdated", "--yes"], withModel());
    expect(anyway.stdout).toContain("reprocessed: 1 document");
  });

  test("estimates the work with --dry-run, and changes nothing", async () => {
    await add();
    const unpriced = await run(["reprocess", "--container", "home", "--dry-run"], withModel());
    expect(unpriced.stdout).toMatch(
      /^would reprocess 1 document \(1 KB\) with extract-facts\/2, about \d+ tokens read/,
    );
    expect(unpriced.stdout).toContain("price unknown: set RECOLLECT_LLM_INPUT_PRICE");
    const priced = await run(["reprocess", "--container", "home", "--dry-run"], withModel(PRICES));
    expect(priced.stdout).toMatch(/about \$\d+\.\d\d\n$/);
    expect(provider.requests).toHaveLength(0);
  });

  test("accepts document ids, and says why one is left alone", async () => {
    const id = await add();
    const named = parseAnswer<Answer>(await run(["reprocess", id, "--outdated", "--json"]));
    expect(named).toMatchObject({ documents: 0, skipped: [{ id, reason: "rules/2 has already read it" }] });
    expect((await run(["reprocess", id])).stdout).toContain("reprocessed: 1 document (1 KB) with rules/2\n");
  });

  test("asks for confirmation, and continues only after yes", async () => {
    await add();
    const refused = await run(["reprocess", "--all"], withModel({}, person("no\n")));
    expect(refused).toMatchObject({ code: 1, stdout: "" });
    expect(refused.stderr).toContain("1 document");
    expect(refused.stderr).toContain("Nothing was changed.");
    expect(provider.requests).toHaveLength(0);
    const accepted = await run(["reprocess", "--all"], withModel({}, person("yes\n")));
    expect(accepted).toMatchObject({ code: 0, stdout: expect.stringContaining("1 document") });
  });

  test("needs --yes where it cannot prompt", async () => {
    await add();
    const answer = await run(["reprocess", "--all"], withModel());
    expect(answer.code).toBe(2);
    expect(answer.stderr).toContain("--yes");
    expect(provider.requests).toHaveLength(0);
  });

  test.each([
    [["reprocess"], 2],
    [["reprocess", "some-id", "--all"], 2],
    [["reprocess", "--all", "--container", "home"], 2],
    [["reprocess", "--container", ""], 2],
    [["reprocess", "nowhere"], 1],
    [["reprocess", "--container", "nowhere", "--yes"], 1],
  ])("%j changes nothing", async (argv, code) => {
    expect(await run(argv)).toMatchObject({ code, stdout: "" });
  });
});

describe("recollect status", () => {
  test("shows the cost of the language model, or how to make it known", async () => {
    await add();
    await run(["reprocess", "--all", "--yes"], withModel());
    expect((await run(["status"])).stdout).toContain("llm cost      price unknown: set RECOLLECT_LLM_INPUT_PRICE");
    const options = withModel(PRICES);
    await run(["reprocess", "--all", "--no-outdated", "--yes"], options);
    const { stdout } = await run(["status"], options);
    expect(stdout).toMatch(/llm cost +\$0\.00\d+ for \d+ answers; price of \d+ unknown/);
    expect(parseAnswer<{ llmUse: object }>(await run(["status", "--json"])).llmUse).toMatchObject({
      answers: expect.any(Number),
      cost: expect.any(Number),
      unpricedAnswers: expect.any(Number),
    });
  });
});
