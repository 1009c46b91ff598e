import { readFile } from "node:fs/promises";
import { resolve } from "node:path";
import Supermemory, { toFile } from "supermemory";
import { afterAll, beforeAll, describe, expect, test } from "vitest";

import { type OpenedRest, openRest } from "../support/rest.js";

const DOCX = "application/vnd.openxmlformats-officedocument.wordprocessingml.document";
const HARBOUR = resolve(import.meta.dirname, "../fixtures/extractors/harbour.docx");

let rest: OpenedRest;
let harbour: Uint8Array;

beforeAll(async () => {
  rest = await openRest({ settings: { RECOLLECT_READ_TIMEOUT_SECONDS: "20" } });
  harbour = await readFile(HARBOUR);
});
afterAll(() => rest.close());

describe("a DOCX that is uploaded", () => {
  test("is queued, then done, with its text, its own title and author, and is found", async () => {
    const client = await openClient();
    const { id, status } = await client.documents.uploadFile({
      file: await toFile(harbour, "harbour.docx", { type: DOCX }),
      containerTags: JSON.stringify(["port"]),
    });
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
  });
});

async function openClient(): Promise<Supermemory> {
  const { url } = await rest.listen();
  const { secret } = await rest.core.createKey({ actor: rest.actor }, { name: "sdk" });
  return new Supermemory({ apiKey: secret, baseURL: url, maxRetries: 0 });
}
