import { readdirSync, readFileSync } from "node:fs";
import { join, resolve } from "node:path";
import { expect, test } from "vitest";

const DIST = resolve(import.meta.dirname, "../dist");
const JOINED = readdirSync(join(DIST, "joined"))
  .filter((name) => name.endsWith(".js"))
  .map((name) => join(DIST, "joined", name));

test("what is joined asks for no file of a library that stayed behind", () => {
  expect(JOINED.length).toBeGreaterThan(10);
  for (const file of [join(DIST, "main.js"), join(DIST, "extractors/extraction-program.js"), ...JOINED]) {
    expect(readFileSync(file, "utf8"), file).not.toMatch(/\brequire\(["']\.\.?\//);
  }
});

test("whose libraries are joined is written down, each with its licence", () => {
  const told = readFileSync(join(DIST, "joined/LICENSES.txt"), "utf8").split("\n\n----\n\n");
  const names = told.map((part) => /^(\S+) \d\S* \(.+\)$/m.exec(part)?.[1]);
  expect(names).toEqual(expect.arrayContaining(["hono", "kysely", "zod", "unpdf", "mammoth"]));
  expect(names).not.toContain(undefined);
});
