import { createReadStream } from "node:fs";
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import Supermemory, { toFile } from "supermemory";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { openRest, type OpenedRest } from "../support/rest.js";

/** Uploads over a real socket, with the published official SDK. */

const MAX_FILE_BYTES = 100_000;
const TEXT = "The ferry to the island leaves at noon.";

let rest: OpenedRest;
let client: Supermemory;
let url: string;
let folder: string;

beforeAll(async () => {
  rest = await openRest({ settings: { RECOLLECT_MAX_FILE_BYTES: String(MAX_FILE_BYTES) } });
  ({ url } = await rest.listen());
  const { secret } = await rest.core.createKey({ actor: rest.actor }, { name: "sdk" });
  client = new Supermemory({ apiKey: secret, baseURL: url, maxRetries: 0 });
  folder = await mkdtemp(join(tmpdir(), "recollect-uploads-"));
  await writeFile(join(folder, "ferry.txt"), TEXT);
});
afterAll(async () => {
  await rest.close();
  await rm(folder, { recursive: true });
});

describe("the official SDK uploads", () => {
  test.each<[what: string, file: () => Promise<Supermemory.DocumentUploadFileParams["file"]>, title: string]>([
    ["bytes with a name", () => toFile(Buffer.from(TEXT), "bytes.md", { type: "text/markdown" }), "bytes.md"],
    ["a File", async () => new File([TEXT], "file.txt", { type: "text/plain" }), "file.txt"],
    ["a stream from disk", async () => createReadStream(join(folder, "ferry.txt")), "ferry.txt"],
    ["the answer of a fetch", async () => new Response(TEXT, { headers: { "content-type": "text/plain" } }), TEXT],
  ])("%s", async (what, file, title) => {
    const { id, status } = await client.documents.uploadFile({
      file: await file(),
      containerTags: JSON.stringify(["uploads"]),
      metadata: JSON.stringify({ what }),
    });
    expect(status).toBe("queued");
    await rest.settle();
    const document = await client.documents.get(id);
    expect(document).toMatchObject({ content: TEXT, metadata: { what }, status: "done" });
    expect(document.title).toContain(title.slice(0, 9));
    const answer = await fetch(document.url ?? "");
    expect(await answer.text()).toBe(TEXT);
    expect(document.url).toMatch(new RegExp(`^${url}/files/`));
  });

  test("a file that is too large, unsupported or empty is refused with the right error", async () => {
    const large = await toFile(Buffer.alloc(5_000_000, "x"), "large.txt");
    await expect(client.documents.uploadFile({ file: large })).rejects.toMatchObject({
      status: 413,
      message: expect.stringContaining("RECOLLECT_MAX_FILE_BYTES"),
    });
    const archive = await toFile(Buffer.from([0x1f, 0x8b, 8, 0]), "a.gz", { type: "application/gzip" });
    await expect(client.documents.uploadFile({ file: archive })).rejects.toMatchObject({ status: 415 });
    const empty = await toFile(Buffer.from(""), "empty.txt");
    await expect(client.documents.uploadFile({ file: empty })).rejects.toBeInstanceOf(Supermemory.BadRequestError);
  });

  test("a connection that breaks in the middle of a file leaves nothing behind", async () => {
    const before = (await client.documents.list({})).pagination.totalItems;
    const ending = new AbortController();
    let sent = 0;
    const body = new ReadableStream<Uint8Array>({
      async pull(controller) {
        controller.enqueue(
          Buffer.from('--x\r\ncontent-disposition: form-data; name="file"; filename="a.txt"\r\n\r\nhalf'),
        );
        sent += 1;
        if (sent > 3) ending.abort();
        await new Promise((resolve) => setTimeout(resolve, 5));
      },
    });
    const request = { method: "POST", body, duplex: "half", signal: ending.signal } as RequestInit;
    await expect(
      fetch(`${url}/v3/documents/file`, { ...request, headers: { "content-type": "multipart/form-data; boundary=x" } }),
    ).rejects.toThrow();
    expect((await client.documents.list({})).pagination.totalItems).toBe(before);
    expect(rest.log.filter(({ level }) => level === "error")).toEqual([]);
  });
});
