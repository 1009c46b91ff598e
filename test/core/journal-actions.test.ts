import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { JOURNAL_ACTIONS } from "../../src/core/types.js";

/** Action names that are literals, and those that are composed. */
const LITERAL = /["`]((?:memory|document|container|key)\.[a-z]+(?:-[a-z]+)?)["`]/g;
const PURGED = ["document.purged", "memory.purged", "container.purged"];

test("the journal can be filtered by exactly the actions that the code writes to it", () => {
  const files = ["src/core", "src/ingest"]
    .flatMap((folder) => readdirSync(folder, { recursive: true, encoding: "utf8" }).map((file) => join(folder, file)))
    // These files use literals of the same form for other things.
    .filter((file) => file.endsWith(".ts") && !/(?:journal-types|audit-subjects)\.ts$/.test(file));
  expect(files.length).toBeGreaterThan(100);
  const written = files.flatMap((file) =>
    [...readFileSync(file, "utf8").matchAll(LITERAL)].map(([, name = ""]) => name),
  );
  expect([...JOURNAL_ACTIONS].toSorted()).toEqual([...new Set([...written, ...PURGED])].toSorted());
});
