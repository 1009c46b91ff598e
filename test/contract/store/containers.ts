import { describe, expect, test } from "vitest";
import {
  buildDocumentQuery,
  buildJobDraft,
  buildJournalEntry,
  buildRevision,
  buildVector,
} from "../../support/builders.js";
import { type OpenStore, OTHER_ORGANIZATION, rising, useStore } from "./fixture.js";

export function containersContract(open: OpenStore): void {
  const at = useStore(open);

  test("are created once, in the order of the tags, case-sensitively", async () => {
    const made = await at.store.containers.ensure(at.organization, ["b", "a", "b", "A"]);
    expect(made.map((row) => row.tag)).toEqual(["b", "a", "A"]);
    expect(await at.store.containers.ensure(at.organization, ["A", "b"])).toEqual([made[2], made[0]]);
    expect(await at.store.containers.ensure(at.organization, [])).toEqual([]);
  });

  test("are found by tag, or all together; those of another organisation are separate", async () => {
    const [a] = await at.store.containers.ensure(at.organization, ["a"]);
    const [theirs] = await at.store.containers.ensure(OTHER_ORGANIZATION, ["a"]);
    expect(theirs?.id).not.toBe(a?.id);
    expect(await at.store.containers.find(at.organization, "all")).toEqual([a]);
    expect(await at.store.containers.find(at.organization, ["a", "nowhere"])).toEqual([a]);
    expect(await at.store.containers.find(at.organization, [])).toEqual([]);
  });

  test("of a document are in the order of its tags", async () => {
    const { id } = await at.addDocument({ containerTags: ["z", "a", "m"] });
    expect((await at.store.containers.ofDocument(at.organization, id)).map((row) => row.tag)).toEqual(["z", "a", "m"]);
    expect(await at.store.containers.ofDocument(OTHER_ORGANIZATION, id)).toEqual([]);
  });

  describe("purging", () => {
    /** One of everything, in container `doomed`. @returns every id and word that must disappear */
    const fillDoomed = async (): Promise<string[]> => {
      const space = await at.store.ensureSpace("s", 3);
      const { document, units } = await at.addIndexedDocument(
        {
          containerTags: ["doomed"],
          customId: "doomedcustom",
          content: "doomedtext",
          title: "doomedtitle",
          metadata: { doomedkey: "doomedvalue" },
        },
        "doomedchunk",
      );
      await at.store.documents.keepRevision(at.organization, document.id, buildRevision({ content: "doomedrevision" }));
      const described = { textMark: "doomedmark", title: null, summary: "doomeddescription" };
      await at.store.documents.describe(at.organization, document.id, described);
      const first = await at.addIndexedMemory({ containerTag: "doomed", text: "doomedfirst" });
      const lines = [{ text: "doomedline", memoryIds: [first.memory.id] }];
      const summary = { bucket: "doomedbucket", lines, covers: [first.memory.id], prompt: "summarise-profile/1" };
      await at.store.summaries.save(at.organization, "doomed", summary);
      const second = await at.addIndexedMemory({ containerTag: "doomed", text: "doomedsecond" });
      await at.store.memories.update(at.organization, second.memory.id, { isForgotten: true });
      await at.store.units.setForgotten(second.unit, second.containerId, true);
      await at.store.memories.addSource(at.organization, first.memory.id, document.id, "doomedquote");
      for (const unit of [...units, first.unit]) await at.store.units.addVector(unit, space, buildVector(space, 1));
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

    test("leaves everything else unchanged", async () => {
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
      const { hits } = await at.store.units.searchText(scope, ["zebra", "giraffe"], { limit: 10 });
      expect(hits.map((hit) => hit.unit).toSorted(rising)).toEqual([...kept.units, ...shared.units]);
      expect(await at.store.jobs.counts()).toMatchObject({ waiting: 1 });
      expect(await at.everything()).toContain("kept-cause");
    });

    test("leaves alone a container of another organisation, or one that does not exist", async () => {
      await at.addDocument({ containerTags: ["a"] });
      await at.store.containers.purge(OTHER_ORGANIZATION, "a");
      await at.store.containers.purge(at.organization, "nowhere");
      expect((await at.store.documents.list(at.organization, buildDocumentQuery())).total).toBe(1);
    });
  });
}
