// `node test/bench/facts/run.mjs`: how well the rules find facts in the labelled set beside this file. Needs `npm run build`.
// Options: --split tune|held, --misses (prints what went wrong; for the tune split unless --split names the other),
// --dist DIR (another build). The rules are tuned on `tune` only: do not look at misses of `held` while you change them.
import { readFileSync } from "node:fs";
import { dirname, join, resolve } from "node:path";
import { fileURLToPath, pathToFileURL } from "node:url";
import { parseArgs } from "node:util";
import { judgeItem, sourceOf, summarise } from "./score.mjs";

const here = dirname(fileURLToPath(import.meta.url));
const set = JSON.parse(readFileSync(join(here, "labelled.json"), "utf8"));

async function judge(items, dist) {
  const { createRulesExtractor } = await import(pathToFileURL(resolve(dist, "adapters/facts/rules.js")).href);
  const extractor = createRulesExtractor();
  const judged = [];
  for (const item of items) judged.push(judgeItem(item, await extractor.extract(sourceOf(item, set.saidOn))));
  return judged;
}

/** One line for the report of `npm run bench`. */
export async function heldLine(dist) {
  const { expected, precision, recall } = summarise(await judge(set.held, dist));
  return `Facts found by the rules, held part of the labelled set (${expected} facts): precision ${show(precision)}, recall ${show(recall)}.`;
}

function show(value) {
  return value === null ? "–" : value.toFixed(2);
}

function row(name, { expected, right, wrong, forbidden, ...shares }) {
  const figures = [shares.precision, shares.recall, shares.staticAccuracy, shares.expiryAccuracy, shares.updates];
  return `| ${[name, expected, right, wrong, forbidden, ...figures.map(show)].join(" | ")} |`;
}

function printMisses(judged) {
  console.log("");
  for (const { item, wrong, missed } of judged) {
    for (const { text, isForbidden } of wrong)
      console.log(`${isForbidden ? "forbidden" : "wrong"}  ${item.id}: ${text}`);
    for (const { words } of missed) console.log(`missed  ${item.id}: ${words}`);
  }
}

async function report({ split: only, misses, dist }) {
  console.log("| | expected | found | wrong | forbidden | precision | recall | static | expiry | updates |");
  console.log("| --- | --- | --- | --- | --- | --- | --- | --- | --- | --- |");
  for (const split of ["tune", "held"]) {
    if (only !== undefined && only !== split) continue;
    const judged = await judge(set[split], dist);
    console.log(row(`**${split}**`, summarise(judged)));
    for (const category of new Set(set[split].map((item) => item.category)))
      console.log(row(category, summarise(judged.filter(({ item }) => item.category === category))));
    if (misses && split === (only ?? "tune")) printMisses(judged);
  }
}

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  const { values } = parseArgs({
    options: {
      split: { type: "string" },
      misses: { type: "boolean", default: false },
      dist: { type: "string", default: join(here, "../../../dist") },
    },
  });
  await report(values);
}
