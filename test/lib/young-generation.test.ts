import { execFileSync } from "node:child_process";
import { resolve } from "node:path";
import { pathToFileURL } from "node:url";
import { expect, test } from "vitest";

const MODULE = pathToFileURL(resolve(import.meta.dirname, "../../dist/lib/young-generation.js")).href;
const MEGABYTE = 1024 * 1024;

/** Keeps a process busy with objects that outlive the next collections. @returns the final size of its young generation */
function runBusily(beginning: string): number {
  const program = `
    import { setImmediate as nextTurn } from "node:timers/promises";
    import { getHeapSpaceStatistics } from "node:v8";
    ${beginning}
    const held = [];
    for (let turn = 0; turn < 600; turn++) {
      for (let count = 0; count < 2_000; count++) held[(turn % 20) * 2_000 + count] = { turn, list: [count] };
      await nextTurn();
    }
    console.log(getHeapSpaceStatistics().find((space) => space.space_name === "new_space").space_size);`;
  return Number(execFileSync(process.execPath, ["--input-type=module", "--eval", program], { encoding: "utf8" }));
}

test("the young generation stops growing at two halves of 8 MB", () => {
  const limited = runBusily(`import { limitYoungGeneration } from "${MODULE}"; limitYoungGeneration();`);
  expect(limited / MEGABYTE).toBeGreaterThan(8);
  expect(limited / MEGABYTE).toBeLessThan(20);
  expect(runBusily("") / MEGABYTE).toBeGreaterThan(20);
});
