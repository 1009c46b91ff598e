import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { encodeForm } from "../support/forms.js";
import { openRest, type OpenedRest } from "../support/rest.js";

let rest: OpenedRest;
const containerTag = "shop";
const wait = { prefer: "wait=30" };

beforeAll(async () => {
  rest = await openRest();
});
afterAll(() => rest.close());

const send = async (method: string, path: string, body: unknown, headers: Record<string, string> = {}) => {
  const answer = await rest.send(method, path, body, headers);
  expect([path, answer.status, answer.body?.message]).toEqual([path, expect.toSatisfy((s) => s < 300), undefined]);
  return answer.body;
};

/** Every way to add something, each with an end user. */
const ADDITIONS: Readonly<Record<string, (content: string, endUserId: string) => Promise<unknown>>> = {
  "a document": (content, endUserId) =>
    send("POST", "/v3/documents", { content, containerTag, endUserId, dreaming: "instant" }, wait),
  "a document of a batch": (content, endUserId) =>
    send("POST", "/v3/documents/batch", { containerTag, documents: [{ content, endUserId, dreaming: "instant" }] }),
  "a whole batch": (content, endUserId) =>
    send("POST", "/v3/documents/batch", { containerTag, endUserId, dreaming: "instant", documents: [content] }),
  "a file": async (content, endUserId) => {
    const file = new File([content], "note.txt", { type: "text/plain" });
    const form = await encodeForm({ file, containerTag, endUserId, dreaming: "instant" });
    return send("POST", "/v3/documents/file", form.bytes, { ...form.headers, ...wait });
  },
  "a conversation": (content, endUserId) =>
    send("POST", "/v4/conversations", {
      conversationId: `chat-${endUserId}`,
      messages: [{ role: "user", content }],
      containerTag,
      endUserId,
    }),
  memories: (content, endUserId) => send("POST", "/v4/memories", { containerTag, endUserId, memories: [{ content }] }),
};

describe("an end user given with", () => {
  test.each(Object.entries(ADDITIONS))("%s is stored, and narrows searches, lists and profiles", async (name, add) => {
    const slug = name.replaceAll(" ", "-");
    const [mine, theirs] = [`${slug}-1`, `${slug}-2`];
    await add(`Mia keeps bees in Lisbon, says ${mine}.`, mine);
    await add(`Mia keeps bees in Lisbon, says ${theirs}.`, theirs);
    await rest.settle();
    const found = await send("POST", "/v4/search", {
      q: "bees in Lisbon",
      containerTag,
      endUserId: mine,
      threshold: 0,
    });
    const texts = JSON.stringify(found.results.map((result: any) => result.memory ?? result.chunk));
    expect(texts).toContain(mine);
    expect(texts).not.toContain(theirs);
    for (const path of ["/v3/documents/list", "/v3/documents/documents"]) {
      const listed = await send("POST", path, { containerTags: [containerTag], endUserId: mine });
      expect([path, listed.pagination.totalItems]).toEqual([path, 1]);
      expect((listed.memories ?? listed.documents)[0].metadata).toMatchObject({ endUserId: mine });
    }
    const query = await send("GET", `/v3/documents?containerTag=${containerTag}&endUserId=${mine}`, undefined);
    expect(query.pagination.totalItems).toBe(1);
    const memories = await send("POST", "/v4/memories/list", { containerTags: [containerTag], endUserId: mine });
    const profile = await send("POST", "/v4/profile", { containerTag, endUserId: mine, q: "bees" });
    for (const answer of [memories, profile]) {
      expect(JSON.stringify(answer)).toContain(`says ${mine}`);
      expect(JSON.stringify(answer)).not.toContain(`says ${theirs}`);
    }
  });

  test("a change to a document is stored, and leaves the other metadata", async () => {
    const added = { content: "The lease ends in May.", containerTag: "change", metadata: { team: "red" } };
    const { id } = await send("POST", "/v3/documents", added, wait);
    await send("PATCH", `/v3/documents/${id}`, { endUserId: "late" });
    const { metadata } = await send("GET", `/v3/documents/${id}`, undefined);
    expect(metadata).toEqual({ team: "red", endUserId: "late" });
  });
});

