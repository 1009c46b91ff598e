import { afterEach, beforeEach, describe, expect, test } from "vitest";
import type { Call, Core, RelatedMemory } from "../../src/core/index.js";
import { type Memory, unitOf } from "../../src/core/types.js";
import { buildMemoryDraft, FIRST_VERSION } from "../support/builders.js";
import { type ManualCore, openManualCore } from "../support/manual-core.js";

let opened: ManualCore;
let core: Core;
let call: Call;

beforeEach(async () => {
  opened = await openManualCore({ jobs: false });
  core = opened.core;
  call = opened.call();
  await opened.store.containers.ensure(opened.store.organizationId, ["a"]);
});
afterEach(() => opened.close());

async function add(text: string, replaces?: Memory, values: Partial<Memory> = {}): Promise<Memory> {
  const { store } = opened;
  const { organizationId } = store;
  if (replaces) {
    await store.memories.update(organizationId, replaces.id, { isLatest: false });
    await store.units.unindex(unitOf("memory", replaces.seq));
  }
  const lineage = replaces
    ? { parentId: replaces.id, rootId: replaces.rootId ?? replaces.id, version: replaces.version + 1 }
    : FIRST_VERSION;
  const { forgetAfter = null } = values;
  const memory = await store.memories.insert(organizationId, buildMemoryDraft({ text, forgetAfter }), lineage);
  const [container] = await store.containers.find(organizationId, ["a"]);
  const unit = unitOf("memory", memory.seq);
  await store.units.indexText({ unit, containerIds: [container?.id ?? 0], text, context: "" });
  return memory;
}
const relate = async (newer: Memory, older: Memory, relation: "updates" | "extends" | "derives") => {
  opened.clock.advance(1);
  await opened.store.memories.relate(opened.store.organizationId, newer.id, older.id, relation);
};
const relativesOf = async (q: string, more: Record<string, unknown> = {}) => {
  const { results } = await core.search(call, {
    q,
    containerTags: ["a"],
    threshold: 0,
    includeRelatives: true,
    ...more,
  });
  return results.find(({ text }) => text === q)?.relatives;
};
const told = (related: readonly RelatedMemory[] | undefined) =>
  related?.map(({ relation, distance, memory }) => [relation, distance, memory.text]);

describe("the relatives of a memory", () => {
  test("are its older versions, latest first", async () => {
    const one = await add("Ada lives in Rome");
    const two = await add("Ada lives in Bern", one);
    await add("Ada lives in Oslo", two);
    const relatives = await relativesOf("Ada lives in Oslo");
    expect(told(relatives?.older)).toEqual([
      ["updates", -1, "Ada lives in Bern"],
      ["updates", -2, "Ada lives in Rome"],
    ]);
    expect(relatives?.newer).toEqual([]);
    expect(relatives?.related).toEqual([]);
  });

  test("are the facts that extend it or derive from it, and those that it extends or derives from", async () => {
    const bees = await add("Ada keeps bees");
    const hives = await add("Ada has three hives");
    const honey = await add("Ada sells honey");
    await relate(hives, bees, "extends");
    await relate(honey, hives, "derives");
    expect(told((await relativesOf("Ada has three hives"))?.related)).toEqual([
      ["extends", null, "Ada keeps bees"],
      ["derives", null, "Ada sells honey"],
    ]);
    expect(told((await relativesOf("Ada keeps bees"))?.related)).toEqual([["extends", null, "Ada has three hives"]]);
  });

  test("are listed once, with both ends at their newest versions", async () => {
    const bees = await add("Ada keeps bees");
    const hives = await add("Ada has three hives");
    await relate(hives, bees, "extends");
    const more = await add("Ada has four hives", hives);
    await relate(more, bees, "derives");
    await add("Ada keeps bees in Bern", bees);
    expect(told((await relativesOf("Ada keeps bees in Bern"))?.related)).toEqual([
      ["derives", null, "Ada has four hives"],
    ]);
    expect(told((await relativesOf("Ada has four hives"))?.related)).toEqual([
      ["derives", null, "Ada keeps bees in Bern"],
    ]);
  });

  test("exclude forgotten and expired memories, unless requested", async () => {
    const bees = await add("Ada keeps bees");
    const hives = await add("Ada has three hives");
    const feast = await add("Ada holds a feast", undefined, { forgetAfter: opened.clock.from(1_000).toISOString() });
    await relate(hives, bees, "extends");
    await relate(feast, bees, "extends");
    await opened.store.memories.update(opened.store.organizationId, hives.id, { isForgotten: true });
    opened.clock.advance(1_000);
    expect((await relativesOf("Ada keeps bees"))?.related).toEqual([]);
    expect(told((await relativesOf("Ada keeps bees", { includeForgotten: true }))?.related)).toEqual([
      ["extends", null, "Ada has three hives"],
      ["extends", null, "Ada holds a feast"],
    ]);
  });

  test("are only returned on request", async () => {
    await add("Ada keeps bees");
    const { results } = await core.search(call, { q: "Ada keeps bees", containerTags: ["a"] });
    expect(results).toHaveLength(1);
    expect(results[0]).not.toHaveProperty("relatives");
  });
});
