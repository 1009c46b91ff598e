// `npm run bench`: how fast Recollect is, how that grows, and how others do on the same notes. `--help` lists the options.
import { cpus } from "node:os";
import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { cleanUpWhenInterrupted, removeAll } from "./children.mjs";
import { heldLine } from "./facts/run.mjs";
import { FilledFolders } from "./filled-folders.mjs";
import { measureIngest } from "./measure/ingest.mjs";
import { measureSearch } from "./measure/search.mjs";
import { readOptions } from "./options.mjs";
import { renderTables } from "./report/table.mjs";
import { Results } from "./results.mjs";
import { Product } from "./service.mjs";

const THOROUGH = { warmUp: 100, searches: 300, milliseconds: 8_000, starts: 3, documents: 1_200 };
const QUICK = { warmUp: 50, searches: 100, milliseconds: 3_000, starts: 2, documents: 300 };

const MEASURES = {
  search: measureSearch,
  ingest: measureIngest,
  facts: async ({ options, results }) => results.remark(await heldLine(options.dist)),
};

async function main() {
  const options = readArguments();
  if (options === null) return;
  if (options.help !== null) return void process.stdout.write(options.help);
  cleanUpWhenInterrupted();
  const results = new Results();
  const product = new Product(options.dist, options.settings);
  const folders = new FilledFolders({ product, seed: options.seed, keptIn: options.data, results });
  const effort = options.quick ? QUICK : THOROUGH;
  const bench = { options, product, folders, results, effort, seed: options.seed, sizes: options.sizes };
  for (const [name, measure] of Object.entries(MEASURES)) {
    if (!options.sections.has(name)) continue;
    process.stderr.write(`${name}\n`);
    await measure(bench);
  }
  writeReport(results, options);
  if (results.problems.length > 0) process.exitCode = 1;
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

function writeReport(results, options) {
  const about = { node: process.versions.node, cores: cpus().length, processor: cpus()[0]?.model, seed: options.seed };
  const { figures, problems, remarks } = results;
  mkdirSync(options.out, { recursive: true });
  writeFileSync(join(options.out, "bench.json"), JSON.stringify({ about, figures, problems, remarks }, null, 1));
  const lines = [
    `Node ${about.node}, ${about.cores} cores, wall time seen by the client:\n`,
    ...renderTables(figures),
    ...remarks,
    ...problems.map((problem) => `WRONG: ${problem}`),
    "",
  ];
  process.stdout.write(lines.join("\n"));
}

try {
  await main();
} catch (error) {
  process.stderr.write(`${error instanceof Error ? error.stack : String(error)}\n`);
  process.exitCode = 1;
} finally {
  removeAll();
}
