import { expect, test } from "vitest";
import type { ConnectionDraft } from "../../../src/core/connections/ports.js";
import type { ConnectionItem, SyncRun } from "../../../src/core/types.js";
import { createId } from "../../../src/lib/ids.js";
import { type OpenStore, useStore } from "./fixture.js";

const LATER = "2030-01-01T00:00:00.000Z";

export function connectionsContract(open: OpenStore): void {
  const opened = useStore(open);
  const connections = () => opened.store.connections;
  const draftOf = (values: Partial<ConnectionDraft> = {}): ConnectionDraft => ({
    id: createId(),
    organizationId: opened.organization,
    provider: "granola",
    containerTags: ["farm", "notes"],
    endUserId: "mia",
    documentLimit: 7,
    settings: { folder: "a", isDeep: true, depth: 3 },
    resources: [{ id: 12, name: "farm", more: ["x"] }],
    account: "mia@example.com",
    state: "active",
    problem: null,
    listing: 4,
    everyMinutes: 240,
    nextSyncAt: null,
    lastSyncedAt: null,
    webhooks: null,
    ...values,
  });
  const itemOf = (connectionId: string, id: string, values: Partial<ConnectionItem> = {}): ConnectionItem => ({
    connectionId,
    item: { id, version: "1", title: `Title of ${id}`, address: `https://source.example/${id}`, path: null },
    documentId: null,
    version: "1",
    state: "present",
    reason: null,
    attempts: 0,
    retryAt: null,
    listing: 1,
    absences: 0,
    seenAt: opened.clock.now().toISOString(),
    ...values,
  });
  const runOf = (connectionId: string, values: Partial<SyncRun> = {}): SyncRun => ({
    id: createId(),
    connectionId,
    status: "running",
    trigger: "cron",
    startedAt: opened.clock.now().toISOString(),
    completedAt: null,
    error: null,
    errorCode: null,
    notes: [],
    failures: [],
    listed: 0,
    read: 0,
    unchanged: 0,
    removed: 0,
    skipped: 0,
    failed: 0,
    cut: 0,
    ...values,
  });
  const idsOf = (items: readonly ConnectionItem[]) => items.map(({ item }) => item.id).toSorted();

  test("a connection is returned as it was created, with later changes", async () => {
    const draft = draftOf();
    const made = await connections().insert(draft, "sealed");
    expect(made).toEqual({ ...draft, createdAt: opened.clock.now().toISOString() });
    expect(await connections().byId(opened.organization, draft.id)).toEqual(made);
    const webhooks = { secret: "sealed", url: "https://here.example", count: 2, detail: ["a"], renewAt: LATER };
    const change = {
      state: "held",
      problem: "why",
      resources: [],
      nextSyncAt: LATER,
      webhooks,
    } as const;
    await connections().update(opened.organization, draft.id, change);
    expect(await connections().byId(opened.organization, draft.id)).toEqual({ ...made, ...change });
    await connections().update(opened.organization, draft.id, {});
    expect(await connections().byId(opened.organization, draft.id)).toEqual({ ...made, ...change });
  });

  test("the checkpoint of its runs is stored with it", async () => {
    const { id } = await connections().insert(draftOf(), "sealed");
    expect(await connections().checkpoint(opened.organization, id)).toBeNull();
    const checkpoint = { phase: "changes", since: [1, "2"] };
    await connections().update(opened.organization, id, { checkpoint });
    expect(await connections().checkpoint(opened.organization, id)).toEqual(checkpoint);
    expect(await connections().checkpoint("other", id)).toBeNull();
    await connections().update(opened.organization, id, { checkpoint: null });
    expect(await connections().checkpoint(opened.organization, id)).toBeNull();
  });

  test("another organisation can neither see, change nor remove it", async () => {
    const { id } = await connections().insert(draftOf(), "sealed");
    expect(await connections().byId("other", id)).toBeNull();
    expect(await connections().list("other")).toEqual([]);
    expect(await connections().sealedSecrets("other", id)).toBeNull();
    await connections().update("other", id, { state: "paused" });
    expect(await connections().keepSecrets("other", id, "theirs", "sealed")).toBe(false);
    await connections().remove("other", id);
    expect(await connections().byId(opened.organization, id)).toMatchObject({ state: "active" });
    expect(await connections().sealedSecrets(opened.organization, id)).toBe("sealed");
  });

  test("lists the newest first", async () => {
    const ids: string[] = [];
    for (let count = 0; count < 3; count += 1) {
      ids.unshift((await connections().insert(draftOf(), null)).id);
      opened.clock.advance(1_000);
    }
    expect((await connections().list(opened.organization)).map(({ id }) => id)).toEqual(ids);
  });

  test("credentials are replaced unless others have replaced them meanwhile", async () => {
    const { id } = await connections().insert(draftOf(), null);
    expect(await connections().sealedSecrets(opened.organization, id)).toBeNull();
    expect(await connections().keepSecrets(opened.organization, id, "new", null)).toBe(true);
    expect(await connections().keepSecrets(opened.organization, id, "late", null)).toBe(false);
    expect(await connections().sealedSecrets(opened.organization, id)).toBe("new");
    expect(await connections().keepSecrets(opened.organization, id, "newest", "new")).toBe(true);
    expect(await connections().sealedSecrets(opened.organization, id)).toBe("newest");
  });

  test("an item is stored once, in its latest form", async () => {
    const { id } = await connections().insert(draftOf(), null);
    const first = itemOf(id, "a/ü");
    await connections().keepItem(first);
    const second = itemOf(id, "a/ü", { state: "failed", reason: "no", attempts: 2, retryAt: LATER, version: null });
    await connections().keepItem(second);
    expect(await connections().item(id, "a/ü")).toEqual(second);
    expect(await connections().items(id, ["a/ü", "b"])).toEqual([second]);
    await connections().removeItem(id, "a/ü");
    expect(await connections().item(id, "a/ü")).toBeNull();
  });

  test("items belong to one connection only", async () => {
    const one = await connections().insert(draftOf(), null);
    const other = await connections().insert(draftOf(), null);
    await connections().keepItem(itemOf(one.id, "a"));
    expect(await connections().item(other.id, "a")).toBeNull();
    expect(await connections().items(other.id, ["a"])).toEqual([]);
    await connections().removeItem(other.id, "a");
    await connections().noteSeen(other.id, ["a"], { listing: 9, at: LATER });
    expect(await connections().item(one.id, "a")).toMatchObject({ listing: 1 });
    expect(await connections().countItems(other.id)).toBe(0);
  });

  test("items missing from a listing are found page by page", async () => {
    const { id } = await connections().insert(draftOf(), null);
    for (const name of ["a", "b", "c", "d"]) {
      const { id: documentId } = await opened.addDocument();
      await connections().keepItem(itemOf(id, name, { documentId, absences: 1 }));
    }
    // An item without a document is listed as well, although nothing is lost with it.
    await connections().keepItem(itemOf(id, "e", { state: "skipped" }));
    await connections().noteSeen(id, ["b", "unknown"], { listing: 2, at: LATER });
    const first = await connections().unseen(id, 2, { after: "", limit: 2 });
    const second = await connections().unseen(id, 2, { after: "c", limit: 2 });
    expect([idsOf(first), idsOf(second)]).toEqual([
      ["a", "c"],
      ["d", "e"],
    ]);
    expect(await connections().item(id, "b")).toMatchObject({ listing: 2, absences: 0, seenAt: LATER });
  });

  test("skipped items, and those waiting for room, do not count", async () => {
    const { id } = await connections().insert(draftOf(), null);
    const { id: documentId } = await opened.addDocument();
    await connections().keepItem(itemOf(id, "a", { documentId }));
    await connections().keepItem(itemOf(id, "b", { state: "failed" }));
    await connections().keepItem(itemOf(id, "c", { state: "skipped" }));
    await connections().keepItem(itemOf(id, "d", { state: "waiting" }));
    await connections().keepItem(itemOf(id, "e", { state: "waiting" }));
    expect(await connections().countItems(id)).toBe(2);
    expect(idsOf(await connections().waitingItems(id, { after: "", limit: 1 }))).toEqual(["d"]);
    expect(idsOf(await connections().waitingItems(id, { after: "d", limit: 9 }))).toEqual(["e"]);
  });

  test("item ids are found by prefix, character by character", async () => {
    const { id } = await connections().insert(draftOf(), null);
    const names = ["repo:1:a", "repo:1:\u{10fffd}", "repo:1:ä/%_b", "repo:10:a", "repo:2:a", "REPO:1:a"];
    for (const name of names) await connections().keepItem(itemOf(id, name));
    expect((await connections().itemIds(id, "repo:1:")).toSorted()).toEqual(names.slice(0, 3).toSorted());
    expect(await connections().itemIds(id, "")).toHaveLength(names.length);
    expect(await connections().itemIds("another", "repo:1:")).toEqual([]);
  });

  test("failed items are due at their retry time", async () => {
    const { id } = await connections().insert(draftOf(), null);
    const now = opened.clock.now().toISOString();
    for (const [name, retryAt] of [
      ["a", now],
      ["b", LATER],
      ["c", now],
      ["d", null],
    ] as const)
      await connections().keepItem(itemOf(id, name, { state: "failed", retryAt }));
    const times = { now, latest: LATER };
    expect(idsOf(await connections().dueItems(id, times, { after: "", limit: 1 }))).toEqual(["a"]);
    expect(idsOf(await connections().dueItems(id, times, { after: "a", limit: 9 }))).toEqual(["c"]);
    // Put off for longer than any retry, by a wrong clock.
    expect(idsOf(await connections().dueItems(id, { now, latest: now }, { after: "a", limit: 9 }))).toEqual(["b", "c"]);
  });

  test("existing documents are counted, and unreadable ones are named", async () => {
    const { id } = await connections().insert(draftOf(), null);
    const [first, second, third] = [
      await opened.addDocument(),
      await opened.addDocument(),
      await opened.addDocument({}),
    ];
    for (const [index, { id: documentId }] of [first, second, third].entries())
      await connections().keepItem(itemOf(id, `item ${index}`, { documentId }));
    await connections().keepItem(itemOf(id, "failed", { state: "failed" }));
    await opened.store.documents.update(opened.organization, second.id, { status: "failed", errorReason: "broken" });
    await opened.store.documents.remove(opened.organization, third.id);
    expect(await connections().countDocuments(id)).toBe(2);
    expect(await connections().countItems(id)).toBe(3);
    const unread = { documentId: second.id, reason: "broken", item: { id: "item 1" } };
    expect(await connections().unreadItems(id, 9)).toMatchObject([unread]);
  });

  test("items gone from the source are counted and named", async () => {
    const { id } = await connections().insert(draftOf(), null);
    for (const name of ["a", "b", "c"]) await connections().keepItem(itemOf(id, name, { state: "gone" }));
    await connections().keepItem(itemOf(id, "d"));
    expect(await connections().countGone(id)).toBe(3);
    expect(idsOf(await connections().goneItems(id, 2))).toEqual(["a", "b"]);
  });

  test("a document is traced to its item", async () => {
    const { id } = await connections().insert(draftOf(), null);
    const document = await opened.addDocument();
    await connections().keepItem(itemOf(id, "a", { documentId: document.id }));
    await connections().keepItem(itemOf(id, "b"));
    expect(idsOf(await connections().itemsWithDocuments(id, { after: "", limit: 9 }))).toEqual(["a"]);
    expect(await connections().ofDocuments([document.id, "none"])).toEqual([
      {
        documentId: document.id,
        connectionId: id,
        place: null,
        itemId: "a",
        address: "https://source.example/a",
        version: "1",
        seenAt: opened.clock.now().toISOString(),
      },
    ]);
  });

  test("a document left behind is found by its place of origin until it is taken over", async () => {
    const { id } = await connections().insert(draftOf(), null);
    const [one, gone] = [await opened.addDocument(), await opened.addDocument()];
    await connections().keepItem(itemOf(id, "a", { documentId: one.id }));
    await connections().keepItem(itemOf(id, "b", { documentId: gone.id }));
    await connections().keepItem(itemOf(id, "c"));
    await opened.store.documents.remove(opened.organization, gone.id);
    await connections().leave(id, "the farm");
    await connections().remove(opened.organization, id);
    const left = {
      documentId: one.id,
      connectionId: null,
      place: "the farm",
      itemId: "a",
      address: "https://source.example/a",
      version: "1",
      seenAt: opened.clock.now().toISOString(),
    };
    expect(await connections().leftAt("the farm", "a")).toEqual([left]);
    expect(await connections().ofDocuments([one.id, gone.id])).toEqual([left]);
    expect(await connections().leftAt("the farm", "b")).toEqual([]);
    expect(await connections().leftAt("the mill", "a")).toEqual([]);
    await connections().takeOver(one.id);
    expect(await connections().leftAt("the farm", "a")).toEqual([]);
    expect(await connections().ofDocuments([one.id])).toEqual([]);
  });

  test("a document that another connection has is not left behind", async () => {
    const one = await connections().insert(draftOf(), null);
    const other = await connections().insert(draftOf(), null);
    const { id: documentId } = await opened.addDocument();
    for (const { id } of [one, other]) await connections().keepItem(itemOf(id, "a", { documentId }));
    await connections().leave(one.id, "the farm");
    await connections().remove(opened.organization, one.id);
    expect(await connections().ofDocuments([documentId])).toMatchObject([{ connectionId: other.id }]);
  });

  test("records about a document left behind are removed with it", async () => {
    const { id } = await connections().insert(draftOf(), null);
    const [removed, purged] = [await opened.addDocument(), await opened.addDocument()];
    await connections().keepItem(itemOf(id, "the-one", { documentId: removed.id }));
    await connections().keepItem(itemOf(id, "the-other", { documentId: purged.id }));
    await connections().leave(id, "the farm");
    await connections().remove(opened.organization, id);
    await opened.store.documents.remove(opened.organization, removed.id);
    expect(await opened.everything()).not.toContain("the-one");
    await opened.store.purges.documents(opened.organization, [purged.id], { within: "all", earlier: true });
    expect(await opened.everything()).not.toMatch(/the-other|the farm/);
  });

  test("only the newest runs are kept, per connection", async () => {
    const one = await connections().insert(draftOf(), null);
    const other = await connections().insert(draftOf(), null);
    const runs: SyncRun[] = [];
    for (let count = 0; count < 4; count += 1) {
      opened.clock.advance(1_000);
      runs.unshift(runOf(one.id));
      await connections().insertRun(runs[0] as SyncRun);
    }
    await connections().insertRun(runOf(other.id));
    const failure = { itemId: "a", documentId: null, title: "A", reason: "no", failedAt: LATER };
    const ended = runOf(one.id, {
      ...runs[0],
      status: "partial",
      completedAt: LATER,
      error: "why",
      notes: ["a", "b"],
      failures: [failure],
      listed: 5,
      read: 2,
      failed: 1,
    });
    await connections().updateRun(ended);
    expect((await connections().runs(one.id, 2)).map(({ id }) => id)).toEqual(runs.slice(0, 2).map(({ id }) => id));
    expect(await connections().dropOldRuns(3)).toBe(1);
    expect(await connections().runs(one.id, 9)).toEqual([ended, ...runs.slice(1, 3)]);
    expect(await connections().runs(other.id, 9)).toHaveLength(1);
  });

  test("removing a connection removes its items and runs, and keeps its documents", async () => {
    const { id } = await connections().insert(draftOf(), "sealed-by-key");
    const document = await opened.addDocument();
    await connections().keepItem(itemOf(id, "the-item", { documentId: document.id }));
    await connections().insertRun(runOf(id, { error: "the-error" }));
    await connections().remove(opened.organization, id);
    expect(await connections().byId(opened.organization, id)).toBeNull();
    expect(await connections().items(id, ["the-item"])).toEqual([]);
    expect(await connections().runs(id, 9)).toEqual([]);
    expect(await opened.everything()).not.toMatch(/sealed-by-key|the-item|the-error/);
    expect(await opened.store.documents.byId(opened.organization, document.id)).not.toBeNull();
  });
}
