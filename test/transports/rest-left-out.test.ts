import { afterAll, beforeAll, expect, test } from "vitest";
import { type OpenedRest, openRest } from "../support/rest.js";

let rest: OpenedRest;
beforeAll(async () => {
  rest = await openRest({ asOwner: true });
});
afterAll(() => rest.close());

const FACTS = ["Mia owns a kayak.", "Mia owns a loom.", "Mia owns a violin."];
const TOLD = [
  "memories: 2 facts were left out, because the settings allow no more memories (maxMemoriesPerDocument, maxMemoriesPerContainer)",
];

test("facts over the limit are reported by the document, in lists, and by an addition that waits", async () => {
  await rest.send("PATCH", "/v3/settings", { maxMemoriesPerDocument: 1 });
  const facts = FACTS.map((text) => ({ text }));
  const body = { content: FACTS.join(" "), facts, containerTag: "a", customId: "full" };
  const added = await rest.send("POST", "/v3/documents", body, { prefer: "wait=20" });
  expect(added.body).toMatchObject({ dreamingStatus: "done", warnings: TOLD });
  await rest.send("POST", "/v3/documents", { content: FACTS[0], containerTag: "a", customId: "one" });
  await rest.settle();
  expect((await rest.send("GET", "/v3/documents/full")).body.warnings).toEqual(TOLD);
  expect((await rest.send("GET", "/v3/documents/one")).body).not.toHaveProperty("warnings");
  const { body: listed } = await rest.send("POST", "/v3/documents/list", { containerTags: ["a"] });
  const told = listed.memories.map(({ customId, warnings }: { customId: string; warnings?: string[] }) => [
    customId,
    warnings,
  ]);
  expect(Object.fromEntries(told)).toEqual({ full: TOLD, one: undefined });
});
