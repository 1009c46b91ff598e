import { Readable } from "node:stream";
import { mkdir, readdir, utimes, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { removeFailed } from "../../src/core/documents/failed-documents.js";
import type { Call, Core } from "../../src/core/index.js";
import { cleanUp } from "../../src/core/upkeep/upkeep.js";
import { createId } from "../../src/lib/ids.js";
import { type ManualCore, openManualCore } from "../support/manual-core.js";

const HOUR_MS = 60 * 60 * 1_000;

let opened: ManualCore;
let core: Core;
let call: Call;

beforeEach(async () => {
  opened = await openManualCore({ limits: { maxFileBytes: 1_000, maxTextBytes: 500 } });
  core = opened.core;
  call = opened.call();
});
afterEach(() => opened.close());

const base64 = (text: string) => Buffer.from(text).toString("base64");
const upload = (text: string, document: Record<string, unknown> = {}, by = call) =>
  core.addFile(by, { bytes: base64(text), name: "notes.md", document: { containerTags: ["a"], ...document } });
const stored = async () => new Set(await readdir(join(opened.dataDirectory, "files")).catch(() => []));
const keyOf = async (id: string) => (await core.getDocumentFile(call, { id })).file.key;

describe("an uploaded file", () => {
  test("is stored once, however often the call is repeated", async () => {
    const repeated = { ...call, operationId: createId() };
    const first = await upload("Words.", {}, repeated);
    expect(await upload("Words.", {}, repeated)).toEqual(first);
    expect(await stored()).toEqual(new Set([await keyOf(first.id)]));
  });

  test("leaves no bytes behind when its document is rejected", async () => {
    await core.addDocument(call, { content: "Shared.", containerTags: ["a", "b"], customId: "shared" });
    const onlyA = opened.call(["a"]);
    await expect(upload("Mine.", { customId: "shared" }, onlyA)).rejects.toMatchObject({ kind: "forbidden" });
    await expect(upload("Mine.", { containerTags: ["b"] }, onlyA)).rejects.toMatchObject({ kind: "forbidden" });
    expect(await stored()).toEqual(new Set());
  });

  test("can be found and read only by callers who may see its document", async () => {
    const { id } = await upload("Of b.", { containerTags: ["b"] });
    const onlyA = opened.call(["a"]);
    await expect(core.getDocumentFile(onlyA, { id })).rejects.toMatchObject({ kind: "not_found" });
    const { file, path } = await core.getDocumentFile(call, { id });
    expect(path).toMatch(new RegExp(`^/files/${file.key}\\?expires=\\d+&signature=[\\w-]{43}$`));
    expect(file).toMatchObject({ documentId: id, name: "notes.md", mimeType: "application/octet-stream", bytes: 5 });
    const end = { start: 3, length: 100 };
    expect(await core.readFile(call, { key: file.key, ...end })).toEqual({ bytes: base64("b.") });
    await expect(core.readFile(onlyA, { key: file.key, ...end })).rejects.toMatchObject({ kind: "not_found" });
    await expect(core.getFile(onlyA, { key: file.key })).rejects.toMatchObject({ kind: "not_found" });
  });

  test("a link opens it for 24 hours, also for callers who may not see its document", async () => {
    const { id } = await upload("Of b.", { containerTags: ["b"] });
    const { file, path } = await core.getDocumentFile(call, { id });
    const proof = Object.fromEntries(new URL(path, "http://localhost").searchParams);
    const open = () => core.getFile(opened.call(["a"]), { key: file.key, proof });
    opened.clock.advance(24 * HOUR_MS - 1_000);
    expect((await open()).file.key).toBe(file.key);
    opened.clock.advance(1_000);
    await expect(open()).rejects.toMatchObject({ kind: "not_found" });
  });

  test("a link expires when its document leaves its containers", async () => {
    const { id } = await upload("Of b.", { containerTags: ["b"] });
    const { file, path } = await core.getDocumentFile(call, { id });
    const proof = Object.fromEntries(new URL(path, "http://localhost").searchParams);
    await opened.settle();
    await core.updateDocument(call, { id, containerTags: ["a"] });
    await expect(core.getFile(call, { key: file.key, proof })).rejects.toMatchObject({ kind: "not_found" });
    expect((await core.getFile(opened.call(["a"]), { key: file.key })).file.key).toBe(file.key);
  });

  test("with the same text in different bytes replaces only the file", async () => {
    const first = await upload("The same words.", { customId: "same" });
    await opened.settle();
    const before = await keyOf(first.id);
    const second = await upload("\ufeffThe same words.", { customId: "same" });
    expect(second).toMatchObject({ id: first.id, status: "done" });
    expect(await keyOf(first.id)).not.toBe(before);
    expect((await core.getDocumentFile(call, { id: first.id })).file.bytes).toBe(18);
    const { document } = await core.getDocument(call, { id: first.id });
    expect(document).toMatchObject({ revision: 1, status: "done" });
  });

  test.each<[what: string, input: Record<string, unknown>, kind: string, words: RegExp]>([
    ["no bytes", {}, "invalid", /bytes: /],
    ["invalid base64", { bytes: "*" }, "invalid", /bytes: must be base64/],
    ["no content", { bytes: "" }, "invalid", /file: must not be empty/],
    ["too many bytes", { bytes: base64("x".repeat(1_001)) }, "too_large", /1001 bytes, at most 1000 are accepted/],
    ["too much text", { bytes: base64("x".repeat(501)) }, "too_large", /content: has 501 bytes/],
    ["an invalid document", { bytes: base64("x"), document: "y" }, "invalid", /document: /],
  ])("with %s is rejected", async (_what, input, kind, words) => {
    const refused = core.addFile(call, input);
    await expect(refused).rejects.toMatchObject({ kind, message: expect.stringMatching(words) });
    expect(await stored()).toEqual(new Set());
  });

  test("provides the text even if the request also has content", async () => {
    const { id } = await upload("Of the file.", { content: "Of the request." });
    expect((await core.getDocument(call, { id })).document.content).toBe("Of the file.");
  });

  test.each([
    ["a range before the beginning", { start: -1, length: 1 }],
    ["a fractional byte", { start: 0.5, length: 1 }],
    ["more than one response can contain", { start: 0, length: 5 * 1024 * 1024 }],
  ])("%s cannot be read", async (_what, range) => {
    const { id } = await upload("Words.");
    await expect(core.readFile(call, { key: await keyOf(id), ...range })).rejects.toMatchObject({ kind: "invalid" });
  });
});

describe("clean-up", () => {
  const ago = (ms: number) => new Date(Date.now() - ms);
  /** Bytes without a row, written this long ago. */
  const leaveBytes = async (ageMs: number, name = createId()) => {
    const path = join(opened.dataDirectory, "files", name);
    await mkdir(join(opened.dataDirectory, "files"), { recursive: true });
    await writeFile(path, "lost");
    const at = ago(ageMs);
    await utimes(path, at, at);
    return name;
  };

  test("removes bytes that have been without a row for an hour, and keeps all others", async () => {
    const { id } = await upload("Kept.");
    const kept = await keyOf(id);
    const path = join(opened.dataDirectory, "files", kept);
    await utimes(path, ago(9 * HOUR_MS), ago(9 * HOUR_MS));
    const young = await leaveBytes(HOUR_MS / 2);
    await leaveBytes(2 * HOUR_MS);
    await leaveBytes(2 * HOUR_MS, `${createId()}.part`);
    const foreign = await leaveBytes(9 * HOUR_MS, "not-ours.txt");
    await cleanUp(opened.context);
    expect(await stored()).toEqual(new Set([kept, young, foreign]));
  });

  test("keeps recent bytes, however far ahead the clock is", async () => {
    const young = await leaveBytes(HOUR_MS / 2);
    opened.clock.advance(30 * 24 * HOUR_MS);
    await cleanUp(opened.context);
    expect(await stored()).toEqual(new Set([young]));
  });

  test("removes uploads that a process abandoned an hour ago", async () => {
    const { uploads } = opened.context;
    const leave = () => uploads.receive(Readable.from([Buffer.from("left")]));
    const [old, young] = [await leave(), await leave()];
    await utimes(uploads.pathOf(old.key), ago(2 * HOUR_MS), ago(2 * HOUR_MS));
    await cleanUp(opened.context);
    expect((await uploads.list()).map(({ key }) => key)).toEqual([young.key]);
  });

  test("removes the previous file of a document after it was replaced", async () => {
    const { id } = await upload("One.", { customId: "again" });
    const first = await keyOf(id);
    await upload("Two.", { customId: "again" });
    expect([...(await stored())]).toContain(first);
    await cleanUp(opened.context);
    expect(await stored()).toEqual(new Set([await keyOf(id)]));
  });

  test("removes the files of a purged container", async () => {
    const { id } = await upload("Soon gone.");
    const path = join(opened.dataDirectory, "files", await keyOf(id));
    await utimes(path, ago(2 * HOUR_MS), ago(2 * HOUR_MS));
    await opened.store.containers.purge(opened.store.organizationId, "a");
    await cleanUp(opened.context);
    expect(await stored()).toEqual(new Set());
  });

  test("handles a store without files", async () => {
    await cleanUp(opened.context);
    expect(await stored()).toEqual(new Set());
  });
});

describe("documents whose processing failed", () => {
  const signal = new AbortController().signal;
  const fail = async (id: string, errorReason = "extract: broken") =>
    opened.store.documents.update(opened.store.organizationId, id, { status: "failed", errorReason });

  test("are removed with their files after the configured time", async () => {
    const old = await upload("Failed before.", { customId: "old" });
    const fine = await upload("Went well.", { customId: "fine" });
    await opened.settle();
    await fail(old.id);
    opened.clock.advance(5 * 60_000);
    const young = await upload("Failed now.", { customId: "young" });
    await opened.settle();
    await fail(young.id);
    await removeFailed(opened.context, 5, signal);
    const { documents } = await core.listDocuments(call, {});
    expect(new Set(documents.map(({ customId }) => customId))).toEqual(new Set(["fine", "young"]));
    expect(await stored()).toEqual(new Set([await keyOf(fine.id), await keyOf(young.id)]));
  });

  test("are kept forever if no time is configured", async () => {
    const { id } = await upload("Failed.");
    await opened.settle();
    await fail(id);
    opened.clock.advance(1_000 * HOUR_MS);
    await removeFailed(opened.context, 0, signal);
    expect((await core.getDocument(call, { id })).document.status).toBe("failed");
  });

  test("are kept if their text was read; those behind many such documents are still removed", async () => {
    const documents = Array.from({ length: 46 }, (_, index) => `Number ${index}.`);
    const { items } = await core.addDocuments(call, { documents });
    await opened.settle();
    for (const [index, { id }] of items.entries()) {
      await fail(id, index < 44 ? "embed: the key is refused" : "read: broken");
      opened.clock.advance(1_000);
    }
    opened.clock.advance(HOUR_MS);
    await removeFailed(opened.context, 1, signal);
    const { documents: left, total } = await core.listDocuments(call, { limit: 100 });
    expect(total).toBe(44);
    expect(left).not.toEqual([]);
    expect(left.every(({ errorReason }) => errorReason?.startsWith("embed: "))).toBe(true);
  });

  test("are removed in one run, even if they exceed one batch", async () => {
    const { items } = await core.addDocuments(call, {
      documents: Array.from({ length: 45 }, (_, index) => `Number ${index}.`),
    });
    await opened.settle();
    for (const { id } of items) await fail(id);
    opened.clock.advance(HOUR_MS);
    await removeFailed(opened.context, 1, signal);
    expect((await core.listDocuments(call, {})).total).toBe(0);
  });
});
