import { mkdtemp } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, expect, test } from "vitest";
import { initial } from "../../src/adapters/store/migrations/0001-initial.js";
import { createRulesExtractor } from "../../src/adapters/facts/rules.js";
import { APPLICATION_ID } from "../../src/adapters/store/refusals.js";
import { STORE_FILE } from "../../src/lib/store-file.js";
import type { FactSource } from "../../src/core/ports.js";
import { createId } from "../../src/lib/ids.js";
import { type ManualCore, openManualCore } from "../support/manual-core.js";
import { openDatabase } from "../support/store-folder.js";

const ORGANIZATION = createId();
const NOW = "2020-01-02T03:04:05.000Z";
const [DONE, QUEUED, FAILED] = [createId(), createId(), createId()];
const [CHUNK, MEMORY] = [createId(), createId()];

let opened: ManualCore;
let read: FactSource[];

/** A store with version 1 of the schema: a document that is done, one that waits and one that failed. */
beforeEach(async () => {
  const dataDirectory = await mkdtemp(join(tmpdir(), "recollect-previous-"));
  const connection = await openDatabase(join(dataDirectory, STORE_FILE));
  connection.exec(initial);
  connection.exec(`pragma application_id = ${APPLICATION_ID}`);
  connection.exec("pragma user_version = 1");
  const insert = (table: string, row: Record<string, string | number | null>): void => {
    const columns = Object.keys(row);
    connection
      .prepare(`insert into ${table} (${columns.join(", ")}) values (${columns.map(() => "?").join(", ")})`)
      .run(...Object.values(row));
  };
  const document = (id: string, values: Record<string, string | number | null>): void => {
    insert("documents", {
      id,
      organization_id: ORGANIZATION,
      custom_id: null,
      revision: 1,
      type: "text",
      status: "done",
      dreaming_status: "done",
      task_type: "memory",
      dreaming: "dynamic",
      origin: "user",
      remember_as_is: 0,
      waiting: 0,
      created_at: NOW,
      updated_at: NOW,
      ...values,
    });
    insert("document_containers", { document_id: id, container_id: 1, position: 0 });
  };
  insert("meta", { key: "organization_id", value: ORGANIZATION });
  insert("containers", { id: 1, organization_id: ORGANIZATION, tag: "a", created_at: NOW });
  document(DONE, {
    custom_id: "done",
    revision: 2,
    content: "Ada keeps bees on the roof.",
    title: "Ada keeps bees on the roof.",
    metadata: JSON.stringify({ team: "garden", labels: ["roof"] }),
    receipt: JSON.stringify([{ id: MEMORY, text: "Ada keeps bees on the roof", outcome: "added" }]),
  });
  insert("document_revisions", { document_id: DONE, revision: 1, content: "Ada is here.", created_at: NOW });
  insert("chunks", {
    seq: 1,
    id: CHUNK,
    document_id: DONE,
    revision: 2,
    position: 0,
    content: "Ada keeps bees on the roof.",
    context: "Ada keeps bees on the roof.",
    metadata: null,
    created_at: NOW,
  });
  insert("text_index", { rowid: 2, text: "Ada keeps bees on the roof.", context: "", scope: "d1" });
  insert("memories", {
    seq: 1,
    id: MEMORY,
    organization_id: ORGANIZATION,
    container_id: 1,
    text: "Ada keeps bees on the roof",
    text_key: "ada keeps bees on the roof",
    version: 1,
    is_latest: 1,
    kind: "fact",
    is_static: 0,
    is_inference: 0,
    is_forgotten: 0,
    strength: 1,
    origin: "rules",
    created_at: NOW,
    updated_at: NOW,
  });
  insert("text_index", { rowid: 3, text: "Ada keeps bees on the roof", context: "", scope: "m1" });
  insert("memory_sources", { memory_id: MEMORY, document_id: DONE, quote: null, added_at: NOW });
  const waiting = { status: "queued", dreaming_status: "dreaming", waiting: 1 };
  document(QUEUED, { custom_id: "queued", content: "Cy sells fish.", ...waiting });
  insert("jobs", {
    kind: "extract",
    payload: JSON.stringify({ documentId: QUEUED, revision: 1 }),
    group_key: "a",
    dedupe_key: `extract:${QUEUED}:1`,
    state: "waiting",
    run_at: NOW,
    created_at: NOW,
  });
  document(FAILED, { custom_id: "failed", content: "Bo owns two goats.", status: "failed", error_reason: "embed: no" });
  connection.close();
  read = [];
  const rules = createRulesExtractor();
  opened = await openManualCore({
    dataDirectory,
    factExtractor: { ...rules, extract: (source) => (read.push(source), rules.extract(source)) },
  });
});
afterEach(() => opened.close());

