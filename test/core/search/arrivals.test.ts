import { afterAll, beforeAll, expect, test } from "vitest";
import { type OpenedCore, openCore } from "../../support/open-core.js";

let opened: OpenedCore;
beforeAll(async () => {
  opened = await openCore();
});
afterAll(() => opened.close());

test.each(["hybrid", "memories", "documents"] as const)("finds what was just added in %s", async (mode) => {
  const { core } = opened;
  for (let round = 0; round < 10; round += 1) {
    const containerTags = [`${mode}-${round}`];
    await core.addDocument({ actor: opened.actor }, { content: "Mia prefers trains to planes.", containerTags });
    const { results } = await core.search(
      { actor: opened.actor },
      {
        q: "How does Mia like to travel: trains or planes?",
        containerTags,
        searchMode: mode,
      },
    );
    expect(results.length, `round ${round}`).toBeGreaterThan(0);
  }
});

test("finds whole documents that were just added", async () => {
  const { core } = opened;
  await core.addDocument(
    { actor: opened.actor },
    { content: "Mia prefers trains to planes.", containerTags: ["whole"] },
  );
  const { results } = await core.searchDocuments(
    { actor: opened.actor },
    { q: "trains or planes", containerTags: ["whole"] },
  );
  expect(results).toHaveLength(1);
});
