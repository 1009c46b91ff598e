import { readFileSync, writeFileSync } from "node:fs";
import { resolve } from "node:path";
import { expect, test } from "vitest";
import { renderConnectTable } from "./support/connect-table.js";

const PAGE = resolve(import.meta.dirname, "../docs/clients.md");
const MARKED = /(<!-- connect -->\n)([^]*?)(\n<!-- \/connect -->)/;

test("docs/clients.md has the table of clients that connect knows", () => {
  const readme = readFileSync(PAGE, "utf8");
  if (process.env["UPDATE_README"] === "1")
    writeFileSync(
      PAGE,
      readme.replace(MARKED, (_all, begin: string, _old, end: string) => begin + renderConnectTable() + end),
    );
  expect(MARKED.exec(readFileSync(PAGE, "utf8"))?.[2]).toBe(renderConnectTable());
});
