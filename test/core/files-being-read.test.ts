import { readFile } from "node:fs/promises";
import { afterEach, beforeEach, expect, test } from "vitest";
import type {
  ContentExtractor,
  ContentPart,
  FileOnDisk,
  ReadingProgress,
  SourceFile,
} from "../../src/core/documents/content-ports.js";
import { extracted } from "../../src/extractors/extracted.js";
import { type ManualCore, openManualCore } from "../support/manual-core.js";

function deferred<T>() {
  let resolve: (value: T) => void = () => undefined;
  const promise = new Promise<T>((done) => (resolve = done));
  return { promise, resolve: (value: T) => resolve(value) };
}

/** Reads every file as two pages, once it is released. */
class HeldExtractor implements ContentExtractor {
  readonly begun = deferred<(progress: ReadingProgress) => void>();
  readonly go = deferred<void>();
  parts: readonly ContentPart[] = [
    { text: "The ferry Aurora berths at quay seven. ".repeat(20), place: { page: 1 } },
    { text: `The green lantern is lit by Torvald. ${"It shines far over the water. ".repeat(30)}`, place: { page: 2 } },
  ];

  readonly endings = ["pdf"];
  programs = () => Promise.resolve([]);
  accepts = () => Promise.resolve(true);
  close = () => Promise.resolve();
  async extract(
    file: SourceFile | FileOnDisk,
    { onProgress = () => undefined }: Parameters<ContentExtractor["extract"]>[1],
  ) {
    this.begun.resolve(onProgress);
    await this.go.promise;
    const bytes = "path" in file ? await readFile(file.path) : file.bytes;
    const parts = [...this.parts, { text: `It begins with ${Buffer.from(bytes).toString()}.`, place: { page: 2 } }];
    return extracted("pdf", parts, {
      title: "Harbour",
      metadata: { sm_source: "forged", endUserId: "forged", pages: 2 },
      date: "2024-05-06",
    });
  }
}

let extractor: HeldExtractor;
let opened: ManualCore;
beforeEach(async () => {
  extractor = new HeldExtractor();
  opened = await openManualCore({ extractor });
});
afterEach(async () => {
  extractor.go.resolve();
  await opened.close();
});

const upload = (document: Record<string, unknown> = {}) =>
  opened.core.addFile(opened.call(), {
    bytes: Buffer.from("%PDF-1.7").toString("base64"),
    name: "a.pdf",
    document: { containerTags: ["port"], ...document },
  });
const get = (id: string) => opened.core.getDocument(opened.call(), { id });
const search = async (more: Record<string, unknown> = {}) => {
  const query = { q: "Who lights the green lantern?", containerTags: ["port"], ...more };
  return (await opened.core.search(opened.call(), query)).results;
};

test("a file being read reports its progress, and is not yet searchable", async () => {
  const { id } = await upload();
  const report = await extractor.begun.promise;
  report({ unit: "page", done: 1, total: 2 });
  const { document, reading } = await get(id);
  expect(document).toMatchObject({ status: "extracting", content: "", title: "a.pdf", origin: "user" });
  expect(reading?.running).toMatchObject({ progress: { unit: "page", done: 1, total: 2 } });
  expect(await search()).toEqual([]);
  extractor.go.resolve();
  await opened.settle();
  const read = (await get(id)).document;
  expect(read).toMatchObject({
    status: "done",
    type: "pdf",
    title: "Harbour",
    documentDate: "2024-05-06",
    origin: "user",
  });
  expect(read).toMatchObject({ source: null, metadata: { pages: 2 } });
});

test("its passages have page numbers", async () => {
  extractor.go.resolve();
  const { id } = await upload();
  await opened.settle();
  const { chunks } = await opened.core.getChunks(opened.call(), { id });
  expect(new Set(chunks.map(({ metadata }) => metadata?.page))).toEqual(new Set([1, 2]));
  const found = (await search()).find(({ chunk }) => chunk?.content.includes("Torvald"));
  expect(found?.chunk?.metadata).toMatchObject({ page: expect.any(Number) });
});

test("a text added under its customId in the meantime replaces it", async () => {
  const { id } = await upload({ customId: "a" });
  await extractor.begun.promise;
  const text = "The office is closed on Sundays.";
  await opened.core.addDocument(opened.call(), { content: text, customId: "a", containerTags: ["port"] });
  extractor.go.resolve();
  await opened.settle();
  expect((await get(id)).document).toMatchObject({ status: "done", content: text });
  const found = JSON.stringify(await search({ threshold: 0 }));
  expect(found).toContain("closed on Sundays");
  expect(found).not.toContain("Torvald");
});

test.each(["queued", "being read"])(
  "another file added under its customId while it is %s is read instead",
  async (when) => {
    const { id } = await upload({ customId: "a" });
    if (when === "being read") await extractor.begun.promise;
    const bytes = Buffer.from("%PDF-1.7 second").toString("base64");
    const second = await opened.core.addFile(opened.call(), {
      bytes,
      name: "b.pdf",
      document: { customId: "a", containerTags: ["port"] },
    });
    expect(second.id).toBe(id);
    extractor.go.resolve();
    await opened.settle();
    const { document } = await get(id);
    expect(document).toMatchObject({ status: "done", title: "Harbour" });
    expect(document.content).toContain("%PDF-1.7 second");
    const { file } = await opened.core.getDocumentFile(opened.call(), { id });
    expect(file).toMatchObject({ name: "b.pdf", key: document.url?.slice("/files/".length) });
  },
);

test("a file moved while it is read ends up in its new container", async () => {
  const { id } = await upload();
  await extractor.begun.promise;
  await opened.core.updateDocument(opened.call(), { id, containerTags: ["town"] });
  extractor.go.resolve();
  await opened.settle();
  expect((await get(id)).document).toMatchObject({ status: "done", containerTags: ["town"], title: "Harbour" });
  expect(await search()).toEqual([]);
});
