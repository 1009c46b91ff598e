import { expect } from "vitest";
import { answerAsReader } from "../model-reader.js";
import { type ContractGroup, doesNot, inTest, works, worksWithModel } from "./effect.js";
import { textsOf } from "./world.js";

const LATER = "they are processed as ordinary pages and files";

export const documents: readonly ContractGroup[] = [
  {
    heading: "POST /v3/documents",
    effects: [
      works(
        "Returns `id` and `queued` before the document is processed; the document can be fetched at once",
        async (world) => {
          const { id, status } = await world.ok("POST", "/v3/documents", {
            content: "Mia keeps bees.",
            containerTag: world.tag,
          });
          expect(status).toBe("queued");
          expect(await world.document(id)).toMatchObject({ id, content: "Mia keeps bees." });
        },
      ),
      works("An added document is searchable, both as a chunk and as memories", async (world) => {
        const id = await world.add("Mia keeps bees in Rome.");
        expect(textsOf(await world.find("Where does Mia keep bees?", { searchMode: "documents" }))).toEqual([
          "Mia keeps bees in Rome.",
        ]);
        expect(await world.entries()).toMatchObject([{ memory: expect.stringContaining("bees"), documentIds: [id] }]);
      }),
      works("An empty or missing `content` returns 400", async (world) => {
        await world.gives(400, "POST", "/v3/documents", { content: "" });
        await world.gives(400, "POST", "/v3/documents", { containerTag: world.tag });
      }),
      works("`taskType: superrag` makes a document searchable without creating memories", async (world) => {
        const id = await world.add("Mia keeps bees.", { taskType: "superrag" });
        expect([(await world.entries()).length, (await world.find("bees")).length]).toEqual([0, 1]);
        expect(await world.document(id)).toMatchObject({ taskType: "superrag", dreamingStatus: "done" });
      }),
      works("`documentDate` is the date to which relative dates in the text refer", async (world) => {
        await world.add("Mia flew to Rome yesterday.", { documentDate: "2020-03-10" });
        expect(JSON.stringify((await world.entries()).map(({ metadata }) => metadata))).toContain("2020-03-09");
      }),
      works("`entityContext` is stored on the container", async (world) => {
        await world.add("Mia keeps bees.", { entityContext: "Mia is a beekeeper." });
        expect(await world.ok("GET", `/v3/container-tags/${world.tag}`)).toMatchObject({
          entityContext: "Mia is a beekeeper.",
        });
      }),
      worksWithModel("A model extracts the memories from a text", async (world) => {
        world.model.always((request) =>
          answerAsReader(request, { "Ask Mia": [{ text: "Mia is asked", isStatic: true }] }),
        );
        await world.add("Ask Mia.", { dreaming: "instant" });
        expect((await world.entries()).map(({ memory }) => memory)).toEqual(["Mia is asked"]);
      }),
      worksWithModel("`entityContext` tells a model what to extract from a text", async (world) => {
        world.model.always((request) => answerAsReader(request, {}));
        await world.add("The hives are full.", { dreaming: "instant", entityContext: `${world.tag} is a beekeeper.` });
        expect(JSON.stringify(world.model.requests)).toContain(`${world.tag} is a beekeeper.`);
      }),
      works(
        "Simple prompts (only, never) take effect without a model",
        inTest("ingest/guidance", "a prompt that wants one subject only"),
      ),
      worksWithModel(
        "`filterByMetadata` selects the memories that a model sees while reading a document",
        inTest("ingest/model-extraction", "only those that match `filterByMetadata`"),
      ),
      works("Unknown fields have no effect and are named in `warnings`; `title` sets the title", async (world) => {
        const body = await world.ok("POST", "/v3/documents", {
          content: "Mia keeps bees.",
          containerTag: world.tag,
          title: "Bees",
          nonsense: 1,
        });
        expect(JSON.stringify(body.warnings)).toContain("nonsense");
        expect((await world.document(body.id)).title).toBe("Bees");
      }),
      works(
        "After `forgetAfter`, the document's memories and chunks are no longer found",
        inTest(
          "transports/rest-document-expiry",
          "hides the document from then on, shows it among forgotten memories, and null removes the date",
        ),
      ),
      works("Without a `customId`, adding the same text twice creates two documents", async (world) => {
        const ids = [await world.add("Mia keeps bees."), await world.add("Mia keeps bees.")];
        expect(ids[0]).not.toBe(ids[1]);
      }),
      works("A statement that is already known adds a source to the existing memory", async (world) => {
        await world.add("Mia keeps bees.");
        await world.add("Mia keeps bees.");
        expect(await world.entries()).toMatchObject([{ sourceCount: 2 }]);
      }),
      works("A newer statement replaces the old one, which stays in its history", async (world) => {
        await world.add("Mia lives in Rome.");
        await world.add("Mia lives in Oslo now.");
        const [entry, ...others] = await world.entries();
        expect([others, entry.version, entry.history.length]).toEqual([[], 2, 1]);
      }),
      works(
        "A statement that adds to another extends it; both stay",
        inTest(
          "transports/rest-rule-updates",
          "a detail about a dog extends the memory that there is one, and both stay",
        ),
      ),
      worksWithModel(
        "A conclusion drawn from several memories is an inferred memory that awaits review",
        inTest("ingest/derived-facts", "is a guess in the review queue, related to each of them"),
      ),
    ],
  },
  {
    heading: "Document states",
    effects: [
      works("A document ends as `done`, with `dreamingStatus` `done` once its memories exist", async (world) => {
        expect(await world.document(await world.add("Mia keeps bees."))).toMatchObject({
          status: "done",
          dreamingStatus: "done",
        });
      }),
      works(
        "`done` means that the document's chunks are searchable",
        inTest(
          "transports/rest-dreaming",
          "a waiting caller is told that memories form after a quiet period, and finds the text",
        ),
      ),
      works(
        "A failed document has the status `failed` and a reason, in its record and in lists",
        inTest("core/failures", "permanently fails the document with a reason; its words are still searchable"),
      ),
      works(
        "Failed documents are kept, or removed after a configured time",
        inTest("core/files", "are removed with their files after the configured time"),
      ),
      works(
        "`dreaming: instant` processes a document at once, by itself",
        inTest(
          "transports/rest-dreaming",
          "an instant document is remembered immediately, and says since when its facts are searchable",
        ),
      ),
      worksWithModel(
        "`dreaming: dynamic` processes documents that arrive close together in a single model request",
        inTest("ingest/dreaming", "another that arrives makes both wait, and they are read in one question"),
      ),
      works("`instant` adds one operation to the usage", async (world) => {
        const operations = async () => JSON.stringify((await world.ok("GET", "/v3/auth/billing/usage")).items);
        await world.add("Mia keeps bees.");
        const before = await operations();
        await world.add("Tom grows figs.", { dreaming: "instant" });
        await world.rest.recorded();
        expect(await operations()).not.toBe(before);
      }),
      works(
        "An accepted document survives a crash and is processed completely",
        inTest("core/state-crashes", "at any step of relating $name loses, duplicates and truncates nothing"),
      ),
      works(
        "An unavailable model or embedder only delays processing",
        inTest(
          "core/failures",
          "temporarily only delays: searchable by words, counted as waiting, completed as soon as possible",
        ),
      ),
      worksWithModel(
        "Documents that rules processed because the model failed are processed again once it responds",
        inTest(
          "transports/model-failures",
          "recollect status counts documents that the model refused, and a start with another key reads them again",
        ),
      ),
    ],
  },
  {
    heading: "POST /v3/documents/batch",
    effects: [
      works(
        "Accepts objects and plain strings, and returns results in the same order",
        inTest("transports/rest-batch", "accepts objects and plain texts, and answers in their order"),
      ),
      works(
        "Batch-level fields are defaults; a document's own values take precedence",
        inTest("transports/rest-batch", "applies the batch-level fields to all documents that do not set them"),
      ),
      works("Batch and document metadata are merged; the document's own values take precedence", async (world) => {
        const { results } = await world.ok("POST", "/v3/documents/batch", {
          containerTag: world.tag,
          metadata: { a: "1", b: "1" },
          documents: [{ content: "Mia keeps bees.", metadata: { b: "2" } }],
        });
        expect((await world.document(results[0].id)).metadata).toEqual({ a: "1", b: "2" });
      }),
      works(
        "An invalid document fails alone, with `status: error` and a reason; the counters are exact",
        async (world) => {
          const { results, success, failed } = await world.ok("POST", "/v3/documents/batch", {
            containerTag: world.tag,
            documents: [{ content: "Mia keeps bees." }, { content: "" }],
          });
          expect([success, failed, results[0].status]).toEqual([1, 1, "queued"]);
          expect(results[1]).toMatchObject({ status: "error", error: expect.any(String) });
        },
      ),
      works(
        "A failed document is identified by its `customId`, or else as `unknown`",
        inTest("transports/rest-batch", "fails invalid documents one by one, naming field and rule"),
      ),
      works(
        "Documents with an older `documentDate` are processed first",
        inTest("transports/rest-batch", "reads documents with older dates first, and dates undated ones now"),
      ),
      works(
        "Repeating a `customId` in a batch adds the document again, in the order of the request",
        inTest("transports/rest-batch", "adds a repeated customId again, in the order of the request"),
      ),
      works("Batch-level `content` must be null or absent", (world) =>
        world.gives(400, "POST", "/v3/documents/batch", { content: "x", documents: ["y"] }),
      ),
      works(
        "A document that exists or is being processed never causes a 409",
        inTest("transports/rest-batch", "is never refused because a document exists or is being processed"),
      ),
    ],
  },
  {
    heading: "Content detection",
    effects: [
      works(
        "A text that is a URL is fetched, and the response determines its type",
        inTest("transports/rest-addresses", "becomes the page at that address, with its title and URL, and is found"),
      ),
      works(
        "Posts and videos added by URL have their own types (`tweet`, `video`)",
        inTest("ingest/known-places", "is stored as its text, with its author and the time encoded in its id"),
      ),
      doesNot(
        "Google and GitHub documents added by URL have their own types (`google_doc`, …)",
        LATER,
        async (world) => {
          const id = await world.add("https://x.example/post/1");
          expect(await world.document(id)).toMatchObject({ type: "webpage" });
        },
      ),
      works("All other content has the type `text`", async (world) =>
        expect((await world.document(await world.add("Mia keeps bees."))).type).toBe("text"),
      ),
      works(
        "Long texts are split between sentences, and Markdown at headings",
        inTest("ingest/chunk", "splits a long text between sentences, into pieces of about 500 characters"),
      ),
      works(
        "`chunkSize`, overlap and chunking strategy are settings that apply to documents processed later",
        inTest(
          "core/reprocess-chunks",
          "stay unchanged until they are reprocessed, and are then found by their new chunks",
        ),
      ),
    ],
  },
];
