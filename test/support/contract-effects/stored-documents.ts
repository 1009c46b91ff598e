import { expect } from "vitest";
import { answerAsReader } from "../model-reader.js";
import { type ContractGroup, inTest, ofField, works, worksWithModel } from "./effect.js";

export const storedDocuments: readonly ContractGroup[] = [
  {
    heading: "GET /v3/documents/{id}",
    effects: [
      works(
        "Has every field that any client reads, `spatialPoint` and `raw` as null",
        inTest("transports/rest-documents", "returns every field that any generation of clients reads"),
      ),
      works("Has all tags in the order written, `sm_project_` ones too", async (world) => {
        const id = await world.add("Mia keeps bees.", { containerTags: ["sm_project_x"] });
        expect((await world.document(id)).containerTags).toEqual([world.tag, "sm_project_x"]);
      }),
      works("`content` is the whole text", async (world) => {
        const text = "Mia keeps bees on her roof in Rome. ".repeat(300).trim();
        expect((await world.document(await world.add(text, { taskType: "superrag" }))).content).toBe(text);
      }),
      works("`memories` is there when there are any, with flags and versions", async (world) => {
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
      worksWithModel("`title` and `summary` are what a model says of the text", async (world) => {
        world.model.describe(() => JSON.stringify({ title: "Bees in Rome", summary: "Mia keeps bees." }));
        world.model.always((request) => answerAsReader(request, {}));
        const text = `Mia keeps bees. ${"The hives stand on the roof of her house, and nobody minds. ".repeat(8)}`;
        const id = await world.add(text, { dreaming: "instant" });
        expect(await world.document(id)).toMatchObject({ title: "Bees in Rome", summary: "Mia keeps bees." });
      }),
      works("404 for one that is unknown or deleted", async (world) => {
        const id = await world.add("Mia keeps bees.");
        await world.gives(204, "DELETE", `/v3/documents/${id}`);
        await world.gives(404, "GET", `/v3/documents/${id}`);
      }),
      works("404, not 403, for one outside a key's containers", async (world) => {
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
        "Another `content` replaces the text, its passages and what it alone stated; the id stays; `queued`",
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
      works("The same `content` reads nothing again; `done`", async (world) => {
        const id = await world.add("Mia keeps bees.");
        expect(await world.ok("PATCH", `/v3/documents/${id}`, { content: "Mia keeps bees." })).toMatchObject({
          status: "done",
        });
      }),
      works("`metadata` alone replaces the keys that it names; `done`", async (world) => {
        const id = await world.add("Mia keeps bees.", { metadata: { a: "1", b: "1" } });
        expect(await world.ok("PATCH", `/v3/documents/${id}`, { metadata: { b: "2" } })).toMatchObject({
          status: "done",
        });
        expect((await world.document(id)).metadata).toEqual({ a: "1", b: "2" });
      }),
      works(
        "`content` and `filepath` together both take effect",
        inTest("core/update-document", "can change text and path together"),
      ),
      works("`containerTag` moves the document with what it alone states", async (world) => {
        const id = await world.add("Mia keeps bees.");
        await world.ok("PATCH", `/v3/documents/${id}`, { containerTag: `${world.tag}-b` });
        await world.rest.settle();
        expect([
          (await world.entries()).length,
          (await world.entries({ containerTags: [`${world.tag}-b`] })).length,
        ]).toEqual([0, 1]);
      }),
      works(
        "`taskType: superrag` forgets, `memory` remembers again",
        inTest("core/update-document", "to superrag forgets its memories, and back to memory remembers them again"),
      ),
      works(
        "Another `documentDate` is what the words are read against",
        inTest("core/update-document", "to another date reads its text relative to that date"),
      ),
      works(
        "While it is worked on, a new text is queued, not lost",
        inTest("core/only-the-difference", "submissions in quick succession lose nothing"),
      ),
      works("An empty body changes nothing and answers the state", async (world) => {
        const id = await world.add("Mia keeps bees.");
        expect(await world.ok("PATCH", `/v3/documents/${id}`, {})).toMatchObject({ id, status: "done" });
      }),
      works("404 for an unknown one, 400 for a wrong field", async (world) => {
        await world.gives(404, "PATCH", "/v3/documents/none", { metadata: {} });
        await world.gives(400, "PATCH", `/v3/documents/${await world.add("x")}`, { content: 1 });
      }),
    ],
  },
  {
    heading: "DELETE /v3/documents/{id} and /bulk",
    effects: [
      works("Removes the document from every answer; 404 the second time", async (world) => {
        const id = await world.add("Mia keeps bees.");
        await world.gives(204, "DELETE", `/v3/documents/${id}`);
        expect(await world.find("bees")).toEqual([]);
        await world.gives(404, "DELETE", `/v3/documents/${id}`);
      }),
      works("A memory that another document states too stays, with a source less", async (world) => {
        const id = await world.add("Mia keeps bees.");
        await world.add("Mia keeps bees.");
        await world.gives(204, "DELETE", `/v3/documents/${id}`);
        expect(await world.entries()).toMatchObject([{ sourceCount: 1 }]);
      }),
      works(
        "One that is being worked on is deleted, too, without 409",
        inTest("transports/rest-documents", "answers 204 without a body, also while the document is being processed"),
      ),
      works("Bulk: ids and `customId`s; an unknown one is in `errors` and `success` is false", async (world) => {
        const id = await world.add("Mia keeps bees.");
        await world.add("Tom grows figs.", { customId: `${world.tag}-1` });
        const body = await world.ok("DELETE", "/v3/documents/bulk", { ids: [id, `${world.tag}-1`, "none"] });
        expect(body).toMatchObject({
          success: false,
          deletedCount: 2,
          errors: [{ id: "none", error: expect.any(String) }],
        });
      }),
      works("Bulk: `success` without `errors` when nothing failed", async (world) => {
        const body = await world.ok("DELETE", "/v3/documents/bulk", { ids: [await world.add("Mia keeps bees.")] });
        expect([body.success, body.deletedCount, "errors" in body]).toEqual([true, 1, false]);
      }),
      works("Bulk: `containerTags` removes all of a container and is told back", async (world) => {
        await world.add("Mia keeps bees.");
        expect(await world.ok("DELETE", "/v3/documents/bulk", { containerTags: [world.tag] })).toMatchObject({
          deletedCount: 1,
          containerTags: [world.tag],
        });
      }),
      works(
        "Bulk: tags restrict ids, a path restricts tags",
        inTest("transports/rest-bulk", "narrows the ids by container tags and path"),
      ),
      works("Bulk: no selector, or a path alone, is 400", async (world) => {
        await world.gives(400, "DELETE", "/v3/documents/bulk", {});
        await world.gives(400, "DELETE", "/v3/documents/bulk", { filepath: "/notes/" });
      }),
    ],
  },
  {
    heading: "Lists of documents",
    effects: [
      works(
        "`memories` with documents; several tags mean any of them, or all with `operator: AND`",
        inTest("transports/rest-documents", "several tags match any of them, or all with the operator AND"),
      ),
      works("`sm_project_` tags are hidden in lists", async (world) => {
        await world.add("Mia keeps bees.", { containerTags: ["sm_project_x"] });
        expect(
          (await world.ok("POST", "/v3/documents/list", { containerTags: [world.tag] })).memories[0].containerTags,
        ).toEqual([world.tag]);
      }),
      works("`content` is there with `includeContent` alone", ofField("POST /v3/documents/list includeContent")),
      works("`filters` go by the document's metadata", ofField("POST /v3/documents/list filters")),
      works("`status`, `source` and `provider` narrow the list", ofField("POST /v3/documents/list status")),
      works("Without a body lists everything", inTest("transports/rest-documents", "lists everything without a body")),
      works(
        "`GET /v3/documents` is the same with parameters",
        inTest("transports/rest-list", "returns the same as the list endpoint with a body"),
      ),
      works(
        "`/processing` has what is not `done` or `failed`, narrowed by container, with its number",
        inTest("transports/rest-documents", "shows unfinished documents of the named containers"),
      ),
      works("`/chunks` has the passages in order, with `position` and `index` from 0", async (world) => {
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
