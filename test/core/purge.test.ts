import { Readable } from "node:stream";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import type { Call, Core } from "../../src/core/index.js";
import { findInFiles } from "../support/data-folder-scan.js";
import { type ManualCore, openManualCore } from "../support/manual-core.js";
import { type Planted, plantDocument, token } from "../support/planted-words.js";

let opened: ManualCore;
let core: Core;
let call: Call;

beforeEach(async () => {
  opened = await openManualCore();
  core = opened.core;
  call = opened.call();
});
afterEach(() => opened.close());

const scan = (tokens: readonly string[]): string[] => {
  const lower = tokens.map((one) => one.toLowerCase());
  return findInFiles(opened.dataDirectory, [...new Set([...tokens, ...lower])]);
};
const confirm = true as const;

async function plantFile(): Promise<Planted> {
  const [text, name, older] = [token("file"), token("name"), token("older")];
  const upload = (body: string) =>
    core.addFile(call, {
      bytes: Buffer.from(body).toString("base64"),
      name: `${name}.md`,
      document: { containerTags: ["a"], customId: "upload" },
    });
  await upload(`# Older\n\nAda keeps ${older} in the shed.`);
  await opened.settle();
  const { id } = await upload(`# Notes\n\nAda keeps ${text} in the shed.`);
  await opened.settle();
  return { tokens: [text, name, older], documentId: id };
}

async function plantConversation(): Promise<Planted> {
  const [said, answered, more] = [token("said"), token("answered"), token("more")];
  const messages = [
    { role: "user", content: `I live in ${said}.` },
    { role: "assistant", content: `${answered} is lovely.` },
  ];
  await core.addConversation(call, { conversationId: "talk", containerTags: ["a"], messages });
  await opened.settle();
  const longer = [...messages, { role: "user", content: `I prefer ${more} to coffee.` }];
  const { id } = await core.addConversation(call, { conversationId: "talk", containerTags: ["a"], messages: longer });
  await opened.settle();
  return { tokens: [said, answered, more], documentId: id };
}

/** What must remain searchable, whatever is purged. */
async function plantNeighbours(): Promise<() => Promise<void>> {
  const { id } = await core.addDocument(call, { content: "Bruno repairs violins in Cremona.", containerTags: ["a"] });
  const { memories } = await core.createMemories(call, {
    containerTag: "a",
    memories: [{ content: "Rosa keeps owls." }],
  });
  await opened.settle();
  return async () => {
    await opened.settle();
    const found = async (q: string) => JSON.stringify((await core.search(call, { q, containerTags: ["a"] })).results);
    expect(await found("Who repairs violins?")).toContain("Cremona");
    expect(await found("Rosa owls")).toContain("Rosa keeps owls.");
    expect((await core.getChunks(call, { id })).chunks).toHaveLength(1);
    expect((await core.fetch(call, { id: memories[0]?.id })).memory?.text).toBe("Rosa keeps owls.");
    expect((await core.diagnose(call)).checks.find(({ name }) => name === "store")).toMatchObject({ ok: true });
  };
}

