import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { openCore, type OpenedCore } from "../../support/open-core.js";

const NOTES = [
  "Mia: Where do you work now?\nBen: At a bakery in Ghent, since May.\nMia: Do you like it?\nBen: I love the early mornings.",
  "Ben lives in Ghent with two cats. His sister Ada keeps bees behind the house.",
  "Ada bought a second beehive last spring, and sells honey on Saturdays.",
  "The bakery of Ghent opens at six. It sells rye bread, rolls and a plum cake.",
  "Mia repairs clocks, and collects old keys. Mia has never been to Ghent.",
  "Ben's cats are called Moss and Fern. Fern is afraid of bees.",
  "The server has 16 GB of memory.",
  "The wifi name is CellarNet.",
  "Deploys are done with Jenkins.",
  "The garden has 12 trees. It lies behind the bakery.",
  "The server has 32 GB of memory.",
  "The wifi name is now AtticNet.",
  "Deploys are no longer done with Jenkins.",
  "The garden has 15 trees, as Ada said. The garden has 15 trees.",
];
const CHANGED = [
  ["How much memory does the server have?", /32 GB/, /16 GB/],
  ["wifi name", /AtticNet/, /CellarNet/],
  ["How are deploys done? Jenkins?", /no longer done/, /are done/],
  ["How many trees has the garden?", /15 trees/, /12 trees/],
] as const;
const QUESTIONS = [
  "Where does Ben work?",
  "Who keeps bees?",
  "What are the cats called?",
  "What does Mia collect?",
  "When does the bakery open?",
  "What does Ada sell?",
  "bees",
  "Ghent",
  "Ada bought a second beehive last spring",
  "Which instrument does Ben play?",
  ...CHANGED.map(([q]) => q),
];
const MODES = ["memories", "hybrid", "documents"] as const;

let core: OpenedCore;
beforeAll(async () => {
  core = await openCore();
  for (const [index, content] of NOTES.entries())
    await core.core.addDocument({ actor: core.actor }, { customId: `note ${index}`, content, containerTags: ["a"] });
  await core.settle();
});
afterAll(() => core.close());

const search = async (q: string, more: object = {}) => {
  const input = { q, containerTags: ["a"], threshold: 0, limit: 50, searchMode: "hybrid" as const, ...more };
  const { results } = await core.core.search({ actor: core.actor }, input);
  return results.map(({ id, similarity }) => ({ id, similarity }));
};
const searchDocuments = async (q: string, more: object = {}) => {
  const { results } = await core.core.searchDocuments({ actor: core.actor }, { q, containerTags: ["a"], ...more });
  return results.map(({ document, score, chunks }) => ({ id: document.id, score, chunks }));
};

const similarities = (results: readonly { readonly similarity: number }[]) =>
  results.map(({ similarity }) => similarity);
const falling = (numbers: readonly number[]) => numbers.toSorted((one, other) => other - one);

describe.each(MODES)("a search for %s", (searchMode) => {
  test.each([{}, { rerank: true }, { rewriteQuery: true }])("returns the most similar first (%o)", async (care) => {
    for (const q of QUESTIONS) {
      const shown = similarities(await search(q, { searchMode, ...care }));
      expect(shown.length, q).toBeGreaterThan(0);
      expect(shown, q).toEqual(falling(shown));
    }
  });

  test.each([{}, { rerank: true }])("returns the same first results, whatever the limit (%o)", async (care) => {
    for (const q of QUESTIONS) {
      const all = await search(q, { searchMode, ...care });
      for (const limit of [1, 2, 5])
        expect(await search(q, { searchMode, ...care, limit }), q).toEqual(all.slice(0, limit));
    }
  });

  test.each([{}, { rerank: true }])("returns newer statements before those they change (%o)", async (care) => {
    for (const [q, now, before] of CHANGED) {
      const input = { q, containerTags: ["a"], threshold: 0, limit: 50, searchMode, ...care };
      const { results } = await core.core.search({ actor: core.actor }, input);
      const texts = results.map(({ text }) => text);
      const [newer, older] = [now, before].map((said) => texts.findIndex((text) => said.test(text)));
      if (older !== -1) expect(texts.slice(0, older), q).toContain(texts[newer ?? -1]);
    }
  });

  const cares = [{}, { rerank: true }, { rewriteQuery: true }, { rerank: true, rewriteQuery: true }];
  test.each(cares)("returns exactly the results at or above the threshold (%o)", async (care) => {
    for (const q of QUESTIONS) {
      const all = await search(q, { searchMode, ...care });
      for (const threshold of [0.3, 0.5, 0.8, all[0]?.similarity ?? 1])
        expect(await search(q, { searchMode, ...care, threshold }), q).toEqual(
          all.filter(({ similarity }) => similarity >= threshold),
        );
    }
  });

  test.each(cares)("returns the same similarity as the other modes (%o)", async (care) => {
    for (const q of QUESTIONS) {
      const known = new Map<string, number>();
      for (const mode of MODES)
        for (const { id, similarity } of await search(q, { searchMode: mode, ...care }))
          known.set(id, Math.max(similarity, known.get(id) ?? 0));
      const found = await search(q, { searchMode, ...care });
      expect(found, q).not.toEqual([]);
      for (const { id, similarity } of found) expect(similarity, q).toBe(known.get(id));
    }
  });
});

