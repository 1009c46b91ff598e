import { afterEach, beforeEach, expect, test } from "vitest";
import { type OpenedRest, openRest } from "../support/rest.js";

const BEES = "Ada keeps bees on the roof. Ada likes honey.";
const SHEEP = "Bo owns sheep on the hill.";
const NOTE = { customId: "note", containerTag: "farm" };

let rest: OpenedRest;
beforeEach(async () => {
  rest = await openRest({ asOwner: true });
});
afterEach(() => rest.close());

async function add(body: Record<string, unknown>): Promise<string> {
  const { body: answer } = await rest.send("POST", "/v3/documents", { containerTag: "farm", ...body });
  await rest.settle();
  return answer.id;
}

async function current(): Promise<string[]> {
  const { body } = await rest.send("POST", "/v4/memories/list", { containerTag: "farm" });
  const entries: { memory: string; isForgotten: boolean }[] = body.memoryEntries;
  return entries.flatMap(({ memory, isForgotten }) => (isForgotten ? [] : memory)).toSorted();
}

async function find(q: string, more: Record<string, unknown> = {}): Promise<any[]> {
  return (await rest.send("POST", "/v4/search", { q, containerTag: "farm", threshold: 0, ...more })).body.results;
}

test("adding a customId again with a different text keeps only that text and its passages", async () => {
  const id = await add({ ...NOTE, content: BEES });
  expect(await add({ ...NOTE, content: SHEEP })).toBe(id);
  const { body } = await rest.send("GET", "/v3/documents/note?containerTag=farm");
  expect(body).toMatchObject({ id, content: SHEEP, title: SHEEP });
  const { chunks } = (await rest.send("GET", `/v3/documents/${id}/chunks`)).body;
  expect(chunks.map(({ content }: any) => content)).toEqual([SHEEP]);
  const passages = await find("Who keeps bees on the roof?", { searchMode: "documents" });
  expect(passages.map(({ chunk }) => chunk)).toEqual([SHEEP]);
});

test("memories of the old text stay, as with an addition, unless the new text contradicts them", async () => {
  const id = await add({ ...NOTE, content: `${BEES} Ada lives in Ghent.` });
  await add({ ...NOTE, content: `${SHEEP} Ada moved to Porto.` });
  const known = await current();
  expect(known).toEqual(expect.arrayContaining(["Ada keeps bees on the roof", "Bo owns sheep on the hill"]));
  expect(known.filter((text) => text.includes("Ghent"))).toEqual([]);
  const [bees] = await find("Who keeps bees on the roof?", { searchMode: "memories", include: { documents: true } });
  expect(bees).toMatchObject({ memory: "Ada keeps bees on the roof", documents: [{ id }] });
});

test("replacing the text by PATCH removes what only the old text stated", async () => {
  await add({ ...NOTE, content: BEES });
  await rest.send("PATCH", "/v3/documents/note?containerTag=farm", { content: SHEEP });
  await rest.settle();
  expect(await current()).toEqual(["Bo owns sheep on the hill"]);
});