describe("purging a document", () => {
  test.each<[string, () => Promise<Planted>]>([
    ["everything it ever said", () => plantDocument(opened)],
    ["an uploaded file", plantFile],
    ["a conversation", plantConversation],
  ])("%s leaves no word in any file", async (_what, plant) => {
    const expectNeighbours = await plantNeighbours();
    const { tokens, documentId } = await plant();
    expect(scan(tokens)).not.toEqual([]);
    const purged = await core.purge(call, { documentId, confirm });
    expect(purged).toMatchObject({ documents: 1, complete: true });
    expect(scan(tokens)).toEqual([]);
    await expectNeighbours();
    expect(scan(tokens)).toEqual([]);
    await expect(core.getDocument(call, { id: documentId })).rejects.toMatchObject({ kind: "not_found" });
  });

  test("also removes uploads abandoned by a killed process", async () => {
    const { tokens, documentId } = await plantFile();
    await opened.context.uploads.receive(Readable.from([Buffer.from(`Ada keeps ${tokens[0]} in the shed.`)]));
    expect(scan(tokens)).not.toEqual([]);
    await core.purge(call, { documentId, confirm });
    await opened.settle();
    expect(scan(tokens)).toEqual([]);
  });

  test("accepts its customId, and works after it was deleted", async () => {
    const one = await plantDocument(opened);
    const [customId = ""] = one.tokens.filter((name) => name.startsWith("xqcustom"));
    expect(await core.purge(call, { documentId: customId, confirm })).toMatchObject({ documents: 1 });
    const other = await plantDocument(opened);
    await core.deleteDocument(call, { id: other.documentId });
    expect(scan(other.tokens)).not.toEqual([]);
    const receipt = await core.purge(call, { documentId: other.documentId, confirm });
    expect(receipt).toMatchObject({ documents: 1, memories: expect.any(Number), complete: true });
    expect(await core.purge(call, { documentId: other.documentId, confirm })).toMatchObject({ documents: 0 });
    expect(scan([...one.tokens, ...other.tokens])).toEqual([]);
  });

  test("also removes what it stated before a change, and the reasons given for forgetting that", async () => {
    const [before, reason, after] = [token("before"), token("reason"), token("after")];
    const { id } = await core.addDocument(call, { content: `I live in ${before}.`, containerTags: ["a"] });
    await opened.settle();
    const [memory] = (await core.getDocument(call, { id })).memories;
    await core.forget(call, { ids: [memory?.id], containerTag: "a", reason: `because of ${reason}` });
    await core.updateDocument(call, { id, content: `I live in ${after}.` });
    await opened.settle();
    await core.purge(call, { documentId: id, confirm });
    expect(scan([before, reason, after])).toEqual([]);
  });

  test("keeps what another document also states", async () => {
    const [only, quote] = [token("only"), token("quote")];
    const shared = { facts: [{ text: "Ada plays the cello" }], containerTags: ["a"] };
    const one = await core.addDocument(call, { content: `First ${only}.`, ...shared });
    await core.addDocument(call, { content: "Second.", ...shared });
    await opened.settle();
    const { store } = opened;
    const [memory] = await store.memories.ofDocument(store.organizationId, one.id);
    const state = { sources: [{ documentId: one.id, quote }] };
    await store.journal.append(store.organizationId, [
      {
        batchId: one.id,
        actor: "local",
        action: "memory.strengthened",
        subject: "memory",
        subjectId: memory?.id ?? "",
        containerTag: "a",
        cause: `document ${one.id}`,
        before: state,
        after: state,
      },
    ]);
    expect(await core.purge(call, { documentId: one.id, confirm })).toMatchObject({ documents: 1, memories: 0 });
    const { results } = await core.search(call, { q: "Ada cello", containerTags: ["a"], searchMode: "memories" });
    expect(results.map((result) => JSON.stringify(result))).toEqual([expect.stringContaining("Ada plays the cello")]);
    expect(scan([only, quote])).toEqual([]);
  });

  test("restores the fact that its memory had replaced", async () => {
    const { memories } = await core.createMemories(call, {
      containerTag: "a",
      memories: [{ content: "Ada lives in Rome" }],
    });
    const place = token("place");
    const { id } = await core.addDocument(call, {
      content: `Moved to ${place}.`,
      containerTags: ["a"],
      facts: [{ text: `Ada lives in ${place}`, updates: memories[0]?.id }],
    });
    await opened.settle();
    await core.purge(call, { documentId: id, confirm });
    expect(scan([place])).toEqual([]);
    const { results } = await core.search(call, {
      q: "Where does Ada live?",
      containerTags: ["a"],
      searchMode: "memories",
    });
    expect(results.map(({ text }) => text)).toEqual(["Ada lives in Rome"]);
    const [old] = await opened.store.memories.byIds(opened.store.organizationId, [memories[0]?.id ?? ""]);
    expect(old).toMatchObject({ text: "Ada lives in Rome", isLatest: true, isForgotten: false });
  });

  test("is final even while it is being processed", async () => {
    const word = token("busy");
    const receipts = await Promise.all(
      Array.from({ length: 6 }, (_, at) =>
        core.addDocument(call, {
          content: `I live in ${word}. `.repeat(at + 1),
          containerTags: ["a"],
          customId: `${at}`,
        }),
      ),
    );
    for (const { id } of receipts) await core.purge(call, { documentId: id, confirm });
    await opened.settle();
    const { id } = await core.addDocument(call, { content: "Another.", containerTags: ["a"] });
    await opened.settle();
    await core.purge(call, { documentId: id, confirm });
    expect(scan([word])).toEqual([]);
    expect((await opened.rowCounts())["chunks"]).toBe(0);
  });
});

