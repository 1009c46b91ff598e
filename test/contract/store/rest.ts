import { describe, expect, test } from "vitest";
import { AppError } from "../../../src/core/errors.js";
import { createId } from "../../../src/lib/ids.js";
import {
  buildDocumentDraft,
  buildDocumentQuery,
  buildJobDraft,
  buildJournalEntry,
  buildKey,
  buildMemoryDraft,
  buildVector,
  FIRST_VERSION,
} from "../../support/builders.js";
import { type OpenStore, OTHER_ORGANIZATION, useStore, rising } from "./fixture.js";

export function containersContract(open: OpenStore): void {
  const at = useStore(open);

  test("are made once, in the order of the tags, case mattering", async () => {
    const made = await at.store.containers.ensure(at.organization, ["b", "a", "b", "A"]);
    expect(made.map((row) => row.tag)).toEqual(["b", "a", "A"]);
    expect(await at.store.containers.ensure(at.organization, ["A", "b"])).toEqual([made[2], made[0]]);
    expect(await at.store.containers.ensure(at.organization, [])).toEqual([]);
  });

  test("are found by tag, or all of them; those of another organisation are others", async () => {
    const [a] = await at.store.containers.ensure(at.organization, ["a"]);
    const [theirs] = await at.store.containers.ensure(OTHER_ORGANIZATION, ["a"]);
    expect(theirs?.id).not.toBe(a?.id);
    expect(await at.store.containers.find(at.organization, "all")).toEqual([a]);
    expect(await at.store.containers.find(at.organization, ["a", "nowhere"])).toEqual([a]);
    expect(await at.store.containers.find(at.organization, [])).toEqual([]);
  });

  test("of a document, in the order of its tags", async () => {
    const { id } = await at.addDocument({ containerTags: ["z", "a", "m"] });
    expect((await at.store.containers.ofDocument(at.organization, id)).map((row) => row.tag)).toEqual(["z", "a", "m"]);
    expect(await at.store.containers.ofDocument(OTHER_ORGANIZATION, id)).toEqual([]);
  });

  describe("purging", () => {
    /** One of everything, in container `doomed`. @returns every id and word that must vanish */
    const fillDoomed = async (): Promise<string[]> => {
      const space = await at.store.ensureSpace("s", 3);
      const { document, units, containerIds } = await at.addIndexedDocument(
        {
          containerTags: ["doomed"],
          customId: "doomedcustom",
          content: "doomedtext",
          title: "doomedtitle",
          metadata: { doomedkey: "doomedvalue" },
        },
        "doomedchunk",
      );
      await at.store.documents.keepRevision(at.organization, document.id, 1, "doomedrevision");
      const first = await at.addIndexedMemory({ containerTag: "doomed", text: "doomedfirst" });
      const second = await at.addIndexedMemory({ containerTag: "doomed", text: "doomedsecond" });
      await at.store.memories.update(at.organization, second.memory.id, { isForgotten: true });
      await at.store.units.setForgotten(second.unit, second.containerId, true);
      await at.store.memories.addSource(at.organization, first.memory.id, document.id, "doomedquote");
      for (const unit of [...units, first.unit])
        await at.store.units.addVector(unit, containerIds, space, buildVector(space, 1));
      const elsewhere = await at.addMemory({ containerTag: "kept", text: "a fact of another container" });
      await at.store.memories.addSource(at.organization, elsewhere.id, document.id, null);
      const removed = await at.addDocument({ containerTags: ["doomed"] });
      await at.store.documents.remove(at.organization, removed.id);
      await at.store.journal.append(at.organization, [
        buildJournalEntry({ subjectId: document.id, containerTag: "doomed", after: { note: "doomednote" } }),
        buildJournalEntry({ subject: "memory", subjectId: first.memory.id, containerTag: "doomed" }),
        buildJournalEntry({ subjectId: removed.id, containerTag: "doomed", before: { title: "doomedbefore" } }),
      ]);
      await at.store.jobs.enqueue([
        buildJobDraft({ payload: { documentId: document.id, revision: 1 }, group: "doomed" }),
      ]);
      await at.store.operations.save("retry", { id: document.id, containerTags: ["doomed"] });
      return ["doomed", document.id, first.memory.id, second.memory.id, removed.id];
    };

    test("leaves no trace in any table or index", async () => {
      const traces = await fillDoomed();
      const before = await at.everything();
      for (const trace of traces) expect(before).toContain(trace);
      await at.store.containers.purge(at.organization, "doomed");
      const after = await at.everything();
      for (const trace of traces) expect(after).not.toContain(trace);
      expect((await at.store.documents.list(at.organization, buildDocumentQuery())).total).toBe(0);
    });

    test("tells the indexes what to drop", async () => {
      await fillDoomed();
      const space = await at.store.ensureSpace("s", 3);
      const head = await at.store.vectors.head(space.id);
      await at.store.containers.purge(at.organization, "doomed");
      const { changes } = await at.store.vectors.changesSince(space, head, { limit: 10 });
      expect(changes.length).toBeGreaterThan(0);
      expect(changes.every((change) => change.vector === null)).toBe(true);
      expect(await at.store.vectors.counts(space.id)).toEqual(new Map());
    });

    test("leaves everything else as it was", async () => {
      const kept = await at.addIndexedDocument({ containerTags: ["kept"], content: "zebra" });
      const shared = await at.addIndexedDocument({ containerTags: ["doomed", "kept"], content: "giraffe" });
      const memory = await at.addIndexedMemory({ containerTag: "kept" });
      await at.store.memories.addSource(at.organization, memory.memory.id, shared.document.id, null);
      await at.store.jobs.enqueue([buildJobDraft({ payload: { documentId: shared.document.id, revision: 1 } })]);
      await at.store.journal.append(at.organization, [
        buildJournalEntry({ subjectId: shared.document.id, containerTag: "kept", cause: "kept-cause" }),
      ]);
      await fillDoomed();

      await at.store.containers.purge(at.organization, "doomed");

      expect(await at.store.documents.byId(at.organization, kept.document.id)).toEqual(kept.document);
      const left = await at.store.documents.byId(at.organization, shared.document.id);
      expect(left).toEqual({ ...shared.document, containerTags: ["kept"] });
      expect(await at.store.memories.byId(at.organization, memory.memory.id)).toMatchObject({ sourceCount: 1 });
      const [row] = await at.store.containers.find(at.organization, ["kept"]);
      const scope = { containerIds: [row?.id ?? 0], kinds: ["chunk"] as const, includeForgotten: false };
      const hits = await at.store.units.searchText(scope, ["zebra", "giraffe"], { limit: 10 });
      expect(hits.map((hit) => hit.unit).toSorted(rising)).toEqual([...kept.units, ...shared.units]);
      expect(await at.store.jobs.counts()).toMatchObject({ waiting: 1 });
      expect(await at.everything()).toContain("kept-cause");
    });

    test("a container of another organisation, or none, is left alone", async () => {
      await at.addDocument({ containerTags: ["a"] });
      await at.store.containers.purge(OTHER_ORGANIZATION, "a");
      await at.store.containers.purge(at.organization, "nowhere");
      expect((await at.store.documents.list(at.organization, buildDocumentQuery())).total).toBe(1);
    });
  });
}

