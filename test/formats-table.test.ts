import { readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { FORMATS } from "../src/extractors/formats.js";

const page = readFileSync(join(import.meta.dirname, "../docs/files.md"), "utf8");
const [, table = ""] = page.split(/<!-- \/?formats -->/);
const rows = table
  .trim()
  .split("\n")
  .slice(2)
  .map((row) => row.split("|")[2] ?? "");

test("the table of docs/files.md names the endings of all formats, each once, and no others", () => {
  const named = rows.flatMap((endings) => [...endings.matchAll(/`\.(\w+)`/g)].map(([, ending = ""]) => ending));
  const read = Object.values(FORMATS).flatMap(({ endings }): readonly string[] => endings);
  expect(named.toSorted()).toEqual(read.toSorted());
});
