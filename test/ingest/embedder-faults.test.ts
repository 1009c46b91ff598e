import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { openCore, type OpenedCore } from "../support/open-core.js";
import { type Fault, type ScriptedProvider, startScriptedProvider } from "../support/scripted-provider.js";

const CONTAINER = "faults";
const TEXT = "Mia keeps her passport in the blue drawer.";

const OPENAI = ({ url }: ScriptedProvider) => ({
  RECOLLECT_EMBEDDER: "openai",
  RECOLLECT_EMBEDDING_BASE_URL: url,
  RECOLLECT_SEARCH_PATIENCE_MS: "250",
});

let provider: ScriptedProvider;
let opened: OpenedCore;

beforeEach(async () => {
  provider = await startScriptedProvider();
  opened = await openCore({ settings: OPENAI(provider) });
  // In a new store the built-in embedder is used until the service has first been asked.
  await opened.settle();
});

afterEach(async () => {
  await opened.close();
  await provider.close();
});

function add(content: string, wait: number) {
  return opened.core.addDocument({ actor: opened.actor }, { content, containerTags: [CONTAINER], wait });
}

function search(q: string) {
  return opened.core.search({ actor: opened.actor }, { q, containerTags: [CONTAINER], threshold: 0 });
}

const FAULTS: readonly (readonly [string, Fault])[] = [
  ["drops the connection", { kind: "disconnect" }],
  ["is overloaded", { kind: "status", status: 503 }],
  ["limits the rate", { kind: "status", status: 429, headers: { "retry-after": "1" } }],
  ["has an internal error", { kind: "status", status: 500, body: { error: { message: "boom" } } }],
];

describe.each(FAULTS)("an embedding service that %s once", (_, fault) => {
  test("causes a delay and does not lose the document", async () => {
    provider.fail(fault, 1);
    const receipt = await add(TEXT, 30);
    expect(receipt).toMatchObject({ status: "done", dreamingStatus: "done" });
    const { results, degraded } = await search("where is the passport?");
    expect(results[0]?.text).toContain("passport");
    expect(degraded).toEqual([]);
  }, 40_000);
});

test("while the service is down a document is kept, found by its words, and counted as waiting", async () => {
  await provider.close();
  const receipt = await add(TEXT, 1);
  expect(receipt.status).toBe("embedding");
  const answer = await search("passport drawer");
  expect(answer.results[0]?.text).toBe(TEXT);
  expect(answer.waiting).toBe(1);
}, 40_000);

test("a query that cannot be embedded is answered from words, and says so", async () => {
  await add(TEXT, 30);
  await provider.close();
  const answer = await search("the blue drawer");
  expect(answer.results[0]?.text).toContain("blue drawer");
  expect(answer.degraded.join()).toMatch(/words alone/);
}, 40_000);

test("a hanging service delays a few searches briefly, and later ones are answered from words immediately", async () => {
  await add(TEXT, 30);
  provider.fail({ kind: "stall" }, 100);
  const asked = provider.requests.length;
  for (const q of ["the blue drawer", "a passport", "her passport", "Mia keeps what", "in the drawer"]) {
    const answer = await search(q);
    expect(answer.results[0]?.text).toContain("blue drawer");
    expect(answer.degraded.join()).toMatch(/words alone: .*no vector for a query within 0.25 s/);
  }
  expect(provider.requests).toHaveLength(asked + 3 + 2);
}, 40_000);

test("documents wait longer for the service than searches do", async () => {
  provider.fail({ kind: "slow", ms: 1_000 }, 2);
  expect(await add(TEXT, 30)).toMatchObject({ status: "done" });
}, 40_000);

const WRONG_ANSWERS: readonly (readonly [string, Fault])[] = [
  ["another number of vectors", { kind: "wrong count", by: -1 }],
  ["vectors of another size", { kind: "wrong size", size: 3 }],
  ["something else than JSON", { kind: "body", body: "<html>hello</html>", type: "text/html" }],
  ["half a body", { kind: "truncated" }],
];

test.each(WRONG_ANSWERS)(
  "a response with %s is never stored",
  async (_, fault) => {
    await add("Noah owns a red bicycle.", 30);
    provider.fail(fault, 100);
    const receipt = await add(TEXT, 1);
    expect(receipt.status).not.toBe("done");
    expect((await search("passport drawer")).results[0]?.text).toBe(TEXT);
  },
  40_000,
);

