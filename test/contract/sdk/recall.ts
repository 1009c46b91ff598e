import type Supermemory from "supermemory";
import { describe, expect } from "vitest";
import type { ClientTrial } from "../../support/client-table.js";
import * as shapes from "./shapes.js";
import type { SdkUnderTest } from "./under-test.js";

const TAG = "recall";
const LAUNCH = "Lena moved the launch of the rocket to May.";
const STORMS = "The weather station on the coast warned of storms all through April.";
const QUESTION = "when is the launch of the rocket";

/**
 * Tries search, profile and memories.
 * @param inMemories names under which the SDK offers `/v4/search`
 */
export function tryRecall({ tries }: ClientTrial, sdk: () => SdkUnderTest, inMemories: readonly string[]): void {
  const client = () => sdk().client;
  let launch: string;

  describe("recall", () => {
    tries("add", "adds the text that the tests below find", async () => {
      const added = await client().add({
        content: `${LAUNCH} ${STORMS}`,
        containerTag: TAG,
        customId: "launch",
        entityContext: "Notes of a space company.",
        metadata: { team: "core", sm_scope: "project" },
        filepath: "/space/launch.md",
      });
      launch = shapes.receipt.parse(added).id;
      await client().add({ content: "Mo waters the orchids on Sundays.", containerTag: "elsewhere" });
      await sdk().settle();
    });

    tries(inMemories, "finds memories and chunks, with everything that can be included", async () => {
      for (const searchMode of ["memories", "hybrid", "documents"] as const) {
        const answer = await client().search.memories({
          q: QUESTION,
          containerTag: TAG,
          searchMode,
          limit: 5,
          threshold: 0.3,
          rerank: true,
          rewriteQuery: true,
          include: { documents: true, summaries: true, relatedMemories: true, forgottenMemories: true },
        });
        expect(shapes.memorySearch.parse(answer).total).toBe(answer.results.length);
        expect(answer.results.length).toBeGreaterThan(0);
        for (const result of answer.results) {
          expect(result.similarity).toBeGreaterThanOrEqual(0.3);
          expect(result.filepath).toBe("/space/launch.md");
          expect(result.documents).toMatchObject([
            { id: launch, createdAt: expect.any(String), metadata: { team: "core" } },
          ]);
          if (searchMode === "memories") expect(result.memory).toEqual(expect.any(String));
          if (searchMode === "documents") expect(result.chunk).toEqual(expect.any(String));
        }
      }
    });

    tries(inMemories, "filters by metadata, path and tag, and refuses invalid requests", async () => {
      const search = (more: object) => client().search.memories({ q: QUESTION, containerTag: TAG, ...more });
      const of = (key: string, value: string) => ({ filters: { AND: [{ key, value }] } });
      expect((await search(of("sm_scope", "project"))).total).toBeGreaterThan(0);
      expect((await search(of("sm_scope", "personal"))).total).toBe(0);
      expect((await search({ filepath: "/space/" })).total).toBeGreaterThan(0);
      expect((await search({ filepath: "/sea/" })).total).toBe(0);
      expect((await search({ containerTag: "nobody" })).total).toBe(0);
      for (const bad of [
        { q: "" },
        { limit: 101 },
        { threshold: 2 },
        { searchMode: "psychic" },
        { filters: { key: "a", value: "b" } },
      ])
        await sdk().expectRefusal(() => search(bad), "BadRequestError");
    });

    tries(["search.documents", "search.execute"], "groups chunks by document", async () => {
      const methods = {
        documents: (body: Supermemory.SearchDocumentsParams) => client().search.documents(body),
        execute: (body: Supermemory.SearchExecuteParams) => client().search.execute(body),
      };
      for (const search of Object.values(methods)) {
        const answer = await search({
          q: QUESTION,
          containerTags: [TAG],
          includeFullDocs: true,
          includeSummary: true,
          onlyMatchingChunks: false,
        });
        expect(shapes.documentSearch.parse(answer).total).toBe(1);
        expect(answer.results[0]).toMatchObject({
          documentId: launch,
          content: `${LAUNCH} ${STORMS}`,
          metadata: { team: "core" },
        });
        expect(answer.results[0]).toHaveProperty("summary");
        expect(
          answer.results[0]?.chunks.some(({ isRelevant, content }) => isRelevant && content.includes(LAUNCH)),
        ).toBe(true);
        expect((await search({ q: QUESTION, docId: launch })).results).toMatchObject([{ documentId: launch }]);
        await sdk().expectRefusal(() => search({ q: QUESTION, docId: "nobody" }), "NotFoundError");
        await sdk().expectRefusal(() => search({ q: "" }), "BadRequestError");
      }
    });

    tries("profile", "returns both lists, and search results for a question", async () => {
      const { profile, searchResults } = await client().profile({ containerTag: TAG });
      shapes.profile.parse({ profile });
      expect([...profile.static, ...profile.dynamic].join(" ")).toContain("launch");
      expect(searchResults).toBeUndefined();
      const asked = await client().profile({
        containerTag: TAG,
        q: QUESTION,
        threshold: 0.3,
        filters: { OR: [{ key: "team", value: "core" }] },
      });
      expect(asked.searchResults?.total).toBeGreaterThan(0);
      expect(asked.searchResults?.results).toHaveLength(asked.searchResults?.total ?? -1);
      expect((await client().profile({ containerTag: "nobody" })).profile).toMatchObject({ static: [], dynamic: [] });
    });

    tries("memories.updateMemory", "creates a new version of a memory, by id and by its text", async () => {
      const { results } = await client().search.memories({ q: QUESTION, containerTag: TAG, searchMode: "memories" });
      const { id, memory } = { memory: "", id: "", ...results[0] };
      const second = shapes.updatedMemory.parse(
        await client().memories.updateMemory({
          containerTag: TAG,
          id,
          newContent: "The launch of the rocket is in June.",
        }),
      );
      expect(second).toMatchObject({ version: 2, parentMemoryId: id, rootMemoryId: id, forgetAfter: null });
      const third = await client().memories.updateMemory({
        containerTag: TAG,
        content: second.memory,
        newContent: "The launch of the rocket is in July.",
        metadata: { team: "moon" },
        temporalContext: { documentDate: "2026-05-02T00:00:00.000Z", eventDate: ["2026-07-01"] },
      });
      expect(third).toMatchObject({ version: 3, parentMemoryId: second.id, rootMemoryId: id });
      const after = await client().search.memories({ q: QUESTION, containerTag: TAG, searchMode: "memories" });
      const texts = after.results.map((result) => result.memory);
      expect(texts).toContain("The launch of the rocket is in July.");
      expect(texts).not.toContain(memory);
      await sdk().expectRefusal(
        () => client().memories.updateMemory({ containerTag: TAG, id: "nobody", newContent: "x" }),
        "NotFoundError",
      );
      await sdk().expectRefusal(
        () => client().memories.updateMemory({ containerTag: TAG, newContent: "x" }),
        "BadRequestError",
      );
    });

    tries(
      "memories.forget",
      "forgets by id and by text; an already forgotten memory is a conflict that is not retried",
      async () => {
        const { memories } = await sdk().service.rest.core.createMemories(
          { actor: sdk().service.rest.actor },
          { containerTag: TAG, memories: [{ content: "Nora keeps bees" }, { content: "Nora plays the tuba" }] },
        );
        const id = memories[0]?.id ?? "";
        expect(
          shapes.forgotten.parse(await client().memories.forget({ containerTag: TAG, id, reason: "moved" })),
        ).toEqual({
          id,
          forgotten: true,
        });
        const byText = await client().memories.forget({ containerTag: TAG, content: "Nora plays the tuba" });
        expect(byText).toMatchObject({ id: memories[1]?.id, forgotten: true });
        const conflict = await sdk().expectRefusal(
          () => client().memories.forget({ containerTag: TAG, id }),
          "ConflictError",
        );
        expect(conflict.message).toContain("is already forgotten");
        await sdk().expectRefusal(() => client().memories.forget({ containerTag: TAG, id: "nobody" }), "NotFoundError");
        await sdk().expectRefusal(() => client().memories.forget({ containerTag: TAG }), "BadRequestError");
        const found = await client().search.memories({
          q: "Nora",
          containerTag: TAG,
          include: { forgottenMemories: true },
        });
        expect(found.results.map(({ memory }) => memory)).toContain("Nora keeps bees");
      },
    );
  });
}
