import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
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

const DOCUMENTS = 400;
/** Names every key of the metadata below, and matches none. */
const CONDITIONS: FilterExpression = {
  any: Array.from({ length: 200 }, (_, at) => buildCondition(`key${at}`, `no ${at}`, { type: "string_contains" })),
};

describe("filters with two hundred conditions on large metadata", () => {
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
  });
  afterAll(async () => {
    await store.close();
    await rm(dataDirectory, { recursive: true, force: true });
  });

  /** How many turns the event loop took before the read had an answer. */
  async function countTurns(read: () => Promise<unknown>): Promise<number> {
    let turns = 0;
    let isOver = false;
    const count = (): void => {
      if (isOver) return;
      turns += 1;
      setImmediate(count);
    };
    setImmediate(count);
    await read();
    isOver = true;
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
});
