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
      works("A text file becomes a searchable document with the file name as its title", async (world) => {
        const { status, body } = await upload(world, { file: note() });
        expect(status).toBe(200);
        expect(await world.document(body.id)).toMatchObject({
          title: "note.txt",
          content: "Mia keeps bees.",
          status: "done",
        });
        expect((await world.find("bees")).length).toBeGreaterThan(0);
      }),
      works("A `filepath` of more than 4,096 bytes returns 400", async (world) => {
        const filepath = `/${"x".repeat(4096)}`;
        expect((await upload(world, { file: note(), filepath })).status).toBe(400);
        await world.gives(400, "POST", "/v3/documents", { content: "x", filepath });
      }),
      works(
        "All form fields are applied to the document; metadata is a JSON string",
        inTest("transports/rest-files", "passes every form field to the document"),
      ),
      works(
        "`containerTags` is a JSON list, a single tag, or a repeated field",
        inTest("transports/rest-files", "accepts containerTags as %s"),
      ),
      works("Metadata that is not a JSON object returns 400", async (world) =>
        expect((await upload(world, { file: note(), metadata: "{" })).status).toBe(400),
      ),
      works("`mimeType` is required if `fileType` is `image` or `video`", async (world) =>
        expect((await upload(world, { file: note(), fileType: "image" })).status).toBe(400),
      ),
      works("A form without a file returns 400, a body that is not a form 415", async (world) => {
        expect((await upload(world, { title: "x" })).status).toBe(400);
        await world.gives(415, "POST", "/v3/documents/file", { file: "x" });
      }),
      works("Adding the same `customId` again replaces the text and the file and keeps the id", async (world) => {
        const customId = `${world.tag}-file`;
        const first = await upload(world, { file: note(), customId });
        const second = await upload(world, { file: note("Tom grows figs."), customId });
        expect(second.body.id).toBe(first.body.id);
        expect((await world.document(first.body.id)).content).toBe("Tom grows figs.");
      }),
      works(
        "Text is extracted from PDFs",
        inTest("extractors/pdf", "keeps its words, their order, its headings and its table"),
      ),
      works(
        "Text is extracted from Office files",
        inTest(
          "transports/uploads-that-are-read",
          "is queued, then done, with its text, title and author, and is found",
        ),
      ),
      works("Text is extracted from images", inTest("extractors/image", "%s yields its text and its size")),
      works("Audio and video files are accepted, and read if ffmpeg and a transcriber are available", async (world) => {
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
      works("`/file-url` returns a link to the original bytes that opens without a key", async (world) => {
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
        "The link expires after 24 hours",
        inTest("core/files", "a link opens it for 24 hours, also for callers who may not see its document"),
      ),
      works("A document without a file returns 404", async (world) =>
        world.gives(404, "GET", `/v3/documents/${await world.add("Mia keeps bees.")}/file-url`),
      ),
      works(
        "A file can be requested in ranges",
        inTest("transports/file-links", "returns it without a key, to a page of any site, whole or in ranges"),
      ),
      works(
        "Deleting a document deletes its file",
        inTest("transports/rest-files", "deleting a document deletes its file"),
      ),
    ],
  },
];
