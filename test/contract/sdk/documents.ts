import { createReadStream } from "node:fs";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type Supermemory from "supermemory";
import { toFile } from "supermemory";
import { describe, expect } from "vitest";
import type { ClientTrial } from "../../support/client-table.js";
import * as shapes from "./shapes.js";
import type { SdkUnderTest } from "./under-test.js";

/** The methods for single documents; SDKs of the third generation have them under `memories` too. */
export interface DocumentMethods {
  add(body: Supermemory.DocumentAddParams): PromiseLike<Supermemory.DocumentAddResponse>;
  get(id: string): PromiseLike<Supermemory.DocumentGetResponse>;
  list(body: Supermemory.DocumentListParams): PromiseLike<Supermemory.DocumentListResponse>;
  update(id: string, body: Supermemory.DocumentUpdateParams): PromiseLike<Supermemory.DocumentUpdateResponse>;
  delete(id: string): PromiseLike<void>;
  uploadFile(body: Supermemory.DocumentUploadFileParams): PromiseLike<Supermemory.DocumentUploadFileResponse>;
}

const CONTENT = "Lena moved the launch of the rocket to May.";

/**
 * Tries the methods for single documents.
 * @param resource name of the resource that has them
 */
export function tryDocuments(
  { tries }: ClientTrial,
  resource: string,
  sdk: () => SdkUnderTest,
  methods: () => DocumentMethods,
): void {
  const named = (...names: string[]) => names.map((name) => `${resource}.${name}`);
  const tag = `${resource}:one`;

  describe(`${resource}: one document`, () => {
    tries(named("add", "get"), "an added document can be read immediately, with every field", async () => {
      const added = await methods().add({
        content: CONTENT,
        containerTags: [tag, "sm_project_both"],
        customId: `${resource} 1/a`,
        metadata: { team: "core", floor: 3, isDraft: false, people: ["Lena", "Mo"] },
        filepath: "/notes/launch.md",
        taskType: "memory",
      });
      expect(shapes.receipt.parse(added).status).toBe("queued");
      for (const id of [added.id, `${resource} 1/a`]) {
        const document = shapes.gotDocument.parse(await methods().get(id));
        expect(document).toMatchObject({
          id: added.id,
          content: CONTENT,
          customId: `${resource} 1/a`,
          containerTags: [tag, "sm_project_both"],
          metadata: { team: "core", floor: 3, isDraft: false, people: ["Lena", "Mo"] },
          filepath: "/notes/launch.md",
          raw: null,
          spatialPoint: null,
        });
      }
      await sdk().settle();
      expect(await methods().get(added.id)).toMatchObject({ status: "done", type: "text" });
    });

    tries(named("add"), "adding the same customId again keeps the id and replaces the text", async () => {
      const before = await methods().get(`${resource} 1/a`);
      const again = await methods().add({
        content: "The launch is in June.",
        customId: `${resource} 1/a`,
        containerTag: tag,
      });
      expect(again.id).toBe(before.id);
      expect((await methods().get(before.id)).content).toBe("The launch is in June.");
      await sdk().settle();
    });

    tries(named("list"), "lists by tag, path and filter, hides project tags, and pages", async () => {
      const { id } = await methods().add({ content: "Tea is at four.", containerTag: tag, metadata: { floor: 4 } });
      const all = shapes.documentList.parse(await methods().list({ containerTags: [tag], limit: "1", page: "2" }));
      expect(all.memories).toHaveLength(1);
      expect(all.pagination).toEqual({ currentPage: 2, limit: 1, totalItems: 2, totalPages: 2 });
      const byPath = await methods().list({ containerTags: [tag], filepath: "/notes/" });
      expect(byPath.memories).toMatchObject([{ filepath: "/notes/launch.md", containerTags: [tag] }]);
      expect(byPath.memories[0]).not.toHaveProperty("content");
      const filters = {
        AND: [{ key: "floor", value: "3", filterType: "numeric" as const, numericOperator: ">" as const }],
      };
      const filtered = await methods().list({ containerTags: [tag], filters, includeContent: true });
      expect(filtered.memories).toMatchObject([{ id, content: "Tea is at four." }]);
      const beyond = await methods().list({ containerTags: [tag], page: 9, order: "asc", sort: "updatedAt" });
      expect(beyond).toMatchObject({ memories: [], pagination: { currentPage: 9, totalItems: 2 } });
    });

    tries(named("update"), "a new text restarts processing; metadata and path do not", async () => {
      const id = `${resource} 1/a`;
      await sdk().settle();
      expect(shapes.receipt.parse(await methods().update(id, { metadata: { team: "ops" } })).status).toBe("done");
      expect(await methods().get(id)).toMatchObject({ metadata: { team: "ops", floor: 3 } });
      expect((await methods().update(id, { filepath: "/notes/moved.md" })).status).toBe("done");
      expect((await methods().update(id, { content: "Mo paints ships." })).status).toBe("queued");
      const { content, filepath } = await methods().get(id);
      expect({ content, filepath }).toEqual({ content: "Mo paints ships.", filepath: "/notes/moved.md" });
      await sdk().settle();
      const { results } = await sdk().client.search.memories({
        q: "who paints ships",
        containerTag: tag,
        searchMode: "documents",
      });
      expect(results.map(({ chunk }) => chunk)).toEqual(["Mo paints ships."]);
      await methods().update(id, { customId: `${resource}-2` });
      expect((await methods().get(`${resource}-2`)).content).toBe("Mo paints ships.");
    });

    tries(named("update", "get", "delete"), "reports unknown documents as not found, without a retry", async () => {
      for (const call of [
        () => methods().get("nobody"),
        () => methods().update("nobody", { metadata: { a: 1 } }),
        () => methods().delete("nobody"),
      ])
        await sdk().expectRefusal(call, "NotFoundError");
    });

    tries(named("delete"), "deletes by id and by customId, in any state", async () => {
      const queued = await methods().add({ content: "Soon gone.", containerTag: tag });
      expect(await methods().delete(queued.id)).toBeNull();
      await methods().delete(`${resource}-2`);
      await sdk().expectRefusal(() => methods().get(queued.id), "NotFoundError");
      await sdk().expectRefusal(() => methods().get(`${resource}-2`), "NotFoundError");
    });
  });

  describe(`${resource}: files`, () => {
    const text = "# Harbour\n\nThe ferry to the island leaves at noon.\n";
    const uploads: [string, () => Promise<Supermemory.DocumentUploadFileParams["file"]>][] = [
      ["bytes with a name", () => toFile(Buffer.from(text), "harbour.md", { type: "text/markdown" })],
      ["a File", async () => new File([text], "harbour.txt", { type: "text/plain" })],
      ["a stream from disk", () => streamOf(text)],
      ["the answer of a fetch", () => answerOf(text)],
    ];
    for (const [what, file] of uploads)
      tries(named("uploadFile"), `${what} becomes a document with its text`, async () => {
        const uploaded = await methods().uploadFile({
          file: await file(),
          containerTags: JSON.stringify([`${resource}:files`]),
          metadata: JSON.stringify({ from: what }),
        });
        shapes.receipt.parse(uploaded);
        await sdk().settle();
        const document = shapes.gotDocument.parse(await methods().get(uploaded.id));
        expect(document).toMatchObject({
          status: "done",
          metadata: { from: what },
          containerTags: [`${resource}:files`],
          content: expect.stringContaining("ferry to the island"),
        });
      });

    tries(named("uploadFile"), "a plain tag works as well as JSON; broken JSON is refused", async () => {
      const file = await toFile(Buffer.from(text), "plain.txt");
      const { id } = await methods().uploadFile({
        file,
        containerTags: `${resource}:plain`,
        filepath: "/up/plain.txt",
      });
      expect(await methods().get(id)).toMatchObject({
        containerTags: [`${resource}:plain`],
        filepath: "/up/plain.txt",
      });
      await sdk().expectRefusal(() => methods().uploadFile({ file, metadata: "{broken" }), "BadRequestError");
      await sdk().expectRefusal(() => methods().uploadFile({ file, fileType: "image" }), "BadRequestError");
      await sdk().settle();
    });
  });
}

async function streamOf(text: string) {
  const folder = await mkdtemp(join(tmpdir(), "recollect-upload-"));
  const path = join(folder, "harbour.txt");
  await writeFile(path, text);
  const stream = createReadStream(path);
  stream.once("close", () => void rm(folder, { recursive: true }));
  return stream;
}

/** A `Response`, which is named after its address. */
async function answerOf(text: string): Promise<Response> {
  const server = createServer((_request, response) => {
    response.writeHead(200, { "content-type": "text/plain", connection: "close" }).end(text);
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const { port } = server.address() as AddressInfo;
  const answer = await fetch(`http://127.0.0.1:${port}/harbour.txt`);
  server.close();
  return answer;
}
