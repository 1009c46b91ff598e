import { afterEach, beforeEach, expect, test, vi } from "vitest";
import { createBuiltinEmbedder } from "../../../src/adapters/embed/builtin.js";
import type { VectorQuery } from "../../../src/core/ports.js";
import { type ManualCore, openManualCore } from "../../support/manual-core.js";

let opened: ManualCore | undefined;
/** How many searches have reached their vectors. */
let askedForVectors: number;
beforeEach(() => {
  askedForVectors = 0;
});
afterEach(async () => {
  await opened?.close();
  opened = undefined;
});

/** A core that knows one text; its vectors and embedder wait for `held` before they answer a question about it. */
async function openHeld(held: { embedding?: Promise<void>; vectors?: Promise<void> }): Promise<ManualCore> {
  const builtin = createBuiltinEmbedder();
  const isHeld = { embedding: false, vectors: false };
  opened = await openManualCore({
    embedder: {
      ...builtin,
      async embed(texts, purpose) {
        if (isHeld.embedding && texts.some((text) => text.startsWith("slow"))) await held.embedding;
        return builtin.embed(texts, purpose);
      },
    },
    vectors: (index) => ({
      ...index,
      async nearest(query: VectorQuery) {
        askedForVectors += 1;
        if (isHeld.vectors) await held.vectors;
        return index.nearest(query);
      },
      status: () => index.status(),
      verify: (signal) => index.verify(signal),
      close: () => index.close(),
    }),
  });
  const call = opened.call();
  await opened.core.createMemories(call, { containerTag: "a", memories: [{ content: "Ada keeps bees" }] });
  isHeld.embedding = held.embedding !== undefined;
  isHeld.vectors = held.vectors !== undefined;
  return opened;
}

async function ask({ core, call }: ManualCore, q: string): Promise<string[]> {
  const { results } = await core.search(call(), { q, containerTags: ["a"], threshold: 0 });
  return results.map(({ text }) => text);
}

test("a search with a slow embedding does not delay other searches", async () => {
  let release = (): void => undefined;
  const core = await openHeld({ embedding: new Promise((resolve) => (release = resolve)) });
  const slow = ["slow bees", "slow hive", "slow Ada"].map((q) => ask(core, q));
  expect(await ask(core, "bees")).toEqual(["Ada keeps bees"]);
  release();
  expect(await Promise.all(slow)).toEqual(slow.map(() => ["Ada keeps bees"]));
});

test("vectors that do not respond delay the queue for a moment only", async () => {
  let release = (): void => undefined;
  let asked = 0;
  const held = new Promise<void>((resolve) => (release = resolve));
  const core = await openHeld({ vectors: held });
  const answers = ["bees", "hive", "Ada", "honey", "keeps", "roof"].map(async (q) => {
    const found = await ask(core, q);
    asked += 1;
    return found;
  });
  // All six eventually wait for vectors, although not all are processed at the same time.
  await vi.waitFor(() => expect(askedForVectors).toBe(6), 10_000);
  expect(asked).toBe(0);
  release();
  for (const found of await Promise.all(answers)) expect(found).toEqual(["Ada keeps bees"]);
});

test("many simultaneous searches each get their own results", async () => {
  const core = await openHeld({});
  const contents = Array.from({ length: 40 }, (_, at) => `Box ${at} holds item${at} and nothing else`);
  const memories = contents.map((content) => ({ content }));
  await core.core.createMemories(core.call(), { containerTag: "a", memories });
  const found = await Promise.all(contents.map((_, at) => ask(core, `item${at}`)));
  expect(found.map(([first]) => first)).toEqual(contents);
});