describe("purging a memory", () => {
  test("removes all its versions, its reasons and the document that was created for it", async () => {
    const expectNeighbours = await plantNeighbours();
    const tokens = ["first", "second", "meta", "expiry", "why"].map(token);
    const [first, second, meta, expiry, why] = tokens;
    const { memories } = await core.createMemories(call, {
      containerTag: "a",
      memories: [{ content: `Ada lives in ${first}`, metadata: { team: `${meta}` } }, { content: "Mia plays chess" }],
    });
    const id = memories[0]?.id ?? "";
    const updated = await core.updateMemory(call, {
      id,
      containerTag: "a",
      newContent: `Ada lives in ${second}`,
      forgetAfter: opened.clock.from(60_000).toISOString(),
      forgetReason: `${expiry}`,
    });
    await core.forget(call, { ids: [updated.id], containerTag: "a", reason: `${why}` });
    expect(scan(tokens)).not.toEqual([]);
    expect(await core.purge(call, { memoryId: id, confirm })).toMatchObject({ memories: 2, complete: true });
    expect(scan(tokens)).toEqual([]);
    await expectNeighbours();
    const { results } = await core.search(call, { q: "Mia chess", containerTags: ["a"] });
    expect(JSON.stringify(results)).toContain("Mia plays chess");
  });

  test("keeps documents that state it, without a trace of it outside their text", async () => {
    const word = token("fact");
    const { id } = await core.addDocument(call, {
      content: "A long walk.",
      containerTags: ["a"],
      facts: [{ text: `Ada walked to ${word}` }, { text: "Ada wears boots" }],
    });
    await opened.settle();
    const { memories } = await core.getDocument(call, { id });
    const [walked] = memories.filter(({ text }) => text.includes(word));
    expect(await core.purge(call, { memoryId: walked?.id, confirm })).toMatchObject({ documents: 0, memories: 1 });
    expect(scan([word])).toEqual([]);
    const { document, memories: left } = await core.getDocument(call, { id });
    expect(left.map(({ text }) => text)).toEqual(["Ada wears boots"]);
    expect(document.receipt?.map(({ text }) => text)).toEqual(["Ada wears boots"]);
    expect((await core.getChunks(call, { id })).chunks).toHaveLength(1);
  });

  test("also removes guesses derived from it", async () => {
    const [base, guess] = [token("base"), token("guess")];
    const { memories } = await core.createMemories(call, {
      containerTag: "a",
      memories: [{ content: `Ada owns ${base}` }],
    });
    const { store } = opened;
    const { organizationId } = store;
    const derived = await store.memories.insert(
      organizationId,
      {
        id: "3mJr7AoUXx2Wqd9ZtYbN4c",
        containerTag: "a",
        text: `Ada likes ${guess}`,
        kind: "fact",
        isStatic: false,
        isInference: true,
        forgetAfter: null,
        forgetReason: null,
        origin: "rules",
        metadata: null,
      },
      { parentId: null, rootId: null, version: 1 },
    );
    await store.memories.relate(organizationId, derived.id, memories[0]?.id ?? "", "derives");
    expect(await core.purge(call, { memoryId: memories[0]?.id, confirm })).toMatchObject({ memories: 2 });
    expect(scan([base, guess])).toEqual([]);
  });
});

