import { beforeEach, expect, test } from "vitest";
import type { DocumentDraft } from "../../../src/core/ports.js";
import { type OpenStore, OTHER_ORGANIZATION, useStore } from "./fixture.js";

export function extractionTasksContract(open: OpenStore): void {
  const at = useStore(open);
  let containerId: number;
  const FOR_MS = 600_000;

  beforeEach(async () => {
    containerId = (await at.container("a")).id;
  });

  /** A document that rules have read. */
  async function addRead(id: string, more: Partial<DocumentDraft> = {}): Promise<void> {
    await at.addDocument({ id, containerTags: ["a"], status: "done", dreamingStatus: "done", ...more });
    await at.store.documents.update(at.organization, id, { rememberedRevision: 1 });
  }

  const tasks = () => at.store.extractionTasks;
  const unread = async () => (await tasks().unread(at.organization, containerId, 10)).map(({ id }) => id);
  const cut = (id: string, windows = [{ start: 0, end: 5 }], revision = 1) =>
    tasks().open(at.organization, { id, revision, containerId }, windows);
  const reserve = (limit = 10, maxCharacters = 1_000) =>
    tasks().reserve(at.organization, containerId, { limit, maxCharacters, forMs: FOR_MS, by: "key:one" });
  const note = (documentId: string, prompt: string) =>
    at.store.extractions.note(at.organization, {
      documentId,
      revision: 1,
      model: "m",
      prompt,
      inputTokens: 1,
      outputTokens: 1,
    });

  test("documents read only by rules are unread, oldest first", async () => {
    await addRead("one");
    await addRead("two");
    await addRead("searched only", { taskType: "superrag" });
    await addRead("still dreaming", { dreamingStatus: "dreaming" });
    await addRead("stated", { facts: [] });
    await addRead("elsewhere", { containerTags: ["b"] });
    await addRead("read by a model");
    await note("read by a model", "extract-facts/2");
    await addRead("read with others by a model");
    await note("read with others by a model", "extract-group/1");
    await addRead("described by a model");
    await note("described by a model", "describe-document/1");
    expect(await unread()).toEqual(["one", "two", "described by a model"]);
    expect(await tasks().unread(OTHER_ORGANIZATION, containerId, 10)).toEqual([]);
  });

  test("a document is split into tasks once", async () => {
    await addRead("one");
    await cut("one", [
      { start: 0, end: 5 },
      { start: 4, end: 9 },
    ]);
    await cut("one");
    expect(await unread()).toEqual([]);
    expect(await tasks().countFree(at.organization, containerId, 10)).toBe(2);
    expect(await tasks().countOpen(at.organization, containerId, 1)).toBe(1);
  });

  test("a task is handed out once, under a new id each time, up to a number of characters", async () => {
    await addRead("one");
    await cut("one", [
      { start: 0, end: 5 },
      { start: 5, end: 10 },
      { start: 10, end: 15 },
    ]);
    const first = await reserve(2);
    const second = await reserve(10, 1);
    expect([first.length, second.length]).toEqual([2, 1]);
    expect(new Set([...first, ...second]).size).toBe(3);
    expect(await reserve()).toEqual([]);
    expect(await tasks().byId(at.organization, second[0] ?? "")).toEqual({
      id: second[0],
      containerTag: "a",
      documentId: "one",
      revision: 1,
      part: 3,
      parts: 3,
      window: { start: 10, end: 15 },
      handles: null,
      doneAt: null,
    });
    expect(await tasks().byId(OTHER_ORGANIZATION, second[0] ?? "")).toBeNull();
  });

  test("an answered task is neither free nor open, and its document counts as read", async () => {
    await addRead("one");
    await cut("one");
    const [id = ""] = await reserve();
    await tasks().setHandles(at.organization, id, ["x", "y"]);
    await tasks().finish(at.organization, id);
    expect(await tasks().byId(at.organization, id)).toMatchObject({ handles: ["x", "y"], doneAt: expect.any(String) });
    expect(await tasks().countOpen(at.organization, containerId, 10)).toBe(0);
    await at.store.documents.update(at.organization, "one", { revision: 2, rememberedRevision: 2 });
    expect(await tasks().unread(at.organization, containerId, 10)).toEqual([{ id: "one", readRevision: 1 }]);
  });

  test("a newer revision ends the open tasks of the previous one", async () => {
    await addRead("one");
    await cut("one");
    await at.store.documents.update(at.organization, "one", { revision: 2, rememberedRevision: 2 });
    expect(await tasks().countFree(at.organization, containerId, 10)).toBe(0);
    expect(await tasks().unread(at.organization, containerId, 10)).toEqual([{ id: "one", readRevision: null }]);
    await cut("one", [{ start: 0, end: 7 }], 2);
    expect(await reserve()).toHaveLength(1);
  });

  test("tasks follow their document into another container", async () => {
    await addRead("one");
    await cut("one");
    const [id = ""] = await reserve();
    await tasks().finish(at.organization, id);
    const other = await at.container("b");
    await at.store.containers.relocate(at.organization, "one", [other.id]);
    expect(await tasks().byId(at.organization, id)).toMatchObject({ containerTag: "b" });
    expect(await tasks().unread(at.organization, other.id, 10)).toEqual([]);
  });

  test("a document with nothing to read has no task", async () => {
    await addRead("one");
    await cut("one", []);
    expect(await unread()).toEqual([]);
    expect(await tasks().countOpen(at.organization, containerId, 10)).toBe(0);
  });

  test("tasks reserved in a failed transaction are free", async () => {
    await addRead("one");
    await cut("one");
    const failed = at.store.transaction(async (repositories) => {
      await repositories.extractionTasks.reserve(at.organization, containerId, {
        limit: 1,
        maxCharacters: 10,
        forMs: FOR_MS,
        by: "x",
      });
      throw new Error("stop");
    });
    await expect(failed).rejects.toThrow("stop");
    expect(await reserve()).toHaveLength(1);
  });
}
