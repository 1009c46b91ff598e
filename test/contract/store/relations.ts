import { describe, expect, test } from "vitest";
import { createId } from "../../../src/lib/ids.js";
import { buildMemoryDraft } from "../../support/builders.js";
import { type OpenStore, OTHER_ORGANIZATION, useStore } from "./fixture.js";

export function relationsContract(open: OpenStore): void {
  const at = useStore(open);
  const relationsOf = (...ids: string[]) => at.store.memories.relations(at.organization, ids);

  describe("relations of memories", () => {
    test("are found from either side, oldest first, each once", async () => {
      const [old, middle, young] = [await at.addMemory(), await at.addMemory(), await at.addMemory()];
      await at.store.memories.relate(at.organization, middle.id, old.id, "extends");
      at.clock.advance(1_000);
      await at.store.memories.relate(at.organization, young.id, old.id, "derives");
      const first = { fromId: middle.id, toId: old.id, relation: "extends" };
      const second = { fromId: young.id, toId: old.id, relation: "derives" };
      expect(await relationsOf(old.id)).toEqual([first, second]);
      expect(await relationsOf(middle.id)).toEqual([first]);
      expect(await relationsOf(young.id, old.id, createId())).toEqual([first, second]);
      expect(await relationsOf()).toEqual([]);
    });

    test("each pair has one relation, the last one stored", async () => {
      const [old, young] = [await at.addMemory(), await at.addMemory()];
      await at.store.memories.relate(at.organization, young.id, old.id, "extends");
      await at.store.memories.relate(at.organization, young.id, old.id, "derives");
      expect(await relationsOf(old.id)).toEqual([{ fromId: young.id, toId: old.id, relation: "derives" }]);
    });

    test("join no memory to itself, to an unknown one, or to one in another container", async () => {
      const [memory, elsewhere] = [await at.addMemory(), await at.addMemory({ containerTag: "b" })];
      for (const other of [memory.id, elsewhere.id, createId()]) {
        await at.store.memories.relate(at.organization, memory.id, other, "extends");
        await at.store.memories.relate(at.organization, other, memory.id, "extends");
      }
      expect(await relationsOf(memory.id, elsewhere.id)).toEqual([]);
    });

    test("to a memory moved to another container count there only on request", async () => {
      const [old, young] = [await at.addMemory(), await at.addMemory()];
      await at.store.memories.relate(at.organization, young.id, old.id, "derives");
      const [target] = await at.store.containers.ensure(at.organization, ["b"]);
      await at.store.memories.move(at.organization, old.id, target!.id);
      expect(await relationsOf(young.id)).toEqual([]);
      const apart = await at.store.memories.relations(at.organization, [young.id], { evenApart: true });
      expect(apart).toEqual([{ fromId: young.id, toId: old.id, relation: "derives" }]);
    });

    test("belong to one organisation", async () => {
      const [old, young] = [await at.addMemory(), await at.addMemory()];
      await at.store.memories.relate(OTHER_ORGANIZATION, young.id, old.id, "extends");
      expect(await relationsOf(old.id)).toEqual([]);
      await at.store.memories.relate(at.organization, young.id, old.id, "extends");
      expect(await at.store.memories.relations(OTHER_ORGANIZATION, [old.id])).toEqual([]);
    });

    test("are removed with their container", async () => {
      const [old, young] = [await at.addMemory(), await at.addMemory()];
      await at.store.memories.relate(at.organization, young.id, old.id, "extends");
      await at.store.containers.purge(at.organization, "a");
      expect(await at.everything()).not.toContain(young.id);
    });
  });

  describe("versions of memories", () => {
    test("are found by the first of their chain, oldest first, also when it is the only one", async () => {
      const first = await at.addMemory({ text: "one" });
      const alone = await at.addMemory({ text: "alone" });
      await at.store.memories.update(at.organization, first.id, { isLatest: false });
      await at.store.memories.insert(at.organization, buildMemoryDraft({ text: "two" }), {
        parentId: first.id,
        rootId: first.id,
        version: 2,
      });
      const textsOf = async (...ids: string[]) =>
        (await at.store.memories.versions(at.organization, ids)).map(({ text }) => text);
      expect(await textsOf(first.id)).toEqual(["one", "two"]);
      expect(await textsOf(first.id, alone.id, createId())).toEqual(["one", "alone", "two"]);
      expect(await textsOf()).toEqual([]);
      expect(await at.store.memories.versions(OTHER_ORGANIZATION, [first.id])).toEqual([]);
    });
  });
}
