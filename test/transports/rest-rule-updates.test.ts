import { afterAll, beforeAll, expect, test } from "vitest";
import { openRest, type OpenedRest } from "../support/rest.js";

let rest: OpenedRest;
beforeAll(async () => {
  rest = await openRest();
});
afterAll(() => rest.close());

const add = (containerTag: string, content: string, more: Record<string, unknown> = {}) =>
  rest.send("POST", "/v3/documents", { containerTag, content, ...more }, { prefer: "wait=30" });

async function known(containerTag: string): Promise<{ memory: string; version: number; history: unknown[] }[]> {
  const { body } = await rest.send("POST", "/v4/memories/list", { containerTags: [containerTag] });
  return body.memoryEntries;
}

async function passages(containerTag: string, q: string): Promise<{ chunk: string; version: number }[]> {
  return (await rest.send("POST", "/v4/search", { q, containerTag, searchMode: "documents", threshold: 0 })).body
    .results;
}

test("without a model, a statement that a thing was sold replaces the one that it was used", async () => {
  await add("cars", "I drive a Volvo. I work at Bosch.");
  await add("cars", "I sold the Volvo.");
  expect((await known("cars")).map(({ memory, version }) => `${memory}, version ${version}`).sort()).toEqual([
    "User sold the Volvo, version 2",
    "User works at Bosch, version 1",
  ]);
  const { body } = await rest.send("POST", "/v4/search", {
    q: "Which car does the user drive?",
    containerTag: "cars",
    searchMode: "memories",
    threshold: 0,
  });
  expect(body.results.map(({ memory }: { memory: string }) => memory)).not.toContain("User drives a Volvo");
});

test("an allergy that is over does not end another one", async () => {
  await add("allergies", "I have an allergy to nuts.");
  await add("allergies", "I no longer have an allergy to cats.");
  const q = "What am I allergic to?";
  const { body } = await rest.send("POST", "/v4/search", { q, containerTag: "allergies", threshold: 0 });
  expect(body.results.map(({ memory }: { memory: string }) => memory)).toContain("User has an allergy to nuts");
});

test("a detail about a dog extends the memory that there is one, and both stay", async () => {
  await add("dogs", "I have a dog named Rex.");
  const { body } = await add("dogs", "Rex is a golden retriever.");
  const { memories } = (await rest.send("GET", `/v3/documents/${body.id}`)).body;
  expect(memories).toMatchObject([{ memory: "Rex is a golden retriever", version: 1 }]);
  expect((await known("dogs")).map(({ memory }) => memory).sort()).toEqual([
    "Rex is a golden retriever",
    "User has a dog named Rex",
  ]);
});

test.each(["POST", "PATCH"])("a passage's version counts the texts of its document, changed by %s", async (how) => {
  const containerTag = `texts-${how}`;
  const { body } = await add(containerTag, "Boris drives a Fiat.", { customId: `car-${how}` });
  expect(await passages(containerTag, "Boris drives")).toMatchObject([{ chunk: "Boris drives a Fiat.", version: 1 }]);
  const content = "Boris drives a Skoda.";
  if (how === "POST") await add(containerTag, content, { customId: `car-${how}` });
  else await rest.send("PATCH", `/v3/documents/${body.id}`, { content }, { prefer: "wait=30" });
  await expect.poll(() => passages(containerTag, "Boris drives")).toMatchObject([{ chunk: content, version: 2 }]);
  await expect
    .poll(async () => (await known(containerTag)).map(({ memory }) => memory))
    .toEqual(["Boris drives a Skoda"]);
});

test("each of six plain notes is remembered", async () => {
  const notes = [
    "The VPN gateway is vpn.example.org.",
    "Please always answer in German.",
    "We decided to use Postgres.",
    "SLA means service level agreement.",
    "Our office is at Keizersgracht 12, Amsterdam.",
    "Mijn zus woont in Gent.",
  ];
  for (const note of notes) await add("notes", note);
  expect(await known("notes")).toHaveLength(notes.length);
});
