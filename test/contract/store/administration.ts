import { expect, test } from "vitest";
import type { JournalQuery } from "../../../src/core/ports.js";
import { buildJournalEntry, buildKey, buildMemoryDraft } from "../../support/builders.js";
import { type OpenStore, OTHER_ORGANIZATION, useStore } from "./fixture.js";

const UNUSED = { lastUsedAt: null, disabledAt: null, revokedAt: null };

export function keysContract(open: OpenStore): void {
  const at = useStore(open);

  test("are found by their hash and listed by age", async () => {
    const older = buildKey(at.organization, { name: "older" });
    const newer = buildKey(at.organization, { name: "newer", createdAt: "2024-02-01T00:00:00.000Z" });
    await at.store.keys.insert(newer, "hash-2");
    await at.store.keys.insert(older, "hash-1");
    expect(await at.store.keys.byHash("hash-1")).toEqual({ ...older, ...UNUSED });
    expect(await at.store.keys.byHash("hash-3")).toBeNull();
    expect((await at.store.keys.list(at.organization)).map((key) => key.name)).toEqual(["older", "newer"]);
    expect(await at.store.keys.list(OTHER_ORGANIZATION)).toEqual([]);
  });

  test("are revoked once, only in their organisation, and stay revoked", async () => {
    const key = buildKey(at.organization);
    await at.store.keys.insert(key, "hash");
    const now = at.clock.now();
    expect(await at.store.keys.revoke(OTHER_ORGANIZATION, key.id, now)).toBe(false);
    expect(await at.store.keys.revoke(at.organization, key.id, now)).toBe(true);
    expect(await at.store.keys.revoke(at.organization, key.id, at.clock.from(5))).toBe(false);
    await at.store.keys.insert(buildKey(at.organization), "hash");
    expect(await at.store.keys.byHash("hash")).toMatchObject({ id: key.id, revokedAt: now.toISOString() });
  });

  test("have the time of their last use", async () => {
    const key = buildKey(at.organization);
    await at.store.keys.insert(key, "hash");
    await at.store.keys.touch(key.id, at.clock.now());
    expect(await at.store.keys.byHash("hash")).toMatchObject({ lastUsedAt: at.clock.now().toISOString() });
  });

  test("keep their permissions and expiry", async () => {
    const key = buildKey(at.organization, {
      kind: "scoped",
      client: "opencode",
      permission: "read",
      grants: [
        { containerTag: "a", permission: "read" },
        { containerTag: "b", permission: "write" },
      ],
      rate: { requests: 5, windowMs: 1_000 },
      expiresAt: "2030-01-01T00:00:00.000Z",
    });
    await at.store.keys.insert(key, "hash");
    expect(await at.store.keys.byId(at.organization, key.id)).toEqual({ ...key, ...UNUSED });
    expect(await at.store.keys.byId(OTHER_ORGANIZATION, key.id)).toBeNull();
  });

  test("are disabled and enabled again, only in their organisation", async () => {
    const key = buildKey(at.organization);
    await at.store.keys.insert(key, "hash");
    const now = at.clock.now();
    await at.store.keys.disable(OTHER_ORGANIZATION, key.id, now);
    expect(await at.store.keys.byHash("hash")).toMatchObject({ disabledAt: null });
    await at.store.keys.disable(at.organization, key.id, now);
    expect(await at.store.keys.byHash("hash")).toMatchObject({ disabledAt: now.toISOString() });
    await at.store.keys.disable(at.organization, key.id, null);
    expect(await at.store.keys.byHash("hash")).toMatchObject({ disabledAt: null });
  });

  test("that expire soon are found while valid, with the warning that was sent", async () => {
    const expiring = (expiresAt: string | null, name: string) => buildKey(at.organization, { expiresAt, name });
    const keys = {
      never: expiring(null, "never"),
      later: expiring("2024-03-01T00:00:00.000Z", "later"),
      second: expiring("2024-02-02T00:00:00.000Z", "second"),
      first: expiring("2024-02-01T00:00:00.000Z", "first"),
      off: expiring("2024-02-01T00:00:00.000Z", "off"),
      gone: expiring("2024-02-01T00:00:00.000Z", "gone"),
    };
    for (const [hash, key] of Object.entries(keys)) await at.store.keys.insert(key, hash);
    await at.store.keys.disable(at.organization, keys.off.id, at.clock.now());
    await at.store.keys.revoke(at.organization, keys.gone.id, at.clock.now());
    await at.store.keys.noteWarning(at.organization, keys.first.id, 14);
    const found = await at.store.keys.expiringBefore(at.organization, new Date("2024-02-15T00:00:00.000Z"));
    expect(found.map(({ name, warnedAhead }) => [name, warnedAhead])).toEqual([
      ["first", 14],
      ["second", null],
    ]);
    expect(await at.store.keys.expiringBefore(OTHER_ORGANIZATION, new Date("2030-01-01T00:00:00.000Z"))).toEqual([]);
  });
}

