import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { type OpenedRest, openRest } from "../support/rest.js";

const MEGABYTE = 1024 * 1024;
const DOCUMENTS = 24;

let rest: OpenedRest;
let key: string;

beforeAll(async () => {
  rest = await openRest();
  const call = { actor: rest.actor };
  // Embedded binary data is returned with the text, but not split into chunks.
  const content = `The long report shows a picture: data:image/png;base64,${"iVBORw0KGgo".repeat((MEGABYTE - 100) / 11)}`;
  for (let index = 0; index < DOCUMENTS; index += 1)
    await rest.core.addDocument(call, { content: `${index} ${content}`, containerTags: ["mia"], taskType: "superrag" });
  const grants = [{ containerTag: "mia", permission: "read" }];
  key = (await rest.core.createKey(call, { kind: "scoped", grants })).secret;
}, 60_000);
afterAll(() => rest.close());

/** Returns the response, and the longest time for which the event loop was blocked. */
async function ask(path: string, body: object) {
  let longest = 0;
  let last = performance.now();
  const ticking = setInterval(() => {
    longest = Math.max(longest, performance.now() - last);
    last = performance.now();
  }, 2);
  const answer = await rest.send("POST", path, body, { authorization: `Bearer ${key}` });
  clearInterval(ticking);
  return { ...answer, longest, bytes: JSON.stringify(answer.body).length };
}

describe("the text in one response to a read-only key is limited", () => {
  test("in a list with contents, which reports what it leaves out", async () => {
    const { status, body, bytes } = await ask("/v3/documents/list", { includeContent: true, limit: 1_100 });
    expect([status, body.memories.length]).toEqual([200, DOCUMENTS]);
    expect(bytes).toBeLessThan(18 * MEGABYTE);
    const without = body.memories.filter(({ content }: { content?: string }) => content === undefined).length;
    expect(without).toBeGreaterThan(5);
    expect(body.warnings).toEqual([expect.stringContaining(`content: left out of ${without} documents`)]);
    const page = await ask("/v3/documents/list", { includeContent: true, limit: 10, page: 2 });
    const contents = page.body.memories.map(({ content }: { content?: string }) => typeof content);
    expect(contents).toEqual(Array.from({ length: 10 }, () => "string"));
    expect(page.body.warnings).toBeUndefined();
  });

  test("for many documents by their ids, without blocking other requests", async () => {
    const { documents } = await rest.core.listDocuments({ actor: rest.actor }, { limit: DOCUMENTS });
    const ids = documents.map(({ id }) => id);
    const named = await ask("/v3/documents/documents/by-ids", { ids });
    expect([named.status, named.bytes < 19 * MEGABYTE]).toEqual([200, true]);
    const listed = await ask("/v3/documents/documents", { limit: 500 });
    expect(listed.status).toBe(200);
    expect(listed.longest).toBeLessThan(250);
  });

  test("in a search for whole documents", async () => {
    await rest.settle();
    const { status, bytes } = await ask("/v3/search", { q: "long report", includeFullDocs: true, limit: 100 });
    expect([status, bytes < 20 * MEGABYTE]).toEqual([200, true]);
  });
});
