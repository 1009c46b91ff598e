import { readFileSync, writeFileSync } from "node:fs";
import { resolve } from "node:path";
import { expect, test } from "vitest";
import { renderConnectTable } from "./support/connect-table.js";

const README = resolve(import.meta.dirname, "../README.md");
const MARKED = /(<!-- connect -->\n)([^]*?)(\n<!-- \/connect -->)/;

test("README.md has the table of clients that connect knows", () => {
  const readme = readFileSync(README, "utf8");
  if (process.env["UPDATE_README"] === "1")
    writeFileSync(
      README,
      readme.replace(MARKED, (_all, begin: string, _old, end: string) => begin + renderConnectTable() + end),
    );
  expect(MARKED.exec(readFileSync(README, "utf8"))?.[2]).toBe(renderConnectTable());
});
