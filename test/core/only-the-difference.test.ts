import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { createBuiltinEmbedder } from "../../src/adapters/embed/builtin.js";
import { createRulesExtractor } from "../../src/adapters/facts/rules.js";
import type { Call, Core } from "../../src/core/index.js";
import type { FactSource } from "../../src/core/ports.js";
import { unitOf } from "../../src/core/types.js";
import { type ManualCore, openManualCore } from "../support/manual-core.js";

const paragraph = (about: string): string =>
  `Here we tell of ${about}. ${`It goes on about ${about} for a while. `.repeat(12)}`;

describe("when a document is added again", () => {
  let opened: ManualCore;
  let core: Core;
  let call: Call;
  /** Texts embedded for storage, and texts read for facts. */
  let embedded: string[];
  let read: FactSource[];

  beforeEach(async () => {
    [embedded, read] = [[], []];
    const embedder = createBuiltinEmbedder();
    const rules = createRulesExtractor();
    opened = await openManualCore({
      embedder: {
        ...embedder,
        embed: (texts, purpose, signal) => {
          if (purpose === "document") embedded.push(...texts);
          return embedder.embed(texts, purpose, signal);
        },
      },
      factExtractor: { ...rules, extract: (source) => (read.push(source), rules.extract(source)) },
    });
    core = opened.core;
    call = opened.call();
  });
  afterEach(() => opened.close());

  const add = (content: string, more: Record<string, unknown> = {}) =>
    core.addDocument(call, { content, customId: "note", containerTags: ["a"], ...more });
  async function through(content: string, more: Record<string, unknown> = {}): Promise<void> {
    [embedded.length, read.length] = [0, 0];
    await add(content, more);
    await opened.settle();
  }
  const get = async () => core.getDocument(call, { id: "note" });
  const memories = async () => (await get()).memories.map((memory) => memory.text);
  const chunks = async () => opened.store.chunks.newest(opened.store.organizationId, (await get()).document.id);

  test("unchanged chunks keep their rows and vectors, and only new ones are embedded", async () => {
    const [one, two, three] = ["bees", "roofs", "honey"].map(paragraph) as [string, string, string];
    await through(`${one}\n\n${two}`, { taskType: "superrag" });
    const before = await chunks();
    expect(embedded).toHaveLength(before.length);
    await through(`${one}\n\n${two}\n\n${three}`, { taskType: "superrag" });
    const after = await chunks();
    expect(after.slice(0, before.length).map(({ seq, id }) => [seq, id])).toEqual(
      before.map(({ seq, id }) => [seq, id]),
    );
    expect(after.length).toBeGreaterThan(before.length);
    expect(embedded).toEqual(after.slice(before.length).map((chunk) => chunk.content));
    const space = await opened.store.findSpace(opened.context.embedders.active().fingerprint);
    const [container] = await opened.store.containers.find(opened.store.organizationId, ["a"]);
    expect(await opened.store.vectors.counts(space?.id ?? 0)).toEqual(new Map([[container?.id, after.length]]));
  });

  test("in another container its chunks move with their vectors, and none is embedded again", async () => {
    await through(paragraph("bees"), { taskType: "superrag" });
    const before = await chunks();
    await through(paragraph("bees"), { taskType: "superrag", containerTags: ["a", "b", "c"] });
    expect(embedded).toEqual([]);
    expect((await chunks()).map((chunk) => chunk.seq)).toEqual(before.map((chunk) => chunk.seq));
    const space = await opened.store.findSpace(opened.context.embedders.active().fingerprint);
    const rows = await opened.store.containers.find(opened.store.organizationId, ["a", "b", "c"]);
    expect(await opened.store.vectors.counts(space?.id ?? 0)).toEqual(
      new Map(rows.map((row) => [row.id, before.length])),
    );
    for (const row of rows) {
      const scope = { containerIds: [row.id], kinds: ["chunk"] as const, includeForgotten: false };
      const { hits } = await opened.store.units.searchText(scope, ["bees"], { limit: 50 });
      expect(new Set(hits.map((hit) => hit.unit))).toEqual(new Set(before.map(({ seq }) => unitOf("chunk", seq))));
    }
  });

  test("with text appended, only the new text is read", async () => {
    await through("Ada keeps bees on the roof.\n");
    expect(embedded).toEqual(["Ada keeps bees on the roof.", "Ada keeps bees on the roof"]);
    await through("Ada keeps bees on the roof.\nBo owns sheep on the hill.\n");
    expect(read.map((source) => source.content)).toEqual(["Bo owns sheep on the hill."]);
    expect(await memories()).toEqual(["Ada keeps bees on the roof", "Bo owns sheep on the hill"]);
    expect((await get()).document.receipt).toMatchObject([{ text: "Bo owns sheep on the hill", outcome: "added" }]);
  });

  test("with text appended within a sentence, the whole sentence is read", async () => {
    await through("Bo herds sheep. Ada keeps bees");
    await through("Bo herds sheep. Ada keeps bees on the roof.");
    expect(read.map((source) => source.content)).toEqual(["Ada keeps bees on the roof."]);
  });

  test("with changed lines, only these are read; earlier memories stay", async () => {
    await through("# People\nAda keeps bees on the roof.\nBo owns sheep on the hill.\nCy sells fish.");
    await through("# People\nAda keeps bees on the roof.\nBo owns two goats.\nCy sells fish.");
    expect(read.map((source) => source.content)).toEqual(["Bo owns two goats."]);
    expect(await memories()).toEqual([
      "Ada keeps bees on the roof",
      "Bo owns sheep on the hill",
      "Cy sells fish",
      "Bo owns two goats",
    ]);
  });

  test.each([
    [
      "the whole conversation",
      "User: I live in Rome.\nAssistant: Nice!\nUser: I keep bees on the roof.\nAssistant: Oh?",
    ],
    ["only the new part", "User: I keep bees on the roof.\nAssistant: Oh?"],
  ])("as a conversation, only new turns are read when %s is sent", async (_name, next) => {
    await through("User: I live in Rome.\nAssistant: Nice!");
    await through(next);
    expect(read.map((source) => source.turns?.map((turn) => turn.text))).toEqual([["I keep bees on the roof.", "Oh?"]]);
    expect(await memories()).toEqual(["User lives in Rome", "User keeps bees on the roof"]);
    expect((await get()).document.content).toBe(next);
  });

  test("as a growing list of messages in JSON, only new messages are read", async () => {
    const messages = [
      { role: "user", content: "I live in Rome." },
      { role: "assistant", content: "Nice!" },
      { role: "user", content: "I keep bees on the roof." },
    ];
    await through(JSON.stringify(messages.slice(0, 2)));
    await through(JSON.stringify(messages));
    expect(read.map((source) => source.turns?.map((turn) => turn.text))).toEqual([["I keep bees on the roof."]]);
  });

  test("all facts stated by the sender are used, whatever the text", async () => {
    await through("A note.", { facts: [{ text: "Ada keeps bees" }] });
    await through("A note. And more.", { facts: [{ text: "Ada keeps bees" }, { text: "Ada has a roof" }] });
    expect(read).toEqual([]);
    expect((await get()).document.receipt).toMatchObject([
      { text: "Ada keeps bees", outcome: "duplicate" },
      { text: "Ada has a roof", outcome: "added" },
    ]);
  });

  test("submissions in quick succession lose nothing", async () => {
    await opened.close();
    opened = await openManualCore({ jobs: false });
    core = opened.core;
    call = opened.call();
    await add("Ada keeps bees on the roof.");
    await add("Bo owns sheep on the hill.");
    await add("A note.", { facts: [{ text: "Cy sells fish" }] });
    await add("A note. Di plays the oboe in an orchestra.");
    const { dataDirectory } = opened;
    const again = await openManualCore({ dataDirectory });
    try {
      await again.settle();
      const { document, memories } = await again.core.getDocument(again.call(), { id: "note" });
      expect(document).toMatchObject({ status: "done", dreamingStatus: "done", revision: 4, rememberedRevision: 4 });
      expect(memories.map((memory) => memory.text)).toEqual([
        "Ada keeps bees on the roof",
        "Bo owns sheep on the hill",
        "Cy sells fish",
        "Di plays the oboe in an orchestra",
      ]);
      expect(await again.store.documents.pendingRevisions(document.organizationId, document.id)).toEqual([]);
    } finally {
      await again.close();
    }
  });

  test("earlier submissions stay as history, and a growing text is stored once", async () => {
    const line = "Ada counts her bees again and again. ";
    for (let times = 1; times <= 40; times++) await add(line.repeat(times));
    await add("Something else.");
    const { document } = await get();
    const textOf = (revision: number) =>
      opened.store.documents.revisionText(opened.store.organizationId, document.id, revision);
    expect(await textOf(7)).toBe(line.repeat(7));
    expect(await textOf(40)).toBe(line.repeat(40));
    expect(await textOf(41)).toBe("Something else.");
    const kept = await opened.everything();
    expect(kept.match(/again and again/g)?.length ?? 0).toBeLessThan(40 * 4);
  });
});