export function operationsContract(open: OpenStore): void {
  const at = useStore(open);

  test("a result is stored unchanged, once, until it is dropped", async () => {
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

  test("the journal stores every entry", async () => {
    await at.store.journal.append(at.organization, []);
    await at.store.journal.append(at.organization, [
      buildJournalEntry({ actor: "key:abc", before: { text: "vorher ü" }, after: { text: "nachher" } }),
      buildJournalEntry({ cause: "asked to forget" }),
    ]);
    const everything = await at.everything();
    for (const word of ["key:abc", "vorher ü", "nachher", "asked to forget", at.organization])
      expect(everything).toContain(word);
  });

  test("the journal returns its last entry of an action about a subject", async () => {
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

  test("the journal is listed newest first, in pages, with all filters combined", async () => {
    const { document } = await at.addIndexedDocument({}, "one");
    const { memory } = await at.addIndexedMemory();
    await at.store.memories.addSource(at.organization, memory.id, document.id, null);
    const note = async (subjectId: string, values: Parameters<typeof buildJournalEntry>[0] = {}) => {
      at.clock.advance(1_000);
      await at.store.journal.append(at.organization, [buildJournalEntry({ subjectId, ...values })]);
    };
    await note(document.id);
    await note(memory.id, { subject: "memory", action: "memory.added", batchId: "b1", before: { n: 1 } });
    const noon = at.clock.now().toISOString();
    await note("c", { containerTag: "other", actor: "key:x", batchId: "b1" });
    await note("d", { containerTag: null });
    const list = async (query: Omit<JournalQuery, "offset" | "limit">, organization = at.organization) => {
      const { entries, total } = await at.store.journal.list(organization, { offset: 0, limit: 10, ...query });
      expect(total).toBe(entries.length);
      return entries.map(({ subjectId }) => subjectId);
    };
    expect(await list({})).toEqual(["d", "c", memory.id, document.id]);
    expect(await list({ containerTags: ["a"] })).toEqual([memory.id, document.id]);
    expect(await list({ containerTags: [] })).toEqual([]);
    expect(await list({ subjectIds: ["c", "d"] })).toEqual(["d", "c"]);
    expect(await list({ documentId: document.id })).toEqual([memory.id, document.id]);
    expect(await list({ batchId: "b1", containerTags: ["other"] })).toEqual(["c"]);
    expect(await list({ actor: "key:x" })).toEqual(["c"]);
    expect(await list({ action: "memory.added" })).toEqual([memory.id]);
    expect(await list({ from: noon })).toEqual(["d", "c", memory.id]);
    expect(await list({ to: noon })).toEqual([document.id]);
    expect(await list({}, OTHER_ORGANIZATION)).toEqual([]);
    const second = await at.store.journal.list(at.organization, { offset: 1, limit: 2 });
    expect([second.entries.map(({ subjectId }) => subjectId), second.total]).toEqual([["c", memory.id], 4]);
    const batch = await at.store.journal.ofBatch(at.organization, "b1");
    expect(batch.map(({ subjectId, before }) => [subjectId, before])).toEqual([
      [memory.id, { n: 1 }],
      ["c", null],
    ]);
    expect(await at.store.journal.ofBatch(OTHER_ORGANIZATION, "b1")).toEqual([]);
  });

  test("a memory has its container until that is deleted, and the quotes of its documents", async () => {
    const { document } = await at.addIndexedDocument({}, "one");
    const { id } = (await at.addIndexedMemory()).memory;
    const quote = { text: "one", at: { start: 0, end: 3 } };
    await at.store.memories.addSource(at.organization, id, document.id, quote);
    const statements = (organization: string) => at.store.memories.statements(organization, [id]);
    expect(await statements(at.organization)).toMatchObject([
      { memoryId: id, documentId: document.id, quote: "one", quoteAt: quote.at },
    ]);
    expect(await statements(OTHER_ORGANIZATION)).toEqual([]);
    const container = (organization: string) => at.store.memories.containerOf(organization, id);
    expect(await container(at.organization)).toMatchObject({ tag: "a" });
    expect(await container(OTHER_ORGANIZATION)).toBeNull();
    await at.store.containers.remove(at.organization, "a");
    expect(await container(at.organization)).toBeNull();
  });

  test("undone versions are returned only on request", async () => {
    const { memory: first } = await at.addIndexedMemory();
    const lineage = { parentId: first.id, rootId: first.id, version: 2 };
    const second = await at.store.memories.insert(at.organization, buildMemoryDraft(), lineage);
    await at.store.memories.update(at.organization, second.id, { isLatest: false, isForgotten: true });
    const ids = async (options?: { withUndone: boolean }) =>
      (await at.store.memories.versions(at.organization, [first.id], options)).map(({ id }) => id);
    expect(await ids()).toEqual([first.id]);
    expect(await ids({ withUndone: true })).toEqual([first.id, second.id]);
  });
}

export function healthContract(open: OpenStore): void {
  const at = useStore(open);

  test("health counts the contents and finds no problems", async () => {
    await at.addIndexedDocument({}, "one", "two");
    await at.addIndexedMemory();
    expect(await at.store.health({ deep: true })).toEqual({
      problems: [],
      documents: 1,
      chunks: 2,
      folderOpenTo: null,
      memories: 1,
      bytes: expect.any(Number) as number,
      freeBytes: expect.any(Number) as number,
      fullAt: null,
    });
  });
}