export function keysContract(open: OpenStore): void {
  const at = useStore(open);

  test("are found by their hash and listed by age", async () => {
    const older = buildKey(at.organization, { name: "older" });
    const newer = buildKey(at.organization, { name: "newer", createdAt: "2024-02-01T00:00:00.000Z" });
    await at.store.keys.insert(newer, "hash-2");
    await at.store.keys.insert(older, "hash-1");
    expect(await at.store.keys.byHash("hash-1")).toEqual({ ...older, lastUsedAt: null, revokedAt: null });
    expect(await at.store.keys.byHash("hash-3")).toBeNull();
    expect((await at.store.keys.list(at.organization)).map((key) => key.name)).toEqual(["older", "newer"]);
    expect(await at.store.keys.list(OTHER_ORGANIZATION)).toEqual([]);
  });

  test("are revoked once, in their organisation, and stay revoked", async () => {
    const key = buildKey(at.organization);
    await at.store.keys.insert(key, "hash");
    const now = at.clock.now();
    expect(await at.store.keys.revoke(OTHER_ORGANIZATION, key.id, now)).toBe(false);
    expect(await at.store.keys.revoke(at.organization, key.id, now)).toBe(true);
    expect(await at.store.keys.revoke(at.organization, key.id, at.clock.from(5))).toBe(false);
    await at.store.keys.insert(buildKey(at.organization), "hash");
    expect(await at.store.keys.byHash("hash")).toMatchObject({ id: key.id, revokedAt: now.toISOString() });
  });

  test("know when they were used last", async () => {
    const key = buildKey(at.organization);
    await at.store.keys.insert(key, "hash");
    await at.store.keys.touch(key.id, at.clock.now());
    expect(await at.store.keys.byHash("hash")).toMatchObject({ lastUsedAt: at.clock.now().toISOString() });
  });
}

