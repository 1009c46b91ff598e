import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import type { EmbeddingStatus } from "../../src/core/index.js";
import { type CommandOptions, parseAnswer, runCommand } from "../support/command-line.js";
import { openCore } from "../support/open-core.js";
import { type ScriptedProvider, startScriptedProvider } from "../support/scripted-provider.js";

let provider: ScriptedProvider;
let dataDirectory: string;

beforeEach(async () => {
  provider = await startScriptedProvider();
  dataDirectory = await mkdtemp(join(tmpdir(), "recollect-embeddings-"));
});

afterEach(async () => {
  await provider.close();
  await rm(dataDirectory, { recursive: true, force: true });
});

const opened = (settings: Readonly<Record<string, string>> = {}): CommandOptions => ({
  starters: { openDoor: () => openCore({ dataDirectory, settings }) },
});
const run = (argv: readonly string[], options: CommandOptions = opened()) => runCommand(dataDirectory, argv, options);
const useScripted = () => ["embeddings", "use", "openai", "--model", "scripted", "--base-url", provider.url];

async function add(count: number): Promise<void> {
  const core = await openCore({ dataDirectory });
  const memories = Array.from({ length: count }, (_, index) => ({
    content: `Mia keeps ${index} bees in hive h${index}.`,
  }));
  await core.core.createMemories({ actor: core.actor }, { containerTag: "home", memories });
  await core.close();
}

describe("recollect embeddings", () => {
  test("shows the active embedder", async () => {
    expect(await run(["embeddings"])).toMatchObject({ code: 0, stdout: expect.stringMatching(/^active +builtin\n$/) });
    expect(parseAnswer<EmbeddingStatus>(await run(["embeddings", "status", "--json"]))).toMatchObject({
      active: { name: "builtin", isAnswering: true },
      next: null,
      previous: null,
    });
  });

  test("estimates a change with --dry-run, and changes nothing", async () => {
    await add(40);
    const prices = opened({ RECOLLECT_EMBEDDING_PRICE: "100", RECOLLECT_EMBEDDING_TOKENS_PER_MINUTE: "100" });
    const { stdout } = await run([...useScripted(), "--dry-run"], prices);
    expect(stdout).toMatch(
      /^openai scripted at 127\.0\.0\.1:\d+: 40 texts, about \d+ tokens, about \$0\.\d+, at least \d+ minutes\n$/,
    );
    expect(provider.requests).toEqual([]);
    expect((await run(["embeddings"])).stdout).not.toContain("scripted");
  });

  test("asks before it sends texts to a service whose price is unknown", async () => {
    await add(5);
    const refused = await run(useScripted());
    expect(refused).toMatchObject({ code: 2, stderr: expect.stringContaining("--yes") });
    expect(provider.requests).toEqual([]);
  });

  test("switches the embedder, rolls back and forward, and drops the stored vectors", async () => {
    await add(40);
    const moved = await run([...useScripted(), "--yes"]);
    expect(moved.code).toBe(0);
    expect(moved.stdout).toMatch(
      /active +openai scripted\nkept +builtin until \d{4}-\d\d-\d\d\nTo go back: .* rollback/,
    );
    expect((await run(["embeddings", "rollback"])).stdout).toBe(
      "builtin is in use again; what it lacks is added in the background.\n",
    );
    expect((await run(["embeddings", "rollback"])).stdout).toContain("openai scripted is in use again");
    expect((await run(["embeddings", "drop"])).stdout).toContain("The vectors of builtin are removed");
    expect((await run(["embeddings", "drop"])).code).toBe(1);
    expect((await run(["search", "hive h7", "-c", "home"])).stdout).toContain("hive h7");
  }, 60_000);

  test("says why the next embedder has not taken over", async () => {
    await add(3);
    await provider.close();
    const waiting = await run([...useScripted(), "--yes"]);
    expect(waiting.stdout).toMatch(/active +builtin\nnext +openai scripted/);
    expect(waiting.stdout).toMatch(/waiting +\S/);
    expect((await run(["status"])).stdout).toMatch(/next embedder +openai scripted.*waiting/);
    expect((await run(["embeddings", "pause"])).stdout).toMatch(/^Paused/);
    expect((await run(["embeddings"])).stdout).toMatch(/To continue: .* resume/);
    expect((await run(["embeddings", "rollback"])).stdout).toMatch(/is given up/);
    expect((await run(["embeddings"])).stdout).not.toContain("scripted");
  }, 90_000);

  test.each([
    [["use", "magic"], /no embedder "magic"/],
    [["use", "builtin", "--model", "x"], /does not use --model/],
    [["use", "static", "--base-url", "http://x"], /does not use --base-url/],
    [["use", "openai", "--dimensions", "0"], /whole number from 1/],
    [["use", "openai", "--base-url", "nowhere", "--yes"], /http:\/\/ or https:\/\//],
    [["use", "static", "--model", "words"], /absolute path of a folder/],
    [["use"], /kind/],
  ])("%j is refused", async (argv, words) => {
    const { code, stderr } = await run(["embeddings", ...argv]);
    expect(code).not.toBe(0);
    expect(stderr).toMatch(words);
  });
});
