import { describe, expect, test } from "vitest";
import type { ReadingQuery } from "../../../src/core/ports.js";
import { buildChunkDrafts } from "../../support/builders.js";
import { type OpenStore, OTHER_ORGANIZATION, type StoreFixture, useStore } from "./fixture.js";

export function extractionsContract(open: OpenStore): void {
  const at = useStore(open);
  const note = (documentId: string, inputTokens: number, outputTokens: number, cost?: number | null) =>
    at.store.extractions.note(at.organization, {
      documentId,
      revision: 1,
      model: "m",
      prompt: "extract-facts/1",
      inputTokens,
      outputTokens,
      cost,
    });

  test("a new store has no use of models", async () => {
    expect(await at.store.extractions.totals(at.organization)).toEqual({
      answers: 0,
      inputTokens: 0,
      outputTokens: 0,
      cost: 0,
      unpricedAnswers: 0,
    });
  });

  test("every answer counts, for its document and in total", async () => {
    await note("one", 100, 10);
    await note("one", 50, 5);
    await note("two", 7, 1);
    const totals = (documentId?: string) => at.store.extractions.totals(at.organization, documentId);
    expect(await totals("one")).toMatchObject({ answers: 2, inputTokens: 150, outputTokens: 15 });
    expect(await totals("two")).toMatchObject({ answers: 1, inputTokens: 7, outputTokens: 1 });
    expect(await totals()).toMatchObject({ answers: 3, inputTokens: 157, outputTokens: 16 });
    expect(await at.store.extractions.totals(OTHER_ORGANIZATION)).toMatchObject({ answers: 0 });
  });

  test("costs add up where prices are known", async () => {
    await note("one", 1, 1, 0.25);
    await note("one", 1, 1, 0.5);
    await note("two", 1, 1);
    await note("three", 1, 1, 0);
    await note("three", 1, 1, null);
    const totals = (documentId?: string) => at.store.extractions.totals(at.organization, documentId);
    expect(await totals("one")).toMatchObject({ cost: 0.75, unpricedAnswers: 0 });
    expect(await totals("two")).toMatchObject({ cost: null, unpricedAnswers: 1 });
    expect(await totals("three")).toMatchObject({ cost: 0, unpricedAnswers: 1 });
    expect(await totals()).toMatchObject({ cost: 0.75, unpricedAnswers: 2 });
  });

  test("costs since a moment exclude earlier ones, and those of others", async () => {
    await note("one", 1, 1, 0.25);
    at.clock.advance(1_000);
    const moment = at.clock.now().toISOString();
    await note("one", 1, 1, 0.5);
    const { extractions } = at.store;
    expect(await extractions.costSince(at.organization, moment)).toBe(0.5);
    expect(await extractions.costSince(OTHER_ORGANIZATION, moment)).toBe(0);
  });

  test("the prompt answered about a revision is found among the requested ones", async () => {
    await note("one", 1, 1);
    const promptOf = (revision: number, ...prompts: string[]) =>
      at.store.extractions.promptOf(at.organization, { id: "one", revision }, prompts);
    expect(await promptOf(1, "extract-facts/2", "extract-facts/1")).toBe("extract-facts/1");
    expect(await promptOf(1, "extract-facts/2")).toBeNull();
    expect(await promptOf(2, "extract-facts/1")).toBeNull();
  });

  describe("documents that can be reread", () => {
    const READ = { status: "done", dreamingStatus: "done", content: "Ünïcode" } as const;
    const idsOf = async (query: Partial<ReadingQuery> = {}) =>
      (await at.store.extractions.readings(at.organization, { within: "all", ...query })).map(({ id }) => id);

    async function addRead(values: Parameters<StoreFixture["addDocument"]>[0] = {}): Promise<string> {
      const { id, revision, content } = await at.addDocument({ containerTags: ["a"], ...READ, ...values });
      await at.store.chunks.replace(at.organization, id, revision, buildChunkDrafts(content));
      return id;
    }

    test("are returned with their size and what has read them, oldest first", async () => {
      const [first, second] = [await addRead(), await addRead({ containerTags: ["b", "a"] })];
      await at.store.extractions.noteReading(first, "rules/1");
      await at.store.extractions.noteReading(first, "extract-facts/2");
      const readings = await at.store.extractions.readings(at.organization, { within: "all" });
      expect(readings).toEqual([
        { id: first, revision: 1, containerTag: "a", bytes: 9, extractor: "extract-facts/2" },
        { id: second, revision: 1, containerTag: "b", bytes: 9, extractor: null },
      ]);
      expect(await idsOf({ exceptBy: ["extract-facts/2", "extract-group/1"] })).toEqual([second]);
      expect(await idsOf({ exceptBy: ["extract-facts/3"] })).toEqual([first, second]);
      expect(await idsOf({ ids: [second, "nobody"] })).toEqual([second]);
      expect(await at.store.extractions.readings(OTHER_ORGANIZATION, { within: "all" })).toEqual([]);
    });

    test("are in the requested containers and in no others than those that may be changed", async () => {
      const mine = await addRead();
      const shared = await addRead({ containerTags: ["a", "b"] });
      expect(await idsOf({ containerTags: ["a"] })).toEqual([mine, shared]);
      expect(await idsOf({ containerTags: ["b"] })).toEqual([shared]);
      expect(await idsOf({ within: ["a"] })).toEqual([mine]);
      expect(await idsOf({ within: [] })).toEqual([]);
    });

    test("do not include documents that only stand for memories that were added directly", async () => {
      await at.addDocument({ containerTags: ["a"], ...READ });
      expect(await idsOf()).toEqual([]);
    });

    test("are neither in progress, without memories, ready-made, nor only in a deleted container", async () => {
      await addRead({ dreamingStatus: "dreaming" });
      await addRead({ status: "failed" });
      await addRead({ taskType: "superrag" });
      await addRead({ facts: [{ text: "User sails." }] });
      await addRead({ containerTags: ["gone"] });
      await at.store.containers.remove(at.organization, "gone");
      expect(await idsOf()).toEqual([]);
    });

    test("lose their reading records when they are removed", async () => {
      const id = await addRead();
      await at.store.extractions.noteReading(id, "rules/77");
      expect(await at.everything()).toContain("rules/77");
      await at.store.documents.remove(at.organization, id);
      expect(await at.everything()).not.toContain("rules/77");
    });
  });

  test("an answer recorded in a failed transaction does not count", async () => {
    const failed = at.store.transaction(async (repositories) => {
      await repositories.extractions.note(at.organization, {
        documentId: "one",
        revision: 1,
        model: "m",
        prompt: "p/1",
        inputTokens: 1,
        outputTokens: 1,
      });
      throw new Error("stop");
    });
    await expect(failed).rejects.toThrow("stop");
    expect(await at.store.extractions.totals(at.organization)).toMatchObject({ answers: 0 });
  });
}
