import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { openRest, type OpenedRest } from "../support/rest.js";

/** A file states current facts: a fact ends when the file no longer contains its sentence. */
let rest: OpenedRest;
beforeEach(async () => {
  rest = await openRest({ asOwner: true });
});
afterEach(() => rest.close());

const FILE = "file:/home/mia/notes.md";
const BOTH = "Mia lives in Ghent.\n\nMia plays the cello.\n";
const ONE = "Mia lives in Ghent.\n";

async function add(content: string, customId = FILE): Promise<void> {
  await rest.send("POST", "/v3/documents", { content, customId, containerTag: "mia", dreaming: "instant" });
  await rest.settle();
}

async function known(): Promise<readonly string[]> {
  const { body } = await rest.send("POST", "/v4/memories/list", { containerTags: ["mia"] });
  return body.memoryEntries
    .filter((one: { isForgotten: boolean; isLatest: boolean }) => !one.isForgotten && one.isLatest)
    .map((one: { memory: string }) => one.memory)
    .toSorted();
}

const CELLO = "Mia plays the cello";
const GHENT = "Mia lives in Ghent";

describe("a sentence deleted from a file", () => {
  test("removes its fact, and undo restores it", async () => {
    await add(BOTH);
    expect(await known()).toEqual([GHENT, CELLO]);
    await add(ONE);
    expect(await known()).toEqual([GHENT]);
    const { body } = await rest.send("GET", "/v3/journal?containerTag=mia");
    const { status } = await rest.send("POST", `/v3/journal/${body.entries[0].batchId}/undo`);
    expect(status).toBe(200);
    expect(await known()).toEqual([GHENT, CELLO]);
  });

  test("restores its fact when the sentence returns, and the fact is found again", async () => {
    await add(BOTH);
    await add(ONE);
    await add(BOTH);
    expect(await known()).toEqual([GHENT, CELLO]);
    const { body } = await rest.send("POST", "/v4/search", { q: "what does Mia play?", containerTag: "mia" });
    expect(JSON.stringify(body.results)).toContain("cello");
  });

  test("does not remove facts stated by another document or changed by a person", async () => {
    await add(BOTH);
    await add("Mia plays the cello.", "note");
    await add(ONE);
    expect(await known()).toEqual([GHENT, CELLO]);
    await rest.send("PATCH", "/v4/memories", {
      content: GHENT,
      containerTag: "mia",
      newContent: "Mia lives in Bruges",
    });
    await add("Nothing else.\n");
    expect(await known()).toContain("Mia lives in Bruges");
  });

  test("keeps a fact that replaced one from another document", async () => {
    await add("Mia lives in Bruges.\n", "note");
    await add("Mia moved to Ghent.\n");
    const before = await known();
    await add("Nothing else.\n");
    expect(await known()).toEqual(before);
  });

  test("keeps its fact when the sentence was only moved", async () => {
    await add(BOTH);
    await add("Mia plays the cello.\n\nMia lives in Ghent.\n");
    expect(await known()).toEqual([GHENT, CELLO]);
  });
});

test("a note that is not identified by a path keeps facts from its earlier text", async () => {
  await add(BOTH, "note");
  await add(ONE, "note");
  expect(await known()).toEqual([GHENT, CELLO]);
});
