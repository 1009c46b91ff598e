import { describe, expect, test } from "vitest";
import type { UnitScope } from "../../../src/core/ports.js";
import { type OpenStore, useStore } from "./fixture.js";

/** Repeated questions about units: the answers must never predate the last change. */
export function unitDetailsContract(open: OpenStore): void {
  const at = useStore(open);

  async function world() {
    const scopeOf = async (...tags: string[]): Promise<UnitScope> => ({
      containerIds: await Promise.all(tags.map(async (tag) => (await at.container(tag)).id)),
      kinds: ["chunk", "memory"],
      includeForgotten: false,
    });
    const { document, units } = await at.addIndexedDocument({ containerTags: ["a"] }, "zebra", "giraffe");
    const { memory, unit } = await at.addIndexedMemory({ text: "lion" });
    const other = await at.addDocument({ containerTags: ["b"] });
    const all = [...units, unit];
    const read = async (tag = "a") => at.store.units.details(at.organization, await scopeOf(tag), all);
    const shown = async (tag?: string) => (await read(tag)).map(({ text }) => text);
    return { document, memory, other, read, shown };
  }

  describe("units that matched a condition before", () => {
    const metadata = (value: string) => ({
      filters: {
        key: "kind",
        value,
        type: "metadata" as const,
        operator: "=" as const,
        negate: false,
        ignoreCase: false,
      },
    });

    test("are looked up again after each change, and stay the same without one", async () => {
      const { memories, documents, containers, units } = at.store;
      const scope: UnitScope = {
        containerIds: [(await at.container("a")).id],
        kinds: ["chunk", "memory"],
        includeForgotten: false,
      };
      const cats = async () =>
        [...(await units.matching(at.organization, scope, metadata("cat")))].toSorted((x, y) => x - y);
      const first = await at.addIndexedMemory({ text: "lion", metadata: { kind: "cat" } });
      expect(await cats()).toEqual([first.unit]);
      expect(await cats()).toEqual([first.unit]);
      const second = await at.addIndexedMemory({ text: "tiger", metadata: { kind: "cat" } });
      expect(await cats()).toEqual([first.unit, second.unit]);
      await memories.update(at.organization, first.memory.id, { metadata: { kind: "dog" } });
      expect(await cats()).toEqual([second.unit]);
      const { document, units: chunks } = await at.addIndexedDocument(
        { containerTags: ["a"], metadata: { kind: "cat" } },
        "puma",
      );
      expect(await cats()).toEqual([...chunks, second.unit].toSorted((x, y) => x - y));
      await containers.relocate(at.organization, document.id, [(await at.container("b")).id]);
      expect(await cats()).toEqual([second.unit]);
      await containers.relocate(at.organization, document.id, scope.containerIds);
      await documents.remove(at.organization, document.id);
      expect(await cats()).toEqual([second.unit]);
      await at.store.transaction(async (repositories) => {
        await repositories.memories.update(at.organization, second.memory.id, { metadata: { kind: "dog" } });
        expect(await repositories.units.matching(at.organization, scope, metadata("cat"))).toEqual([]);
      });
      expect(await cats()).toEqual([]);
    });
  });

  describe("details", () => {
    test("contain only the time of the event from a memory's metadata", async () => {
      const scope: UnitScope = {
        containerIds: [(await at.container("a")).id],
        kinds: ["chunk", "memory"],
        includeForgotten: false,
      };
      const temporalContext = { eventDate: ["2024-01-01"] };
      const memories = [
        await at.addIndexedMemory({ text: "lion", metadata: { team: "red", temporalContext } }),
        await at.addIndexedMemory({ text: "tiger", metadata: { team: "red" } }),
        await at.addIndexedMemory({ text: "puma", metadata: null }),
      ];
      const all = memories.map(({ unit }) => unit);
      const read = await at.store.units.details(at.organization, scope, all);
      expect(read.map(({ memory }) => memory?.metadata)).toEqual([{ temporalContext }, null, null]);
    });
  });

  describe("details that were read before", () => {
    test("stay the same while nothing changes, whatever else is asked", async () => {
      const { read, shown } = await world();
      expect(await shown()).toEqual(["zebra", "giraffe", "lion"]);
      expect(await shown("b")).toEqual([]);
      expect(await read()).toEqual(await read());
      expect(await shown()).toEqual(["zebra", "giraffe", "lion"]);
    });

    test("are reread after each change of a memory", async () => {
      const { memory, document, other, read, shown } = await world();
      const { memories } = at.store;
      const ofMemory = async (tag?: string) => (await read(tag)).find(({ text }) => text === "lion");
      expect((await ofMemory())?.memory?.metadata).toEqual(memory.metadata);
      const metadata = { temporalContext: { eventDate: ["2024-01-01"] } };
      await memories.update(at.organization, memory.id, { metadata });
      expect((await ofMemory())?.memory?.metadata).toEqual(metadata);
      await memories.addSource(at.organization, memory.id, document.id, null);
      at.clock.advance(1_000);
      await memories.addSource(at.organization, memory.id, other.id, null);
      expect((await ofMemory())?.documentIds).toEqual([document.id, other.id]);
      await memories.removeSource(at.organization, memory.id, document.id);
      expect((await ofMemory())?.documentIds).toEqual([other.id]);
      await memories.update(at.organization, memory.id, { isForgotten: true });
      expect(await shown()).toEqual(["zebra", "giraffe"]);
      await memories.update(at.organization, memory.id, { isForgotten: false });
      expect(await shown()).toEqual(["zebra", "giraffe", "lion"]);
      await memories.move(at.organization, memory.id, (await at.container("b")).id);
      expect([await shown(), await shown("b")]).toEqual([["zebra", "giraffe"], ["lion"]]);
    });

    test("expire with their memory", async () => {
      const { memory, shown } = await world();
      const forgetAfter = new Date(at.clock.now().getTime() + 60_000).toISOString();
      await at.store.memories.update(at.organization, memory.id, { forgetAfter });
      expect(await shown()).toEqual(["zebra", "giraffe", "lion"]);
      at.clock.advance(60_001);
      expect(await shown()).toEqual(["zebra", "giraffe"]);
    });

    test("follow a document to other containers, and are removed with it", async () => {
      const { document, shown } = await world();
      expect(await shown()).toEqual(["zebra", "giraffe", "lion"]);
      const [a, b] = [await at.container("a"), await at.container("b")];
      await at.store.containers.relocate(at.organization, document.id, [a.id, b.id]);
      expect(await shown("b")).toEqual(["zebra", "giraffe"]);
      await at.store.containers.relocate(at.organization, document.id, [b.id]);
      expect([await shown(), await shown("b")]).toEqual([["lion"], ["zebra", "giraffe"]]);
      await at.store.documents.remove(at.organization, document.id);
      expect(await shown("b")).toEqual([]);
    });

    test("do not include a change that was rolled back", async () => {
      const { memory, shown } = await world();
      expect(await shown()).toEqual(["zebra", "giraffe", "lion"]);
      const taken = at.store.transaction(async (repositories) => {
        await repositories.memories.update(at.organization, memory.id, { isForgotten: true });
        throw new Error("taken back");
      });
      await expect(taken).rejects.toThrow("taken back");
      expect(await shown()).toEqual(["zebra", "giraffe", "lion"]);
      await at.store.transaction((repositories) =>
        repositories.memories.update(at.organization, memory.id, { isForgotten: true }),
      );
      expect(await shown()).toEqual(["zebra", "giraffe"]);
    });
  });
}
