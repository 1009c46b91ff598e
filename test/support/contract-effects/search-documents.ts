import { expect } from "vitest";
import { type ContractGroup, inTest, ofField, works } from "./effect.js";

const LONG = ["Mia keeps bees.", "Mia sells honey.", "Mia plays chess."]
  .map((text) => `${text} ${"Nothing else is said about it here. ".repeat(30)}`)
  .join("\n\n");

export const documentSearch: readonly ContractGroup[] = [
  {
    heading: "POST /v3/search",
    effects: [
      works("Returns one result per document, with its matching chunks and their scores", async (world) => {
        const id = await world.add(LONG);
        const { results, total } = await world.ok("POST", "/v3/search", {
          q: "Who keeps bees?",
          containerTag: world.tag,
        });
        expect([total, results.length, results[0].documentId]).toEqual([1, 1, id]);
        expect(results[0].chunks[0]).toMatchObject({
          content: expect.stringContaining("bees"),
          isRelevant: true,
          score: expect.any(Number),
          position: 0,
        });
      }),
      works(
        "A document's `score` is that of its best chunk; documents and chunks are sorted by score",
        async (world) => {
          await world.add(LONG);
          await world.add("Mia keeps bees and more bees.");
          const { results } = await world.ok("POST", "/v3/search", { q: "Who keeps bees?", containerTag: world.tag });
          const scores = results.map(({ score, chunks }: { score: number; chunks: { score: number }[] }) => [
            score,
            chunks[0]?.score,
          ]);
          for (const [score, best] of scores) expect(score).toBe(best);
          expect(scores).toEqual(scores.toSorted((one: number[], other: number[]) => (other[0] ?? 0) - (one[0] ?? 0)));
        },
      ),
      works(
        "`limit` counts documents",
        inTest("core/search-documents", "counts documents for the limit, however many chunks of the best one match"),
      ),
      works(
        "`chunkThreshold` drops chunks, and documents without any left",
        inTest("core/search-documents", "drops chunks below chunkThreshold, and documents without any left"),
      ),
      works(
        "`documentThreshold` drops documents; its default drops none",
        inTest(
          "transports/rest-document-threshold",
          "v3: omits documents whose score is below, keeps all chunks of the others, and treats 0 as no threshold",
        ),
      ),
      works("`docId` searches one document; an unknown one returns 404", (world) =>
        world.gives(404, "POST", "/v3/search", { q: "x", docId: "none" }),
      ),
      works(
        "`onlyMatchingChunks: false` adds the neighbouring chunks with `isRelevant: false`, in text order",
        inTest("transports/rest-v3-search", "onlyMatchingChunks false adds the neighbouring chunks, in text order"),
      ),
      works(
        "`includeFullDocs` adds `content`, `includeSummary` the summary",
        ofField("POST /v3/search includeFullDocs"),
      ),
      works('`q: "*"` returns every document, most recently changed first', async (world) => {
        const ids = [await world.add("Mia keeps bees."), await world.add("Tom grows figs.")];
        const { results } = await world.ok("POST", "/v3/search", { q: "*", containerTag: world.tag });
        expect(results.map(({ documentId }: { documentId: string }) => documentId)).toEqual(ids.toReversed());
      }),
      works("`type`, `title` and `metadata` are always present", async (world) => {
        await world.add("Mia keeps bees.");
        const { results } = await world.ok("POST", "/v3/search", { q: "bees", containerTag: world.tag });
        for (const name of ["type", "title", "metadata", "createdAt", "updatedAt"])
          expect(results[0]).toHaveProperty(name);
      }),
      works(
        "`categoriesFilter` (deprecated) narrows nothing, and the response says so",
        ofField("POST /v3/search categoriesFilter"),
      ),
      works(
        "`rerank` and `rewriteQuery` work as in v4",
        inTest("transports/rest-search-care", "POST /v3/search accepts rerank and rewriteQuery"),
      ),
    ],
  },
];
