import { expect, test } from "vitest";
import { scopeWord } from "../../src/adapters/store/text-index.js";
import { TEXT_INDEX_DIALECTS } from "../../src/adapters/store/text-index-dialects.js";

const { postgres } = TEXT_INDEX_DIALECTS;
const wordsOf = (containers: number): string[] => Array.from({ length: containers }, (_, id) => scopeWord("chunk", id));
const lexemesIn = (expression: string): number => expression.split("'s:").length - 1;

test("in PostgreSQL, whose time grows with the square of the lexemes in an expression, no expression has many", () => {
  for (const containers of [1, 50, 500, 501, 5_000, 50_000]) {
    const { expression, groups } = postgres.inScope(wordsOf(containers));
    const all = [postgres.anyOf("text", ["lamp"], expression), ...groups];
    expect(Math.max(...all.map(lexemesIn))).toBeLessThanOrEqual(500);
    expect(all.reduce((sum, one) => sum + lexemesIn(one), 0)).toBe(containers);
  }
});