test("facts stored without vectors get them when the service is back", async () => {
  provider.fail({ kind: "status", status: 503 }, 12);
  const created = await opened.core.createMemories(
    { actor: opened.actor },
    { containerTag: CONTAINER, memories: [{ content: TEXT }] },
  );
  expect(created.memories).toHaveLength(1);
  provider.heal();
  await expect
    .poll(async () => (await opened.core.status({ actor: opened.actor })).jobs.waiting, { timeout: 30_000 })
    .toBe(0);
  const answer = await search("passport");
  expect(answer.results[0]).toMatchObject({ text: TEXT, kind: "memory" });
}, 60_000);

describe("problems that only a person can fix", () => {
  let dataDirectory: string;
  beforeEach(async () => {
    dataDirectory = await mkdtemp(join(tmpdir(), "recollect-mended-"));
    await opened.close();
    opened = await openCore({ dataDirectory, settings: OPENAI(provider) });
    await opened.settle();
  });
  afterEach(() => rm(dataDirectory, { recursive: true, force: true }));

  async function startAgain(): Promise<void> {
    await opened.close();
    opened = await openCore({ dataDirectory, settings: OPENAI(provider) });
    await opened.settle();
  }

  async function expectFound(id: string): Promise<void> {
    const { document } = await opened.core.getDocument({ actor: opened.actor }, { id });
    expect(document).toMatchObject({ status: "done", dreamingStatus: "done", errorReason: null });
    const { results, degraded } = await search("where is the passport?");
    expect(results[0]?.text).toContain("passport");
    expect(degraded).toEqual([]);
  }

  test.each([
    [400, ""],
    [401, ".* Check "],
    [402, ".* Check "],
    [403, ".* Check "],
    [404, ".* Check "],
    [422, ""],
  ])(
    "a service that answers %i keeps the document waiting, says why, and embeds it at the next start",
    async (status, advice) => {
      provider.fail({ kind: "status", status, body: { error: { message: "no" } } }, 100);
      const { id, ...receipt } = await add(TEXT, 1);
      expect(receipt.status).toBe("embedding");
      const { embedding, jobs } = await opened.core.status({ actor: opened.actor });
      expect(embedding.problem).toMatch(new RegExp(`The embedding service at .*${status}${advice}`));
      expect(jobs).toMatchObject({ waiting: 1, dead: 0 });
      provider.heal();
      await startAgain();
      await expectFound(id);
      expect((await opened.core.status({ actor: opened.actor })).embedding.problem).toBeNull();
    },
    60_000,
  );

  test("a service that returns nonsense keeps the document waiting, and embeds it once it recovers", async () => {
    provider.fail({ kind: "wrong count", by: 1 }, 100);
    const { id, ...receipt } = await add(TEXT, 1);
    expect(receipt.status).toBe("embedding");
    provider.heal();
    await startAgain();
    await expectFound(id);
  }, 60_000);

  test("a document refused for its text is retried at the next start", async () => {
    provider.failFor("passport", { kind: "status", status: 400, body: { error: { message: "not like this" } } });
    const { id, ...receipt } = await add(TEXT, 20);
    expect(receipt).toMatchObject({
      status: "failed",
      errorReason: expect.stringContaining("not like this") as string,
    });
    provider.heal();
    await startAgain();
    await expectFound(id);
  }, 60_000);
});

test("after a change of embedder everything is embedded again, and found meanwhile", async () => {
  const dataDirectory = await mkdtemp(join(tmpdir(), "recollect-switch-"));
  await opened.close();
  opened = await openCore({ dataDirectory, settings: OPENAI(provider) });
  await opened.settle();
  await add(TEXT, 30);
  await opened.close();
  opened = await openCore({ dataDirectory });
  const meanwhile = await search("passport in the drawer");
  expect(meanwhile.results[0]?.text).toContain("passport");
  await opened.settle();
  const after = await search("passport in the drawer");
  expect(after.results[0]?.text).toContain("passport");
  expect(after.degraded).toEqual([]);
  await opened.close();
  await rm(dataDirectory, { recursive: true, force: true });
}, 60_000);
