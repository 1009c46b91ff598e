import { expect } from "vitest";
import { type ContractGroup, inTest, ofField, works } from "./effect.js";
import { textsOf } from "./world.js";

export const names: readonly ContractGroup[] = [
  {
    heading: "Container tags of requests",
    effects: [
      works("Letters, digits, `-`, `_`, `:` make a tag; a blank does not", async (world) => {
        await world.ok("POST", "/v4/search", { q: "x", containerTag: "a-B_1:c" });
        await world.gives(400, "POST", "/v4/search", { q: "x", containerTag: "a b" });
      }),
      works("A dot in a tag is taken", (world) =>
        world.ok("POST", "/v3/documents", { content: "x", containerTag: `${world.tag}.x` }),
      ),
      works("`containerTag` and `containerTags` are united, the single one first, each once", async (world) => {
        const id = await world.add("Mia keeps bees.", { containerTags: [`${world.tag}-b`, world.tag] });
        expect((await world.document(id)).containerTags).toEqual([world.tag, `${world.tag}-b`]);
      }),
      works("The first document of a tag makes its container", async (world) => {
        await world.gives(404, "GET", `/v3/container-tags/${world.tag}`);
        await world.add("Mia keeps bees.");
        await world.gives(200, "GET", `/v3/container-tags/${world.tag}`);
      }),
      works(
        "A document without a tag goes to `sm_project_default`",
        inTest("transports/rest-documents", "puts a document without a tag into the default project"),
      ),
      works("A search without a tag looks through all containers", async (world) => {
        await world.remember(`The word of this container is ${world.tag}`);
        const { results } = await world.ok("POST", "/v4/search", {
          q: `Which container has the word ${world.tag}?`,
          threshold: 0,
          limit: 100,
        });
        expect(textsOf(results)).toContain(`The word of this container is ${world.tag}`);
      }),
      works("Nothing of one container is found in another", async (world) => {
        await world.add("Mia keeps bees.");
        expect(await world.find("bees", { containerTag: `${world.tag}-b` })).toEqual([]);
      }),
      works("Capital letters make another tag", async (world) => {
        await world.remember("Mia keeps bees");
        expect(await world.find("bees", { containerTag: world.tag.toUpperCase() })).toEqual([]);
      }),
      works(
        "Tags that begin with `sm_project_` are projects",
        inTest("transports/rest-projects", "are the containers with their prefix, named after the tag if unnamed"),
      ),
    ],
  },
  {
    heading: "`customId`",
    effects: [
      works("Reads, changes and deletes a document in place of its id", async (world) => {
        const customId = `${world.tag}/doc 1`;
        const path = `/v3/documents/${encodeURIComponent(customId)}`;
        const id = await world.add("Mia keeps bees.", { customId });
        expect(await world.ok("GET", path)).toMatchObject({ id, customId });
        expect(await world.ok("PATCH", path, { metadata: { team: "a" } })).toMatchObject({ id });
        await world.gives(204, "DELETE", path);
        await world.gives(404, "GET", path);
      }),
      works("Sent again it keeps the document, answers `queued`, and shows the newest text", async (world) => {
        const customId = `${world.tag}-1`;
        const id = await world.add("Mia keeps bees.", { customId });
        const again = await world.ok("POST", "/v3/documents", {
          content: "Tom grows figs.",
          customId,
          containerTag: world.tag,
        });
        expect(again).toMatchObject({ id, status: "queued" });
        expect((await world.document(id)).content).toBe("Tom grows figs.");
      }),
      works(
        "The same text again does no work and answers the state of now",
        inTest("core/documents", "with the same text does no work and returns the current state"),
      ),
      works(
        "A text that goes on is read from where it goes on",
        inTest("core/only-the-difference", "with text appended, only the new text is read"),
      ),
      works(
        "Earlier submissions stay as history",
        inTest("core/only-the-difference", "earlier submissions stay as history, and a growing text is stored once"),
      ),
      works(
        "A text that has nothing in common with the former one takes its place and that of its passages",
        inTest(
          "transports/rest-other-text",
          "adding a customId again with a different text keeps only that text and its passages",
        ),
      ),
      works(
        "Memories of the old text stay unless the new one says otherwise",
        inTest("core/only-the-difference", "with changed lines, only these are read; earlier memories stay"),
      ),
      works(
        "After a failure, sending it again tries again",
        inTest(
          "core/failures",
          "permanently is tried again when the document is added again, and no trace of the failure remains",
        ),
      ),
      works(
        "While it is worked on, sending it again is taken and queued, never 409",
        inTest("core/documents", "while it is being processed ends with the newest text only"),
      ),
      works(
        "In another container it is another document",
        inTest("core/documents", "in another container creates a separate document, and leaves the first unchanged"),
      ),
      works(
        "`PATCH` with `customId` renames; one that is taken is 409 for good",
        inTest("transports/rest-changes", "a customId that is taken is a conflict that should not be retried"),
      ),
      works(
        "Any history of adding, changing, moving and deleting ends as promised",
        inTest(
          "core/custom-id-histories",
          "any sequence of adding, changing, moving, deleting and restarting ends as the contract says",
        ),
      ),
      works(
        "A document that was deleted is made anew",
        inTest("core/documents", "after its document was deleted creates a new document"),
      ),
    ],
  },
  {
    heading: "Metadata",
    effects: [
      works("Texts, numbers, truth values and lists of texts come back as sent", async (world) => {
        const metadata = { text: "a", number: 1.5, truth: false, list: ["x", "y"] };
        expect((await world.document(await world.add("Mia keeps bees.", { metadata }))).metadata).toEqual(metadata);
      }),
      works("Objects within metadata are refused", (world) =>
        world.gives(400, "POST", "/v3/documents", { content: "x", metadata: { a: { b: 1 } } }),
      ),
      works("`metadata.sm_source` becomes the document's `source`", async (world) => {
        const id = await world.add("Mia keeps bees.", { metadata: { sm_source: "slack" } });
        expect((await world.document(id)).source).toBe("slack");
      }),
      works("Keys differ by capital letters", async (world) => {
        await world.remember({ content: "Mia keeps bees", metadata: { Team: "a" } });
        const filter = (key: string) => ({ filters: { AND: [{ key, value: "a" }] } });
        expect([
          (await world.find("bees", filter("team"))).length,
          (await world.find("bees", filter("Team"))).length,
        ]).toEqual([0, 1]);
      }),
      works("Results of v4 have metadata of the memory, or null; those of v3 that of the document", async (world) => {
        await world.add("Mia keeps bees.", { metadata: { team: "a" } });
        await world.remember("Tom grows figs");
        const { results } = await world.ok("POST", "/v3/search", { q: "bees", containerTag: world.tag });
        expect(results[0].metadata).toEqual({ team: "a" });
        expect((await world.find("figs", { searchMode: "memories", limit: 1 }))[0].metadata).toBeNull();
      }),
      works("Metadata sent again with a `customId` is laid over what is there", async (world) => {
        const customId = `${world.tag}-1`;
        const id = await world.add("Mia keeps bees.", { customId, metadata: { a: "1", b: "1" } });
        await world.add("Mia keeps bees.", { customId, metadata: { b: "2" } });
        expect((await world.document(id)).metadata).toEqual({ a: "1", b: "2" });
      }),
      works("`temporalContext` of a memory is kept in its metadata", async (world) => {
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
      works("Narrows lists, searches and deletions: exact, or as a folder when it ends in a slash", async (world) => {
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
      }),
      works(
        "Searches narrow by it, too",
        inTest("transports/rest-search-parameters", "filepath matches exactly, or as a prefix if it ends in a slash"),
      ),
      works(
        "A change of `filepath` alone renames and reads nothing again",
        inTest(
          "transports/rest-changes",
          "metadata, path and customId answer `done` when the document is done; an empty body changes nothing",
        ),
      ),
      works("Results of v4 have the `filepath` of their document, memories too", async (world) => {
        await world.add("Mia keeps bees.", { filepath: "/bees.md" });
        for (const searchMode of ["memories", "documents"])
          expect((await world.find("bees", { searchMode }))[0].filepath).toBe("/bees.md");
      }),
      works(
        "`memoryFilesystemPaths` of a container: documents at other paths are found, but nothing is remembered of them",
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
      works("`pagination` has `currentPage`, `limit`, `totalItems`, `totalPages`", async (world) => {
        for (let n = 0; n < 3; n += 1) await world.add(`Mia keeps bees in hive ${n}.`);
        const list = (page: number) =>
          world.ok("POST", "/v3/documents/list", { containerTags: [world.tag], limit: 2, page });
        expect((await list(2)).pagination).toEqual({ currentPage: 2, limit: 2, totalItems: 3, totalPages: 2 });
      }),
      works("Numbers may be digits in a text", async (world) => {
        await world.ok("POST", "/v3/documents/list", { limit: "2", page: "1" });
        await world.ok("POST", "/v4/memories/list", { containerTags: [world.tag], limit: "2", page: "1" });
        await world.gives(400, "POST", "/v3/documents/list", { limit: "two" });
      }),
      works("A page beyond the end is empty, and no error", async (world) => {
        const { memories, pagination } = await world.ok("POST", "/v3/documents/list", {
          containerTags: [world.tag],
          page: 9,
        });
        expect([memories, pagination.totalPages]).toEqual([[], 0]);
      }),
      works("Pages follow each other without a gap and without a repetition", async (world) => {
        await world.remember(...["one", "two", "three", "four", "five"].map((word) => `Mia has bees number ${word}`));
        const pages = await Promise.all([1, 2, 3].map((page) => world.entries({ limit: 2, page })));
        expect(new Set(pages.flat().map(({ id }) => id)).size).toBe(5);
      }),
      works("Newest first by default; `sort` and `order` change that", ofField("POST /v3/documents/list order")),
      works(
        "`sort: updatedAt` goes by the last change",
        inTest("transports/rest-memories", "sorts by the last change, filters, and accepts several containers"),
      ),
    ],
  },
  {
    heading: "Older paths",
    effects: [
      works("`/v3/memories` and all below it serve what `/v3/documents` does", async (world) => {
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
      works("`/v3/memories/batch` serves as well", inTest("transports/rest-batch", "the older path works as well")),
      works("`/v3/memories/file` serves as well", inTest("transports/rest-files", "the older path works as well")),
      works("`POST /v3/memories/forget` forgets like `DELETE /v4/memories`", async (world) => {
        const [{ id }] = await world.remember("Mia keeps bees");
        expect(await world.ok("POST", "/v3/memories/forget", { id, containerTag: world.tag })).toMatchObject({
          id,
          forgotten: true,
        });
        expect(await world.find("bees", { searchMode: "memories" })).toEqual([]);
      }),
      works(
        "Literal paths win over ids: `/list`, `/merge`, `/processing`",
        inTest("transports/rest-documents", "never takes a path of the API for an id"),
      ),
      works(
        "A container named like a path keeps the path",
        inTest("transports/rest-container-tags", "take precedence over a tag of the same name"),
      ),
      works("`/v2` is 404", (world) => world.gives(404, "POST", "/v2/add", { content: "x" })),
    ],
  },
];
