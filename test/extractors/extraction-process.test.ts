import { spawn } from "node:child_process";
import { readdir, readFile } from "node:fs/promises";
import { resolve } from "node:path";
import { strToU8, zipSync } from "fflate";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import type { ContentExtractor } from "../../src/core/documents/content-ports.js";
import { createExtractionProcess, type ExtractionProcessOptions } from "../../src/extractors/extraction-process.js";
import { USUAL_LIMITS, sourceFile } from "../support/extraction-tools.js";
import { silentLog } from "../support/open-core.js";

const HARBOUR = await readFile(resolve(import.meta.dirname, "../fixtures/extractors/harbour.docx"));
const harbour = sourceFile(HARBOUR, { name: "harbour.docx" });

let opened: ContentExtractor | undefined;
/** Processes left by other tests, which end by themselves. */
let former: number[] = [];
beforeEach(async () => {
  former = [];
  former = await readers();
});
afterEach(() => opened?.close());

function open(
  changes: Partial<ExtractionProcessOptions> = {},
): (file?: typeof harbour) => Promise<{ title: string | null }> {
  const limits = { ...USUAL_LIMITS, maximumUnpackedBytes: 200_000_000, ...changes.limits };
  const usual = { timeoutMs: 20_000, memoryMegabytes: 256, languages: "eng", programFolders: [], log: silentLog };
  const extractor = createExtractionProcess({ ...usual, ...changes, limits });
  opened = extractor;
  return (file = harbour) => extractor.extract(file, { signal: new AbortController().signal });
}

/** Processes that read files for this process, or for another one. */
async function readers(parent = process.pid): Promise<number[]> {
  const numbers = (await readdir("/proc")).filter((name) => /^\d+$/.test(name));
  const found = await Promise.all(
    numbers.map(async (pid) => {
      const [status, command] = await Promise.all(
        ["status", "cmdline"].map((file) => readFile(`/proc/${pid}/${file}`, "utf8").catch(() => "")),
      );
      return command?.includes("extraction-program") && status?.includes(`PPid:\t${parent}\n`) ? [Number(pid)] : [];
    }),
  );
  return found.flat().filter((pid) => !former.includes(pid));
}

const docx = (xml: string) => sourceFile(zipSync({ "word/document.xml": strToU8(xml) }), { name: "made.docx" });

describe.skipIf(process.platform !== "linux")("the process that reads files", () => {
  test("is shared by all files, sees no settings, and is gone after the end", async () => {
    const read = open();
    await Promise.all([read(), read(), read()]);
    const [pid, ...others] = await readers();
    expect(others).toEqual([]);
    const environment = await readFile(`/proc/${pid}/environ`, "utf8");
    expect(
      environment
        .split("\0")
        .filter(Boolean)
        .map((line) => line.split("=")[0])
        .toSorted((one = "", other = "") => one.localeCompare(other)),
    ).toEqual([
      "LANG",
      "NODE_CHANNEL_FD",
      "NODE_CHANNEL_SERIALIZATION_MODE",
      "OMP_THREAD_LIMIT",
      "PATH",
      "TEMP",
      "TMPDIR",
    ]);
    await opened?.close();
    await expect.poll(() => readers()).toEqual([]);
  });

  test("takes turns between callers with waiting files", async () => {
    const read = open();
    const ended: string[] = [];
    const readIn = async (queue: string) => {
      await opened?.extract(harbour, { queue, signal: new AbortController().signal });
      ended.push(queue);
    };
    await Promise.all([readIn("crowded"), readIn("crowded"), readIn("crowded"), readIn("other"), read()]);
    expect(ended).toEqual(["crowded", "other", "crowded", "crowded"]);
  });

  test("fails only the file that stalls it", async () => {
    const read = open({ timeoutMs: 5_000 });
    await read();
    const [pid = 0] = await readers();
    process.kill(pid, "SIGSTOP");
    const [stalled, next] = [read(), read()];
    await expect(stalled).rejects.toMatchObject({ kind: "too_large", message: expect.stringContaining("5 seconds") });
    expect(await next).toMatchObject({ title: "Harbour handbook" });
  });

  test("reads a file again after being killed", async () => {
    const read = open();
    await read();
    const [pid = 0] = await readers();
    process.kill(pid, "SIGSTOP");
    const reading = read();
    process.kill(pid, "SIGKILL");
    expect(await reading).toMatchObject({ title: "Harbour handbook" });
  });

  test("fails a file with a reason if it takes too much memory, unpacks to too much or is truncated", async () => {
    const read = open({ memoryMegabytes: 64, limits: { ...USUAL_LIMITS, maximumUnpackedBytes: 50_000_000 } });
    const paragraphs = "<w:p><w:r><w:t>a</w:t></w:r></w:p>".repeat(900_000);
    const namespace = 'xmlns:w="http://schemas.openxmlformats.org/wordprocessingml/2006/main"';
    await expect(
      read(docx(`<w:document ${namespace}><w:body>${paragraphs}</w:body></w:document>`)),
    ).rejects.toMatchObject({
      kind: "too_large",
      message: expect.stringContaining("64 MB"),
    });
    await expect(read(docx(`<w:document>${" ".repeat(60_000_000)}</w:document>`))).rejects.toMatchObject({
      kind: "too_large",
      message: expect.stringMatching(/unpacks to more|64 MB/),
    });
    for (const share of [0.1, 0.5, 0.9]) {
      const cut = sourceFile(HARBOUR.subarray(0, HARBOUR.length * share), { name: "a.docx" });
      await expect(read(cut)).rejects.toMatchObject({ kind: "invalid", message: expect.stringContaining("damaged") });
    }
    expect(await read()).toMatchObject({ title: "Harbour handbook" });
  });

  test("ends with the service, even while busy with a file", async () => {
    const program = `
      import { createExtractionProcess } from ${JSON.stringify(resolve("dist/extractors/extraction-process.js"))};
      const log = { debug() {}, info() {}, warn() {}, error() {} };
      const limits = ${JSON.stringify(USUAL_LIMITS)};
      const extractor = createExtractionProcess({ limits, timeoutMs: 60000, memoryMegabytes: 512, languages: "eng", programFolders: [], log });
      const { readFileSync } = await import("node:fs");
      const bytes = readFileSync("test/fixtures/extractors/harbour.docx");
      const file = { bytes, name: "a.docx", mimeType: null, charset: null, url: null };
      await extractor.extract(file, { signal: new AbortController().signal });
      console.log("read");
      setInterval(() => undefined, 1000);
    `;
    const service = spawn(process.execPath, ["--input-type=module", "--eval", program], {
      stdio: ["ignore", "pipe", 2],
    });
    await new Promise((ready) => service.stdout?.once("data", ready));
    const [pid = 0] = await readers(service.pid);
    expect(pid).toBeGreaterThan(0);
    service.kill("SIGKILL");
    await expect.poll(() => readFile(`/proc/${pid}/cmdline`, "utf8").catch(() => ""), { timeout: 5_000 }).toBe("");
  });
});
