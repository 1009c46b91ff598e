import { afterEach, beforeEach, describe, expect, test } from "vitest";
import type { Call, Core } from "../../src/core/index.js";
import { AppError } from "../../src/core/errors.js";
import { cleanUp } from "../../src/core/upkeep/upkeep.js";
import { findInFiles } from "../support/data-folder-scan.js";
import { type ManualCore, openManualCore } from "../support/manual-core.js";
import { plantDocument } from "../support/planted-words.js";

let opened: ManualCore;
let core: Core;
let call: Call;

beforeEach(async () => {
  opened = await openManualCore();
  core = opened.core;
  call = opened.call();
});
afterEach(() => opened.close());

const confirm = true as const;
const scan = (tokens: readonly string[]): string[] =>
  findInFiles(opened.dataDirectory, [...new Set([...tokens, ...tokens.map((one) => one.toLowerCase())])]);

describe("a purge", () => {
  test("that could not finish is completed by its job", async () => {
    let fails = true;
    await opened.close();
    opened = await openManualCore({
      vectors: (index) => ({
        nearest: (query) => index.nearest(query),
        status: () => index.status(),
        verify: (signal) => index.verify(signal),
        dropSpace: (spaceId) => index.dropSpace(spaceId),
        close: () => index.close(),
        scrub: async (signal) => {
          if (fails) throw new Error("not now");
          await index.scrub(signal);
        },
      }),
    });
    core = opened.core;
    call = opened.call();
    const { tokens, documentId } = await plantDocument(opened);
    expect(await core.purge(call, { documentId, confirm })).toMatchObject({ documents: 1, complete: false });
    await expect(core.getDocument(call, { id: documentId })).rejects.toMatchObject({ kind: "not_found" });
    expect(scan(tokens)).not.toEqual([]);
    fails = false;
    opened.clock.advance(60_000);
    opened.context.wakeJobs();
    await opened.settle();
    expect(scan(tokens)).toEqual([]);
  });

  test("whose job was given up is completed by the next clean-up", async () => {
    let fails = true;
    await opened.close();
    opened = await openManualCore({
      vectors: (index) => ({
        nearest: (query) => index.nearest(query),
        status: () => index.status(),
        verify: (signal) => index.verify(signal),
        dropSpace: (spaceId) => index.dropSpace(spaceId),
        close: () => index.close(),
        scrub: async (signal) => {
          if (fails) throw new AppError("invalid", "never again");
          await index.scrub(signal);
        },
      }),
    });
    core = opened.core;
    call = opened.call();
    const { tokens, documentId } = await plantDocument(opened);
    expect(await core.purge(call, { documentId, confirm })).toMatchObject({ complete: false });
    opened.clock.advance(60_000);
    await opened.settle();
    expect(await opened.everything()).toContain("never again");
    fails = false;
    expect(scan(tokens)).not.toEqual([]);
    await cleanUp(opened.context);
    await opened.settle();
    expect(scan(tokens)).toEqual([]);
  });

  test("that is repeated does its work once and returns the same result", async () => {
    const { documentId } = await plantDocument(opened);
    const repeated = { ...call, operationId: "again" };
    const first = await core.purge(repeated, { documentId, confirm });
    expect(await core.purge(repeated, { documentId, confirm })).toEqual(first);
  });

  test.each<[string, unknown, string]>([
    ["nothing named", { confirm }, "exactly one of"],
    ["two things named", { documentId: "a", containerTag: "b", confirm }, "exactly one of"],
    ["no confirmation", { containerTag: "a" }, "confirm"],
    ["an invalid confirmation", { containerTag: "a", confirm: "yes" }, "confirm"],
    ["a wrong type", { documentId: 7, confirm }, "documentId"],
    ["null", undefined, "must be an object"],
  ])("is rejected with %s", async (_what, input, says) => {
    await expect(core.purge(call, input)).rejects.toMatchObject({
      kind: "invalid",
      message: expect.stringContaining(says),
    });
  });

  test.each(["documentId", "memoryId", "containerTag"])("of an unknown %s is not found", async (selector) => {
    await expect(core.purge(call, { [selector]: "nowhere", confirm })).rejects.toMatchObject({ kind: "not_found" });
  });

  test("affects only what is in the caller's containers", async () => {
    const onlyA = opened.call(["a"]);
    const add = async (containerTags: string[]) =>
      (await core.addDocument(call, { content: `In ${containerTags.join()}.`, containerTags, wait: 20 })).id;
    const [mine, theirs, shared, deleted] = [
      await add(["a"]),
      await add(["b"]),
      await add(["a", "b"]),
      await add(["b"]),
    ];
    await core.deleteDocument(call, { id: deleted });
    const { memories } = await core.createMemories(call, { containerTag: "b", memories: [{ content: "Of b" }] });
    const kindOf = async (input: object) =>
      core.purge(onlyA, { ...input, confirm }).then(
        () => "purged",
        (error: { kind: string }) => error.kind,
      );
    expect(await kindOf({ documentId: theirs })).toBe("not_found");
    expect(await kindOf({ documentId: deleted })).toBe("not_found");
    expect(await kindOf({ documentId: shared })).toBe("forbidden");
    expect(await kindOf({ memoryId: memories[0]?.id })).toBe("not_found");
    expect(await kindOf({ containerTag: "b" })).toBe("forbidden");
    expect(await kindOf({ documentId: mine })).toBe("purged");
    expect(await kindOf({ containerTag: "a" })).toBe("purged");
    expect((await core.getDocument(call, { id: shared })).document.containerTags).toEqual(["b"]);
  });
});
