import { expect, test } from "vitest";
import { buildJournalEntry, buildKey } from "../../support/builders.js";
import { type OpenStore, OTHER_ORGANIZATION, useStore } from "./fixture.js";

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

  test("the journal tells what its last entry of an action says of a subject", async () => {
    const about = { subjectId: "m1", action: "memory.declined" };
    await at.store.journal.append(at.organization, [
      buildJournalEntry({ ...about, before: { n: 1 } }),
      buildJournalEntry({ ...about, before: { n: 2 }, after: { n: 3 } }),
      buildJournalEntry({ ...about, subjectId: "m2", before: { n: 4 } }),
      buildJournalEntry({ ...about, action: "memory.approved", before: { n: 5 } }),
    ]);
    const latest = (organization: string, subjectId: string) =>
      at.store.journal.latest(organization, subjectId, "memory.declined");
    expect(await latest(at.organization, "m1")).toEqual({ before: { n: 2 }, after: { n: 3 } });
    expect(await latest(at.organization, "m2")).toEqual({ before: { n: 4 }, after: null });
    expect(await latest(at.organization, "m3")).toBeNull();
    expect(await latest(OTHER_ORGANIZATION, "m1")).toBeNull();
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
