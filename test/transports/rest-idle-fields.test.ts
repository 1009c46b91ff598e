import { afterAll, beforeAll, expect, test } from "vitest";
import { encodeForm } from "../support/forms.js";
import { type OpenedRest, openRest } from "../support/rest.js";

let rest: OpenedRest;
beforeAll(async () => {
  rest = await openRest({ asOwner: true });
});
afterAll(() => rest.close());

async function warnings(method: string, path: string, body: Record<string, unknown>): Promise<readonly string[]> {
  const answer = await rest.send(method, path, body);
  expect(answer.status).toBeLessThan(300);
  return answer.body.warnings ?? [];
}

test.each(["https://example.org/news", " HTTP://example.org/a?b=c \n"])(
  "the address %j alone is fetched, without a warning",
  async (content) => {
    const one = { content, containerTag: "a", customId: "page" };
    expect(await warnings("POST", "/v3/documents", one)).toEqual([]);
    expect(await warnings("POST", "/v3/documents/batch", { documents: [one, { content: "Mia." }] })).toEqual([]);
    expect(await warnings("PATCH", "/v3/documents/page", { content })).toEqual([]);
    expect((await rest.send("GET", "/v3/documents/page")).body.url).toBe(content.trim());
  },
);

test("an address inside a text, and a fact that is an address, are stored without a warning", async () => {
  expect(await warnings("POST", "/v3/documents", { content: "See https://example.org." })).toEqual([]);
  const memories = [{ content: "https://example.org" }];
  expect(await warnings("POST", "/v4/memories", { memories, containerTag: "a" })).toEqual([]);
});

test("warns that `filterByMetadata` has no effect without a model", async () => {
  const document = { content: "Mia keeps bees.", containerTag: "a", filterByMetadata: { team: "red" } };
  const told = [expect.stringMatching(/^filterByMetadata: limits only what is shown to a language model/)];
  expect(await warnings("POST", "/v3/documents", document)).toEqual(told);
  expect(await warnings("POST", "/v3/documents/batch", { documents: [document] })).toEqual(told);
  expect(await warnings("POST", "/v3/documents", { ...document, filterByMetadata: {} })).toEqual([]);
});

test("warns that the threshold of a profile without a question has no effect", async () => {
  const profile = { containerTag: "a", threshold: 0.9 };
  const told = ["threshold: has no effect without q"];
  expect(await warnings("POST", "/v4/profile", profile)).toEqual(told);
  expect(await warnings("POST", "/v4/profile", { ...profile, q: "  " })).toEqual(told);
  expect(await warnings("POST", "/v4/profile", { ...profile, q: "bees" })).toEqual([]);
});

test("warns that the stated type of a file has no effect", async () => {
  const form = await encodeForm({ file: new File(["Mia keeps bees."], "notes.txt"), fileType: "pdf" });
  const { body } = await rest.send("POST", "/v3/documents/file", form.bytes, form.headers);
  expect(body.warnings).toEqual([expect.stringMatching(/^fileType: has no effect/)]);
});

test.each([
  ["/v3/journal", "memory.updated", "memory.added"],
  ["/v3/audit", "createKey", "purge"],
])("%s refuses an unknown action and names the known ones", async (path, valid, other) => {
  expect((await rest.send("GET", `${path}?action=${valid}`)).status).toBe(200);
  const { status, body } = await rest.send("GET", `${path}?action=nope`);
  expect(status).toBe(400);
  expect(body.details).toContain(valid);
  expect(body.details).toContain(other);
});
