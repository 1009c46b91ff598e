import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { createBuiltinEmbedder } from "../../src/adapters/embed/builtin.js";
import { createRulesExtractor } from "../../src/adapters/facts/rules.js";
import { AppError } from "../../src/core/errors.js";
import type { Call, Core } from "../../src/core/index.js";
import { captureLog } from "../support/captured-log.js";
import { type ManualCore, openManualCore } from "../support/manual-core.js";
import { openCore } from "../support/open-core.js";

const CONTENT = "Ada keeps bees on the roof.";

describe("a processing step that fails", () => {
  let opened: ManualCore;
  let core: Core;
  let call: Call;
  let log: ReturnType<typeof captureLog>;
  let failure: { embed?: Error; extract?: Error };

  beforeEach(async () => {
    failure = {};
    log = captureLog();
    const embedder = createBuiltinEmbedder();
    const rules = createRulesExtractor();
    opened = await openManualCore({
      log,
      embedder: {
        ...embedder,
        embed: (...parameters) => (failure.embed ? Promise.reject(failure.embed) : embedder.embed(...parameters)),
      },
      factExtractor: {
        ...rules,
        extract: (source) => (failure.extract ? Promise.reject(failure.extract) : rules.extract(source)),
      },
    });
    core = opened.core;
    call = opened.call();
  });
  afterEach(() => opened.close());

  const add = (more: Record<string, unknown> = {}) =>
    core.addDocument(call, { content: CONTENT, containerTags: ["a"], customId: "note", ...more });
  const get = async () => (await core.getDocument(call, { id: "note" })).document;
  const search = (more: Record<string, unknown> = {}) => core.search(call, { q: "bees", threshold: 0, ...more });

  /** Lets time pass, so that everything waiting for it is tried again. */
  async function letTimePass(times: number): Promise<void> {
    for (let time = 0; time < times; time++) {
      await opened.settle();
      opened.clock.advance(3 * 60 * 60_000);
      opened.context.wakeJobs();
    }
    await opened.settle();
  }

  test("permanently fails the document with a reason; its words are still searchable", async () => {
    failure.embed = new AppError("invalid", "The provider refuses the key. Set RECOLLECT_EMBEDDING_API_KEY.");
    const receipt = await add({ wait: 20 });
    expect(receipt).toMatchObject({
      status: "failed",
      errorReason: "embed: The provider refuses the key. Set RECOLLECT_EMBEDDING_API_KEY.",
    });
    expect((await search()).results.map((result) => result.text)).toEqual([CONTENT]);
    expect((await search()).waiting).toBe(0);
    expect((await opened.store.jobs.counts()).dead).toBe(1);
  });

  test("permanently is tried again when the document is added again, and no trace of the failure remains", async () => {
    failure.embed = new AppError("invalid", "The provider refuses the key.");
    await add({ wait: 20 });
    delete failure.embed;
    const receipt = await add({ wait: 20 });
    expect(receipt).toMatchObject({ status: "done", dreamingStatus: "done", errorReason: null });
    expect(receipt.facts).toMatchObject([{ text: "Ada keeps bees on the roof", outcome: "added" }]);
    expect(await opened.store.jobs.counts()).toMatchObject({ dead: 0, waiting: 0 });
  });

  test("to extract facts leaves the text searchable, reports the reason, and is tried again in the same way", async () => {
    failure.extract = new AppError("invalid", "The model refuses the text.");
    const receipt = await add({ wait: 20 });
    expect(receipt).toMatchObject({
      status: "done",
      dreamingStatus: "done",
      errorReason: "remember: The model refuses the text.",
    });
    expect((await search()).results).toHaveLength(1);
    delete failure.extract;
    expect(await add({ wait: 20 })).toMatchObject({
      errorReason: null,
      facts: [{ text: "Ada keeps bees on the roof" }],
    });
  });

  test("permanently is tried again when the same or another text is sent as a change", async () => {
    failure.embed = new AppError("invalid", "The provider refuses the key.");
    const { id } = await add({ wait: 20 });
    expect(await core.updateDocument(call, { id, metadata: { k: 1 } })).toMatchObject({ status: "failed" });
    expect(await core.updateDocument(call, { id, content: CONTENT })).toMatchObject({ id, status: "queued" });
    await opened.settle();
    expect((await get()).status).toBe("failed");
    delete failure.embed;
    expect(await core.updateDocument(call, { id, content: CONTENT })).toMatchObject({ id, status: "queued" });
    await opened.settle();
    expect(await get()).toMatchObject({
      status: "done",
      dreamingStatus: "done",
      errorReason: null,
      metadata: { k: 1 },
    });
    failure.embed = new AppError("invalid", "The provider refuses the key.");
    await core.updateDocument(call, { id, content: "Bo owns two goats." });
    await opened.settle();
    delete failure.embed;
    await core.updateDocument(call, { id, content: "Cy sells fish." });
    await opened.settle();
    const { document, memories } = await core.getDocument(call, { id });
    expect(document).toMatchObject({ status: "done", errorReason: null, content: "Cy sells fish." });
    expect(memories.map(({ text }) => text)).toEqual(["Cy sells fish"]);
    expect(await opened.store.jobs.counts()).toMatchObject({ dead: 0, waiting: 0 });
  });

  test("loses nothing submitted in the meantime, and extracts its facts later", async () => {
    failure.extract = new AppError("invalid", "The model refuses the text.");
    await add({ wait: 20 });
    await add({ content: "Bo owns two goats.", wait: 20 });
    delete failure.extract;
    await add({ content: "Cy sells fish.", wait: 20 });
    const { document, memories } = await core.getDocument(call, { id: "note" });
    expect(document).toMatchObject({ status: "done", dreamingStatus: "done", errorReason: null });
    expect(memories.map(({ text }) => text)).toEqual([
      "Ada keeps bees on the roof",
      "Bo owns two goats",
      "Cy sells fish",
    ]);
  });

  test("unexpectedly is retried several times, then given up without disclosing the content", async () => {
    failure.embed = new TypeError(`cannot read "${CONTENT}" of sk-secret`);
    await add();
    await letTimePass(9);
    const document = await get();
    expect(document.status).toBe("failed");
    expect(document.errorReason).toMatch(
      /^embed: Gave up after 8 attempts\. The step "embed" failed unexpectedly\. The log has the details under \w{22}\.$/,
    );
    const errorId = document.errorReason?.match(/\w{22}/)?.[0];
    expect(log.lines.filter((line) => line.level === "error").map((line) => line["errorId"])).toContain(errorId);
  });

  test("temporarily only delays: searchable by words, counted as waiting, completed as soon as possible", async () => {
    failure.embed = new AppError("unavailable", "The provider is overloaded.", { retryAfter: 30 });
    await add();
    await letTimePass(3);
    expect(await get()).toMatchObject({ status: "embedding", errorReason: null });
    const answer = await search();
    expect(answer.results.map((result) => result.text)).toEqual([CONTENT]);
    expect([answer.waiting, (await opened.store.jobs.counts()).dead]).toEqual([1, 0]);
    delete failure.embed;
    await letTimePass(2);
    expect(await get()).toMatchObject({ status: "done", dreamingStatus: "done", errorReason: null });
    expect((await search()).waiting).toBe(0);
  });

  test("does not delay other documents", async () => {
    failure.extract = new AppError("unavailable", "The model is away.");
    await add();
    await opened.settle();
    delete failure.extract;
    const other = await core.addDocument(call, {
      content: "Bo herds sheep on the hill.",
      containerTags: ["b"],
      wait: 20,
    });
    expect(other).toMatchObject({ status: "done", dreamingStatus: "done" });
  });

  test("leaves a document that can be deleted", async () => {
    failure.embed = new AppError("invalid", "no");
    const { id } = await add({ wait: 20 });
    await core.deleteDocument(call, { id });
    expect((await search()).results).toEqual([]);
    expect(await opened.store.jobs.counts()).toMatchObject({ dead: 0, waiting: 0 });
  });
});

