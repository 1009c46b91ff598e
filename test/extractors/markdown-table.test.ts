import { expect, test } from "vitest";
import { markdownTable } from "../../src/extractors/markdown-table.js";

test("the header is as wide as the widest row, cells are one line, and rows end with their last value", () => {
  const table = markdownTable([
    ["Name", "a|b"],
    ["x\ny", "", "3"],
    ["z", "", " "],
  ]);
  expect(table).toBe("| Name | a\\|b |  |\n| --- | --- | --- |\n| x y |  | 3 |\n| z |");
  expect(markdownTable([])).toBe("");
});
