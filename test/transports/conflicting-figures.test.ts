import { afterEach, beforeEach, expect, test } from "vitest";
import { createMcpFactory } from "../../src/transports/mcp/server.js";
import { connectInMemory } from "../support/mcp-client.js";
import { silentLog } from "../support/open-core.js";
import { openRest, type OpenedRest } from "../support/rest.js";

let rest: OpenedRest;
beforeEach(async () => {
  rest = await openRest({ asOwner: true });
});
afterEach(() => rest.close());

const LESS = "The rate limit is 300 requests a minute";
const MORE = "The rate limit is 600 requests a minute";

async function state(content: string, containerTag = "api"): Promise<string> {
  const { body } = await rest.send("POST", "/v4/memories", { containerTag, memories: [{ content }] });
  await rest.settle();
  return body.memories[0].id;
}

interface Hit {
  readonly id: string;
  readonly memory?: string;
  readonly similarity: number;
  readonly conflictsWith?: readonly string[];
}

async function search(q: string, more: Record<string, unknown> = {}): Promise<readonly Hit[]> {
  const { body } = await rest.send("POST", "/v4/search", { q, containerTag: "api", searchMode: "hybrid", ...more });
  return body.results;
}

test.each([
  [LESS, MORE],
  [MORE, LESS],
])("two figures for one thing refer to each other, the newer one first: %s, then %s", async (first, then) => {
  const older = await state(first);
  const newer = await state(then);
  await state("The rate limit of the EU region is 100 requests a minute");
  for (const q of ["What is the rate limit?", first, then]) {
    const found = await search(q, { threshold: 0.3 });
    const told = found.filter(({ conflictsWith }) => conflictsWith);
    expect(told.map(({ id, conflictsWith }) => [id, conflictsWith])).toEqual([
      [newer, [older]],
      [older, [newer]],
    ]);
    const similarities = found.map(({ similarity }) => similarity);
    expect(similarities).toEqual(similarities.toSorted((one, other) => other - one));
  }
});

test("a memory that replaced another has no conflicts, and neither has one in another container", async () => {
  const id = await state(LESS);
  await rest.send("PATCH", "/v4/memories", { id, containerTag: "api", newContent: MORE });
  await state(LESS, "other");
  await rest.settle();
  const found = await search("What is the rate limit?", { threshold: 0, include: { forgottenMemories: true } });
  expect(found.length).toBeGreaterThan(0);
  expect(found.every((hit) => !("conflictsWith" in hit))).toBe(true);
});

test("a later web page is not ranked before what the user said", async () => {
  const said = await state(LESS);
  const { core, actor } = rest;
  await core.addDocument(
    { actor },
    { content: `${MORE}.`, containerTags: ["api"], origin: "web", facts: [{ text: MORE, quote: MORE }] },
  );
  await rest.settle();
  const told = (await search("What is the rate limit?", { searchMode: "memories" })).filter((hit) => hit.conflictsWith);
  expect(told.map(({ id }) => id)[0]).toBe(said);
  expect(told).toHaveLength(2);
});

test("an agent sees the conflict beside each memory", async () => {
  const older = await state(LESS);
  const newer = await state(MORE);
  const { core, actor } = rest;
  const session = () => Promise.resolve({ core, actor });
  const mcp = await connectInMemory(
    "v2 auto",
    createMcpFactory({ principal: () => ({ session, defaultContainer: "api" }), log: silentLog, version: "0.0.0" }),
  );
  try {
    const { text, structured } = await mcp.call("search", { query: "What is the rate limit?" });
    expect(text).toMatch(
      new RegExp(`${newer}\\] [^\n]*conflicts with ${older}[^]*${older}\\] [^\n]*conflicts with ${newer}`),
    );
    expect(structured).toMatchObject({ results: [{ id: newer, conflictsWith: [older] }, { id: older }] });
  } finally {
    await mcp.close();
  }
});
