import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { removeFolder, startChild, temporaryFolder } from "../children.mjs";
import { applyLoad, pause, timeOf } from "../load.mjs";
import { holds, Questioner } from "../questioner.mjs";

const SECTION = "vectors";
const PROBE = fileURLToPath(new URL("../vector-probe.mjs", import.meta.url));
/** Chroma reads its index from the store, once. */
const MOST_SECONDS_TO_BUILD = 1_800;
/** Each check is a process that takes a good part of a core from the index build. */
const LOOKS_EVERY_MS = 2_000;

/** The same questions to a service that scores all vectors and to one that uses Chroma. */
export async function measureVectors({ options, product, folders, results, effort, seed, sizes }) {
  const engines = join(options.cache, "engines");
  const ways = {
    exact: { RECOLLECT_VECTORS: "exact" },
    // Not offline: if the engine installed by npm does not load, another one is fetched once.
    Chroma: {
      RECOLLECT_VECTORS: "auto",
      RECOLLECT_EXACT_LIMIT: "0",
      RECOLLECT_OFFLINE: "0",
      RECOLLECT_ENGINES_DIR: engines,
    },
  };
  if (!(await fetchEngine({ product, results, settings: ways.Chroma }))) return;
  for (const size of sizes) {
    const folder = await folders.get(size);
    const asked = new Questioner(seed, size).take(effort.searches);
    const found = {};
    for (const [way, settings] of Object.entries(ways)) {
      const service = await product.serve(folder, settings);
      try {
        if (way === "Chroma" && !(await measureBuilding({ product, folder, results, size }))) return;
        found[way] = await searchAll({ service, asked, way, results, effort, seed, size });
      } finally {
        await service.stop();
      }
    }
    const value = 100 * shareOfSame(found.exact, found.Chroma);
    results.add({ section: SECTION, name: "same results of a whole search, first ten", unit: "%", size, value });
    await measureRecall({ options, folder, engines, results, effort, seed, size });
  }
}

/** Fetches the engine if it is missing. @returns false when none is available for this machine, which is reported */
async function fetchEngine({ product, results, settings }) {
  const folder = temporaryFolder();
  const service = await product.serve(folder, settings);
  try {
    const { reason } = await waitForChroma(product, folder);
    if (reason !== null) results.remark(`Chroma was left out: ${reason}`);
    return reason === null;
  } finally {
    await service.stop();
    removeFolder(folder);
  }
}

async function measureBuilding({ product, folder, results, size }) {
  const { milliseconds, result } = await timeOf(() => waitForChroma(product, folder));
  if (result.reason !== null) {
    results.check(false, `Chroma at ${size.toLocaleString("en")}: ${result.reason}`);
    return false;
  }
  const name = "start until Chroma is ready, its index built anew";
  if (result.wasBehind) results.add({ section: SECTION, name, unit: "s", size, value: milliseconds / 1_000 });
  return true;
}

/** @returns why Chroma cannot be used, or null once it has all vectors; and whether it had to be waited for */
async function waitForChroma(product, folder) {
  const deadline = performance.now() + MOST_SECONDS_TO_BUILD * 1_000;
  for (let wasBehind = false; ; wasBehind = true) {
    const { vectors } = await product.status(folder);
    if (vectors.state === "ready" && vectors.behind === 0) return { reason: null, wasBehind };
    if (vectors.state === "degraded") return { reason: vectors.reason ?? "it is degraded", wasBehind };
    if (performance.now() > deadline) return { reason: "it was not ready in time", wasBehind };
    await pause(LOOKS_EVERY_MS);
  }
}

/** @returns the ids of the results, one list per question */
async function searchAll({ service, asked, way, results, effort, seed, size }) {
  const ids = [];
  const questioner = new Questioner(seed, size);
  const work = async (index) => {
    const answer = await service.search({ q: asked[index].question, containerTag: "notes" });
    questioner.see(holds(answer.results, asked[index]), asked[index]);
    ids[index] = answer.results.map(({ id }) => id);
  };
  await applyLoad({ callers: 1, count: Math.min(effort.warmUp, asked.length), work });
  const load = await applyLoad({ callers: 1, count: asked.length, milliseconds: effort.milliseconds, work });
  results.addTimes({ section: SECTION, name: way, size }, load);
  const busy = await applyLoad({ callers: 8, count: asked.length, milliseconds: effort.milliseconds, work });
  results.add({ section: SECTION, name: `${way}, 8 callers, searches`, unit: "a second", size, value: busy.perSecond });
  questioner.report(results, { section: SECTION, name: way, size });
  const { resident, children } = service.memory();
  results.add({ section: SECTION, name: `${way}, resident memory`, unit: "MB", size, value: resident });
  if (way === "Chroma")
    results.add({ section: SECTION, name: "Chroma engine, resident memory", unit: "MB", size, value: children });
  return ids;
}

function shareOfSame(left, right) {
  const shares = left.flatMap((ids, index) => {
    const others = new Set(right[index] ?? []);
    return ids.length === 0 || others.size === 0 ? [] : [ids.filter((id) => others.has(id)).length / ids.length];
  });
  return shares.reduce((sum, share) => sum + share, 0) / shares.length;
}

/** What the vector index alone finds, compared with an exact scan of all vectors. */
async function measureRecall({ options, folder, engines, results, effort, seed, size }) {
  const request = { dist: options.dist, folder, engines, seed, size, count: effort.searches / 2 };
  const child = startChild(process.execPath, [PROBE, JSON.stringify(request)], {
    stdio: ["ignore", "pipe", "inherit"],
  });
  let output = "";
  for await (const part of child.stdout) output += part;
  const probed = output === "" ? null : JSON.parse(output);
  results.check(probed !== null, `recall at ${size} could not be measured`);
  for (const [way, { recall, times }] of Object.entries(probed ?? {})) {
    const name = `${way} index alone`;
    results.add({ section: SECTION, name: `${name}, recall@10`, unit: "%", size, value: recall * 100 });
    results.add({ section: SECTION, name: `${name}, p50`, unit: "ms", size, value: times.p50 });
    results.add({ section: SECTION, name: `${name}, p95`, unit: "ms", size, value: times.p95 });
  }
}
