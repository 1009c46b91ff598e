import { afterEach, beforeEach, expect, test } from "vitest";
import { openRest, type OpenedRest } from "../support/rest.js";

let rest: OpenedRest;
beforeEach(async () => {
  rest = await openRest({ asOwner: true });
});
afterEach(() => rest.close());

test("a stricter threshold leaves results out and adds none, also of statements that a memory repeats", async () => {
  const { core, actor } = rest;
  await core.addDocument({ actor }, { content: "User drives a Fiat.", containerTags: ["m"], dreaming: "instant" });
  const content =
    "user: I work as a baker in Porto and I drink only tea.\nassistant: Noted!\nuser: Tom works at Bosch and drives a Volvo every day.";
  await core.addDocument({ actor }, { content, containerTags: ["m"], dreaming: "instant" });
  await rest.settle();
  const found = async (threshold: number): Promise<string[]> => {
    const { body } = await rest.send("POST", "/v4/search", {
      q: "what do I drive",
      containerTag: "m",
      searchMode: "memories",
      threshold,
      limit: 50,
    });
    return body.results.map(({ memory }: { memory: string }) => memory);
  };
  const all = await found(0);
  expect(all.length).toBeGreaterThan(1);
  for (const threshold of [0.3, 0.5, 0.6, 0.7, 0.8, 0.9]) {
    const some = await found(threshold);
    expect(all).toEqual(expect.arrayContaining(some));
  }
});