describe("a search for whole documents", () => {
  test("returns the best document first, and the best chunk of each first", async () => {
    for (const q of QUESTIONS) {
      const found = await searchDocuments(q);
      const scores = found.map(({ score }) => score);
      expect(scores, q).not.toEqual([]);
      expect(scores, q).toEqual(falling(scores));
      for (const { score, chunks } of found) {
        const own = chunks.map((chunk) => chunk.score);
        expect(own, q).toEqual(falling(own));
        expect(own[0], q).toBe(score);
      }
    }
  });

  test("returns newer statements before those they change", async () => {
    for (const [q, now] of CHANGED) expect((await searchDocuments(q))[0]?.chunks[0]?.content, q).toMatch(now);
  });

  test("returns the same first results, whatever the limit", async () => {
    for (const q of QUESTIONS) {
      const all = await searchDocuments(q);
      for (const limit of [1, 2]) expect(await searchDocuments(q, { limit }), q).toEqual(all.slice(0, limit));
    }
  });
});

test("in a container beyond the candidate limit, a memory has the same similarity, whatever else is searched", async () => {
  const memories = Array.from({ length: 90 }, (_, index) => ({ content: `Uma keeps jar ${index} of plum jam.` }));
  await core.core.createMemories({ actor: core.actor }, { containerTag: "jars", memories });
  for (let index = 0; index < 3; index += 1) {
    const content = Array.from({ length: 60 }, (_, line) => `Shelf ${line} of cellar ${index} holds plum jam for Uma.`);
    await core.core.addDocument(
      { actor: core.actor },
      {
        customId: `cellar ${index}`,
        content: content.join("\n\n"),
        containerTags: ["jars"],
        taskType: "superrag",
      },
    );
  }
  await core.settle();
  const find = (searchMode: string) =>
    search("Where is Uma's plum jam?", { containerTags: ["jars"], searchMode, limit: 100 });
  const [mixed, memoriesAlone] = [await find("hybrid"), await find("memories")];
  expect(memoriesAlone.length).toBeGreaterThanOrEqual(mixed.length / 2);
  expect(similarities(memoriesAlone)).toEqual(falling(similarities(memoriesAlone)));
  const known = new Map(mixed.map(({ id, similarity }) => [id, similarity]));
  const both = memoriesAlone.filter(({ id }) => known.has(id));
  expect(both.length).toBeGreaterThan(0);
  for (const { id, similarity } of both) expect(similarity).toBe(known.get(id));
});

test("in a container beyond the candidate limit, results of every mode have the same similarity in each", async () => {
  const people = ["Mia", "Tom", "Ulf", "Ida", "Jan", "Eva", "Leo", "Noa"];
  const says = ["lives in Rome", "drives a Volvo", "keeps a dog named Rex", "works at Siemens", "is allergic to nuts"];
  for (const [place, person] of people.entries())
    for (const [index, one] of says.entries()) {
      const content = `${person} ${one} since ${1990 + place}. The weather in week ${index} was fine, and ${person} was glad.`;
      await core.core.addDocument(
        { actor: core.actor },
        { customId: `${person} ${index}`, content, containerTags: ["town"] },
      );
    }
  for (let index = 0; index < 4; index += 1) {
    const lines = Array.from({ length: 40 }, (_, line) => `Line ${line} of list ${index}: a dog, a Volvo, nuts, Rome.`);
    const content = lines.join("\n\n");
    await core.core.addDocument({ actor: core.actor }, { customId: `list ${index}`, content, containerTags: ["town"] });
  }
  await core.settle();
  for (const care of [{}, { rerank: true }, { rewriteQuery: true }])
    for (const q of ["Where does Mia live?", "What car does Tom drive?", "nuts", "dog", "Ulf works Siemens"]) {
      const find = (searchMode: string) => search(q, { containerTags: ["town"], searchMode, limit: 100, ...care });
      const known = new Map((await find("hybrid")).map(({ id, similarity }) => [id, similarity]));
      for (const mode of ["memories", "documents"])
        for (const { id, similarity } of await find(mode))
          if (known.has(id)) expect(similarity, `${q} ${mode} ${JSON.stringify(care)}`).toBe(known.get(id));
    }
});
