import { afterEach, beforeEach, expect, test } from "vitest";
import { newerFirst } from "../../../src/core/search/newer-first.js";
import { type ManualCore, openManualCore } from "../../support/manual-core.js";
import { chunkDetail, memoryDetail, rankedUnits } from "../../support/unit-details.js";

let opened: ManualCore;
beforeEach(async () => {
  opened = await openManualCore();
});
afterEach(() => opened.close());

test("of two equally new units, the one that changes the older unit's first statement comes first", async () => {
  const { core, call, clock, context } = opened;
  const older = "The editor is Vim. The phone number is 4711.";
  const newer = "We had a long walk around the lake. The phone number is now 0815. The editor is now Emacs.";
  const ids: string[] = [];
  for (const content of [older, newer]) {
    ids.push((await core.addDocument(call(), { content })).id);
    await opened.settle();
    clock.advance(86_400_000);
  }
  const { results } = await core.search(call(), { q: "phone number editor", searchMode: "hybrid", threshold: 0 });
  const [chunks, memories] = [
    results.flatMap(({ chunk }) => chunk ?? []),
    results.flatMap(({ memory }) => memory ?? []),
  ];
  const chunkOf = (document: string) => {
    const {
      seq = 0,
      content: text = "",
      documentId = "",
      position = 0,
    } = chunks.find(({ documentId }) => documentId === document) ?? {};
    return chunkDetail({ seq, text, documentId, position });
  };
  const { seq = 0, text = "" } = memories.find((memory) => memory.text.includes("0815")) ?? {};
  const [was, says, is] = [
    chunkOf(ids[0] ?? ""),
    memoryDetail({ seq, text, documentId: ids[1] ?? "" }),
    chunkOf(ids[1] ?? ""),
  ];
  const scope = { organizationId: context.store.organizationId, tags: "all" } as const;
  const ordered = await newerFirst(context, scope, rankedUnits(was, says, is));
  expect(ordered.map(({ detail }) => detail.text)).toEqual([newer, text, older]);
});
