import fc from "fast-check";
import { describe, expect, test } from "vitest";
import type { UnitCondition, UnitScope } from "../../../src/core/ports.js";
import { type Document, type Memory, type Metadata, type Unit, unitOf } from "../../../src/core/types.js";
import {
  buildChunkDrafts,
  buildCondition,
  buildDocumentDraft,
  buildDocumentQuery,
  buildMemoryDraft,
  FIRST_VERSION,
  only,
} from "../../support/builders.js";
import { type OpenStore, rising, type StoreFixture, useStore } from "./fixture.js";

const TAGS = ["a", "b"] as const;
const LONG = "é".repeat(150);
const METADATA: readonly (Metadata | null)[] = [
  { team: "red" },
  { team: "blue", labels: ["new", "red"] },
  { team: "red", size: 7, isOpen: true },
  { team: `${LONG}1`, size: 2.5, "a.b": "Zoë" },
  { team: `${LONG}2`, labels: ["old"] },
  null,
  null,
  null,
];
const PATHS = ["/a/x.md", "/b/x.md", null];

const CONDITIONS: readonly UnitCondition[] = [
  { filters: only(buildCondition("team", "red")) },
  { filters: only(buildCondition("team", "red", { negate: true })) },
  {
    filters: { all: [buildCondition("team", "red"), buildCondition("size", "5", { type: "numeric", operator: ">" })] },
  },
  { filters: { any: [buildCondition("team", "blue"), buildCondition("size", "7", { type: "numeric" })] } },
  { filters: only(buildCondition("labels", "red", { type: "array_contains" })) },
  { filters: only(buildCondition("team", `${LONG}2`)) },
  { filters: only(buildCondition("team", "lu", { type: "string_contains" })) },
  { filters: only(buildCondition("size", "7")) },
  { filters: only(buildCondition("size", "2.5")) },
  { filters: only(buildCondition("isOpen", "true")) },
  {
    filters: { any: [buildCondition("a.b", "Zoë"), only(buildCondition("labels", "new", { type: "array_contains" }))] },
  },
  { filters: { any: [buildCondition("team", "blue"), buildCondition("team", "red", { negate: true })] } },
  { filters: only(buildCondition("team", "RED", { ignoreCase: true })) },
  { filters: only(buildCondition("nothing", "at all")) },
  { filepath: "/a/" },
  { inEveryContainer: true },
];

/** There is always something to change. */
const BEGINNING: readonly Step[] = [
  { kind: "add memory", tag: "a", metadata: 5, which: 0 },
  { kind: "add memory", tag: "b", metadata: 1, which: 0 },
  { kind: "add document", tags: ["a"], metadata: 0, path: 0 },
  { kind: "add document", tags: ["a", "b"], metadata: 1, path: 1 },
  { kind: "add memory", tag: "a", metadata: 5, which: 1 },
];

type Step =
  | {
      readonly kind: "add document";
      readonly tags: readonly string[];
      readonly metadata: number;
      readonly path: number;
    }
  | { readonly kind: "add memory"; readonly tag: string; readonly metadata: number; readonly which: number }
  | { readonly kind: "change metadata" | "change path" | "change memory"; readonly which: number; readonly to: number }
  | { readonly kind: "put document"; readonly which: number; readonly tags: readonly string[] }
  | { readonly kind: "move memory"; readonly which: number; readonly tag: string }
  | { readonly kind: "cut anew" | "remove document" | "supersede" | "forget" | "pin"; readonly which: number }
  | { readonly kind: "link" | "unlink"; readonly which: number; readonly to: number }
  | { readonly kind: "search" };

const which = fc.nat(20);
const to = fc.nat(20);
const tag = fc.constantFrom(...TAGS);
const tags = fc.constantFrom<readonly string[]>(["a"], ["b"], ["a", "b"]);
const kindOf = <Kind extends Step["kind"]>(...kinds: readonly Kind[]) => fc.constantFrom<Kind>(...kinds);
const change: fc.Arbitrary<Step> = fc.oneof(
  fc.record({ kind: kindOf("add document"), tags, metadata: to, path: to }),
  fc.record({ kind: kindOf("add memory"), tag, metadata: to, which }),
  fc.record({ kind: kindOf("change metadata", "change path", "change memory"), which, to }),
  fc.record({ kind: kindOf("put document"), which, tags }),
  fc.record({ kind: kindOf("move memory"), which, tag }),
  fc.record({ kind: kindOf("cut anew", "remove document", "supersede", "forget", "pin"), which }),
  fc.record({ kind: kindOf("link", "unlink"), which, to }),
);
const step = fc.oneof(change, fc.constant<Step>({ kind: "search" }));