describe("purging a container", () => {
  test("leaves no word of 500 documents, and only takes shared documents out of the container", async () => {
    const expectNeighbours = await plantNeighbours();
    const tokens = Array.from({ length: 500 }, () => token("doc"));
    const [context] = [token("context")];
    await core.updateContainer(call, { containerTag: "b", entityContext: `About ${context}`, name: `${context} name` });
    await core.addDocuments(call, {
      documents: tokens.map((one, at) => ({
        content: `I live in ${one}.`,
        containerTags: ["b"],
        customId: one,
        taskType: at % 10 === 0 ? "memory" : "superrag",
      })),
    });
    const shared = await core.addDocument(call, { content: "Shared oak.", containerTags: ["b", "a"] });
    await opened.settle();
    const purged = await core.purge(call, { containerTag: "b", confirm });
    expect(purged).toMatchObject({ documents: 500, memories: 50, complete: true });
    expect(scan([...tokens, context ?? ""])).toEqual([]);
    expect(JSON.stringify(await core.listContainers(call))).not.toContain('"b"');
    expect((await core.getDocument(call, { id: shared.id })).document.containerTags).toEqual(["a"]);
    await expectNeighbours();
  }, 60_000);

  test("keeps what was moved out of it, with older versions, which the new container can then purge", async () => {
    const [old, present] = [token("old"), token("present")];
    const { id } = await core.addDocument(call, {
      content: "A walk.",
      containerTags: ["b"],
      facts: [{ text: `Ada walked to ${old}` }],
    });
    await opened.settle();
    const [memory] = (await core.getDocument(call, { id })).memories;
    const updated = await core.updateMemory(call, {
      id: memory?.id,
      containerTag: "b",
      newContent: `Ada walked to ${present}`,
    });
    await core.updateDocument(call, { id, containerTags: ["a"] });
    await opened.settle();
    const onlyA = opened.call(["a"]);
    await core.purge(call, { containerTag: "b", confirm });
    const { memory: left } = await core.fetch(call, { id: updated.id });
    expect(left).toMatchObject({ text: `Ada walked to ${present}`, containerTag: "a", isLatest: true });
    const { document } = await core.getDocument(call, { id });
    expect(document.containerTags).toEqual(["a"]);
    const { versions } = await core.readHistory(onlyA, { id: updated.id });
    expect(versions.map(({ containerTag }) => containerTag)).toEqual(["a", "a"]);
    await core.purge(onlyA, { memoryId: updated.id, confirm });
    expect(scan([old, present])).toEqual([]);
  });

  test("also removes what was deleted under the same tag earlier, and keeps later additions", async () => {
    const [before, present, later] = [token("before"), token("present"), token("later")];
    const add = async (word: string) => {
      await core.addDocument(call, { content: `I live in ${word}.`, containerTags: ["b"] });
      await opened.settle();
    };
    await add(before);
    await core.deleteContainer(call, { containerTag: "b" });
    await add(present);
    await core.purge(call, { containerTag: "b", confirm });
    await add(later);
    opened.clock.advance(60_000);
    await opened.settle();
    expect(scan([before, present])).toEqual([]);
    const { results } = await core.search(call, { q: `Who lives in ${later}?`, containerTags: ["b"] });
    expect(JSON.stringify(results)).toContain(later);
  });
});

test("covers every table: a new one must be cleared by a purge or contain no words", async () => {
  const cleared = `documents document_descriptions document_readings message_pictures document_attachments connection_items left_items sync_runs connections document_revisions document_containers chunks files memories memory_sources metadata_values
    memory_relations profile_summaries vectors text_index_docsize containers journal requests jobs operations`;
  // The last ones contain texts about the service itself, which belong to no container.
  const withoutWords = `meta schedules word_splitting vector_spaces vector_changes vector_followers vector_placements extractions extraction_tasks
    remembered_with model_failures cut_with embedder_roles api_keys settings container_merges sign_ins sign_in_codes passwords audit_entries answered_requests device_requests oauth_records oauth_grants oauth_secrets`;
  const known = `${cleared} ${withoutWords}`.split(/\s+/);
  const tables = Object.keys(await opened.rowCounts());
  expect(tables.toSorted()).toEqual(known.toSorted());
});

describe("the journal", () => {
  test("keeps what happened and when, without the content", async () => {
    const { documentId } = await plantDocument(opened);
    const entries = async () => {
      const dump = await opened.everything();
      const line = dump.split("\n").find((one) => one.startsWith("journal: ")) ?? "";
      return JSON.parse(line.slice("journal: ".length)) as Record<string, unknown>[];
    };
    const before = await entries();
    await core.purge(call, { documentId, confirm });
    const after = await entries();
    expect(after.slice(0, before.length).map(({ seq, at, action }) => [seq, at, action])).toEqual(
      before.map(({ seq, at, action }) => [seq, at, action]),
    );
    expect(after.slice(before.length)).toMatchObject([
      { action: "document.purged", subject_id: documentId, actor: "local", before: null, after: null },
    ]);
    expect(after.every((entry) => entry["before"] === null && entry["after"] === null)).toBe(true);
  });
});
