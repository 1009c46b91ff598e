import { spawnSync } from "node:child_process";
import { copyFileSync, readFileSync, writeFileSync } from "node:fs";
import { dirname, extname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { childrenOf, memoryOf, removeFolder, temporaryFolder } from "../children.mjs";
import { note } from "../corpus.mjs";
import { pause } from "../load.mjs";

const SECTION = "reading";
const PAGES = { true: 50, false: 500 };
const FILES = { true: 100, false: 1_000 };
const NOTES_OF_A_PAGE = 18;
const EVERY_MS = 50;
const LONGEST_MS = 300_000;
const FIXTURES = join(dirname(fileURLToPath(import.meta.url)), "../../fixtures/extractors");
/** One file in five is a fixture; the others are generated here. */
const COPIED = ["harbour.docx", "prices.xlsx", "small-latex.pdf", "talk.pptx", "garden.odt", "prices.ods", "sign.png"];

/** A long PDF until a sentence of its last pages is found, and a folder of small files of mixed formats from the command line. */
export async function measureManyPages({ product, results, options, seed }) {
  await measureLongPdf({ product, results, seed, pages: PAGES[options.quick] });
  await measureFolder({ product, results, seed, count: FILES[options.quick] });
}

async function measureLongPdf({ product, results, seed, pages }) {
  const folder = temporaryFolder();
  const pdf = typeset(folder, seed, pages);
  if (pdf === null) {
    results.remark("Reading: the long PDF was left out, as pdflatex is missing.");
    return;
  }
  const service = await product.serve(temporaryFolder(), { RECOLLECT_RATE_LIMIT: "0" });
  try {
    const { text, question } = note(seed, (pages - 10) * NOTES_OF_A_PAGE);
    const watch = watchMemory(service.pid);
    const began = performance.now();
    const { id } = await service.upload("long.pdf", pdf);
    await until(`page ${pages - 10} is found`, async () => {
      const { results: hits } = await service.search({ q: question });
      return hits.some((hit) => (hit.chunk ?? hit.memory ?? "").replaceAll(/\s+/g, " ").includes(text));
    });
    const took = performance.now() - began;
    await until("the PDF is read", async () => (await service.get(`/v3/documents/${id}`)).body.status === "done");
    const name = `PDF of ${pages} pages`;
    results.add({ section: SECTION, name: `${name}, until its end is found`, unit: "ms", value: took });
    results.add({ section: SECTION, name: `${name}, throughput`, unit: "pages/s", value: (pages * 1_000) / took });
    results.add({ section: SECTION, name: `${name}, peak memory of all processes`, unit: "MB", value: await watch() });
  } finally {
    await service.stop();
    removeFolder(folder);
  }
}

/** A PDF of this many pages of notes by LaTeX; null if that is not installed. */
function typeset(folder, seed, pages) {
  const page = (number) =>
    Array.from({ length: NOTES_OF_A_PAGE }, (_, index) => note(seed, number * NOTES_OF_A_PAGE + index).text).join(
      "\n\n",
    );
  const text = Array.from({ length: pages }, (_, number) => escape(page(number))).join("\n\\newpage\n");
  writeFileSync(join(folder, "long.tex"), `\\documentclass{article}\\begin{document}\n${text}\n\\end{document}\n`);
  const made = spawnSync("pdflatex", ["-interaction=batchmode", "long.tex"], { cwd: folder, stdio: "ignore" });
  return made.status === 0 ? readFileSync(join(folder, "long.pdf")) : null;
}

function escape(text) {
  return text.replaceAll(/[&%$#_{}]/g, "\\$&");
}

async function measureFolder({ product, results, seed, count }) {
  const [folder, dataDirectory] = [temporaryFolder(), temporaryFolder()];
  for (let number = 0; number < count; number += 1) writeSmallFile(folder, number, note(seed, number).text);
  const began = performance.now();
  const adding = product.add(dataDirectory, folder);
  const watch = watchMemory(adding.pid);
  const code = await adding.ended;
  const took = performance.now() - began;
  const peak = await watch();
  const { store, jobs } = await product.status(dataDirectory);
  if (code !== 0 || store.documents !== count || jobs.dead > 0)
    throw new Error(`adding ${count} files ended with ${code}: ${store.documents} documents, ${jobs.dead} failed`);
  const name = `${count} small files of mixed kinds`;
  results.add({
    section: SECTION,
    name: `${name}, from the command line`,
    unit: "files/s",
    value: (count * 1_000) / took,
  });
  results.add({ section: SECTION, name: `${name}, peak memory of all processes`, unit: "MB", value: peak });
  removeFolder(folder);
}

const WRITTEN = {
  md: (text) => `# A note\n\n${text}\n`,
  txt: (text) => `${text}\n`,
  html: (text) => `<!doctype html><title>A note</title><main><p>${text}</p></main>`,
  csv: (text) => `what,where\n"${text.replaceAll('"', '""')}",here\n`,
  json: (text) => JSON.stringify({ note: text }),
  eml: (text) => `From: a@example.org\r\nTo: b@example.org\r\nSubject: A note\r\n\r\n${text}\r\n`,
  vtt: (text) => `WEBVTT\n\n00:01.000 --> 00:04.000\n${text}\n`,
  xml: (text) => `<?xml version="1.0"?><note>${text.replaceAll("&", "&amp;")}</note>`,
};
const ENDINGS = Object.keys(WRITTEN);

function writeSmallFile(folder, number, text) {
  const original = number % 5 === 0 ? COPIED[(number / 5) % COPIED.length] : undefined;
  if (original !== undefined) {
    copyFileSync(join(FIXTURES, original), join(folder, `${number}${extname(original)}`));
    return;
  }
  const ending = ENDINGS[number % ENDINGS.length];
  writeFileSync(join(folder, `${number}.${ending}`), WRITTEN[ending](text));
}

async function until(what, isSo) {
  for (let waited = 0; waited < LONGEST_MS; waited += EVERY_MS) {
    if (await isSo()) return;
    await pause(EVERY_MS);
  }
  throw new Error(`${what}: not in ${LONGEST_MS / 1_000} s`);
}

/** Watches the memory of a process and its descendants. Calling the result stops it, and returns the peak in MB. */
function watchMemory(pid) {
  let peak = 0;
  const total = (one) => (memoryOf(one).resident ?? 0) + childrenOf(one).reduce((sum, child) => sum + total(child), 0);
  const timer = setInterval(() => (peak = Math.max(peak, total(pid))), EVERY_MS);
  return async () => {
    clearInterval(timer);
    return Math.max(peak, total(pid));
  };
}
