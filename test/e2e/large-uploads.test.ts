import { randomBytes } from "node:crypto";
import { readdir, readFile } from "node:fs/promises";
import { join } from "node:path";
import { expect, test } from "vitest";
import { extractorFixture } from "../support/extractor-fixtures.js";
import { type ServeProcess, startServe, waitFor, withDataDirectory } from "../support/recollect-process.js";

const MEGABYTE = 1024 * 1024;
const FILE_MEGABYTES = 25;
const FILES = 6;
/** All uploads together have 150 MB. */
const MOST_GROWTH_MEGABYTES = 100;

/** Highest resident memory of a service so far, in MB. */
async function highestMemoryOf({ child }: ServeProcess): Promise<number> {
  const status = await readFile(`/proc/${child.pid}/status`, "utf8");
  return Number(/^VmHWM:\s+(\d+)/m.exec(status)?.[1]) / 1_024;
}

async function upload({ url }: ServeProcess, file: File): Promise<string> {
  const form = new FormData();
  form.set("file", file);
  const answer = await fetch(`${url}/v3/documents/file`, { method: "POST", body: form });
  const body: any = await answer.json();
  expect(answer.status, JSON.stringify(body)).toBe(200);
  return body.id;
}

async function untilRead({ url }: ServeProcess, id: string): Promise<any> {
  return waitFor(async () => {
    const document: any = await (await fetch(`${url}/v3/documents/${id}`)).json();
    return document.status === "done" || document.status === "failed" ? document : null;
  }, `the end of ${id}`);
}

test.skipIf(process.platform !== "linux")(
  `${FILES} simultaneous uploads of ${FILE_MEGABYTES} MB are never held in memory`,
  { timeout: 120_000 },
  async () => {
    await withDataDirectory(async (dataDirectory) => {
      const service = await startServe(dataDirectory, { RECOLLECT_LLM: "off" });
      await untilRead(service, await upload(service, new File([extractorFixture("harbour.docx")], "harbour.docx")));
      const before = await highestMemoryOf(service);
      const bytes = Buffer.concat([Buffer.from("PK\x03\x04"), randomBytes(FILE_MEGABYTES * MEGABYTE)]);
      const ids = await Promise.all(
        Array.from({ length: FILES }, (_, index) => upload(service, new File([bytes], `${index}.docx`))),
      );
      expect((await highestMemoryOf(service)) - before).toBeLessThan(MOST_GROWTH_MEGABYTES);
      for (const id of ids) expect((await untilRead(service, id)).status).toBe("failed");
      expect((await highestMemoryOf(service)) - before).toBeLessThan(MOST_GROWTH_MEGABYTES);
      const [first = ""] = ids;
      const { url }: any = await (await fetch(`${service.url}/v3/documents/${first}/file-url`)).json();
      expect(Buffer.from(await (await fetch(url)).arrayBuffer()).equals(bytes)).toBe(true);
      expect(await readdir(join(dataDirectory, "uploads"))).toEqual([]);
      await service.stop();
    });
  },
);

test("a file sent to a process that does not own the folder is processed by the owner", async () => {
  await withDataDirectory(async (dataDirectory) => {
    const owner = await startServe(dataDirectory, { RECOLLECT_LLM: "off" });
    const other = await startServe(dataDirectory, { RECOLLECT_LLM: "off" });
    const id = await upload(other, new File([extractorFixture("harbour.docx")], "harbour.docx"));
    expect(await untilRead(owner, id)).toMatchObject({ status: "done" });
    expect(await readdir(join(dataDirectory, "uploads"))).toEqual([]);
    await other.stop();
    await owner.stop();
  });
});
