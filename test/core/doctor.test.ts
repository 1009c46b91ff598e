import { readFileSync, writeFileSync } from "node:fs";
import { mkdtemp } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { afterEach, describe, expect, test } from "vitest";
import { createBuiltinEmbedder } from "../../src/adapters/embed/builtin.js";
import { createSqliteStore } from "../../src/adapters/store/store.js";
import { STORE_FILE } from "../../src/lib/store-file.js";
import type { ContentExtractor } from "../../src/core/documents/content-ports.js";
import { AppError } from "../../src/core/errors.js";
import type { Embedder } from "../../src/core/ports.js";
import { buildDocumentDraft } from "../support/builders.js";
import { ManualClock } from "../support/clock.js";
import { silentLog } from "../support/open-core.js";
import { scriptedLanguageModel, startScriptedModel } from "../support/scripted-model.js";
import { letGoOfFiles } from "../support/store-folder.js";
import { type ManualCore, type ManualCoreOptions, openManualCore } from "../support/manual-core.js";

let opened: ManualCore | undefined;

async function open(options: ManualCoreOptions = {}): Promise<ManualCore> {
  opened = await openManualCore(options);
  return opened;
}
afterEach(async () => {
  await opened?.close();
});

const diagnose = async ({ core, call }: ManualCore) => {
  const diagnosis = await core.diagnose(call());
  const byName = new Map(diagnosis.checks.map((check) => [check.name, check]));
  const { ok } = diagnosis;
  return { ok, check: (name: string) => byName.get(name) };
};

function failingEmbedder(error: Error): Embedder {
  return { ...createBuiltinEmbedder(), embed: () => Promise.reject(error) };
}