export function matchingContract(open: OpenStore, histories: number): void {
  describe("repeated lookups of a condition", () => {
    const at = useStore(open);
    const scopes = async (): Promise<UnitScope[]> => {
      const ids = await Promise.all(TAGS.map(async (one) => (await at.container(one)).id));
      const [first = 0] = ids;
      return [[first], ids].map((containerIds) => ({
        containerIds,
        kinds: ["chunk", "memory"],
        includeForgotten: true,
      }));
    };

    test("match a first lookup, whatever was written in between", async () => {
      await fc.assert(
        fc.asyncProperty(fc.array(step, { minLength: 10, maxLength: 60 }), async (steps) => {
          const writer = createWriter(at);
          for (const one of BEGINNING) await writer.take(one);
          for (const [index, one] of steps.entries()) {
            if (one.kind === "search" || index === steps.length - 1) await compare();
            await writer.take(one);
          }
          await compare();
          await compareWithLists();
        }),
        { numRuns: histories },
      );
    }, 60_000);

    test("match a first lookup during concurrent searches and writes", async () => {
      await fc.assert(
        fc.asyncProperty(fc.array(step, { minLength: 10, maxLength: 30 }), async (steps) => {
          const writer = createWriter(at);
          for (const one of BEGINNING) await writer.take(one);
          const [scope] = await scopes();
          if (!scope) throw new Error("There is no scope");
          const searches = CONDITIONS.map(async (condition) => {
            for (let round = 0; round < 10; round += 1)
              await at.store.units.matching(at.organization, scope, condition);
          });
          for (const one of steps) await writer.take(one);
          await Promise.all(searches);
          await compare();
        }),
        { numRuns: histories },
      );
    }, 60_000);

    test("include everything written before, and return the same while none of it changes", async () => {
      const [scope] = await scopes();
      const red = { filters: only(buildCondition("team", "red")) };
      const ask = () => at.store.units.matching(at.organization, scope!, red);
      const one = await at.addIndexedDocument({ metadata: { team: "red" } }, "one");
      const before = await ask();
      expect(before).toEqual(one.units);
      await at.addIndexedDocument({ metadata: { team: "blue" } }, "two");
      expect(await ask()).toEqual(before);
      const three = await at.addIndexedDocument({ metadata: { team: "red" } }, "three");
      expect((await ask()).toSorted(rising)).toEqual([...one.units, ...three.units]);
      await at.store.documents.update(at.organization, one.document.id, { metadata: { team: "blue" } });
      expect(await ask()).toEqual(three.units);
    });

    test("work while a transaction is open, and so do relations", async () => {
      const { units } = await at.addIndexedDocument({ metadata: { team: "red" } }, "one");
      const [scope] = await scopes();
      await at.store.transaction(async ({ documents }) => {
        await documents.insert(at.organization, buildDocumentDraft({}));
        for (const negate of [false, true]) {
          const filters = only(buildCondition("team", negate ? "blue" : "red", { negate }));
          expect(await at.store.units.matching(at.organization, scope!, { filters })).toEqual(units);
        }
        expect(await at.store.memories.relations(at.organization, ["none"])).toEqual([]);
      });
    }, 5_000);

    test("return everything, however much and in however many containers", async () => {
      const tagsOfMany = ["few", "many", "more", "none", "last"];
      const sizes = [3, 1_300, 1_100, 0, 1];
      const expected: Unit[] = [];
      await at.store.transaction(async ({ documents, chunks, memories, containers }) => {
        await containers.ensure(at.organization, tagsOfMany);
        for (const [place, containerTag] of tagsOfMany.entries())
          for (let index = 0; index < (sizes[place] ?? 0); index += 1) {
            const metadata = { third: `${index % 3}` };
            const document = await documents.insert(
              at.organization,
              buildDocumentDraft({ containerTags: [containerTag], metadata }),
            );
            const [chunk] = await chunks.replace(at.organization, document.id, 1, buildChunkDrafts("text"));
            const isStatic = index % 2 === 1;
            const memory = await memories.insert(
              at.organization,
              buildMemoryDraft({ containerTag, metadata, isStatic }),
              FIRST_VERSION,
            );
            if (index % 3 === 0) expected.push(unitOf("chunk", chunk!.seq), unitOf("memory", memory.seq));
          }
      });
      const containerIds = await Promise.all(tagsOfMany.map(async (one) => (await at.container(one)).id));
      const scope: UnitScope = { containerIds, kinds: ["chunk", "memory"], includeForgotten: false };
      const condition = { filters: only(buildCondition("third", "0")) };
      const found = await at.store.units.matching(at.organization, scope, condition);
      expect(found.toSorted(rising)).toEqual(expected.toSorted(rising));
    }, 60_000);

    async function compare(): Promise<void> {
      for (const scope of await scopes())
        for (const condition of CONDITIONS) {
          const found = await at.store.units.matching(at.organization, scope, condition);
          // Nothing is cached within a transaction.
          const fresh = await at.store.transaction(({ units }) => units.matching(at.organization, scope, condition));
          expect(found.toSorted(rising)).toEqual(fresh.toSorted(rising));
        }
    }

    /** The result of listing with the same filter, which looks at every row. */
    async function compareWithLists(): Promise<void> {
      for (const [place, scope] of (await scopes()).entries())
        for (const { filters } of CONDITIONS.filter((condition) => condition.filters)) {
          const query = { containerTags: TAGS.slice(0, place + 1), filters };
          const { documents } = await at.store.documents.list(
            at.organization,
            buildDocumentQuery({ ...query, limit: 10_000 }),
          );
          const page = { ...query, sort: "createdAt", order: "desc", offset: 0, limit: 10_000 } as const;
          const { memories } = await at.store.memories.list(at.organization, page);
          const found = await at.store.units.matching(at.organization, scope, { ...(filters && { filters }) });
          const units = await at.store.units.load(at.organization, found);
          const documentIds = new Set(units.flatMap(({ chunk }) => chunk?.documentId ?? []));
          const active = units.flatMap(({ memory }) => (memory && !memory.isForgotten ? memory.id : []));
          expect([...documentIds].toSorted(rising)).toEqual(documents.map(({ id }) => id).toSorted(rising));
          expect(active.toSorted(rising)).toEqual(memories.map(({ id }) => id).toSorted(rising));
        }
    }
  });
}

