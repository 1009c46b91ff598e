import { expect, test } from "vitest";
import type { AuditQuery } from "../../../src/core/ports.js";
import type { AuditEntry } from "../../../src/core/types.js";
import { createId } from "../../../src/lib/ids.js";
import { type OpenStore, OTHER_ORGANIZATION, useStore } from "./fixture.js";

function buildEntry(values: Partial<AuditEntry> = {}): AuditEntry {
  return {
    id: createId(),
    at: "2024-05-06T07:08:09.000Z",
    actor: "key:k1",
    action: "addDocument",
    outcome: "ok",
    containerTags: ["a"],
    subjectIds: [createId()],
    face: "rest",
    address: "203.0.113.7",
    client: "opencode",
    count: 1,
    ...values,
  };
}

export function auditContract(open: OpenStore): void {
  const at = useStore(open);

  const put = (...entries: AuditEntry[]) => at.store.audit.put(at.organization, entries);
  const list = (query: Partial<AuditQuery> = {}) =>
    at.store.audit.list(at.organization, { offset: 0, limit: 100, ...query });
  const idsOf = async (query: Partial<AuditQuery>) => (await list(query)).entries.map(({ id }) => id);

  test("an entry is returned as it was stored, latest first, whatever the clock said", async () => {
    const first = buildEntry({ at: "2025-01-01T00:00:00.000Z" });
    const last = buildEntry({ face: null, address: null, client: null, containerTags: [], subjectIds: [], count: 7 });
    await put(first, last);
    expect(await list()).toEqual({ entries: [last, first], total: 2 });
  });

  test("an entry stored again updates its count, containers and subjects, and nothing else", async () => {
    const entry = buildEntry();
    await put(entry, buildEntry());
    await put({ ...entry, count: 12, containerTags: ["a", "b"], subjectIds: [], actor: "somebody else" });
    expect((await list()).total).toBe(2);
    const kept = (await list()).entries.find(({ id }) => id === entry.id);
    expect(kept).toEqual({ ...entry, count: 12, containerTags: ["a", "b"], subjectIds: [] });
  });

  test("batches larger than one statement are stored whole or not at all", async () => {
    await put(...Array.from({ length: 350 }, () => buildEntry()));
    const bad = { ...buildEntry(), action: null } as unknown as AuditEntry;
    await expect(put(...Array.from({ length: 150 }, () => buildEntry()), bad)).rejects.toThrow();
    expect((await list()).total).toBe(350);
    await put();
    expect((await list({ offset: 340, limit: 50 })).entries).toHaveLength(10);
  });

  test("is filtered by actor, container, action, outcome and time, within one organisation", async () => {
    const one = buildEntry();
    const other = buildEntry({ actor: "local", action: "purge", outcome: "forbidden", containerTags: ["b", "c"] });
    const later = buildEntry({ at: "2024-06-01T00:00:00.000Z", containerTags: [] });
    await put(one, other, later);
    await at.store.audit.put(OTHER_ORGANIZATION, [buildEntry()]);
    expect(await idsOf({ actor: "local" })).toEqual([other.id]);
    expect(await idsOf({ containerTag: "c" })).toEqual([other.id]);
    expect(await idsOf({ action: "addDocument" })).toEqual([later.id, one.id]);
    expect(await idsOf({ outcome: "refused" })).toEqual([other.id]);
    expect(await idsOf({ outcome: "ok" })).toEqual([later.id, one.id]);
    expect(await idsOf({ from: later.at })).toEqual([later.id]);
    expect(await idsOf({ to: later.at })).toEqual([other.id, one.id]);
    expect((await list()).total).toBe(3);
  });

  test("old entries and those beyond a maximum are dropped, in one organisation", async () => {
    await at.store.audit.put(OTHER_ORGANIZATION, [buildEntry({ at: "2020-01-01T00:00:00.000Z" })]);
    await put(buildEntry({ at: "2020-01-01T00:00:00.000Z" }), ...Array.from({ length: 10 }, () => buildEntry()));
    expect(await at.store.audit.dropBefore(at.organization, new Date("2024-01-01"))).toBe(1);
    expect(await at.store.audit.dropBeyond(at.organization, 4)).toBe(6);
    expect((await list()).total).toBe(4);
    const others = await at.store.audit.list(OTHER_ORGANIZATION, { offset: 0, limit: 10 });
    expect(others.total).toBe(1);
  });
}
