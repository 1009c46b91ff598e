import { expect } from "vitest";
import { type ContractGroup, inTest, ofField, works } from "./effect.js";
import { textsOf } from "./world.js";

export const names: readonly ContractGroup[] = [
  {
    heading: "Container tags in requests",
    effects: [
      works("A container tag may contain letters, digits, `-`, `_` and `:`, but no space", async (world) => {
        await world.ok("POST", "/v4/search", { q: "x", containerTag: "a-B_1:c" });
        await world.gives(400, "POST", "/v4/search", { q: "x", containerTag: "a b" });
      }),
      works("A container tag may contain a dot", (world) =>
        world.ok("POST", "/v3/documents", { content: "x", containerTag: `${world.tag}.x` }),
      ),
      works(
        "`containerTag` and `containerTags` are combined, the single tag first, without duplicates",
        async (world) => {
          const id = await world.add("Mia keeps bees.", { containerTags: [`${world.tag}-b`, world.tag] });
          expect((await world.document(id)).containerTags).toEqual([world.tag, `${world.tag}-b`]);
        },
      ),
      works("The first document with a container tag creates the container", async (world) => {
        await world.gives(404, "GET", `/v3/container-tags/${world.tag}`);
        await world.add("Mia keeps bees.");
        await world.gives(200, "GET", `/v3/container-tags/${world.tag}`);
      }),
      works(
        "A document without a container tag goes to `sm_project_default`",
        inTest("transports/rest-documents", "puts a document without a tag into the default project"),
      ),
      works("A search without a container tag covers all containers", async (world) => {
        await world.remember(`The word of this container is ${world.tag}`);
        const { results } = await world.ok("POST", "/v4/search", {
          q: `Which container has the word ${world.tag}?`,
          threshold: 0,
          limit: 100,
        });
        expect(textsOf(results)).toContain(`The word of this container is ${world.tag}`);
      }),
      works("The content of one container is never found in another", async (world) => {
        await world.add("Mia keeps bees.");
        expect(await world.find("bees", { containerTag: `${world.tag}-b` })).toEqual([]);
      }),
      works("Container tags are case-sensitive", async (world) => {
        await world.remember("Mia keeps bees");
        expect(await world.find("bees", { containerTag: world.tag.toUpperCase() })).toEqual([]);
      }),
      works(
        "Container tags that begin with `sm_project_` are projects",
        inTest("transports/rest-projects", "are the containers with their prefix, named after the tag if unnamed"),
      ),
    ],
  },
  {
    heading: "`customId`",
    effects: [
      works("A `customId` can replace the id to read, change or delete a document", async (world) => {
        const customId = `${world.tag}/doc 1`;
        const path = `/v3/documents/${encodeURIComponent(customId)}`;
        const id = await world.add("Mia keeps bees.", { customId });
        expect(await world.ok("GET", path)).toMatchObject({ id, customId });
        expect(await world.ok("PATCH", path, { metadata: { team: "a" } })).toMatchObject({ id });
        await world.gives(204, "DELETE", path);
        await world.gives(404, "GET", path);
      }),
      works(
        "Adding the same `customId` again keeps the document's id, returns `queued` and shows the newest text",
        async (world) => {
          const customId = `${world.tag}-1`;
          const id = await world.add("Mia keeps bees.", { customId });
          const again = await world.ok("POST", "/v3/documents", {
            content: "Tom grows figs.",
            customId,
            containerTag: world.tag,
          });
          expect(again).toMatchObject({ id, status: "queued" });
          expect((await world.document(id)).content).toBe("Tom grows figs.");
        },
      ),
      works(
        "Adding the same text again does no work and returns the current status",
        inTest("core/documents", "with the same text does no work and returns the current state"),
      ),
      works(
        "If text is appended, only the new text is processed",
        inTest("core/only-the-difference", "with text appended, only the new text is read"),
      ),
      works(
        "Earlier submissions are kept as history",
        inTest("core/only-the-difference", "earlier submissions stay as history, and a growing text is stored once"),
      ),
      works(
        "A text that has nothing in common with the former one replaces it and its chunks",
        inTest(
          "transports/rest-other-text",
          "adding a customId again with a different text keeps only that text and its passages",
        ),
      ),
      works(
        "Memories of the old text stay unless the new text contradicts them",
        inTest("core/only-the-difference", "with changed lines, only these are read; earlier memories stay"),
      ),
      works(
        "Adding a document again after a failure processes it again",
        inTest(
          "core/failures",
          "permanently is tried again when the document is added again, and no trace of the failure remains",
        ),
      ),
      works(
        "Adding a document again while it is being processed queues the new text and never returns 409",
        inTest("core/documents", "while it is being processed ends with the newest text only"),
      ),
      works(
        "The same `customId` in another container is another document",
        inTest("core/documents", "in another container creates a separate document, and leaves the first unchanged"),
      ),
      works(
        "`PATCH` can change the `customId`; one that is taken returns 409, which should not be retried",
        inTest("transports/rest-changes", "a customId that is taken is a conflict that should not be retried"),
      ),
      works(
        "Any sequence of adding, changing, moving and deleting ends as promised",
        inTest(
          "core/custom-id-histories",
          "any sequence of adding, changing, moving, deleting and restarting ends as the contract says",
        ),
      ),
      works(
        "Adding a deleted document again creates a new one",
        inTest("core/documents", "after its document was deleted creates a new document"),
      ),
    ],
  },
  {
    heading: "Metadata",
    effects: [
      works("Strings, numbers, booleans and lists of strings are returned as sent", async (world) => {
        const metadata = { text: "a", number: 1.5, truth: false, list: ["x", "y"] };
        expect((await world.document(await world.add("Mia keeps bees.", { metadata }))).metadata).toEqual(metadata);
      }),
      works("Objects within metadata are rejected", (world) =>
        world.gives(400, "POST", "/v3/documents", { content: "x", metadata: { a: { b: 1 } } }),
      ),
      works("`metadata.sm_source` becomes the document's `source`", async (world) => {
        const id = await world.add("Mia keeps bees.", { metadata: { sm_source: "slack" } });
        expect((await world.document(id)).source).toBe("slack");
      }),
      works("Metadata keys are case-sensitive", async (world) => {
        await world.remember({ content: "Mia keeps bees", metadata: { Team: "a" } });
        const filter = (key: string) => ({ filters: { AND: [{ key, value: "a" }] } });
        expect([
          (await world.find("bees", filter("team"))).length,
          (await world.find("bees", filter("Team"))).length,
        ]).toEqual([0, 1]);
      }),
      works(
        "In v4, a memory has its own metadata or null, and a chunk that of its document; v3 results have that of the document",
        async (world) => {
          await world.add("Mia keeps bees.", { metadata: { team: "a" } });
          await world.remember("Tom grows figs");
          const { results } = await world.ok("POST", "/v3/search", { q: "bees", containerTag: world.tag });
          expect(results[0].metadata).toEqual({ team: "a" });
          expect((await world.find("figs", { searchMode: "memories", limit: 1 }))[0].metadata).toBeNull();
        },
      ),
      works("Metadata sent again with a `customId` is merged into the existing metadata", async (world) => {
        const customId = `${world.tag}-1`;
        const id = await world.add("Mia keeps bees.", { customId, metadata: { a: "1", b: "1" } });
        await world.add("Mia keeps bees.", { customId, metadata: { b: "2" } });
        expect((await world.document(id)).metadata).toEqual({ a: "1", b: "2" });
      }),
      works("The `temporalContext` of a memory is stored in its metadata", async (world) => {
        const temporalContext = { eventDate: ["2031-05-05"] };
        await world.remember({ content: "Mia keeps bees", temporalContext });
        const [entry] = await world.entries();
        expect(entry.metadata).toMatchObject({ temporalContext });
        expect(entry.temporalContext).toEqual(entry.metadata);
      }),
    ],
  },
  {
    heading: "`filepath`",
    effects: [
      works(
        "`filepath` narrows lists, searches and deletions: exactly, or as a folder if it ends in a slash",
        async (world) => {
          const note = await world.add("Mia keeps bees.", { filepath: "/notes/bees.md" });
          await world.add("Tom grows figs.", { filepath: "/notes-2/figs.md" });
          const list = async (filepath: string) =>
            (await world.ok("POST", "/v3/documents/list", { containerTags: [world.tag], filepath })).memories.map(
              (one: { id: string }) => one.id,
            );
          expect([await list("/notes/bees.md"), await list("/notes/"), await list("/notes")]).toEqual([
            [note],
            [note],
            [],
          ]);
          expect((await world.find("Mia", { filepath: "/notes/", searchMode: "documents" })).length).toBe(1);
        },
      ),
      works(
        "`filepath` narrows searches in the same way",
        inTest("transports/rest-search-parameters", "filepath matches exactly, or as a prefix if it ends in a slash"),
      ),
      works(
        "Changing only `filepath` renames the document without processing it again",
        inTest(
          "transports/rest-changes",
          "metadata, path and customId answer `done` when the document is done; an empty body changes nothing",
        ),
      ),
      works("v4 results, including memories, have the `filepath` of their document", async (world) => {
        await world.add("Mia keeps bees.", { filepath: "/bees.md" });
        for (const searchMode of ["memories", "documents"])
          expect((await world.find("bees", { searchMode }))[0].filepath).toBe("/bees.md");
      }),
      works(
        "With `memoryFilesystemPaths` on a container, documents at other paths are searchable but create no memories",
        async (world) => {
          await world.ok("PATCH", `/v3/container-tags/${world.tag}`, { memoryFilesystemPaths: ["/notes/"] });
          await world.add("Mia keeps bees.", { filepath: "/other/bees.md" });
          expect([
            (await world.find("bees", { searchMode: "documents" })).length,
            (await world.entries()).length,
          ]).toEqual([1, 0]);
          await world.add("Tom grows figs.", { filepath: "/notes/figs.md" });
          expect((await world.entries()).length).toBe(1);
        },
      ),
    ],
  },
  {
    heading: "Pages",
    effects: [
      works("`pagination` has `currentPage`, `limit`, `totalItems` and `totalPages`", async (world) => {
        for (let n = 0; n < 3; n += 1) await world.add(`Mia keeps bees in hive ${n}.`);
        const list = (page: number) =>
          world.ok("POST", "/v3/documents/list", { containerTags: [world.tag], limit: 2, page });
        expect((await list(2)).pagination).toEqual({ currentPage: 2, limit: 2, totalItems: 3, totalPages: 2 });
      }),
      works("`limit` and `page` may be numeric strings", async (world) => {
        await world.ok("POST", "/v3/documents/list", { limit: "2", page: "1" });
        await world.ok("POST", "/v4/memories/list", { containerTags: [world.tag], limit: "2", page: "1" });
        await world.gives(400, "POST", "/v3/documents/list", { limit: "two" });
      }),
      works("A page beyond the end is empty and not an error", async (world) => {
        const { memories, pagination } = await world.ok("POST", "/v3/documents/list", {
          containerTags: [world.tag],
          page: 9,
        });
        expect([memories, pagination.totalPages]).toEqual([[], 0]);
      }),
      works("Pages have no gaps and no repetitions", async (world) => {
        await world.remember(...["one", "two", "three", "four", "five"].map((word) => `Mia has bees number ${word}`));
        const pages = await Promise.all([1, 2, 3].map((page) => world.entries({ limit: 2, page })));
        expect(new Set(pages.flat().map(({ id }) => id)).size).toBe(5);
      }),
      works(
        "Lists start with the newest by default; `sort` and `order` change this",
        ofField("POST /v3/documents/list order"),
      ),
      works(
        "`sort: updatedAt` sorts by the last change",
        inTest("transports/rest-memories", "sorts by the last change, filters, and accepts several containers"),
      ),
    ],
  },
  {
    heading: "Older paths",
    effects: [
      works("`/v3/memories` and the paths below it serve the operations of `/v3/documents`", async (world) => {
        const { id } = await world.ok("POST", "/v3/memories", {
          content: "Mia keeps bees.",
          containerTags: [world.tag],
        });
        await world.rest.settle();
        expect(await world.ok("GET", `/v3/memories/${id}`)).toMatchObject({ id });
        const { memories } = await world.ok("POST", "/v3/memories/list", { containerTags: [world.tag] });
        expect(memories).toMatchObject([{ id }]);
        await world.ok("PATCH", `/v3/memories/${id}`, { metadata: { a: "b" } });
        await world.gives(204, "DELETE", `/v3/memories/${id}`);
      }),
      works("`/v3/memories/batch` is also served", inTest("transports/rest-batch", "the older path works as well")),
      works("`/v3/memories/file` is also served", inTest("transports/rest-files", "the older path works as well")),
      works("`POST /v3/memories/forget` forgets like `DELETE /v4/memories`", async (world) => {
        const [{ id }] = await world.remember("Mia keeps bees");
        expect(await world.ok("POST", "/v3/memories/forget", { id, containerTag: world.tag })).toMatchObject({
          id,
          forgotten: true,
        });
        expect(await world.find("bees", { searchMode: "memories" })).toEqual([]);
      }),
      works(
        "The literal paths `/list`, `/merge` and `/processing` take precedence over ids",
        inTest("transports/rest-documents", "never takes a path of the API for an id"),
      ),
      works(
        "A literal path takes precedence over a container tag of the same name",
        inTest("transports/rest-container-tags", "take precedence over a tag of the same name"),
      ),
      works("`/v2` returns 404", (world) => world.gives(404, "POST", "/v2/add", { content: "x" })),
    ],
  },
];
