import { afterEach, beforeEach, describe, expect, test, vi } from "vitest";
import type { PassageStatement, UnitDetail } from "../../../src/core/ports.js";
import { dividePassages } from "../../../src/core/search/passages.js";
import { type ManualCore, openManualCore } from "../../support/manual-core.js";

/** Many statements with the same short quote make neither the passage nor the work on it larger than the text. */
const QUOTE = "ab cd";
const PASSAGE = `${QUOTE}. `.repeat(110).trim();

function stating(text: string, more: Partial<PassageStatement> = {}): PassageStatement {
  return {
    containerId: 1,
    quote: QUOTE,
    text,
    isInference: false,
    isLatest: true,
    isForgotten: false,
    forgetAfter: null,
    forgetReason: null,
    isEpisode: false,
    temporalContext: null,
    ...more,
  };
}

/** Many statements with the same quote, the first of which is forgotten. */
function many(count: number): PassageStatement[] {
  return Array.from({ length: count }, (_, index) =>
    stating(`Ada keeps object number ${index}`, index === 0 ? { isForgotten: true, forgetReason: "asked" } : {}),
  );
}

function divide(text: string, statements: readonly PassageStatement[]): UnitDetail | undefined {
  const chunk = { documentId: "d", position: 0, metadata: null, statements };
  const detail = { unit: 2, id: "x", containerId: 1, text, chunk, memory: null, documentIds: [] };
  return dividePassages([detail], { containerIds: [1], kinds: ["chunk"], includeForgotten: false }, new Date(0))[0];
}

/** How often a passage is scanned or sliced. */
function workOn(text: string, statements: readonly PassageStatement[]): number {
  const spies = [vi.spyOn(String.prototype, "indexOf"), vi.spyOn(String.prototype, "slice")];
  try {
    divide(text, statements);
    return spies.reduce((sum, { mock }) => sum + mock.calls.length, 0);
  } finally {
    for (const spy of spies) spy.mockRestore();
  }
}

describe("a passage quoted by many statements", () => {
  test("is followed by the current statements once, in their own words, within a limit", () => {
    const text = divide(PASSAGE, many(400))?.text ?? "";
    expect(text.match(/object number 1\b/g)).toHaveLength(1);
    expect(text).not.toContain("object number 0");
    expect(text).not.toContain(QUOTE);
    expect(text.length).toBeLessThan(2 * PASSAGE.length + 1_500);
  });

  test("limits the room for outdated statements too", () => {
    const gone = Array.from({ length: 400 }, (_, index) => stating(`Ada kept object ${index}`, { isLatest: false }));
    const passage = divide(`Bo likes tea. ${PASSAGE}`, gone)?.passage;
    expect(passage?.current).toMatch(/^Bo likes tea\./);
    expect(passage?.past.length).toBeLessThan(2_000);
  });

  test("is examined once for all statements that quote the same", () => {
    expect(workOn(PASSAGE, many(400))).toBeLessThan(1.1 * workOn(PASSAGE, many(50)));
  });

  test("takes work in proportion to its length", () => {
    const [short, long] = [workOn(PASSAGE, many(50)), workOn(`${PASSAGE} `.repeat(8).trim(), many(50))];
    expect(long).toBeLessThan(12 * short);
  });

  test("loses every sentence that says what was forgotten, wherever it is", () => {
    const statement = stating("Ada likes tea", { quote: "Ada likes tea", isForgotten: true, forgetReason: "asked" });
    const kept = stating("Bo likes tea, too", { quote: "Ada likes tea" });
    const rows = Array.from({ length: 40 }, (_, index) => `Row ${index} holds. Ada likes tea, she says.`);
    const text = divide(rows.join("\n"), [statement, kept])?.text ?? "";
    expect(text).not.toContain("Ada");
    for (let index = 0; index < 40; index++) expect(text).toContain(`Row ${index} holds.`);
    expect(text.match(/Bo likes tea, too/g)).toHaveLength(1);
  });
});

describe("a document with many statements in the same words", () => {
  let opened: ManualCore;
  beforeEach(async () => {
    opened = await openManualCore();
  });
  afterEach(() => opened.close());

  test("is found by passages of about their original length after one statement was forgotten", async () => {
    const { core } = opened;
    const facts = Array.from({ length: 100 }, (_, index) => ({
      text: `Ada${index} keeps object number ${index} in room ${(index * 37) % 97}`,
      quote: QUOTE,
    }));
    const content = Array.from({ length: 300 }, (_, index) => `${QUOTE}. ${index % 9 ? "" : `garden${index} `}`).join(
      "",
    );
    await core.addDocument(opened.call(), { content, containerTags: ["a"], facts });
    await opened.settle();
    const { entries } = await core.listMemories(opened.call(), { containerTags: ["a"], limit: 1 });
    await core.forget(opened.call(), { ids: entries.map(({ memory }) => memory.id) });
    const asked = { q: "garden ab cd", containerTags: ["a"], searchMode: "documents" as const, threshold: 0 };
    const { results } = await core.search(opened.call(), asked);
    expect(results.length).toBeGreaterThan(0);
    for (const { text } of results) expect(text.length).toBeLessThan(4_000);
  });
});
