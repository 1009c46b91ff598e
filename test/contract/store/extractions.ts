import { expect, test } from "vitest";
import { type OpenStore, OTHER_ORGANIZATION, useStore } from "./fixture.js";

export function extractionsContract(open: OpenStore): void {
  const at = useStore(open);
  const note = (documentId: string, inputTokens: number, outputTokens: number) =>
    at.store.extractions.note(at.organization, {
      documentId,
      revision: 1,
      model: "m",
      prompt: "extract-facts/1",
      inputTokens,
      outputTokens,
    });

  test("nothing was asked of a model in a new store", async () => {
    expect(await at.store.extractions.totals(at.organization)).toEqual({ answers: 0, inputTokens: 0, outputTokens: 0 });
  });

  test("every answer counts, for its document and in total", async () => {
    await note("one", 100, 10);
    await note("one", 50, 5);
    await note("two", 7, 1);
    const totals = (documentId?: string) => at.store.extractions.totals(at.organization, documentId);
    expect(await totals("one")).toEqual({ answers: 2, inputTokens: 150, outputTokens: 15 });
    expect(await totals("two")).toEqual({ answers: 1, inputTokens: 7, outputTokens: 1 });
    expect(await totals()).toEqual({ answers: 3, inputTokens: 157, outputTokens: 16 });
    expect(await at.store.extractions.totals(OTHER_ORGANIZATION)).toMatchObject({ answers: 0 });
  });

  test("an answer that was noted in a transaction that failed does not count", async () => {
    const failed = at.store.transaction(async (nouns) => {
      await nouns.extractions.note(at.organization, {
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
