import { existsSync, readFileSync, rmSync } from "node:fs";
import { join } from "node:path";
import { removeFolder, temporaryFolder } from "../children.mjs";
import { applyLoad, pause } from "../load.mjs";
import { Questioner } from "../questioner.mjs";

const SECTION = "loop";
const CALLERS = [1, 8];
const WATCH = new URL("../loop-watch.mjs", import.meta.url).href;
const LONGEST_WAIT_MS = 5_000;

/**
 * How long the service's event loop is blocked while it searches. Separate from the other figures, because sampling a
 * thousand times a second has a cost.
 */
export async function measureLoop({ product, folders, results, effort, seed, sizes }) {
  const place = temporaryFolder();
  const file = join(place, "loop.json");
  try {
    for (const size of sizes) {
      const folder = await folders.get(size);
      const service = await product.serve(folder, { NODE_OPTIONS: `--import ${WATCH}`, BENCH_LOOP_FILE: file });
      try {
        const questioner = new Questioner(seed, size);
        const search = (callers, count) => searchAll(service, questioner.take(count), { callers, effort });
        await search(1, effort.warmUp);
        for (const callers of CALLERS) {
          await readDelay(service, file);
          await search(callers, effort.searches * 3);
          report(results, { callers, size, delay: await readDelay(service, file) });
        }
      } finally {
        await service.stop();
      }
    }
  } finally {
    removeFolder(place);
  }
}

function searchAll(service, asked, { callers, effort }) {
  const work = (index) => service.search({ q: asked[index].question, containerTag: "notes" });
  return applyLoad({ callers, count: asked.length, milliseconds: effort.milliseconds, work });
}

/** The blocking observed since the last call. */
async function readDelay(service, file) {
  process.kill(service.pid, "SIGUSR2");
  const deadline = performance.now() + LONGEST_WAIT_MS;
  while (!existsSync(file)) {
    if (performance.now() > deadline) throw new Error("the service does not tell of its event loop");
    await pause(5);
  }
  const delay = JSON.parse(readFileSync(file, "utf8"));
  rmSync(file);
  return delay;
}

function report(results, { callers, size, delay }) {
  const name = `${callers} ${callers === 1 ? "caller" : "callers"}`;
  for (const key of ["p50", "p95", "p99", "longest"])
    results.add({ section: SECTION, name: `${name}, ${key}`, unit: "ms", size, value: delay[key] });
}
