import { expect } from "vitest";
import { answerAsReader } from "../model-reader.js";
import { type ContractGroup, doesNot, inTest, works, worksWithModel } from "./effect.js";
import { textsOf } from "./world.js";

const LATER = "they are read as the pages and files that they are";

export const documents: readonly ContractGroup[] = [
  {
    heading: "POST /v3/documents",
    effects: [
      works("Answers `id` and `queued` before the document is read; it can be fetched at once", async (world) => {
        const { id, status } = await world.ok("POST", "/v3/documents", {
          content: "Mia keeps bees.",
          containerTag: world.tag,
        });
        expect(status).toBe("queued");
        expect(await world.document(id)).toMatchObject({ id, content: "Mia keeps bees." });
      }),
      works("What is added is found, as a passage and as memories", async (world) => {
        const id = await world.add("Mia keeps bees in Rome.");
        expect(textsOf(await world.find("Where does Mia keep bees?", { searchMode: "documents" }))).toEqual([
          "Mia keeps bees in Rome.",
        ]);
        expect(await world.entries()).toMatchObject([{ memory: expect.stringContaining("bees"), documentIds: [id] }]);
      }),
      works("An empty `content`, or none, is 400", async (world) => {
        await world.gives(400, "POST", "/v3/documents", { content: "" });
        await world.gives(400, "POST", "/v3/documents", { containerTag: world.tag });
      }),
      works("`taskType: superrag` makes a document that is found but not remembered", async (world) => {
        const id = await world.add("Mia keeps bees.", { taskType: "superrag" });
        expect([(await world.entries()).length, (await world.find("bees")).length]).toEqual([0, 1]);
        expect(await world.document(id)).toMatchObject({ taskType: "superrag", dreamingStatus: "done" });
      }),
      works("`documentDate`: what a text says of days is told from this day on", async (world) => {
        await world.add("Mia flew to Rome yesterday.", { documentDate: "2020-03-10" });
        expect(JSON.stringify((await world.entries()).map(({ metadata }) => metadata))).toContain("2020-03-09");
      }),
      works("`entityContext` is kept for the container", async (world) => {
        await world.add("Mia keeps bees.", { entityContext: "Mia is a beekeeper." });
        expect(await world.ok("GET", `/v3/container-tags/${world.tag}`)).toMatchObject({
          entityContext: "Mia is a beekeeper.",
        });
      }),
      worksWithModel("A model reads what is remembered out of a text", async (world) => {
        world.model.always((request) =>
          answerAsReader(request, { "Ask Mia": [{ text: "Mia is asked", isStatic: true }] }),
        );
        await world.add("Ask Mia.", { dreaming: "instant" });
        expect((await world.entries()).map(({ memory }) => memory)).toEqual(["Mia is asked"]);
      }),
      worksWithModel("`entityContext` tells a model what to read out of a text", async (world) => {
        world.model.always((request) => answerAsReader(request, {}));
        await world.add("The hives are full.", { dreaming: "instant", entityContext: `${world.tag} is a beekeeper.` });
        expect(JSON.stringify(world.model.requests)).toContain(`${world.tag} is a beekeeper.`);
      }),
      works(
        "Prompts of a plain kind (only, never) hold without a model",
        inTest("ingest/guidance", "a prompt that wants one subject only"),
      ),
      worksWithModel(
        "`filterByMetadata` chooses which memories a model sees while it reads",
        inTest("ingest/model-extraction", "only those that match `filterByMetadata`"),
      ),
      works("Unknown fields change nothing and are named in `warnings`; `title` is the title", async (world) => {
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
        "`forgetAfter`: from then on the document's memories and passages are not found",
        inTest(
          "transports/rest-document-expiry",
          "hides the document from then on, shows it among forgotten memories, and null removes the date",
        ),
      ),
      works("Without a `customId` the same text makes two documents", async (world) => {
        const ids = [await world.add("Mia keeps bees."), await world.add("Mia keeps bees.")];
        expect(ids[0]).not.toBe(ids[1]);
      }),
      works("A statement that is known already is one memory with another source", async (world) => {
        await world.add("Mia keeps bees.");
        await world.add("Mia keeps bees.");
        expect(await world.entries()).toMatchObject([{ sourceCount: 2 }]);
      }),
      works("A newer statement takes the place of the old one, which stays in its history", async (world) => {
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
        "What follows from several memories is a guess that waits for review",
        inTest("ingest/derived-facts", "is a guess in the review queue, related to each of them"),
      ),
    ],
  },
  {
    heading: "States of a document",
    effects: [
      works("Ends as `done`, with `dreamingStatus` `done` once its memories are there", async (world) => {
        expect(await world.document(await world.add("Mia keeps bees."))).toMatchObject({
          status: "done",
          dreamingStatus: "done",
        });
      }),
      works(
        "`done` means that its passages are found",
        inTest(
          "transports/rest-dreaming",
          "a waiting caller is told that memories form after a quiet period, and finds the text",
        ),
      ),
      works(
        "One that fails says `failed` and why, in its record and in lists",
        inTest("core/failures", "permanently fails the document with a reason; its words are still searchable"),
      ),
      works(
        "Failed documents stay, or go after a set time",
        inTest("core/files", "are removed with their files after the configured time"),
      ),
      works(
        "`dreaming: instant` reads a document by itself at once",
        inTest(
          "transports/rest-dreaming",
          "an instant document is remembered immediately, and says since when its facts are searchable",
        ),
      ),
      worksWithModel(
        "`dreaming: dynamic` reads documents that come together in one question",
        inTest("ingest/dreaming", "another that arrives makes both wait, and they are read in one question"),
      ),
      works("`instant` counts one operation more in the usage", async (world) => {
        const operations = async () => JSON.stringify((await world.ok("GET", "/v3/auth/billing/usage")).items);
        await world.add("Mia keeps bees.");
        const before = await operations();
        await world.add("Tom grows figs.", { dreaming: "instant" });
        await world.rest.recorded();
        expect(await operations()).not.toBe(before);
      }),
      works(
        "What was accepted survives a crash and is worked through",
        inTest("core/state-crashes", "at any step of relating $name loses, duplicates and truncates nothing"),
      ),
      works(
        "A model or embedder that is away only delays",
        inTest(
          "core/failures",
          "temporarily only delays: searchable by words, counted as waiting, completed as soon as possible",
        ),
      ),
      worksWithModel(
        "What rules had to read is read again once the model answers",
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
        "Takes objects and plain texts, and answers in their order",
        inTest("transports/rest-batch", "accepts objects and plain texts, and answers in their order"),
      ),
      works(
        "What stands above the documents is their default; their own values win",
        inTest("transports/rest-batch", "applies the batch-level fields to all documents that do not set them"),
      ),
      works("Metadata of both is joined, the document's own first", async (world) => {
        const { results } = await world.ok("POST", "/v3/documents/batch", {
          containerTag: world.tag,
          metadata: { a: "1", b: "1" },
          documents: [{ content: "Mia keeps bees.", metadata: { b: "2" } }],
        });
        expect((await world.document(results[0].id)).metadata).toEqual({ a: "1", b: "2" });
      }),
      works(
        "A document that cannot be taken fails alone, as `status: error` with why; the counters are exact",
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
        "A failed document is named by its `customId`, else `unknown`",
        inTest("transports/rest-batch", "fails invalid documents one by one, naming field and rule"),
      ),
      works(
        "Older `documentDate`s are read first",
        inTest("transports/rest-batch", "reads documents with older dates first, and dates undated ones now"),
      ),
      works(
        "A `customId` twice in one batch is an addition and one again",
        inTest("transports/rest-batch", "adds a repeated customId again, in the order of the request"),
      ),
      works("`content` above the documents must be null or absent", (world) =>
        world.gives(400, "POST", "/v3/documents/batch", { content: "x", documents: ["y"] }),
      ),
      works(
        "Never 409 because a document exists or is worked on",
        inTest("transports/rest-batch", "is never refused because a document exists or is being processed"),
      ),
    ],
  },
  {
    heading: "Detection of content",
    effects: [
      works(
        "A text that is a URL is fetched, and typed by what comes",
        inTest("transports/rest-addresses", "becomes the page at that address, with its title and URL, and is found"),
      ),
      works(
        "Posts and videos that are named by their address have types of their own (`tweet`, `video`)",
        inTest("ingest/known-places", "is stored as its text, with its author and the time encoded in its id"),
      ),
      doesNot(
        "Google and GitHub documents that are named by their address have types of their own (`google_doc`, …)",
        LATER,
        async (world) => {
          const id = await world.add("https://x.example/post/1");
          expect(await world.document(id)).toMatchObject({ type: "webpage" });
        },
      ),
      works("Everything else is `text`", async (world) =>
        expect((await world.document(await world.add("Mia keeps bees."))).type).toBe("text"),
      ),
      works(
        "Long texts are cut between sentences, Markdown at headings",
        inTest("ingest/chunk", "splits a long text between sentences, into pieces of about 500 characters"),
      ),
      works(
        "`chunkSize`, overlap and way of cutting are settings, for what comes after",
        inTest(
          "core/reprocess-chunks",
          "stay unchanged until they are reprocessed, and are then found by their new chunks",
        ),
      ),
    ],
  },
];
