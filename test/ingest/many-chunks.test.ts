import { afterEach, beforeEach, expect, test, vi } from "vitest";
import type { Repositories } from "../../src/core/ports.js";
import { type ManualCore, openManualCore } from "../support/manual-core.js";
import { withMethods } from "../support/with-methods.js";

/** A document with many chunks, which are written a few at a time. */
let opened: ManualCore;
beforeEach(async () => {
  opened = await openManualCore();
  await opened.core.updateSettings(opened.call(), { chunkSize: 100 });
});
afterEach(() => opened.close());

const MOST_AT_ONCE = 100;
const COUNT = 450;

/** One sentence per chunk; some of them differ between versions. */
function textOf(version: string, every = 1): string {
  const sentence = (index: number) =>
    `Number ${index} of the long list is about ${index % every === 0 ? version : "nothing"}, and says no more than that of it.`;
  return Array.from({ length: COUNT }, (_, index) => sentence(index)).join("\n\n");
}

const add = (content: string) =>
  opened.core.addDocument(opened.call(), { content, customId: "long", containerTags: ["a"], taskType: "superrag" });

/** Counts the chunks that each transaction of the pipeline adds or removes; the given transaction fails. */
function watchTransactions(failing = Infinity): { readonly sizes: number[]; restore(): void } {
  const sizes: number[] = [];
  const { background } = opened.store;
  const transaction = background.transaction.bind(background);
  const watched = (repositories: Repositories, count: (by: number) => void): Repositories => ({
    ...repositories,
    units: withMethods(repositories.units, { indexText: (entry) => (count(1), repositories.units.indexText(entry)) }),
    chunks: withMethods(repositories.chunks, {
      drop: (organizationId, documentId, seqs) => (
        count(seqs.length),
        repositories.chunks.drop(organizationId, documentId, seqs)
      ),
    }),
  });
  const spy = vi.spyOn(background, "transaction").mockImplementation((inside) =>
    transaction(async (repositories) => {
      let size = 0;
      const result = await inside(watched(repositories, (by) => (size += by)));
      if (size > 0) sizes.push(size);
      if (sizes.length === failing && size > 0) throw new Error("The process dies here.");
      return result;
    }),
  );
  return { sizes, restore: () => spy.mockRestore() };
}

async function expectWhole(text: string): Promise<void> {
  const { document } = await opened.core.getDocument(opened.call(), { id: "long" });
  expect(document.status).toBe("done");
  const { organizationId, chunks } = opened.store;
  const kept = await chunks.newest(organizationId, document.id);
  expect(kept.map(({ content }) => content)).toEqual(text.split("\n\n"));
  expect(kept.map(({ position }) => position)).toEqual(kept.map((_, index) => index));
  const { chunks: rows = 0 } = await opened.rowCounts();
  expect(rows).toBe(COUNT);
  const { results } = await opened.core.search(opened.call(), {
    q: `number 449 of the long list`,
    containerTags: ["a"],
    searchMode: "documents",
    threshold: 0,
  });
  expect(results.map((result) => result.text).join()).toContain("Number 449 ");
}

test("no transaction writes or removes more than a few chunks, neither at first nor when all of them change", async () => {
  const watch = watchTransactions();
  for (const [version, every] of [
    ["first", 1],
    ["second", 1],
    ["third", 2],
  ] as const) {
    watch.sizes.length = 0;
    await add(textOf(version, every));
    await opened.settle();
    expect(Math.max(...watch.sizes), version).toBeLessThanOrEqual(MOST_AT_ONCE);
    expect(watch.sizes.length, version).toBeGreaterThan(2);
    await expectWhole(textOf(version, every));
  }
  watch.restore();
});

test.each([1, 3, 5, 7])(
  "processing resumes after a failure in transaction number %i, without loss or repetition",
  async (failing) => {
    await add(textOf("first"));
    await opened.settle();
    const watch = watchTransactions(failing);
    await add(textOf("second"));
    await opened.settle();
    watch.restore();
    for (let tries = 0; tries < 5; tries += 1) {
      opened.clock.advance(3_600_000);
      await opened.settle();
    }
    await expectWhole(textOf("second"));
  },
);

test("half-written chunks of a text that has been replaced since are not kept", async () => {
  const watch = watchTransactions(3);
  await add(textOf("first"));
  await opened.settle();
  watch.restore();
  await add(textOf("second"));
  for (let tries = 0; tries < 5; tries += 1) {
    opened.clock.advance(3_600_000);
    await opened.settle();
  }
  await expectWhole(textOf("second"));
});
