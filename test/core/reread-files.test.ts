import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { openCore, type OpenedCore } from "../support/open-core.js";

const fixture = (name: string) => readFile(join(import.meta.dirname, "../fixtures/extractors", name));

let opened: OpenedCore;
beforeEach(async () => {
  opened = await openCore();
});
afterEach(() => opened.close());

const call = () => ({ actor: opened.actor });
const get = (id: string) => opened.core.getDocument(call(), { id });

async function add(name: string, rest: { readonly password?: string } = {}): Promise<string> {
  const bytes = (await fixture(name)).toString("base64");
  const document = { dreaming: "instant" };
  const { id } = await opened.core.addFile(call(), { bytes, name, document, ...rest });
  await opened.settle();
  expect((await get(id)).document.status).toBe("done");
  return id;
}

async function reprocess(id: string, options: Readonly<Record<string, unknown>> = {}): Promise<void> {
  expect(await opened.core.reprocess(call(), { ids: [id], ...options })).toMatchObject({ documents: 1, skipped: [] });
  await opened.settle();
}

describe("a document that is explicitly reprocessed", () => {
  test("is read from its file again, and keeps its text and facts", async () => {
    const id = await add("small-latex.pdf");
    const before = await get(id);
    await reprocess(id);
    const after = await get(id);
    expect(after.document).toMatchObject({ status: "done", dreamingStatus: "done", errorReason: null });
    expect(after.document.content).toBe(before.document.content);
    const ids = (details: typeof before) => details.memories.map((memory) => memory.id).toSorted();
    expect(ids(after)).toEqual(ids(before));
    expect(Date.parse(after.reading?.outcome?.startedAt ?? "")).toBeGreaterThan(
      Date.parse(before.reading?.outcome?.endedAt ?? ""),
    );
    await reprocess(id);
    expect((await get(id)).document).toMatchObject({ status: "done", errorReason: null });
  });

  test("is not read from its file if only its text is compared with known facts", async () => {
    const id = await add("small-latex.pdf");
    const before = await get(id);
    await reprocess(id, { replace: true });
    expect((await get(id)).reading).toEqual(before.reading);
  });

  test("stays unchanged, with the reason, if its file can no longer be read", async () => {
    const id = await add("encrypted-qpdf.pdf", { password: "secret" });
    const before = await get(id);
    await reprocess(id);
    const after = await get(id);
    expect(after.document).toMatchObject({ status: "done", dreamingStatus: "done", content: before.document.content });
    expect(after.document.errorReason).toBeNull();
    const reason = expect.stringMatching(/^The PDF is encrypted/);
    expect(after.reading?.outcome).toEqual({ ...before.reading?.outcome, notReadAgain: reason });
    const found = await opened.core.search(call(), { q: "Chapter 1 of waves" });
    expect(JSON.stringify(found)).toContain(id);
  });
});
