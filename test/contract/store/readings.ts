import { describe, expect, test } from "vitest";
import type { ModelFailure } from "../../../src/core/ports.js";
import { buildMemoryDraft } from "../../support/builders.js";
import { type OpenStore, OTHER_ORGANIZATION, useStore } from "./fixture.js";

/** What a reader, a model or rules, recorded about a memory or a document. */
export function readingsContract(open: OpenStore): void {
  const at = useStore(open);
  const buckets = { keys: ["work"], judged: ["0a1b2c3d", "4e5f6071"] };

  describe("entities and buckets of a memory", () => {
    test("are returned as they were written, and absent when none were given", async () => {
      const said = await at.addMemory(buildMemoryDraft({ entities: ["Ada", "漢字 🐝"], buckets }));
      const unsaid = await at.addMemory();
      expect(await at.store.memories.byId(at.organization, said.id)).toMatchObject({
        entities: ["Ada", "漢字 🐝"],
        buckets,
      });
      expect(await at.store.memories.byId(at.organization, unsaid.id)).not.toHaveProperty("entities");
      expect(await at.store.memories.byId(at.organization, unsaid.id)).not.toHaveProperty("buckets");
    });

    test("can be added and changed later; other changes leave them alone", async () => {
      const { id } = await at.addMemory();
      await at.store.memories.update(at.organization, id, { entities: ["Ada"], buckets });
      await at.store.memories.update(at.organization, id, { buckets: { keys: [], judged: buckets.judged } });
      await at.store.memories.update(at.organization, id, { strength: 3 });
      expect(await at.store.memories.byId(at.organization, id)).toMatchObject({
        entities: ["Ada"],
        buckets: { keys: [], judged: buckets.judged },
        strength: 3,
      });
    });
  });

  describe("the description of a document", () => {
    const first = { textMark: "one", title: "Bees", summary: null };

    test("is stored once, the latest only", async () => {
      const { id } = await at.addDocument();
      const { documents } = at.store;
      expect(await documents.description(at.organization, id)).toBeNull();
      await documents.describe(at.organization, id, first);
      expect(await documents.description(at.organization, id)).toEqual(first);
      const second = { textMark: "two", title: null, summary: "All is well." };
      await documents.describe(at.organization, id, second);
      expect(await documents.description(at.organization, id)).toEqual(second);
    });

    test("belongs to the organisation, and is removed with the document", async () => {
      const { id } = await at.addDocument();
      const { documents } = at.store;
      await documents.describe(OTHER_ORGANIZATION, id, first);
      await documents.describe(at.organization, "nobody", first);
      expect(await at.everything()).not.toContain("Bees");
      await documents.describe(at.organization, id, first);
      expect(await documents.description(OTHER_ORGANIZATION, id)).toBeNull();
      await documents.remove(at.organization, id);
      expect(await at.everything()).not.toContain("Bees");
    });
  });

  describe("failures of a language model", () => {
    const [now, later] = ["2024-05-06T07:08:09.000Z", "2024-05-06T08:08:09.000Z"];
    const failure = (documentId: string, more: Partial<ModelFailure> = {}): ModelFailure => ({
      documentId,
      step: "facts",
      reason: "It refused the key.",
      attempts: 1,
      mark: "one",
      failedAt: now,
      nextAt: later,
      ...more,
    });
    const due = async (mark: string, moment: string) => {
      const ofStep = (step: ModelFailure["step"]) =>
        at.store.modelFailures.due(at.organization, { step, mark, now: moment, limit: 10 });
      return [...(await ofStep("facts")), ...(await ofStep("description"))].map(({ step }) => step);
    };

    test("are stored once per step, belong to the organisation, and are removed with the document", async () => {
      const { id } = await at.addDocument();
      const { modelFailures } = at.store;
      await modelFailures.note(at.organization, failure(id, { reason: "It was cut off." }));
      await modelFailures.note(at.organization, failure(id));
      await modelFailures.note(OTHER_ORGANIZATION, failure(id, { step: "description" }));
      await modelFailures.note(at.organization, failure("nobody"));
      expect(await modelFailures.ofDocuments(at.organization, [id, "nobody"])).toEqual([failure(id)]);
      expect(await modelFailures.ofDocuments(OTHER_ORGANIZATION, [id])).toEqual([]);
      await at.store.documents.remove(at.organization, id);
      expect(await at.everything()).not.toContain("It refused the key.");
    });

    test("are due at their time, or for another model, once the document is processed", async () => {
      const { id } = await at.addDocument();
      const { modelFailures } = at.store;
      await modelFailures.note(at.organization, failure(id));
      await modelFailures.note(at.organization, failure(id, { step: "description", nextAt: null }));
      expect(await due("two", now)).toEqual([]);
      await at.store.documents.update(at.organization, id, { status: "done", dreamingStatus: "done" });
      expect(await due("one", now)).toEqual([]);
      expect(await due("one", later)).toEqual(["facts"]);
      expect((await due("two", now)).toSorted()).toEqual(["description", "facts"]);
      await modelFailures.putOff([{ documentId: id, step: "facts" }], { mark: "two", until: later });
      expect(await due("two", now)).toEqual(["description"]);
      const [facts] = await modelFailures.ofDocuments(at.organization, [id]);
      expect(facts).toMatchObject({ step: "facts", attempts: 0, mark: "two", nextAt: later });
      await modelFailures.end(id, "facts");
      expect(await due("two", later)).toEqual(["description"]);
      const tally = (mark: string) => modelFailures.tally(at.organization, { mark, within: "all" });
      const reasons = [{ reason: "It refused the key.", documents: 1 }];
      expect(await tally("one")).toEqual({ documents: 1, givenUp: 1, reasons });
      expect(await tally("two")).toEqual({ documents: 1, givenUp: 0, reasons });
      expect(await modelFailures.tally(at.organization, { mark: "one", within: ["elsewhere"] })).toMatchObject({
        documents: 0,
        reasons: [],
      });
    });
  });
}
