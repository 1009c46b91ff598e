import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { captureLog, type LogLine } from "../support/captured-log.js";
import { openCore, type OpenedCore } from "../support/open-core.js";
import { type ScriptedModel, startScriptedModel } from "../support/scripted-model.js";
import { type ScriptedProvider, startScriptedProvider } from "../support/scripted-provider.js";
import { type ScriptedReranker, startScriptedReranker } from "../support/scripted-reranker.js";

/** Sent by one caller only. */
const SECRET = "my diagnosis is lupus";
const FACTS = ["The garden has three apple trees", "The garden is behind the shed", "Tea is kept in the kitchen"];

let embedding: ScriptedProvider;
let reranker: ScriptedReranker;
let model: ScriptedModel;
let log: ReturnType<typeof captureLog>;
let opened: OpenedCore;
beforeEach(async () => {
  embedding = await startScriptedProvider();
  reranker = await startScriptedReranker();
  model = await startScriptedModel();
  model.always(() => '{"queries":[],"statements":[],"facts":[],"word":"tea"}');
  log = captureLog();
  const settings = {
    RECOLLECT_EMBEDDER: "openai",
    RECOLLECT_EMBEDDING_BASE_URL: embedding.url,
    RECOLLECT_RERANK_BASE_URL: reranker.url,
    RECOLLECT_LLM_BASE_URL: model.url,
    RECOLLECT_LLM_MODEL: "scripted",
  };
  opened = await openCore({ settings, log });
  await opened.settle();
  const memories = FACTS.map((content) => ({ content }));
  for (const containerTag of ["alice", "bob"])
    await opened.core.createMemories({ actor: opened.actor }, { containerTag, memories });
  await opened.settle();
});
afterEach(async () => {
  await opened.close();
  await Promise.all([embedding.close(), reranker.close(), model.close()]);
});

/** A search with a key for one container. */
async function search(caller: string, q: string, more: Record<string, unknown> = {}): Promise<readonly string[]> {
  const actor = { ...opened.actor, name: `key:${caller}`, containers: [caller] };
  const answer = await opened.core.search({ actor }, { q, threshold: 0, ...more });
  return answer.degraded;
}

const repeated = (number: number) => `cannot process: ${SECRET} ${number}`;

interface Kind {
  readonly name: string;
  readonly asked: Record<string, unknown>;
  /** Makes every request that contains the secret fail, with an error that repeats the request's text. */
  readonly fail: (status: number) => void;
}
const KINDS: readonly Kind[] = [
  {
    name: "an embedding service",
    asked: {},
    fail: (status) =>
      embedding.failFor(SECRET, { kind: "status", status, body: { error: { message: repeated(status) } } }),
  },
  {
    name: "a rerank service",
    asked: { rerank: true },
    fail: (status) => reranker.failFor(SECRET, { kind: "status", status, text: repeated(status) }),
  },
  {
    name: "a language model that rewrites",
    asked: { rewriteQuery: true },
    fail: (status) => failModel(status),
  },
  {
    name: "a language model that puts together",
    asked: { aggregate: true },
    fail: (status) => failModel(status),
  },
];

function failModel(status: number): void {
  model.always(({ body }) =>
    JSON.stringify(body).includes(SECRET)
      ? { fault: "status", status, error: { message: repeated(status) } }
      : '{"queries":[],"statements":[],"word":"tea"}',
  );
}

const whatIsLogged = (lines: readonly LogLine[]) => JSON.stringify(lines);

describe.each(KINDS)("$name that fails on the requests of one caller, and repeats their text,", ({ asked, fail }) => {
  test.each([500, 422])(
    "with %i, fails for that caller alone and discloses nothing",
    async (status) => {
      fail(status);
      for (let call = 0; call < 4; call += 1) {
        const degraded = await search("alice", `${SECRET} ${call}`, asked);
        expect(degraded).toEqual([expect.stringContaining(String(status))]);
        expect(degraded.join()).not.toContain("lupus");
      }
      expect(await search("bob", "where is the garden", asked)).toEqual([]);
      expect(whatIsLogged(log.lines)).not.toContain("lupus");
      expect(JSON.stringify(await opened.core.status({ actor: opened.actor }))).not.toContain("lupus");
    },
    40_000,
  );

  test("works for others while that caller sends requests continuously", async () => {
    fail(500);
    let isOver = false;
    const attack = (async () => {
      for (let call = 0; !isOver; call += 1) await search("alice", `${SECRET} ${call}`, asked);
    })();
    const degraded: string[] = [];
    for (let call = 0; call < 10; call += 1) degraded.push(...(await search("bob", `which trees ${call}`, asked)));
    isOver = true;
    await attack;
    expect(degraded).toEqual([]);
  }, 40_000);
});

test("while a service is rate-limited, no other caller learns what one caller asked", async () => {
  const headers = { "retry-after": "60" };
  reranker.failFor(SECRET, { kind: "status", status: 429, headers, text: repeated(429) });
  await search("alice", SECRET, { rerank: true });
  const degraded = await search("bob", "where is the garden", { rerank: true });
  expect(degraded).toEqual([expect.stringMatching(/^ordered by rules: .* \(HTTP 429\)\.$/)]);
});
