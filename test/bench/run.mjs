// `npm run bench`: Recollect beside @modelcontextprotocol/server-memory, on the same data, in the same run.
// Prints a Markdown table. Times are wall time seen by the client, in milliseconds.
import { mkdtempSync, rmSync } from "node:fs";
import { createRequire } from "node:module";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { heldLine } from "./facts/run.mjs";
import { McpLineClient } from "./mcp-line-client.mjs";
import { memory, questions } from "./memories.mjs";

const root = join(dirname(fileURLToPath(import.meta.url)), "../..");
const peerPackage = createRequire(import.meta.url).resolve("@modelcontextprotocol/server-memory/package.json");
const peerEntry = join(dirname(peerPackage), "dist/index.js");
const quick = process.argv.includes("--quick");
const STARTS = quick ? 3 : 10;
const ADDS = quick ? 50 : 300;
const SEARCHES = quick ? 50 : 200;
const SIZES = quick ? [1_000] : [1_000, 10_000];

const rows = [];
const folders = [];

function folder() {
  const path = mkdtempSync(join(tmpdir(), "recollect-bench-"));
  folders.push(path);
  return path;
}

function startOurs(directory) {
  return new McpLineClient(process.execPath, [join(root, "dist/main.js"), "mcp"], {
    RECOLLECT_DATA_DIR: directory,
    RECOLLECT_OFFLINE: "1",
    RECOLLECT_LLM: "off",
  });
}

function startPeer(directory) {
  return new McpLineClient(process.execPath, [peerEntry], { MEMORY_FILE_PATH: join(directory, "memory.jsonl") });
}

async function time(work) {
  const started = performance.now();
  await work();
  return performance.now() - started;
}

async function repeat(count, work) {
  const times = [];
  for (let index = 0; index < count; index++) times.push(await time(() => work(index)));
  return times.sort((a, b) => a - b);
}

const percentile = (sorted, share) => sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * share))];
const show = (value) => (value === undefined ? "–" : value < 10 ? value.toFixed(1) : Math.round(value).toString());

function record(name, ours, peer, unit = "ms") {
  const ratio = ours !== undefined && peer !== undefined ? `${(ours / peer).toFixed(2)}×` : "";
  rows.push(`| ${name} | ${show(ours)} ${unit} | ${show(peer)}${peer === undefined ? "" : ` ${unit}`} | ${ratio} |`);
  process.stderr.write(`${rows.at(-1)}\n`);
}

function recordTimes(name, ours, peer) {
  record(`${name}, p50`, percentile(ours, 0.5), peer && percentile(peer, 0.5));
  record(`${name}, p95`, percentile(ours, 0.95), peer && percentile(peer, 0.95));
}

async function measureStart() {
  const starts = { ours: [], peer: [] };
  for (let index = 0; index < STARTS; index++)
    for (const [side, start] of [
      ["ours", startOurs],
      ["peer", startPeer],
    ]) {
      let client;
      const directory = folder();
      starts[side].push(
        await time(async () => {
          client = start(directory);
          await client.initialize();
        }),
      );
      await client.close();
    }
  recordTimes(
    "start to `initialize` answered",
    starts.ours.sort((a, b) => a - b),
    starts.peer.sort((a, b) => a - b),
  );
}

async function measureAdd() {
  const ours = startOurs(folder());
  const peer = startPeer(folder());
  await Promise.all([ours.initialize(), peer.initialize()]);
  const addOurs = (wait, offset) => (index) =>
    ours.call("add-memory", { content: memory(offset + index).text, containerTag: "bench", wait });
  await repeat(10, addOurs(10, 900_000));
  const acknowledged = await repeat(ADDS, addOurs(0, 0));
  const peerTimes = await repeat(ADDS, (index) => peer.call("create_entities", { entities: [entity(index)] }));
  recordTimes("add, acknowledged", acknowledged, peerTimes);
  await addOurs(50, 950_000)(0);
  recordTimes("add, searchable", await repeat(ADDS, addOurs(10, 100_000)), peerTimes);
  await Promise.all([ours.close(), peer.close()]);
}

function entity(index) {
  const { person, text } = memory(index);
  return { name: `${person} #${index}`, entityType: "person", observations: [text] };
}

async function measureSearch(size, containers) {
  const directory = folder();
  const ours = startOurs(directory);
  await ours.initialize();
  await fillOurs(ours, directory, size, containers);
  const peer = containers === 1 ? startPeer(folder()) : undefined;
  if (peer) await fillPeer(peer, size);
  const asked = questions(SEARCHES, size);
  const searchOurs = (index) =>
    ours.call("search", { query: asked[index].text, containerTag: containerOf(asked[index].about, containers) });
  await repeat(20, searchOurs);
  const oursTimes = await repeat(SEARCHES, searchOurs);
  const peerTimes =
    peer && (await repeat(SEARCHES, (index) => peer.call("search_nodes", { query: nameIn(asked[index].text) })));
  const place = containers === 1 ? "one container" : `${containers} containers`;
  recordTimes(`search, ${size.toLocaleString("en")} memories in ${place}`, oursTimes, peerTimes);
  record(
    `resident memory, ${size.toLocaleString("en")} memories in ${place}`,
    ours.residentMegabytes(),
    peer?.residentMegabytes(),
    "MB",
  );
  await Promise.all([ours.close(), peer?.close()]);
}

/** The peer finds parts of words only, so it gets the name alone; a whole question finds nothing there. */
function nameIn(question) {
  return /[A-Z]\w+ [A-Z]\w+ \d+/.exec(question)?.[0] ?? question;
}

async function fillOurs(client, directory, size, containers) {
  const { readFileSync, existsSync } = await import("node:fs");
  const file = join(directory, "service.json");
  await client.call("search", { query: "warm up" });
  while (!existsSync(file)) await new Promise((resolve) => setTimeout(resolve, 20));
  const { url } = JSON.parse(readFileSync(file, "utf8"));
  for (let container = 0; container < containers; container++) {
    const numbers = Array.from({ length: size / containers }, (_, index) => container + index * containers);
    for (let start = 0; start < numbers.length; start += 100) {
      const memories = numbers.slice(start, start + 100).map((number) => ({ content: memory(number).text }));
      const response = await fetch(`${url}/v4/memories`, {
        method: "POST",
        headers: { "content-type": "application/json" },
        body: JSON.stringify({ containerTag: `c${container}`, memories }),
      });
      if (!response.ok) throw new Error(`seeding: ${response.status} ${await response.text()}`);
    }
  }
}

/** Memories are dealt out to the containers one by one. */
function containerOf(number, containers) {
  return `c${number % containers}`;
}

async function fillPeer(client, size) {
  await client.initialize();
  for (let start = 0; start < size; start += 500)
    await client.call("create_entities", {
      entities: Array.from({ length: 500 }, (_, index) => entity(start + index)),
    });
}

try {
  await measureStart();
  await measureAdd();
  for (const size of SIZES) await measureSearch(size, 1);
  for (const size of SIZES) await measureSearch(size, 100);
  const title = `Node ${process.versions.node}, ${(await import("node:os")).cpus().length} cores`;
  process.stdout.write(
    [
      `${title}:`,
      "",
      "| | Recollect | server-memory | ratio |",
      "| --- | ---: | ---: | ---: |",
      ...rows,
      "",
      await heldLine(join(root, "dist")),
      "",
    ].join("\n"),
  );
} finally {
  for (const path of folders) rmSync(path, { recursive: true, force: true });
}
