import { readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { runCommand } from "./support/command-line.js";

const page = readFileSync(join(import.meta.dirname, "../docs/command-line.md"), "utf8");
const SHOWN_COMMAND = /^ {4}recollect (\w+)/gm;
const LISTED_COMMAND = /^ {2}(\w+)/gm;

const namesIn = (text: string, pattern: RegExp) => new Set([...text.matchAll(pattern)].map(([, name = ""]) => name));

test("docs/command-line.md shows every command that the help lists, and no others", async () => {
  const { stdout } = await runCommand("unused", ["--help"]);
  const listed = namesIn(stdout.split("Commands:")[1] ?? "", LISTED_COMMAND);
  expect(listed.delete("help")).toBe(true);
  expect([...namesIn(page, SHOWN_COMMAND)].toSorted()).toEqual([...listed].toSorted());
});
