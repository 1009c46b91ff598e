import { afterEach, beforeEach, expect, test } from "vitest";
import { seededNumbers } from "../support/hostile-files.js";
import { openRest, type OpenedRest } from "../support/rest.js";

/** If forgetting reports that searches leave a statement out, no search returns any of its occurrences. */
let rest: OpenedRest;
beforeEach(async () => {
  rest = await openRest({ asOwner: true });
});
afterEach(() => rest.close());

const SALARY = "salary at the Rotterdam harbour company is 4711 euros before tax and bonus payments";
const WAYS = [
  `My ${SALARY}.`,
  `Yes, my ${SALARY}!`,
  `So, MY ${SALARY} and I am glad.`,
  `My  ${SALARY.replace("harbour company", "harbour\ncompany")}.`,
  `“My ${SALARY.replace("4711", "4711 ")}”.`,
];
const FILLERS = [
  "The weather was fine.",
  "Later that day we spoke of ships and cranes and ropes along the quay and of nothing else at all.",
  "The harbour has a museum, which opens at nine.",
  "Nobody was late.",
];
const MODES = ["hybrid", "documents", "memories"];

async function forgetAll(containerTag: string): Promise<boolean[]> {
  const { body } = await rest.send("POST", "/v4/memories/list", { containerTags: [containerTag], limit: 100 });
  const entries: { id: string; memory: string }[] = body.memoryEntries;
  const answers = [];
  for (const { id } of entries.filter(({ memory }) => memory.includes("4711")))
    answers.push((await rest.send("DELETE", "/v4/memories", { id, containerTag })).body);
  return answers.flatMap(({ statedIn }) => statedIn.map(({ isLeftOut }: { isLeftOut: boolean }) => isLeftOut));
}

async function expectNoneFound(containerTag: string, told: string): Promise<void> {
  const asked = ["What is the salary in euros?", "Rotterdam harbour company", "bonus payments before tax"];
  for (const q of asked) {
    const found = await Promise.all([
      ...MODES.map((searchMode) => rest.send("POST", "/v4/search", { q, containerTag, searchMode, threshold: 0 })),
      rest.send("POST", "/v3/search", { q, containerTags: [containerTag], chunkThreshold: 0 }),
    ]);
    const texts = JSON.stringify(found.map(({ body }) => body.results));
    expect(texts, `${told} ${q}`).not.toMatch(/4711|bonus payments|Rotterdam/);
  }
}

test.each([null, 60, 100, 140, 200])(
  "a forgotten statement is found in none of its forms, with chunks of %s characters",
  async (size) => {
    await rest.send("PATCH", "/v3/settings", { chunkSize: size });
    const next = seededNumbers(size ?? 1);
    for (let index = 0; index < 4; index += 1) {
      const containerTag = `t${index}`;
      const some = Array.from({ length: 6 }, () => FILLERS[next(FILLERS.length)]);
      const content = [...some.slice(0, next(4)), WAYS[0], ...some.slice(3), WAYS[next(WAYS.length)], some[0]].join(
        " ",
      );
      await rest.send("POST", "/v3/documents", { content, containerTag });
      await rest.settle();
      const isLeftOut = await forgetAll(containerTag);
      expect(isLeftOut.length).toBeGreaterThan(0);
      if (isLeftOut.every(Boolean)) await expectNoneFound(containerTag, content);
    }
  },
);

test("a forgotten statement repeated in other turns of a conversation is not found there either", async () => {
  const said = [
    "I live in Ghent.",
    "Which trains are there? I live in Ghent, remember.",
    "So, I live in Ghent and need a bike.",
  ];
  const messages = said.flatMap((content) => [
    { role: "user", content },
    { role: "assistant", content: "Many thanks." },
  ]);
  await rest.send("POST", "/v4/conversations", { conversationId: "c", containerTags: ["home"], messages });
  await rest.settle();
  const { body } = await rest.send("POST", "/v4/memories/list", { containerTags: ["home"] });
  const ids = body.memoryEntries.flatMap(({ id, memory }: { id: string; memory: string }) =>
    /Ghent/.test(memory) ? [id] : [],
  );
  expect(ids.length).toBeGreaterThan(0);
  for (const id of ids) await rest.send("DELETE", "/v4/memories", { id, containerTag: "home" });
  for (const searchMode of MODES) {
    const found = await rest.send("POST", "/v4/search", {
      q: "Where do I live?",
      containerTag: "home",
      searchMode,
      threshold: 0,
    });
    expect(JSON.stringify(found.body.results), searchMode).not.toContain("Ghent");
  }
});

test("a sentence that only begins with the same word is still found", async () => {
  await rest.send("PATCH", "/v3/settings", { chunkSize: 60 });
  const content = "Boris lives in the town of Ghent. Ghent has a fine museum beside the river. Boris was born in Ulm.";
  await rest.send("POST", "/v3/documents", { content, containerTag: "home" });
  await rest.settle();
  const { body } = await rest.send("POST", "/v4/memories/list", { containerTags: ["home"] });
  for (const { id, memory } of body.memoryEntries)
    if (/lives/.test(memory)) await rest.send("DELETE", "/v4/memories", { id, containerTag: "home" });
  const found = await rest.send("POST", "/v4/search", {
    q: "museum",
    containerTag: "home",
    searchMode: "documents",
    threshold: 0,
  });
  const texts = JSON.stringify(found.body.results);
  expect(texts).toContain("Ghent has a fine museum");
  expect(texts).not.toContain("lives");
});
