import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { gzipSync } from "node:zlib";
import { expect, test } from "vitest";
import { createGuardedFetch } from "../../src/adapters/fetch/guarded-fetch.js";
import { createNpmLanguages } from "../../src/adapters/languages/npm-languages.js";
import { createExtractionProcess } from "../../src/extractors/extraction-process.js";
import { readAllowedPlaces } from "../../src/lib/allowed-places.js";
import { useCleanups } from "../support/cleanups.js";
import { textOfAll } from "../support/extraction-measures.js";
import { sourceFile, USUAL_LIMITS } from "../support/extraction-tools.js";
import { type NpmRegistry, openNpmRegistry, packageOf } from "../support/npm-registry.js";
import { silentLog } from "../support/open-core.js";

const cleanups = useCleanups();

/** The process that reads files on a machine without tesseract, with a registry that has the language `xyz`. */
async function openReader(options: { readonly languages?: string; readonly isOffline?: boolean } = {}) {
  const { languages = "eng+xyz", isOffline = false } = options;
  const registry = await openNpmRegistry(["xyz"]);
  cleanups.push(() => registry.close());
  const folder = mkdtempSync(join(tmpdir(), "recollect-languages-"));
  cleanups.push(async () => rmSync(folder, { recursive: true }));
  const allowed = readAllowedPlaces(["127.0.0.1/32"]) ?? [];
  const fetcher = createGuardedFetch({ allowed, isOffline, userAgent: "Recollect/0", maximumBytes: 50_000_000 });
  const languageSource = createNpmLanguages({
    folder,
    registry: registry.url,
    isOffline,
    fetcher,
    log: silentLog,
    firstPauseMs: 1,
  });
  const extractor = createExtractionProcess({
    limits: USUAL_LIMITS,
    timeoutMs: 60_000,
    memoryMegabytes: 512,
    languages,
    languageSource,
    programFolders: [],
    log: silentLog,
  });
  cleanups.push(() => extractor.close());
  const read = (name: string) => extractor.extract(fixture(name), { signal: new AbortController().signal });
  const tesseract = async () => (await extractor.programs()).find(({ name }) => name === "tesseract");
  return { registry, folder, read, tesseract };
}

function fixture(name: string) {
  return sourceFile(readFileSync(join(import.meta.dirname, "../fixtures/extractors", name)));
}

test("language data is downloaded with the first picture, once, and kept", async () => {
  const { registry, folder, read, tesseract } = await openReader();
  expect(await tesseract()).toMatchObject({ lacks: null, withoutIt: expect.stringContaining("fetched from http") });
  expect(registry.asked).toEqual([]);
  const pictures = await Promise.all(["sign.png", "sign.gif", "mixed-scan.pdf"].map(read));
  expect(textOfAll(pictures[0]!)).toContain("leaves at 09:30");
  expect(textOfAll(pictures[2]!)).toContain("Chapter 2 of tides");
  expect(pictures.flatMap(({ notes }) => notes)).toEqual([]);
  expect(new Set(registry.asked)).toEqual(
    new Set(["/@tesseract.js-data%2fxyz/1.0.0", "/@tesseract.js-data/xyz/-/xyz-1.0.0.tgz"]),
  );
  expect(registry.asked).toHaveLength(2);
  expect(readdirSync(folder)).toEqual(["xyz.traineddata"]);
  expect(await tesseract()).toMatchObject({ lacks: null, withoutIt: "the built-in recognition reads `eng+xyz`" });
});

test("nothing is downloaded for files without pictures of text", async () => {
  const { registry, read } = await openReader();
  await read("small-latex.pdf");
  expect(registry.asked).toEqual([]);
});

test("offline, pictures fail with what to do, and text pages are still read", async () => {
  const { registry, read, tesseract } = await openReader({ isOffline: true });
  const advice = /`xyz`.*RECOLLECT_OFFLINE.*apt install tesseract-ocr-eng tesseract-ocr-xyz/;
  await expect(read("sign.png")).rejects.toMatchObject({ kind: "unsupported", message: expect.stringMatching(advice) });
  const mixed = await read("mixed-scan.pdf");
  expect(textOfAll(mixed)).not.toBe("");
  expect(mixed.notes.join(" ")).toMatch(advice);
  expect((await tesseract())?.lacks).toMatch(advice);
  expect(registry.asked).toEqual([]);
});

test("a language unknown to the registry is named, with what to do", async () => {
  const { read } = await openReader({ languages: "eng+qqq" });
  await expect(read("sign.png")).rejects.toMatchObject({
    kind: "unsupported",
    message: expect.stringMatching(/has no data for `qqq`.*apt install/),
  });
});

test.each(["down", "altered", "cut"] as const)(
  "a registry that is %s leaves nothing behind, and the file can be read later",
  async (fault) => {
    const { registry, folder, read } = await openReader();
    registry.fault = fault;
    await expect(read("sign.png")).rejects.toMatchObject({ kind: "unavailable" });
    expect(registry.asked.length).toBeGreaterThanOrEqual(3);
    expect(readdirSync(folder)).toEqual([]);
    const asked = registry.asked.length;
    // The next picture does not retry a download that has just failed.
    await expect(read("sign.gif")).rejects.toMatchObject({ kind: "unavailable" });
    expect(registry.asked).toHaveLength(asked);
  },
);

test("packages with other contents, and decompression bombs, are refused", async () => {
  const without = await packageOf("abc", new Uint8Array(10));
  const bomb = gzipSync(Buffer.alloc(300 * 1024 * 1024), { level: 1 });
  for (const held of [Buffer.from("no archive"), without, bomb]) {
    const { registry, folder, read } = await openReader();
    registry.packages.set("xyz", held);
    await expect(read("sign.png")).rejects.toMatchObject({ kind: "unsupported" });
    expect(readdirSync(folder)).toEqual([]);
  }
});

test("invalid tesseract data fails only the file, with a reason", async () => {
  const { folder, read } = await openReader({ languages: "xyz" });
  writeFileSync(join(folder, "xyz.traineddata"), "no data");
  await expect(read("sign.png")).rejects.toMatchObject({ message: expect.stringContaining("Install the program") });
  expect(textOfAll(await read("small-latex.pdf"))).not.toBe("");
});

test("a caller that gives up does not end the download of another", async () => {
  const registry: NpmRegistry = await openNpmRegistry(["xyz"]);
  cleanups.push(() => registry.close());
  const folder = mkdtempSync(join(tmpdir(), "recollect-languages-"));
  cleanups.push(async () => rmSync(folder, { recursive: true }));
  const source = createNpmLanguages({
    folder,
    registry: registry.url,
    isOffline: false,
    fetcher: createGuardedFetch({
      allowed: readAllowedPlaces(["127.0.0.1/32"]) ?? [],
      isOffline: false,
      userAgent: "Recollect/0",
      maximumBytes: 50_000_000,
    }),
    log: silentLog,
  });
  const impatient = new AbortController();
  const first = source.fetch(["xyz"], impatient.signal);
  const second = source.fetch(["xyz"], new AbortController().signal);
  impatient.abort(new Error("given up"));
  await expect(first).rejects.toThrow("given up");
  await second;
  expect(readdirSync(folder)).toEqual(["xyz.traineddata"]);
});
