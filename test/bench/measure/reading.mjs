import { spawnSync } from "node:child_process";
import { readFileSync, writeFileSync } from "node:fs";
import { createRequire } from "node:module";
import { basename, dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { removeFolder, temporaryFolder } from "../children.mjs";
import { pause } from "../load.mjs";

const SECTION = "reading";
const FIXTURES = join(dirname(fileURLToPath(import.meta.url)), "../../fixtures/extractors");
const FILES = [
  "harbour.docx",
  "talk.pptx",
  "prices.xlsx",
  "garden.odt",
  "prices.ods",
  "talk.odp",
  "garden.rtf",
  "garden.epub",
  "paper-latex.pdf",
  "scan-gs.pdf",
  "sign.png",
];
/** Texts without a fixture, of up to a megabyte. */
const LARGE = {
  "large.html": () =>
    `<!doctype html><main>${"<p>The ferry leaves <b>at noon</b> from quay seven.</p>".repeat(20_000)}</main>`,
  "large.csv": () => `name,quay,hour\n${"Ferry to the island,7,noon\n".repeat(40_000)}`,
  "large.json": () =>
    JSON.stringify(Array.from({ length: 15_000 }, (_, id) => ({ id, name: "Ferry", quay: { number: id % 9 } }))),
  "large.mbox": () =>
    "From a@example.org Thu Jan  1 00:00:00 2026\nFrom: a@example.org\nSubject: Ferry\n\nIt leaves at noon.\n\n".repeat(
      10_000,
    ),
};
const EVERY_MS = 15;
const LONGEST_MS = 180_000;
const TIMES = { true: 3, false: 10 };

/** What reading files of each format takes, in the reading process alone, and compared with installed programs. */
export async function measureReading({ product, results, options }) {
  const folder = temporaryFolder();
  const service = await product.serve(temporaryFolder(), { RECOLLECT_RATE_LIMIT: "0" });
  try {
    const files = [
      ...FILES.map((name) => ({ name, bytes: readFileSync(join(FIXTURES, name)) })),
      ...Object.entries(LARGE).map(([name, make]) => ({ name, bytes: Buffer.from(make()) })),
    ];
    for (const { name, bytes } of files) {
      await read(service, name, bytes);
      const times = name.startsWith("large.") ? 1 : TIMES[options.quick];
      await measureFile({ service, results, name, bytes, times });
      const path = join(folder, name);
      writeFileSync(path, bytes);
      measureOthers(results, name, path, times);
    }
    results.remark(
      "Reading: files of each format, from the upload until the text is searched; other programs from start to end.",
    );
  } finally {
    await service.stop();
    removeFolder(folder);
  }
}

async function measureFile({ service, results, name, bytes, times }) {
  const began = performance.now();
  let peak = 0;
  for (let count = 0; count < times; count += 1) peak = Math.max(peak, (await read(service, name, bytes)).peak);
  const each = (performance.now() - began) / times;
  results.add({ section: SECTION, name: `${name}, time`, unit: "ms", value: each });
  results.add({ section: SECTION, name: `${name}, throughput`, unit: "MB/s", value: bytes.length / 1_000 / each });
  results.add({ section: SECTION, name: `${name}, peak memory of all processes`, unit: "MB", value: peak });
}

/** Sends a file and waits until it is read; returns the peak memory of the service and its children meanwhile. */
async function read(service, name, bytes) {
  const { id } = await service.upload(name, bytes);
  let peak = 0;
  for (let waited = 0; waited < LONGEST_MS; waited += EVERY_MS) {
    const { resident, children } = service.memory();
    peak = Math.max(peak, (resident ?? Number.NaN) + children);
    const { status, processingMetadata } = (await service.get(`/v3/documents/${id}`)).body;
    if (status === "done") return { peak };
    if (status === "failed") throw new Error(`${name} was not read: ${JSON.stringify(processingMetadata?.error)}`);
    await pause(EVERY_MS);
  }
  throw new Error(`${name} was not read in ${LONGEST_MS / 1_000} s`);
}

const MAMMOTH = join(dirname(createRequire(import.meta.url).resolve("mammoth/package.json")), "bin", "mammoth");
const PANDOC = /\.(docx|odt|rtf|epub|html|csv|pptx)$/;

function measureOthers(results, name, path, times) {
  if (name.endsWith(".pdf")) measureProgram(results, name, times, ["pdftotext", "-layout", path, "-"]);
  if (PANDOC.test(name)) measureProgram(results, name, times, ["pandoc", "-t", "gfm", path]);
  if (name.endsWith(".docx")) measureProgram(results, name, times, [MAMMOTH, "--output-format=markdown", path]);
}

/** Omitted if the program is not installed or does not support the format. */
function measureProgram(results, name, times, [program, ...args]) {
  const began = performance.now();
  for (let count = 0; count < times; count += 1)
    if (spawnSync(program, args, { stdio: "ignore", timeout: LONGEST_MS }).status !== 0) return;
  const value = (performance.now() - began) / times;
  results.add({ section: SECTION, name: `${name}, time`, unit: "ms", system: basename(program), value });
}
