import { readdirSync, readFileSync } from "node:fs";
import { join, resolve } from "node:path";
import { expect, test } from "vitest";

const DIST = resolve(import.meta.dirname, "../dist");
const JOINED = readdirSync(join(DIST, "joined")).map((name) => join(DIST, "joined", name));

test("what is joined asks for no file of a library that stayed behind", () => {
  expect(JOINED.length).toBeGreaterThan(10);
  for (const file of [join(DIST, "main.js"), ...JOINED]) {
    expect(readFileSync(file, "utf8"), file).not.toMatch(/\brequire\(["']\.\.?\//);
  }
});