test("a full store refuses additions, still serves reads, and keeps everything accepted once there is room", async () => {
  const dataDirectory = await mkdtemp(join(tmpdir(), "recollect-full-"));
  const first = await openCore({ dataDirectory, settings: { RECOLLECT_MAX_STORE_MEGABYTES: "1" } });
  const accepted: string[] = [];
  const key = await first.core.createKey({ actor: first.actor }, {});
  try {
    const call = { actor: first.actor };
    let refused: unknown;
    for (let number = 0; refused === undefined && number < 500; number++)
      await first.core
        .addDocument(call, {
          content: `Note ${number}. ${"Ada keeps bees on the roof. ".repeat(300)}`,
          containerTags: ["a"],
        })
        .then(
          ({ id }) => accepted.push(id),
          (error: unknown) => (refused = error),
        );
    expect(refused).toMatchObject({
      kind: "storage_full",
      message: expect.stringMatching(/quota is reached.*Free some space/) as string,
    });
    expect(accepted.length).toBeGreaterThan(5);
    for (const id of accepted) expect((await first.core.getDocument(call, { id })).document.id).toBe(id);
    expect((await first.core.search(call, { q: "bees" })).degraded).toEqual([]);
    expect(await first.core.authenticate(call, key.secret)).toMatchObject({ containers: "all" });
    expect((await first.core.listDocuments(call, {})).total).toBe(accepted.length);
    const id = accepted.shift() ?? "";
    await first.core.deleteDocument(call, { id });
    await expect(first.core.getDocument(call, { id })).rejects.toMatchObject({ kind: "not_found" });
  } finally {
    await first.close();
  }

  const second = await openCore({ dataDirectory });
  try {
    const call = { actor: second.actor };
    await second.settle();
    for (const id of accepted) {
      const { document } = await second.core.getDocument(call, { id });
      expect(document.content).toMatch(/^Note \d+\. Ada/);
    }
    const added = await second.core.addDocument(call, { content: "Bo herds sheep.", containerTags: ["a"], wait: 60 });
    expect(added).toMatchObject({ status: "done", errorReason: null });
    expect((await second.core.status(call)).store.problems).toEqual([]);
  } finally {
    await second.close();
    await rm(dataDirectory, { recursive: true, force: true });
  }
});
