import { readFile } from "node:fs/promises";
import { resolve } from "node:path";
import { strFromU8, strToU8, unzipSync, zipSync } from "fflate";
import { expect, test } from "vitest";
import { type ServeProcess, startServe, waitFor, withDataDirectory } from "../support/recollect-process.js";

const HARBOUR = resolve(import.meta.dirname, "../fixtures/extractors/harbour.docx");

/** A document that takes a while to read. */
async function longDocument(): Promise<Uint8Array<ArrayBuffer>> {
  const parts = unzipSync(await readFile(HARBOUR));
  const xml = strFromU8(parts["word/document.xml"] ?? new Uint8Array());
  const words = "<w:p><w:r><w:t>The ferry berths at quay seven.</w:t></w:r></w:p>".repeat(20_000);
  return new Uint8Array(
    zipSync({ ...parts, "word/document.xml": strToU8(xml.replace("<w:body>", `<w:body>${words}`)) }),
  );
}

async function documentOf({ url }: ServeProcess, id: string): Promise<any> {
  return (await fetch(`${url}/v3/documents/${id}`)).json();
}

test("a file whose reading was interrupted by a kill is read after the next start", { timeout: 120_000 }, async () => {
  await withDataDirectory(async (dataDirectory) => {
    const first = await startServe(dataDirectory);
    const form = new FormData();
    form.set("file", new File([await longDocument()], "long.docx"));
    form.set("taskType", "superrag");
    const answer = await fetch(`${first.url}/v3/documents/file`, { method: "POST", body: form });
    const { id } = (await answer.json()) as { id: string };
    await waitFor(async () => (await documentOf(first, id)).status === "extracting" || null, "the reading");
    await first.stop("SIGKILL");
    const second = await startServe(dataDirectory);
    const document = await waitFor(async () => {
      const body = await documentOf(second, id);
      return body.status === "done" || body.status === "failed" ? body : null;
    }, "the end of the reading");
    expect(document).toMatchObject({ status: "done", title: "Harbour handbook" });
    await second.stop();
  });
});
