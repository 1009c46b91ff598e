import { expect } from "vitest";
import { type ContractGroup, inTest, ofField, works, worksWithModel } from "./effect.js";
import type { World } from "./world.js";

const BEES = [
  "Mia keeps bees on her roof",
  "Mia sells honey at the market",
  "Mia plays chess on Mondays",
  "Mia was born in Oslo",
];
async function filled(world: World): Promise<void> {
  await world.remember(...BEES);
  await world.add("Mia keeps eleven hives of bees on the roof of her house.", { metadata: { team: "a" } });
}
const similarities = (results: readonly { similarity: number }[]) => results.map(({ similarity }) => similarity);
const idsOf = (results: readonly { id: string }[]) => results.map(({ id }) => id);
const MODES = ["memories", "documents", "hybrid"];

export const search: readonly ContractGroup[] = [
  {
    heading: "POST /v4/search: what is asked",
    effects: [
      works("`q` is required and must not be empty", async (world) => {
        await world.gives(400, "POST", "/v4/search", {});
        await world.gives(400, "POST", "/v4/search", { q: "   " });
      }),
      works(
        "`searchMode` defaults to `hybrid`; the default is a setting",
        inTest("transports/rest-search-parameters", "the server's mode and threshold apply when a request sets none"),
      ),
      works("`memories` returns only memories, `documents` only chunks, and `hybrid` both", async (world) => {
        await filled(world);
        await world.add("The bees of Mia need water in summer.", { taskType: "superrag" });
        const kinds = async (searchMode: string) =>
          new Set(
            (await world.find("Mia bees", { searchMode })).map((result) => ("memory" in result ? "memory" : "chunk")),
          );
        expect([await kinds("memories"), await kinds("documents"), await kinds("hybrid")]).toEqual([
          new Set(["memory"]),
          new Set(["chunk"]),
          new Set(["memory", "chunk"]),
        ]);
      }),
      works("An unknown mode returns 400", (world) =>
        world.gives(400, "POST", "/v4/search", { q: "x", searchMode: "all" }),
      ),
      works("`threshold` is the lowest similarity that is returned, inclusive", async (world) => {
        await filled(world);
        const all = await world.find("Who keeps bees?");
        const middle = similarities(all)[1] ?? 0;
        expect(idsOf(await world.find("Who keeps bees?", { threshold: middle }))).toEqual(
          idsOf(all.filter(({ similarity }) => similarity >= middle)),
        );
      }),
      works("`threshold` defaults to 0.5", async (world) => {
        await filled(world);
        const { results } = await world.ok("POST", "/v4/search", { q: "Who keeps bees?", containerTag: world.tag });
        expect(idsOf(results)).toEqual(idsOf(await world.find("Who keeps bees?", { threshold: 0.5 })));
      }),
      works("`limit: n` returns the first n results of a longer list", async (world) => {
        await filled(world);
        const all = idsOf(await world.find("Mia bees", { limit: 5 }));
        for (const limit of [1, 2, 3])
          expect(idsOf(await world.find("Mia bees", { limit }))).toEqual(all.slice(0, limit));
      }),
      works(
        "`containerTags` combines containers; `operator: AND` requires documents with all of the tags",
        inTest("transports/rest-search-parameters", "operator AND requires documents with all tags, OR any of them"),
      ),
      works("An unknown container returns no results and no error", async (world) =>
        expect(await world.find("x", { containerTag: `${world.tag}-none` })).toEqual([]),
      ),
      works(
        "`docId` (id or `customId`) searches one document; an unknown one returns no results",
        inTest(
          "transports/rest-search-parameters",
          "docId accepts an id or a customId, and finds nothing for an unknown one",
        ),
      ),
      works(
        "`endUserId` narrows the search to one end user",
        inTest("transports/rest-search-parameters", "endUserId matches metadata, combined with any filters"),
      ),
      works(
        "`chunkThreshold` applies to chunks only",
        inTest("transports/rest-search-parameters", "chunkThreshold applies to chunks only"),
      ),
      works(
        "`documentThreshold` omits chunks of documents that score below it",
        inTest("transports/rest-document-threshold", "v4: omits chunks with their document, and keeps memories"),
      ),
      works(
        "`onlyMatchingChunks: false` adds the chunks before and after each chunk",
        inTest(
          "transports/rest-search-parameters",
          "onlyMatchingChunks false adds the chunks before and after a chunk",
        ),
      ),
      works(
        "`rerank` scores the results again and changes their order and similarity",
        inTest("transports/rest-search-care", "rerank changes order and similarities, and not which results are found"),
      ),
      works(
        "`rewriteQuery` also searches for other wordings",
        inTest("core/rewrite", "adds words of similar meaning, and none for names"),
      ),
      worksWithModel(
        "`rewriteQuery` also searches for terms suggested by a model",
        inTest("core/rewrite", "also searches for the terms of the language model, and counts its tokens"),
      ),
      works(
        "`aggregate` adds one memory that combines several, marked with `isAggregated`",
        inTest("transports/rest-search-care", "aggregate adds one marked memory that cannot be fetched"),
      ),
      worksWithModel(
        "`aggregate` lets a model combine the memories",
        inTest(
          "core/aggregate",
          "adds a statement of the language model that rests on at least two results, and counts the tokens",
        ),
      ),
      works(
        "Unknown fields have no effect and are named in `warnings`",
        inTest("transports/misspelt-fields", "are named in a warning, and the response is otherwise the same"),
      ),
    ],
  },
  {
    heading: "POST /v4/search: what is answered",
    effects: [
      works("Results are sorted by `similarity`, most similar first, in each mode", async (world) => {
        await filled(world);
        for (const searchMode of MODES) {
          const found = similarities(await world.find("Where does Mia keep bees?", { searchMode }));
          expect(found).toEqual(found.toSorted((one, other) => other - one));
        }
      }),
      works(
        "A result has the same similarity in all modes",
        inTest("core/search/most-relevant-first", "returns the same similarity as the other modes (%o)"),
      ),
      works("Each result is either a memory or a chunk, with `version`, `metadata` and `updatedAt`", async (world) => {
        await filled(world);
        const results = await world.find("Mia bees");
        expect(results).not.toEqual([]);
        for (const result of results) {
          expect(["memory", "chunk"].filter((kind) => kind in result)).toHaveLength(1);
          expect(result).toMatchObject({ version: expect.any(Number), updatedAt: expect.any(String) });
          expect(result).toHaveProperty("metadata");
        }
      }),
      works("Only the newest version of a memory is found; older ones are in its `context`", async (world) => {
        const [{ id }] = await world.remember("Mia lives in Rome");
        await world.ok("PATCH", "/v4/memories", { id, containerTag: world.tag, newContent: "Mia lives in Oslo" });
        const [result, ...others] = await world.find("Where does Mia live?", {
          searchMode: "memories",
          include: { relatedMemories: true },
        });
        expect([others, result.memory, result.version]).toEqual([[], "Mia lives in Oslo", 2]);
        expect(result.context.parents).toMatchObject([
          { relation: "updates", version: -1, memory: "Mia lives in Rome" },
        ]);
        expect(result.rootMemoryId).toBe(id);
      }),
      works("`context` is absent unless requested", async (world) => {
        await filled(world);
        const results = await world.find("Mia bees");
        expect(results).not.toEqual([]);
        for (const result of results) expect(result).not.toHaveProperty("context");
      }),
      works(
        "Child memories have a positive distance, parents a negative one; related memories extend or derive",
        inTest(
          "core/related",
          "are the facts that extend it or derive from it, and those that it extends or derives from",
        ),
      ),
      works(
        "`include.documents` adds the source documents, `include.summaries` their summaries",
        ofField("POST /v4/search include.documents"),
      ),
      works("`documents` have `createdAt` and `updatedAt`", async (world) => {
        await filled(world);
        const [{ documents }] = await world.find("bees", { include: { documents: true } });
        expect(documents[0]).toMatchObject({
          id: expect.any(String),
          createdAt: expect.any(String),
          updatedAt: expect.any(String),
        });
      }),
      works("`include.chunks` returns memories with their chunks, each with a `score`", async (world) => {
        await filled(world);
        const found = await world.find("Mia keeps eleven hives of bees", { include: { chunks: true } });
        for (const result of found) expect(result).toHaveProperty("memory");
        expect(found.flatMap(({ chunks }) => chunks ?? [])).toContainEqual(
          expect.objectContaining({ score: expect.any(Number), position: 0, documentId: expect.any(String) }),
        );
      }),
      works("`include.forgottenMemories` adds forgotten and expired results, marked as such", async (world) => {
        const [{ id }] = await world.remember("Mia keeps bees");
        await world.ok("DELETE", "/v4/memories", { id, containerTag: world.tag });
        expect(await world.find("bees")).toEqual([]);
        expect(await world.find("bees", { include: { forgottenMemories: true } })).toMatchObject([
          { id, isForgotten: true },
        ]);
      }),
      works(
        "A forgotten statement is not returned as a chunk if it is known which words of the document state it",
        inTest(
          "transports/out-of-date-passages",
          "a passage disappears with its forgotten statement, and returns when that is undone",
        ),
      ),
      works(
        "A replaced statement is not returned as a chunk if it is known which words of the document state it",
        inTest(
          "transports/out-of-date-passages",
          "a superseded statement disappears, and returns when the newer one is undone",
        ),
      ),
      works("Near-identical texts are returned once", async (world) => {
        await world.remember("Mia keeps bees", "Mia keeps bees.");
        expect((await world.find("Who keeps bees?", { searchMode: "memories" })).length).toBe(1);
      }),
      works(
        "Inferred memories that await review rank below stated ones",
        inTest("core/rank", "an inferred memory ranks behind a stated one, with the same similarity"),
      ),
      works(
        "A slow or unavailable embedder or reranker is skipped, and `degraded` says so",
        inTest("core/rerank-with", "that hangs is skipped after three searches and a trial, and each response says so"),
      ),
    ],
  },
];