test("a memory stated by two end users belongs to both", async () => {
  const memories = [{ content: "The office closes at six." }];
  for (const endUserId of ["ann", "ben"])
    await send("POST", "/v4/memories", { containerTag: "two", endUserId, memories });
  for (const endUserId of ["ann", "ben"]) {
    const { memoryEntries } = await send("POST", "/v4/memories/list", { containerTags: ["two"], endUserId });
    expect(memoryEntries).toHaveLength(1);
  }
});

describe("where two end users state the same fact", () => {
  const shared = "neighbours";
  const state = (endUserId: string, content: string, metadata = {}) => {
    const addition = { content, containerTag: shared, endUserId, metadata, dreaming: "instant" };
    return send("POST", "/v3/documents", addition, wait);
  };
  const search = (q: string) =>
    send("POST", "/v4/search", {
      q,
      containerTag: shared,
      endUserId: "una",
      threshold: 0,
      include: { documents: true, summaries: true, chunks: true, relatedMemories: true },
    });
  const list = () => send("POST", "/v4/memories/list", { containerTags: [shared], endUserId: "una" });
  let mine: string;

  beforeAll(async () => {
    mine = (await state("una", "Tom works at Bosch.")).id;
    await state("ulf", "Tom works at Bosch. Tom earns 99000 euros secretly.", { note: "ULFNOTE" });
    await state("ulf", "Anna lives in Rome.");
    await state("una", "Anna moved to Oslo.");
    await rest.settle();
  });

  test("a search returns only the end user's documents, passages and versions", async () => {
    const { results } = await search("Where does Tom work?");
    expect(results.find((result: any) => /Bosch/.test(result.memory)).documents).toMatchObject([{ id: mine }]);
    const answers = JSON.stringify([results, await search("Where does Anna live?")]);
    expect(answers).toContain("Oslo");
    expect(answers).not.toMatch(/99000|ULFNOTE|Rome/);
  });

  test("a list of memories names only the end user's documents and versions", async () => {
    const { memoryEntries } = await list();
    const stated = memoryEntries.find((entry: any) => /Bosch/.test(entry.memory));
    expect(stated.documentIds).toEqual([mine]);
    expect(memoryEntries.map((entry: any) => entry.memory)).toContainEqual(expect.stringContaining("Oslo"));
    expect(JSON.stringify(memoryEntries)).not.toMatch(/99000|Rome/);
  });

  test("the end user's earlier versions stay", async () => {
    await state("una", "Anna moved to Lima.");
    await rest.settle();
    const { memoryEntries } = await list();
    const newest = memoryEntries.find((entry: any) => /Lima/.test(entry.memory));
    expect(newest.history.map((version: any) => version.memory)).toEqual([expect.stringContaining("Oslo")]);
    const { results } = await search("Where does Anna live?");
    const { parents } = results.find((result: any) => /Lima/.test(result.memory)).context;
    expect(parents.map(({ memory }: any) => memory)).toEqual([expect.stringContaining("Oslo")]);
  });
});

test.each([
  ["POST", "/v3/documents", { content: "x", endUserId: "a", metadata: { endUserId: "b" } }, /^endUserId: differs/],
  ["POST", "/v3/documents", { content: "x", endUserId: "" }, /^endUserId: must not be empty/],
  ["POST", "/v3/documents", { content: "x", endUserId: 7 }, /^endUserId: must be a string/],
  ["POST", "/v3/documents/list", { endUserId: "" }, /^endUserId: must not be empty/],
  ["POST", "/v4/profile", { containerTag: "a", endUserId: 7 }, /^endUserId: must be a string/],
])("%s %s refuses %j", async (method, path, body, message) => {
  const answer = await rest.send(method, path, body);
  expect([answer.status, answer.body.message]).toEqual([400, expect.stringMatching(message)]);
});
