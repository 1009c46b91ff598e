import { describe, expect, test } from "vitest";
import { buildMemoryDraft } from "../../support/builders.js";
import { type OpenStore, OTHER_ORGANIZATION, useStore } from "./fixture.js";

/** What was said of a memory or a document by whoever read it. */
export function readingsContract(open: OpenStore): void {
  const at = useStore(open);
  const buckets = { keys: ["work"], judged: ["0a1b2c3d", "4e5f6071"] };

  describe("what a memory is about", () => {
    test("comes back as it was written, and is absent where nobody said it", async () => {
      const said = await at.addMemory(buildMemoryDraft({ entities: ["Ada", "漢字 🐝"], buckets }));
      const unsaid = await at.addMemory();
      expect(await at.store.memories.byId(at.organization, said.id)).toMatchObject({
        entities: ["Ada", "漢字 🐝"],
        buckets,
      });
      expect(await at.store.memories.byId(at.organization, unsaid.id)).not.toHaveProperty("entities");
      expect(await at.store.memories.byId(at.organization, unsaid.id)).not.toHaveProperty("buckets");
    });

    test("can be said later, and said otherwise; a change of something else leaves it", async () => {
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

  describe("what a document was called", () => {
    const first = { textMark: "one", title: "Bees", summary: null };

    test("is kept once, the last word", async () => {
      const { id } = await at.addDocument();
      const { documents } = at.store;
      expect(await documents.description(at.organization, id)).toBeNull();
      await documents.describe(at.organization, id, first);
      expect(await documents.description(at.organization, id)).toEqual(first);
      const second = { textMark: "two", title: null, summary: "All is well." };
      await documents.describe(at.organization, id, second);
      expect(await documents.description(at.organization, id)).toEqual(second);
    });

    test("belongs to the organisation, and goes with the document", async () => {
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
}