export function operationsContract(open: OpenStore): void {
  const at = useStore(open);

  test("a result is kept as it was, once, until it is dropped", async () => {
    expect(await at.store.operations.find("one")).toBeNull();
    const result = { id: "x", list: [1, "ü", null], nested: { ok: true } };
    await at.store.operations.save("one", result);
    expect(await at.store.operations.find("one")).toEqual({ result });
    await expect(at.store.operations.save("one", {})).rejects.toThrow();
    at.clock.advance(1_000);
    await at.store.operations.save("two", {});
    expect(await at.store.operations.dropBefore(at.clock.from(-500))).toBe(1);
    expect(await at.store.operations.find("one")).toBeNull();
    expect(await at.store.operations.find("two")).toEqual({ result: {} });
  });

  test("the journal keeps every entry", async () => {
    await at.store.journal.append(at.organization, []);
    await at.store.journal.append(at.organization, [
      buildJournalEntry({ actor: "key:abc", before: { text: "vorher ü" }, after: { text: "nachher" } }),
      buildJournalEntry({ cause: "asked to forget" }),
    ]);
    const everything = await at.everything();
    for (const word of ["key:abc", "vorher ü", "nachher", "asked to forget", at.organization])
      expect(everything).toContain(word);
  });
}

export function transactionsContract(open: OpenStore): void {
  const at = useStore(open);

  test("what throws leaves nothing behind, of any noun, and passes its error on", async () => {
    const space = await at.store.ensureSpace("s", 3);
    const before = await at.everything();
    const failure = new AppError("conflict", "changed my mind");
    await expect(
      at.store.transaction(async (nouns) => {
        const document = await nouns.documents.insert(
          at.organization,
          buildDocumentDraft({ containerTags: ["a", "b"] }),
        );
        const [chunk] = await nouns.chunks.replace(at.organization, document.id, 1, [
          { id: createId(), content: "zebra", context: "", metadata: null },
        ]);
        const [container] = await nouns.containers.ensure(at.organization, ["a"]);
        const memory = await nouns.memories.insert(at.organization, buildMemoryDraft(), FIRST_VERSION);
        await nouns.memories.addSource(at.organization, memory.id, document.id, null);
        const containerIds = [container?.id ?? 0];
        const unit = (chunk?.seq ?? 0) * 2;
        await nouns.units.indexText({ unit, containerIds, text: "zebra", context: "" });
        await nouns.units.addVector(unit, containerIds, space, buildVector(space, 1));
        await nouns.jobs.enqueue([buildJobDraft()]);
        await nouns.journal.append(at.organization, [buildJournalEntry()]);
        await nouns.operations.save("op", {});
        await nouns.keys.insert(buildKey(at.organization), "hash");
        throw failure;
      }),
    ).rejects.toBe(failure);
    expect(await at.everything()).toBe(before);
  });

  test("those of concurrent callers do not mix", async () => {
    const write = (name: string, fails: boolean) =>
      at.store.transaction(async (nouns) => {
        for (let index = 0; index < 5; index++) {
          await nouns.documents.insert(at.organization, buildDocumentDraft({ customId: `${name}-${index}` }));
          await new Promise((resolve) => setImmediate(resolve));
        }
        const { total } = await nouns.documents.list(at.organization, buildDocumentQuery());
        if (fails) throw new Error("no");
        return total;
      });
    const names = Array.from({ length: 12 }, (_, index) => index);
    const results = await Promise.allSettled(names.map((name) => write(`t${name}`, name % 3 === 0)));
    const totals = results.flatMap((result) => (result.status === "fulfilled" ? [result.value] : []));
    expect(totals).toEqual([5, 10, 15, 20, 25, 30, 35, 40]);
    const { documents } = await at.store.documents.list(at.organization, buildDocumentQuery());
    const kept = new Set(documents.map((document) => document.customId?.split("-")[0]));
    expect(kept).toEqual(new Set(names.filter((name) => name % 3 !== 0).map((name) => `t${name}`)));
  });

  test("a single call beside an open transaction waits for it and is not part of it", async () => {
    let release = (): void => undefined;
    const held = new Promise<void>((resolve) => (release = resolve));
    const open = at.store
      .transaction(async (nouns) => {
        await nouns.documents.insert(at.organization, buildDocumentDraft({ customId: "inside" }));
        await held;
        throw new Error("no");
      })
      .catch(() => "rolled back");
    const single = at.addDocument({ customId: "outside" });
    const seen = at.store.documents.byCustomId(at.organization, "inside");
    release();
    expect(await open).toBe("rolled back");
    await single;
    expect(await seen).toBeNull();
    expect(await at.store.documents.byCustomId(at.organization, "outside")).not.toBeNull();
  });

  test("after one that failed in the middle of a statement the next one works", async () => {
    await at.addDocument({ customId: "x" });
    await expect(
      at.store.transaction(async (nouns) => {
        await nouns.documents.insert(at.organization, buildDocumentDraft({ customId: "y" }));
        await nouns.documents.insert(at.organization, buildDocumentDraft({ customId: "x" }));
      }),
    ).rejects.toThrow(/UNIQUE/);
    await at.store.transaction((nouns) =>
      nouns.documents.insert(at.organization, buildDocumentDraft({ customId: "z" })),
    );
    const { documents } = await at.store.documents.list(at.organization, buildDocumentQuery());
    expect(documents.map((document) => document.customId).toSorted(rising)).toEqual(["x", "z"]);
  });

  test("a call of several statements outside of one is all or nothing", async () => {
    const { document } = await at.addIndexedDocument({ containerTags: ["a"] }, "one", "two");
    const { id } = document;
    const before = await at.everything();
    await expect(at.addDocument({ id, containerTags: ["b"] })).rejects.toThrow(/UNIQUE/);
    const tooMany = Array.from({ length: 3 }, () => ({ id: "same", content: "x", context: "", metadata: null }));
    await expect(at.store.chunks.replace(at.organization, id, 1, tooMany)).rejects.toThrow(/UNIQUE/);
    expect(await at.everything()).toBe(before);
  });
}

export function healthContract(open: OpenStore): void {
  const at = useStore(open);

  test("health counts what there is and finds nothing wrong with it", async () => {
    await at.addIndexedDocument({}, "one", "two");
    await at.addIndexedMemory();
    expect(await at.store.health({ deep: true })).toEqual({
      problems: [],
      documents: 1,
      chunks: 2,
      memories: 1,
      bytes: expect.any(Number) as number,
      freeBytes: expect.any(Number) as number,
    });
  });
}
