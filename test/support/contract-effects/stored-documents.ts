import { expect } from "vitest";
import { answerAsReader } from "../model-reader.js";
import { type ContractGroup, inTest, ofField, works, worksWithModel } from "./effect.js";

export const storedDocuments: readonly ContractGroup[] = [
  {
    heading: "GET /v3/documents/{id}",
    effects: [
      works(
        "Returns every field that any client reads, with `spatialPoint` and `raw` as null",
        inTest("transports/rest-documents", "returns every field that any generation of clients reads"),
      ),
      works("Returns all container tags in the order written, including those with `sm_project_`", async (world) => {
        const id = await world.add("Mia keeps bees.", { containerTags: ["sm_project_x"] });
        expect((await world.document(id)).containerTags).toEqual([world.tag, "sm_project_x"]);
      }),
      works("`content` is the whole text", async (world) => {
        const text = "Mia keeps bees on her roof in Rome. ".repeat(300).trim();
        expect((await world.document(await world.add(text, { taskType: "superrag" }))).content).toBe(text);
      }),
      works("`memories` is present if there are any, with flags and versions", async (world) => {
        const { memories } = await world.document(await world.add("Mia keeps bees."));
        expect(memories).toMatchObject([
          {
            version: 1,
            isLatest: true,
            isForgotten: false,
            isStatic: expect.any(Boolean),
            isInference: false,
            sourceCount: 1,
            parentMemoryId: null,
          },
        ]);
        expect(await world.document(await world.add("x y z", { taskType: "superrag" }))).not.toHaveProperty("memories");
      }),
      worksWithModel("A model writes `title` and `summary` from the text", async (world) => {
        world.model.describe(() => JSON.stringify({ title: "Bees in Rome", summary: "Mia keeps bees." }));
        world.model.always((request) => answerAsReader(request, {}));
        const text = `Mia keeps bees. ${"The hives stand on the roof of her house, and nobody minds. ".repeat(8)}`;
        const id = await world.add(text, { dreaming: "instant" });
        expect(await world.document(id)).toMatchObject({ title: "Bees in Rome", summary: "Mia keeps bees." });
      }),
      works("An unknown or deleted document returns 404", async (world) => {
        const id = await world.add("Mia keeps bees.");
        await world.gives(204, "DELETE", `/v3/documents/${id}`);
        await world.gives(404, "GET", `/v3/documents/${id}`);
      }),
      works("A document outside a key's containers returns 404, not 403", async (world) => {
        const id = await world.add("Mia keeps bees.");
        await world.gives(
          404,
          "GET",
          `/v3/documents/${id}`,
          undefined,
          await world.scopedKey({ containerTag: `${world.tag}-b` }),
        );
      }),
    ],
  },
  {
    heading: "PATCH /v3/documents/{id}",
    effects: [
      works(
        "New `content` replaces the text, its chunks and what it alone stated; the id stays; returns `queued`",
        async (world) => {
          const id = await world.add("Mia keeps bees.");
          expect(await world.ok("PATCH", `/v3/documents/${id}`, { content: "Tom grows figs." })).toMatchObject({
            id,
            status: "queued",
          });
          await world.rest.settle();
          expect((await world.entries()).map(({ memory }) => memory).join()).not.toContain("bees");
          expect((await world.document(id)).content).toBe("Tom grows figs.");
        },
      ),
      works("The same `content` is not processed again; returns `done`", async (world) => {
        const id = await world.add("Mia keeps bees.");
        expect(await world.ok("PATCH", `/v3/documents/${id}`, { content: "Mia keeps bees." })).toMatchObject({
          status: "done",
        });
      }),
      works("`metadata` alone replaces the keys that it names; returns `done`", async (world) => {
        const id = await world.add("Mia keeps bees.", { metadata: { a: "1", b: "1" } });
        expect(await world.ok("PATCH", `/v3/documents/${id}`, { metadata: { b: "2" } })).toMatchObject({
          status: "done",
        });
        expect((await world.document(id)).metadata).toEqual({ a: "1", b: "2" });
      }),
      works(
        "`content` and `filepath` can be changed together",
        inTest("core/update-document", "can change text and path together"),
      ),
      works("`containerTag` moves the document and the memories that it alone states", async (world) => {
        const id = await world.add("Mia keeps bees.");
        await world.ok("PATCH", `/v3/documents/${id}`, { containerTag: `${world.tag}-b` });
        await world.rest.settle();
        expect([
          (await world.entries()).length,
          (await world.entries({ containerTags: [`${world.tag}-b`] })).length,
        ]).toEqual([0, 1]);
      }),
      works(
        "`taskType: superrag` forgets the document's memories, `memory` extracts them again",
        inTest("core/update-document", "to superrag forgets its memories, and back to memory remembers them again"),
      ),
      works(
        "A new `documentDate` becomes the date to which relative dates in the text refer",
        inTest("core/update-document", "to another date reads its text relative to that date"),
      ),
      works(
        "A new text sent while the document is being processed is queued, not lost",
        inTest("core/only-the-difference", "submissions in quick succession lose nothing"),
      ),
      works("An empty body changes nothing and returns the status", async (world) => {
        const id = await world.add("Mia keeps bees.");
        expect(await world.ok("PATCH", `/v3/documents/${id}`, {})).toMatchObject({ id, status: "done" });
      }),
      works("An unknown document returns 404, an invalid field 400", async (world) => {
        await world.gives(404, "PATCH", "/v3/documents/none", { metadata: {} });
        await world.gives(400, "PATCH", `/v3/documents/${await world.add("x")}`, { content: 1 });
      }),
    ],
  },
  {
    heading: "DELETE /v3/documents/{id} and /bulk",
    effects: [
      works("Removes the document from all responses; deleting it again returns 404", async (world) => {
        const id = await world.add("Mia keeps bees.");
        await world.gives(204, "DELETE", `/v3/documents/${id}`);
        expect(await world.find("bees")).toEqual([]);
        await world.gives(404, "DELETE", `/v3/documents/${id}`);
      }),
      works("A memory that another document also states stays, with one source fewer", async (world) => {
        const id = await world.add("Mia keeps bees.");
        await world.add("Mia keeps bees.");
        await world.gives(204, "DELETE", `/v3/documents/${id}`);
        expect(await world.entries()).toMatchObject([{ sourceCount: 1 }]);
      }),
      works(
        "A document that is being processed can be deleted, without a 409",
        inTest("transports/rest-documents", "answers 204 without a body, also while the document is being processed"),
      ),
      works(
        "Bulk: accepts ids and `customId`s; an unknown one is listed in `errors`, and `success` is false",
        async (world) => {
          const id = await world.add("Mia keeps bees.");
          await world.add("Tom grows figs.", { customId: `${world.tag}-1` });
          const body = await world.ok("DELETE", "/v3/documents/bulk", { ids: [id, `${world.tag}-1`, "none"] });
          expect(body).toMatchObject({
            success: false,
            deletedCount: 2,
            errors: [{ id: "none", error: expect.any(String) }],
          });
        },
      ),
      works("Bulk: returns `success` without `errors` if nothing failed", async (world) => {
        const body = await world.ok("DELETE", "/v3/documents/bulk", { ids: [await world.add("Mia keeps bees.")] });
        expect([body.success, body.deletedCount, "errors" in body]).toEqual([true, 1, false]);
      }),
      works(
        "Bulk: `containerTags` removes everything in a container and is included in the response",
        async (world) => {
          await world.add("Mia keeps bees.");
          expect(await world.ok("DELETE", "/v3/documents/bulk", { containerTags: [world.tag] })).toMatchObject({
            deletedCount: 1,
            containerTags: [world.tag],
          });
        },
      ),
      works(
        "Bulk: container tags narrow the ids, and a path narrows the container tags",
        inTest("transports/rest-bulk", "narrows the ids by container tags and path"),
      ),
      works("Bulk: no selector, or only a path, returns 400", async (world) => {
        await world.gives(400, "DELETE", "/v3/documents/bulk", {});
        await world.gives(400, "DELETE", "/v3/documents/bulk", { filepath: "/notes/" });
      }),
    ],
  },
  {
    heading: "Document lists",
    effects: [
      works(
        "Lists return documents in `memories`; several tags match any of them, or all with `operator: AND`",
        inTest("transports/rest-documents", "several tags match any of them, or all with the operator AND"),
      ),
      works("`sm_project_` tags are hidden in lists", async (world) => {
        await world.add("Mia keeps bees.", { containerTags: ["sm_project_x"] });
        expect(
          (await world.ok("POST", "/v3/documents/list", { containerTags: [world.tag] })).memories[0].containerTags,
        ).toEqual([world.tag]);
      }),
      works("`content` is returned only with `includeContent`", ofField("POST /v3/documents/list includeContent")),
      works("`filters` match the document's metadata", ofField("POST /v3/documents/list filters")),
      works("`status`, `source` and `provider` narrow the list", ofField("POST /v3/documents/list status")),
      works(
        "A request without a body lists everything",
        inTest("transports/rest-documents", "lists everything without a body"),
      ),
      works(
        "`GET /v3/documents` returns the same list, with query parameters instead of a body",
        inTest("transports/rest-list", "returns the same as the list endpoint with a body"),
      ),
      works(
        "`/processing` lists and counts documents that are not `done` or `failed`, and can be narrowed by container",
        inTest("transports/rest-documents", "shows unfinished documents of the named containers"),
      ),
      works("`/chunks` returns the chunks in order, with `position` and `index` from 0", async (world) => {
        const id = await world.add("Mia keeps bees. ".repeat(100), { taskType: "superrag" });
        const { chunks, total, documentId } = await world.ok("GET", `/v3/documents/${id}/chunks`);
        expect([documentId, total]).toEqual([id, chunks.length]);
        expect(chunks.map(({ position, index }: { position: number; index: number }) => [position, index])).toEqual(
          chunks.map((_: unknown, at: number) => [at, at]),
        );
        await world.gives(404, "GET", "/v3/documents/none/chunks");
      }),
    ],
  },
];
