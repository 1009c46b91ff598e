// `npm run bench`: how fast Recollect is, how that scales, and how others do on the same notes. `--help` lists the options.
import { cpus, loadavg } from "node:os";
import { cleanUpWhenInterrupted, removeAll } from "./children.mjs";
import { heldLine } from "./facts/run.mjs";
import { FilledFolders } from "./filled-folders.mjs";
import { measureConnections } from "./measure/connections.mjs";
import { measureContainers } from "./measure/containers.mjs";
import { measureIngest } from "./measure/ingest.mjs";
import { measureLoop } from "./measure/loop.mjs";
import { measureManyPages } from "./measure/many-pages.mjs";
import { measureMcp } from "./measure/mcp.mjs";
import { measureMix } from "./measure/mix.mjs";
import { measurePeers } from "./measure/peers.mjs";
import { measurePostgres } from "./measure/postgres.mjs";
import { measureReading } from "./measure/reading.mjs";
import { measureSearch } from "./measure/search.mjs";
import { measureSilence } from "./measure/silence.mjs";
import { measureVectors } from "./measure/vectors.mjs";
import { readOptions } from "./options.mjs";
import { renderMarkdown, writeReport } from "./report/write.mjs";
import { Results } from "./results.mjs";
import { Product } from "./service.mjs";

/** How often and how long things are done. */
const THOROUGH = {
  warmUp: 100,
  settling: 900,
  searches: 300,
  milliseconds: 8_000,
  starts: 3,
  documents: 1_200,
  objects: 50_000,
  containers: 1_000,
  largestPeer: 100_000,
};
const QUICK = {
  warmUp: 40,
  settling: 160,
  searches: 100,
  milliseconds: 2_500,
  starts: 2,
  documents: 240,
  objects: 2_000,
  containers: 50,
  largestPeer: 1_000,
};

const MEASURES = {
  search: measureSearch,
  loop: measureLoop,
  containers: measureContainers,
  ingest: measureIngest,
  mix: measureMix,
  connections: measureConnections,
  vectors: measureVectors,
  postgres: measurePostgres,
  mcp: measureMcp,
  peers: measurePeers,
  facts: async ({ options, results }) => results.remark(await heldLine(options.dist)),
  silence: measureSilence,
  reading: measureReading,
  pages: measureManyPages,
};

async function main() {
  const options = readArguments();
  if (options === null) return;
  if (options.help !== null) return void process.stdout.write(options.help);
  cleanUpWhenInterrupted();
  const started = performance.now();
  const [load] = loadavg();
  const results = new Results();
  await measureAll(options, results);
  const { figures, problems, remarks } = results;
  const minutes = Math.round((performance.now() - started) / 6_000) / 10;
  const cores = cpus();
  const machine = { node: process.versions.node, cores: cores.length, processor: cores[0]?.model ?? "unknown", load };
  const report = { about: { ...machine, seed: options.seed, minutes }, figures, problems, remarks };
  process.stdout.write(renderMarkdown(report));
  process.stderr.write(`The report is in ${writeReport(options.out, report)}\n`);
  if (problems.length > 0) process.exitCode = 1;
}

function readArguments() {
  try {
    return readOptions(process.argv.slice(2));
  } catch (error) {
    process.stderr.write(`${error.message} See --help.\n`);
    process.exitCode = 2;
    return null;
  }
}

/** A part that fails does not keep the others from being measured; it fails the run at the end. */
async function measureAll(options, results) {
  const { seed, sizes } = options;
  const product = new Product(options.dist, options.settings);
  const folders = new FilledFolders({ product, seed, keptIn: options.data, results });
  const effort = options.quick ? QUICK : THOROUGH;
  for (const [name, measure] of Object.entries(MEASURES)) {
    if (!options.sections.has(name)) continue;
    process.stderr.write(`${name}\n`);
    try {
      await measure({ options, product, folders, results, effort, seed, sizes });
    } catch (error) {
      results.check(false, `${name} failed: ${error.stack ?? error}`);
    }
  }
}

try {
  await main();
} catch (error) {
  process.stderr.write(`${error.stack ?? error}\n`);
  process.exitCode = 1;
} finally {
  removeAll();
}
