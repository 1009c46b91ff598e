import { readFile } from "node:fs/promises";
import { resolve } from "node:path";
import { strFromU8, strToU8, unzipSync, zipSync } from "fflate";
import Supermemory, { toFile } from "supermemory";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { type OpenedRest, openRest } from "../support/rest.js";

const DOCX = "application/vnd.openxmlformats-officedocument.wordprocessingml.document";
const HARBOUR = resolve(import.meta.dirname, "../fixtures/extractors/harbour.docx");

let rest: OpenedRest;
let client: Supermemory;
let harbour: Uint8Array;

beforeAll(async () => {
  rest = await openRest();
  harbour = await readFile(HARBOUR);
  const { url } = await rest.listen();
  const { secret } = await rest.core.createKey({ actor: rest.actor }, { name: "sdk" });
  client = new Supermemory({ apiKey: secret, baseURL: url, maxRetries: 0 });
});
afterAll(() => rest.close());

const get = (id: string) => rest.send("GET", `/v3/documents/${id}`);

async function upload(
  bytes: Uint8Array,
  { name = "harbour.docx", type = DOCX, ...more }: { name?: string; type?: string; [field: string]: string } = {},
) {
  return client.documents.uploadFile({
    file: await toFile(bytes, name, { type }),
    containerTags: JSON.stringify(["port"]),
    ...more,
  } as Supermemory.DocumentUploadFileParams);
}

async function found(q: string): Promise<string> {
  return JSON.stringify((await client.search.execute({ q, containerTags: ["port"] })).results);
}

/** The same document with one word replaced. */
function reworded(from: string, to: string): Uint8Array {
  const parts = unzipSync(harbour);
  const xml = strFromU8(parts["word/document.xml"] ?? new Uint8Array());
  return zipSync({ ...parts, "word/document.xml": strToU8(xml.replaceAll(from, to)) });
}

