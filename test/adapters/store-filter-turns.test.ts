import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setImmediate } from "node:timers/promises";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { createSqliteStore } from "../../src/adapters/store/store.js";
import type { Store } from "../../src/core/ports.js";
import type { FilterExpression } from "../../src/core/types.js";
import {
  buildChunkDrafts,
  buildCondition,
  buildDocumentDraft,
  buildDocumentQuery,
  buildMemoryDraft,
  FIRST_VERSION,
} from "../support/builders.js";
import { ManualClock } from "../support/clock.js";

const DOCUMENTS = 300;
/** Time on a busy machine. */
const WITHIN_MS = 60_000;
/** Names every key of the metadata below, and matches none. */
const CONDITIONS: FilterExpression = {
  any: Array.from({ length: 200 }, (_, at) => buildCondition(`key${at}`, `no ${at}`, { type: "string_contains" })),
};

describe("filters with two hundred conditions on large metadata", { timeout: WITHIN_MS }, () => {
  let dataDirectory: string;
  let store: Store;
  let containerId: number;

  beforeAll(async () => {
    dataDirectory = await mkdtemp(join(tmpdir(), "recollect-filter-turns-"));
    store = await createSqliteStore({ dataDirectory, clock: new ManualClock(), maxMegabytes: 0 });
    const metadata = Object.fromEntries(Array.from({ length: 200 }, (_, at) => [`key${at}`, "x".repeat(290)]));
    await store.transaction(async ({ containers, documents, chunks, memories }) => {
      const organization = store.organizationId;
      const [container] = await containers.ensure(organization, ["a"]);
      containerId = container?.id ?? 0;
      for (let number = 0; number < DOCUMENTS; number += 1) {
        const { id } = await documents.insert(organization, buildDocumentDraft({ containerTags: ["a"], metadata }));
        await chunks.replace(organization, id, 1, buildChunkDrafts("text"));
        const memory = await memories.insert(organization, buildMemoryDraft({ metadata: {} }), FIRST_VERSION);
        await memories.addSource(organization, memory.id, id, null);
      }
    });
  }, WITHIN_MS);
  afterAll(async () => {
    await store.close();
    await rm(dataDirectory, { recursive: true, force: true });
  });

  /** How many turns the event loop took before the read had an answer. */
  async function countTurns(read: () => Promise<unknown>): Promise<number> {
    let turns = 0;
    let isOver = false;
    const reading = read().finally(() => (isOver = true));
    for (; !isOver; turns += 1) await setImmediate();
    await reading;
    return turns;
  }

  const page = { containerTags: ["a"], limit: 10, offset: 0, sort: "createdAt", order: "desc" } as const;
  const scope = () => ({ containerIds: [containerId], kinds: ["chunk", "memory"] as const, includeForgotten: true });
  const reads: [string, () => Promise<unknown>][] = [
    ["a search", () => store.units.matching(store.organizationId, scope(), { filters: CONDITIONS })],
    [
      "a list of documents",
      () => store.documents.list(store.organizationId, buildDocumentQuery({ filters: CONDITIONS })),
    ],
    ["a list of memories", () => store.memories.list(store.organizationId, { ...page, filters: CONDITIONS })],
    ["a profile", () => store.memories.active(store.organizationId, "a", { filters: CONDITIONS, limit: 10 })],
  ];
  test.each(reads)("%s lets other work of the service go on meanwhile", async (_, read) => {
    expect(await countTurns(read)).toBeGreaterThanOrEqual(3);
  });

  test("one memory that hundreds of documents state lets other work go on as well", async () => {
    const { organizationId: organization } = store;
    await store.transaction(async ({ containers, memories, documents }) => {
      await containers.ensure(organization, ["one"]);
      const memory = await memories.insert(
        organization,
        buildMemoryDraft({ containerTag: "one", metadata: {} }),
        FIRST_VERSION,
      );
      const { documents: all } = await documents.list(organization, buildDocumentQuery({ limit: DOCUMENTS }));
      expect(all).toHaveLength(DOCUMENTS);
      for (const { id } of all) await memories.addSource(organization, memory.id, id, null);
    });
    const query = { ...page, containerTags: ["one"], filters: CONDITIONS };
    expect(await countTurns(() => store.memories.list(organization, query))).toBeGreaterThanOrEqual(3);
  });

  describe("while others write", () => {
    /** All documents satisfy this, after the same work. */
    const filters: FilterExpression = { all: [CONDITIONS, buildCondition("key0", "y", { negate: true })] };
    const matching: FilterExpression = { any: [CONDITIONS, filters, buildCondition("key0", "x".repeat(290))] };

    const ATTEMPTS = 20;

    /**
     * What is read first, and what is read while somebody writes. Tries again where the second read was over before anything was
     * written.
     * @param write changes something of what was read first
     */
    async function readWhileWriting<Result>(
      read: () => Promise<Result>,
      write: (before: Result) => Promise<unknown>,
    ): Promise<{ readonly before: Result; readonly meanwhile: Result }> {
      for (let attempt = 0; attempt < ATTEMPTS; attempt += 1) {
        const before = await read();
        let isOver = false;
        const reading = read().finally(() => (isOver = true));
        await setImmediate();
        await write(before);
        const isMeanwhile = !isOver;
        const meanwhile = await reading;
        if (isMeanwhile) return { before, meanwhile };
      }
      throw new Error(`Each of ${ATTEMPTS} reads was over before anything was written.`);
    }

    test("a list of documents has none that moved to another container or no longer satisfies the filter", async () => {
      const { organizationId: organization, documents } = store;
      const query = buildDocumentQuery({ ...page, filters: matching, includeContent: true });
      const read = () => documents.list(organization, query);
      const { before, meanwhile } = await readWhileWriting(read, ({ documents: [moved, changed] }) =>
        store.transaction(async ({ documents }) => {
          await documents.update(organization, moved?.id ?? "", { containerTags: ["b"], content: "secret" });
          await documents.update(organization, changed?.id ?? "", { metadata: {} });
        }),
      );
      expect(before.documents).toHaveLength(10);
      expect(meanwhile.documents.map(({ id }) => id)).toEqual(before.documents.slice(2).map(({ id }) => id));
      expect(meanwhile.total).toBe(before.total - 2);
      expect((await read()).total).toBe(before.total - 2);
    });

    test("a list has no text that a document got after the list was read", async () => {
      const { organizationId: organization, documents } = store;
      await store.containers.ensure(organization, ["texts"]);
      for (let number = 0; number < 15; number += 1)
        await documents.insert(
          organization,
          buildDocumentDraft({ containerTags: ["texts"], content: "old ".repeat(300_000) }),
        );
      const query = buildDocumentQuery({ ...page, containerTags: ["texts"], includeContent: true });
      const { before, meanwhile } = await readWhileWriting(
        () => documents.list(organization, query),
        ({ documents: before }) =>
          documents.update(organization, before.at(-1)?.id ?? "", {
            containerTags: ["b"],
            content: "secret",
            revision: 2,
          }),
      );
      const texts = meanwhile.documents.map(({ content }) => content?.slice(0, 4));
      expect(texts.length).toBeGreaterThan(1);
      expect(texts.slice(0, -1)).toEqual(texts.slice(0, -1).map(() => "old "));
      expect(texts).not.toContain("secr");
      expect(meanwhile.total).toBeGreaterThanOrEqual(before.total - 1);
    });

    const lists: [string, () => Promise<readonly { readonly id: string }[]>][] = [
      ["a profile", () => store.memories.active(store.organizationId, "a", { filters: matching, limit: DOCUMENTS })],
      [
        "a list",
        async () => {
          const query = { ...page, limit: DOCUMENTS, filters: matching };
          return (await store.memories.list(store.organizationId, query)).memories;
        },
      ],
    ];
    test.each(lists)("%s has no memory that was forgotten or moved, or whose document was changed", async (_, read) => {
      const { organizationId: organization } = store;
      const [other] = await store.containers.ensure(organization, ["b"]);
      const { before, meanwhile } = await readWhileWriting(read, ([forgotten, moved, changed]) =>
        store.transaction(async ({ memories, documents }) => {
          const [source] = await memories.sources(organization, [changed?.id ?? ""]);
          await documents.update(organization, source?.documentId ?? "", { metadata: {} });
          await memories.update(organization, forgotten?.id ?? "", { isForgotten: true });
          await memories.move(organization, moved?.id ?? "", other?.id ?? 0);
        }),
      );
      expect(before.length).toBeGreaterThan(3);
      expect(meanwhile.map(({ id }) => id)).toEqual(before.slice(3).map(({ id }) => id));
    });
  });
});