describe("the doctor", () => {
  test("reports a healthy service as such, and leaves nothing behind", async () => {
    const service = await open();
    await service.core.createMemories(service.call(), { containerTag: "a", memories: [{ content: "Ada keeps bees" }] });
    const before = await service.rowCounts();
    const { ok, check } = await diagnose(service);
    // A nearly full disk is a matter of this machine.
    expect([ok || !check("disk")?.ok, check("store")?.ok, check("pipeline")?.ok, check("jobs")?.ok]).toEqual([
      true,
      true,
      true,
      true,
    ]);
    expect(check("pipeline")?.detail).toMatch(/written, understood and found again/);
    expect(check("store")?.detail).toBe("1 document, 0 chunks, 1 memory including former versions");
    await service.settle();
    // The log of vector changes tells the indexes what to drop.
    expect({ ...(await service.rowCounts()), vector_changes: 0 }).toEqual({ ...before, vector_changes: 0 });
  });

  test("lists the programs needed to read files, and is fine if one is missing", async () => {
    const service = await open();
    const { ok, detail } = (await diagnose(service)).check("files") ?? {};
    expect(ok).toBe(true);
    expect(detail).toMatch(/tesseract is (there|missing).*ffmpeg is (there|missing)/);
  });

  test("reports a configured OCR language without data, and how to install it", async () => {
    const lacks = "The program tesseract has no data for the language `deu`.";
    const tesseract = {
      name: "tesseract",
      purpose: "text in pictures",
      isThere: true,
      withoutIt: "-",
      howToInstall: "-",
      lacks,
    };
    const extractor: ContentExtractor = {
      accepts: () => Promise.resolve(false),
      endings: [],
      programs: () => Promise.resolve([tesseract]),
      extract: () => Promise.reject(new AppError("unsupported_type", "No file is read.")),
      close: () => Promise.resolve(),
    };
    const service = await open({ extractor });
    expect((await diagnose(service)).check("files")).toMatchObject({ ok: false, fix: lacks });
  });

  test("reports that an index without vectors has nothing to compare, and counts existing vectors", async () => {
    const service = await open();
    const { ok, detail } = (await diagnose(service)).check("vectors") ?? {};
    expect(ok).toBe(true);
    expect(detail).toContain("nothing here to compare with the record");
    await service.core.createMemories(service.call(), { containerTag: "a", memories: [{ content: "Ada keeps bees" }] });
    await service.core.search(service.call(), { q: "bees", containerTags: ["a"] });
    expect((await diagnose(service)).check("vectors")?.detail).toContain("1 of 1 sampled vectors found themselves");
  });

  test("reports the number of vectors over all collections, without listing complete collections", async () => {
    const service = await open();
    for (const containerTag of ["a", "b"]) {
      const memories = [{ content: `Ada keeps bees in ${containerTag}` }];
      await service.core.createMemories(service.call(), { containerTag, memories });
      await service.core.search(service.call(), { q: "bees", containerTags: [containerTag] });
    }
    expect((await diagnose(service)).check("vectors")?.detail).toMatch(
      /^exact: ready; 2 of 2 vectors, in \d collections; 2 of 2 sampled vectors found themselves$/,
    );
  });

  test("can run several times concurrently", async () => {
    const service = await open();
    const diagnoses = await Promise.all([diagnose(service), diagnose(service), diagnose(service)]);
    for (const { check } of diagnoses) expect(check("pipeline")).toMatchObject({ ok: true });
    expect(await service.store.containers.find(service.store.organizationId, "all")).toEqual([]);
  });

  test("reports a dead job with its subject and reason, until its document is deleted", async () => {
    const extractor = {
      name: "broken",
      extract: () => Promise.reject(new AppError("invalid", "The model refused the text.")),
    };
    const service = await open({ factExtractor: extractor });
    const { id } = await service.core.addDocument(service.call(), {
      content: "Ada keeps bees.",
      containerTags: ["a"],
      wait: 20,
    });
    const jobs = (await diagnose(service)).check("jobs");
    expect(jobs).toMatchObject({
      ok: false,
      detail: expect.stringMatching(/1 dead; the newest dead one \(remember\): The model refused the text\./) as string,
      fix: expect.stringMatching(/recollect reprocess --failed`, or delete the document/) as string,
    });
    await service.core.deleteDocument(service.call(), { id });
    const later = await diagnose(service);
    expect(later.check("pipeline")).toMatchObject({
      ok: false,
      detail: expect.stringMatching(/model refused/) as string,
    });
    expect(await service.store.jobs.dead(10)).toEqual([]);
  });

  test("reports what is wrong with an embedder without failing itself", async () => {
    const service = await open({
      embedder: failingEmbedder(new AppError("invalid", "The key of the provider is wrong.")),
    });
    const { ok, check } = await diagnose(service);
    expect(ok).toBe(false);
    expect(check("embedder")).toMatchObject({ ok: false, detail: "The key of the provider is wrong." });
    expect(check("pipeline")).toMatchObject({
      ok: false,
      detail: expect.stringMatching(/stopped at failed: embed: The key/) as string,
    });
    expect(check("store")).toMatchObject({ ok: true });
  });

  test("finds damage that is not checked for at startup", async () => {
    const dataDirectory = await mkdtemp(join(tmpdir(), "recollect-doctor-"));
    const store = await createSqliteStore({ dataDirectory, maxMegabytes: 0, clock: new ManualClock() });
    const content = "Ada keeps bees. ".repeat(60_000);
    for (let number = 0; number < 10; number++)
      await store.documents.insert(store.organizationId, buildDocumentDraft({ content }));
    await store.close();
    await letGoOfFiles(dataDirectory);
    const file = join(dataDirectory, STORE_FILE);
    const bytes = readFileSync(file);
    bytes.fill(0xff, bytes.length / 2, bytes.length / 2 + 8_192);
    writeFileSync(file, bytes);

    const service = await open({ dataDirectory });
    const check = (await diagnose(service)).check("store");
    expect(check).toMatchObject({ ok: false, detail: expect.stringMatching(/10 documents, .*; .*page/i) as string });
    expect(check?.fix).toMatch(/restore the data folder from a backup/);
  });

  test("waits only ten seconds for a silent language model, and reports that", async () => {
    const provider = await startScriptedModel();
    provider.always(({ body }) =>
      JSON.stringify(body.messages).includes("Answer with {") ? { fault: "stall" } : "Nothing that fits.",
    );
    try {
      const service = await open({ model: scriptedLanguageModel(provider, silentLog) });
      const { check } = await diagnose(service);
      expect(check("llm")).toMatchObject({
        ok: false,
        detail: "openai scripted was asked for a word and did not answer within 10 seconds",
      });
      expect(check("disk")).toBeDefined();
    } finally {
      await provider.close();
    }
  }, 60_000);

  test("reports a job that has waited too long, and a stalled pipeline", async () => {
    const service = await open({ jobs: false });
    await service.core.addDocument(service.call(), { content: "Ada keeps bees.", containerTags: ["a"] });
    const diagnosing = diagnose(service);
    await sleep(50);
    service.clock.advance(16 * 60_000);
    const { check } = await diagnosing;
    expect(check("pipeline")).toMatchObject({ ok: false, detail: "a document stopped at queued" });
    expect(check("jobs")).toMatchObject({
      ok: false,
      detail: expect.stringMatching(/the oldest has been waiting for 16 minutes/) as string,
    });
  });
});

describe("status", () => {
  test("reports the configuration and the stored counts", async () => {
    const service = await open();
    await service.core.addDocument(service.call(), { content: "Ada keeps bees.", containerTags: ["a"], wait: 20 });
    expect(await service.core.status(service.call())).toMatchObject({
      version: "0.0.0-test",
      organizationId: service.store.organizationId,
      dataDirectory: service.dataDirectory,
      embedder: "builtin",
      vectors: { state: "ready" },
      store: { documents: 1, chunks: 1, memories: 1, problems: [] },
      jobs: { waiting: 0, running: 0, dead: 0 },
      waitingDocuments: 0,
      unsearchableDocuments: 0,
    });
  });

  test("tells callers who they are", async () => {
    const service = await open();
    expect(await service.core.session(service.call(["a"]))).toEqual({
      organizationId: service.store.organizationId,
      keyName: "key:a",
      containers: ["a"],
      readOnly: [],
      isScoped: false,
      rate: null,
      expiresAt: null,
      client: null,
    });
  });
});