describe("an uploaded DOCX", () => {
  test("is queued, then done, with its text, title and author, and is found", async () => {
    const { id, status } = await upload(harbour);
    expect(status).toBe("queued");
    await rest.settle();
    const document = await client.documents.get(id);
    expect(document).toMatchObject({
      status: "done",
      title: "Harbour handbook",
      metadata: { author: "Ada Lindqvist" },
    });
    expect(document.content).toContain("# Moorings");
    expect(document.content).toContain("| Trawler \\| old | 22 m | 85 crowns |");
    const found = await client.search.execute({ q: "Who lights the green lantern?", containerTags: ["port"] });
    expect(found.results[0]).toMatchObject({ documentId: id });
    expect(JSON.stringify(found.results[0]?.chunks)).toContain("Torvald");
    const { steps, finalStatus } = (await get(id)).body.processingMetadata;
    expect(finalStatus).toBe("done");
    expect(steps).toMatchObject([{ name: "read", status: "completed" }]);
  });

  test("under a wrong name and type is read as its actual type, with a note", async () => {
    const { id } = await upload(harbour, { name: "a.pdf", type: "application/pdf" });
    await rest.settle();
    const { body } = await get(id);
    expect(body).toMatchObject({ status: "done", title: "Harbour handbook" });
    expect(body.processingMetadata.steps[0].metadata.notes).toEqual([
      expect.stringContaining("labelled application/pdf, but is actually application/vnd.openxmlformats"),
    ]);
  });

  test("that is truncated fails with a reason, keeps its file, and can be retried", async () => {
    const { id } = await upload(harbour.subarray(0, 5_000), { name: "cut.docx" });
    const { id: other } = await upload(harbour, { customId: "beside" });
    await rest.settle();
    const { body } = await get(id);
    expect(body).toMatchObject({ status: "failed", content: "", title: "cut.docx" });
    expect(body.errorReason).toMatch(/^read: The file is damaged: /);
    expect(body.processingMetadata).toMatchObject({
      finalStatus: "failed",
      steps: [{ name: "read", status: "failed" }],
    });
    expect((await get(other)).body.status).toBe("done");
    expect((await rest.send("GET", `/v3/documents/${id}/file-url`)).status).toBe(200);
    const again = await rest.core.reprocess({ actor: rest.actor }, { ids: [id] });
    expect(again).toMatchObject({ documents: 1, skipped: [] });
    expect((await get(id)).body.status).not.toBe("failed");
    await rest.settle();
    expect((await get(id)).body).toMatchObject({ status: "failed" });
  });

  test("with the same bytes is not processed again, and with other bytes is", async () => {
    const first = await upload(harbour, { customId: "handbook" });
    await rest.settle();
    const before = (await get(first.id)).body;
    const same = await upload(harbour, { customId: "handbook" });
    expect(same).toMatchObject({ id: first.id, status: "done" });
    expect((await get(first.id)).body).toMatchObject({ url: before.url, content: before.content, title: before.title });
    await upload(reworded("Torvald", "Gudrun"), { customId: "handbook" });
    await rest.settle();
    const after = (await get(first.id)).body;
    expect(after).toMatchObject({ status: "done", title: "Harbour handbook" });
    expect(after.content).toBe(before.content.replace("Torvald", "Gudrun"));
    expect(after.url).not.toBe(before.url);
  });

  test("keeps its content when a truncated version is sent, says why, and accepts the next good one", async () => {
    const { id } = await upload(reworded("Torvald", "Ragnar"), { customId: "kept", documentDate: "2020-03-10" });
    await rest.settle();
    const before = (await get(id)).body;
    const { document } = await rest.core.getDocument({ actor: rest.actor }, { id });
    expect(document.documentDate).toMatch(/^2020-03-10/);
    await upload(harbour.subarray(0, 5_000), { customId: "kept", name: "cut.docx" });
    await rest.settle();
    const { content, title, metadata, type } = before;
    const failed = (await get(id)).body;
    expect(failed).toMatchObject({ status: "failed", content, title, metadata, type });
    expect(failed.errorReason).toMatch(/^read: The file is damaged: /);
    expect(await found("Ragnar lights the green lantern")).toContain("Ragnar");
    await rest.core.reprocess({ actor: rest.actor }, { ids: [id] });
    await rest.settle();
    expect((await get(id)).body).toMatchObject({ status: "failed", content, title });
    await upload(reworded("Torvald", "Ylva"), { customId: "kept", name: "good.docx" });
    expect((await get(id)).body).toMatchObject({ content, title });
    await rest.settle();
    const after = (await get(id)).body;
    expect(after).toMatchObject({ status: "done", title });
    expect(after.content).toBe(content.replace("Ragnar", "Ylva"));
    expect(await found("Ylva lights the green lantern")).not.toContain("Ragnar");
  });

  test("with the same bytes accepts another title and metadata", async () => {
    const { id } = await upload(harbour, { customId: "named" });
    await rest.settle();
    const same = await upload(harbour, { customId: "named", title: "Our rules", metadata: '{"shelf":"north"}' });
    expect(same).toMatchObject({ id, status: "done" });
    expect((await get(id)).body).toMatchObject({
      title: "Our rules",
      metadata: { author: "Ada Lindqvist", shelf: "north" },
    });
  });

  test("that is deleted immediately leaves nothing", async () => {
    const { id } = await upload(reworded("Torvald", "Sigurd"));
    await client.documents.delete(id);
    await rest.settle();
    expect((await get(id)).status).toBe(404);
    const found = await client.search.execute({ q: "Sigurd lights the lantern", containerTags: ["port"] });
    expect(JSON.stringify(found.results)).not.toContain("Sigurd");
  });
});

test("a date stated in a file counts unless it is in the future, which would make later statements older", async () => {
  const page = (date: string) =>
    Buffer.from(
      `<html><head><meta name="date" content="${date}"><title>Note</title></head><body><article><p>The ferry to the island leaves from pier nine, and the kiosk beside it sells tickets until noon.</p></article></body></html>`,
    );
  const past = await upload(page("2019-05-05"), { name: "past.html", type: "text/html" });
  const future = await upload(page("2099-05-05"), { name: "future.html", type: "text/html" });
  await rest.settle();
  const dates = await Promise.all(
    [past, future].map(async ({ id }) => {
      const { document } = await rest.core.getDocument({ actor: rest.actor }, { id });
      return document.documentDate;
    }),
  );
  expect(dates).toEqual([expect.stringMatching(/^2019-05-05/), null]);
});