const get = (id: string) => opened.core.getDocument(opened.call(), { id });
const add = (customId: string, content: string) =>
  opened.core.addDocument(opened.call(), { customId, content, containerTags: ["a"] });
const stated = async (id: string) => (await get(id)).memories.map(({ text }) => text);

test("a store of the previous schema is migrated, and waiting work continues", async () => {
  await opened.settle();
  expect((await get("done")).document).toMatchObject({ id: DONE, revision: 2, rememberedRevision: 2, status: "done" });
  expect((await get("queued")).document).toMatchObject({ id: QUEUED, status: "done", rememberedRevision: 1 });
  expect((await get("failed")).document).toMatchObject({ id: FAILED, status: "failed", rememberedRevision: 0 });
  expect([await stated("done"), await stated("queued")]).toEqual([["Ada keeps bees on the roof"], ["Cy sells fish"]]);
  expect(await opened.store.documents.revisionText(ORGANIZATION, DONE, 1)).toBe("Ada is here.");
});

test("its documents can be added again like new ones", async () => {
  await opened.settle();
  read.length = 0;
  expect(await add("done", "Ada keeps bees on the roof.")).toMatchObject({ id: DONE, status: "done" });
  expect(await add("done", "Ada keeps bees on the roof. Di owns a boat.")).toMatchObject({ id: DONE });
  expect(await add("failed", "Bo owns two goats.")).toMatchObject({ id: FAILED, status: "queued" });
  await opened.settle();
  expect(read.map((source) => source.content).toSorted()).toEqual(["Bo owns two goats.", "Di owns a boat."]);
  expect(await stated("done")).toEqual(["Ada keeps bees on the roof", "Di owns a boat"]);
  expect((await get("failed")).document).toMatchObject({ status: "done", errorReason: null });
});

test("its contents are found by metadata", async () => {
  await opened.settle();
  const found = async (filter: object) => {
    const filters = { AND: [filter] };
    return (await opened.core.search(opened.call(), { q: "bees", containerTags: ["a"], filters, threshold: 0 }))
      .results;
  };
  expect(await found({ key: "team", value: "garden" })).not.toEqual([]);
  expect(await found({ key: "labels", value: "roof", filterType: "array_contains" })).not.toEqual([]);
  expect(await found({ key: "team", value: "kitchen" })).toEqual([]);
});

test("its documents can be changed and moved", async () => {
  await opened.settle();
  await opened.core.updateDocument(opened.call(), { id: "done", containerTags: ["b"] });
  await opened.core.updateDocument(opened.call(), { id: "failed", content: "Bo sold his goats." });
  await opened.settle();
  const found = async (tag: string) =>
    (await opened.core.search(opened.call(), { q: "bees", containerTags: [tag], threshold: 0 })).results.map(
      ({ kind }) => kind,
    );
  expect((await found("b")).toSorted()).toEqual(expect.arrayContaining(["memory"]));
  expect(await found("a")).not.toContain("chunk");
  const [chunk] = (await opened.core.getChunks(opened.call(), { id: "done" })).chunks;
  expect(chunk?.content).toBe("Ada keeps bees on the roof.");
  expect((await get("failed")).document).toMatchObject({ status: "done", content: "Bo sold his goats." });
});