describe("filters over many memories", () => {
  let dataDirectory: string;
  let store: Store;
  const CONTAINERS = 600;
  /** More of them in the first container. */
  const MEMORIES = 6_000;
  const tags = Array.from({ length: CONTAINERS }, (_, at) => `c${at}`);

  beforeAll(async () => {
    dataDirectory = await mkdtemp(join(tmpdir(), "recollect-filter-turns-"));
    store = await createSqliteStore({ dataDirectory, clock: new ManualClock(), maxMegabytes: 0 });
    const { organizationId: organization } = store;
    await store.transaction(async ({ containers, documents, chunks, memories }) => {
      await containers.ensure(organization, tags);
      for (const tag of tags) {
        const draft = buildDocumentDraft({ containerTags: [tag], metadata: { team: "red" } });
        const { id } = await documents.insert(organization, draft);
        await chunks.replace(organization, id, 1, buildChunkDrafts("text"));
        await memories.insert(
          organization,
          buildMemoryDraft({ containerTag: tag, metadata: { team: "red" } }),
          FIRST_VERSION,
        );
      }
      for (let number = 0; number < MEMORIES; number += 1)
        await memories.insert(
          organization,
          buildMemoryDraft({ containerTag: "c0", metadata: { team: "red" } }),
          FIRST_VERSION,
        );
    });
  }, WITHIN_MS);
  afterAll(async () => {
    await store.close();
    await rm(dataDirectory, { recursive: true, force: true });
  });

  const filters: FilterExpression = { all: [buildCondition("team", "red", { negate: true, ignoreCase: true })] };
  const inverse: FilterExpression = { all: [buildCondition("team", "RED", { ignoreCase: true })] };
  const match = async (store: Store, filters: FilterExpression): Promise<number> => {
    const rows = await store.containers.ensure(store.organizationId, tags);
    const scope = {
      containerIds: rows.map(({ id }) => id),
      kinds: ["chunk", "memory"] as const,
      includeForgotten: true,
    };
    return (await store.units.matching(store.organizationId, scope, { filters })).length;
  };

  test("find those of every container, however many are named", async () => {
    expect(await match(store, inverse)).toBe(CONTAINERS * 2 + MEMORIES);
    expect(await match(store, filters)).toBe(0);
  });

  test("end in the background although callers never stop reading", async () => {
    let isOver = false;
    const background = match(store.background, inverse).finally(() => (isOver = true));
    const calls = Array.from({ length: 4 }, async () => {
      while (!isOver) await store.documents.list(store.organizationId, buildDocumentQuery({ containerTags: ["c1"] }));
    });
    expect(await background).toBe(CONTAINERS * 2 + MEMORIES);
    await Promise.all(calls);
  });
});
