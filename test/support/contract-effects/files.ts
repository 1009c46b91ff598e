import { expect } from "vitest";
import { encodeForm } from "../forms.js";
import { LOOPBACK } from "../rest.js";
import { type ContractGroup, inTest, works } from "./effect.js";
import type { World } from "./world.js";

type Fields = Parameters<typeof encodeForm>[0];

async function upload(world: World, fields: Fields) {
  const { bytes, headers } = await encodeForm({ containerTag: world.tag, ...fields });
  const answer = await world.send("POST", "/v3/documents/file", bytes, { ...headers });
  await world.rest.settle();
  return answer;
}
const note = (text = "Mia keeps bees.") => new File([text], "note.txt", { type: "text/plain" });
export const files: readonly ContractGroup[] = [
  {
    heading: "POST /v3/documents/file",
    effects: [
      works("A text file becomes a document that is found, with the file's name as title", async (world) => {
        const { status, body } = await upload(world, { file: note() });
        expect(status).toBe(200);
        expect(await world.document(body.id)).toMatchObject({
          title: "note.txt",
          content: "Mia keeps bees.",
          status: "done",
        });
        expect((await world.find("bees")).length).toBeGreaterThan(0);
      }),
      works("A `filepath` of more than 4,096 bytes is 400", async (world) => {
        const filepath = `/${"x".repeat(4096)}`;
        expect((await upload(world, { file: note(), filepath })).status).toBe(400);
        await world.gives(400, "POST", "/v3/documents", { content: "x", filepath });
      }),
      works(
        "All fields of a form reach the document; metadata is JSON in a text",
        inTest("transports/rest-files", "passes every form field to the document"),
      ),
      works(
        "`containerTags` is a JSON list, one tag, or the field more than once",
        inTest("transports/rest-files", "accepts containerTags as %s"),
      ),
      works("Metadata that is no JSON object is 400", async (world) =>
        expect((await upload(world, { file: note(), metadata: "{" })).status).toBe(400),
      ),
      works("`mimeType` is required where `fileType` is `image` or `video`", async (world) =>
        expect((await upload(world, { file: note(), fileType: "image" })).status).toBe(400),
      ),
      works("A form without a file is 400, what is no form 415", async (world) => {
        expect((await upload(world, { title: "x" })).status).toBe(400);
        await world.gives(415, "POST", "/v3/documents/file", { file: "x" });
      }),
      works("The same `customId` again replaces text and file and keeps the id", async (world) => {
        const customId = `${world.tag}-file`;
        const first = await upload(world, { file: note(), customId });
        const second = await upload(world, { file: note("Tom grows figs."), customId });
        expect(second.body.id).toBe(first.body.id);
        expect((await world.document(first.body.id)).content).toBe("Tom grows figs.");
      }),
      works("PDFs are read", inTest("extractors/pdf", "keeps its words, their order, its headings and its table")),
      works(
        "Office files are read",
        inTest(
          "transports/uploads-that-are-read",
          "is queued, then done, with its text, title and author, and is found",
        ),
      ),
      works("Images are read", inTest("extractors/image", "%s yields its text and its size")),
      works("Sound and video are taken, and read where there is ffmpeg and a transcriber", async (world) => {
        const { status } = await upload(world, {
          file: new File([new Uint8Array([0x49, 0x44, 0x33, 4, 0, 255])], "a.mp3", { type: "audio/mpeg" }),
        });
        expect(status).toBe(200);
      }),
    ],
  },
  {
    heading: "Files",
    effects: [
      works("`/file-url` is a link to the very bytes that opens without a key", async (world) => {
        const { body } = await upload(world, { file: note() });
        const { url } = await world.ok("GET", `/v3/documents/${body.id}/file-url`);
        const { pathname, search } = new URL(url);
        const answer = await world.rest.app.request(
          pathname + search,
          { headers: { host: "127.0.0.1:6767" } },
          LOOPBACK,
        );
        expect([answer.status, await answer.text()]).toEqual([200, "Mia keeps bees."]);
      }),
      works(
        "The link ends after 24 hours",
        inTest("core/files", "a link opens it for 24 hours, also for callers who may not see its document"),
      ),
      works("404 for a document without a file", async (world) =>
        world.gives(404, "GET", `/v3/documents/${await world.add("Mia keeps bees.")}/file-url`),
      ),
      works(
        "Parts of a file can be asked for",
        inTest("transports/file-links", "returns it without a key, to a page of any site, whole or in ranges"),
      ),
      works(
        "A deleted document takes its file with it",
        inTest("transports/rest-files", "deleting a document deletes its file"),
      ),
    ],
  },
];