/** Writes to a store step by step; a step for something missing does nothing. */
function createWriter(at: StoreFixture) {
  const documents: Document[] = [];
  const memories: Memory[] = [];
  const documentOf = (place: number) => documents[place % Math.max(1, documents.length)];
  const memoryOf = (place: number) => memories[place % Math.max(1, memories.length)];
  const metadataOf = (place: number) => METADATA[place % METADATA.length] ?? null;
  const pathOf = (place: number) => PATHS[place % PATHS.length] ?? null;

  async function add(one: Extract<Step, { kind: "add document" | "add memory" }>): Promise<void> {
    const metadata = metadataOf(one.metadata);
    if (one.kind === "add document") {
      const values = { containerTags: one.tags, metadata, filepath: pathOf(one.path) };
      documents.push((await at.addIndexedDocument(values, "one", "two")).document);
      return;
    }
    const { memory } = await at.addIndexedMemory({ containerTag: one.tag, metadata });
    memories.push(memory);
    const source = documentOf(one.which);
    if (source) await at.store.memories.addSource(at.organization, memory.id, source.id, null);
  }

  async function changeDocument(document: Document, one: Step): Promise<void> {
    const { store, organization } = at;
    switch (one.kind) {
      case "change metadata":
        return store.documents.update(organization, document.id, { metadata: metadataOf(one.to) });
      case "change path":
        return store.documents.update(organization, document.id, { filepath: pathOf(one.to) });
      case "put document":
        return store.documents.update(organization, document.id, { containerTags: one.tags });
      case "cut anew":
        await store.chunks.replace(organization, document.id, 1, buildChunkDrafts("anew", "and", "longer"));
        return;
      case "remove document":
        documents.splice(documents.indexOf(document), 1);
        return store.documents.remove(organization, document.id);
    }
  }

  async function changeMemory(memory: Memory, one: Step): Promise<void> {
    const { store, organization } = at;
    switch (one.kind) {
      case "change memory":
        return store.memories.update(organization, memory.id, { metadata: metadataOf(one.to) });
      case "move memory":
        return store.memories.move(organization, memory.id, (await at.container(one.tag)).id);
      case "supersede":
        return store.memories.update(organization, memory.id, { isLatest: false });
      case "forget":
        return store.memories.update(organization, memory.id, { isForgotten: true });
      case "pin":
        return store.memories.update(organization, memory.id, { isStatic: true });
      case "link":
      case "unlink": {
        const document = documentOf(one.to);
        if (!document) return;
        if (one.kind === "unlink") return store.memories.removeSource(organization, memory.id, document.id);
        await store.memories.addSource(organization, memory.id, document.id, null);
      }
    }
  }

  return {
    async take(one: Step): Promise<void> {
      if (one.kind === "search") return;
      if (one.kind === "add document" || one.kind === "add memory") return add(one);
      const [document, memory] = [documentOf(one.which), memoryOf(one.which)];
      if (document) await changeDocument(document, one);
      if (memory) await changeMemory(memory, one);
    },
  };
}
