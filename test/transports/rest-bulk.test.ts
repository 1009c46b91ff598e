import { afterAll, beforeAll, beforeEach, describe, expect, test } from "vitest";
import { openRest, type OpenedRest } from "../support/rest.js";

let rest: OpenedRest;
beforeAll(async () => {
  rest = await openRest();
});
afterAll(() => rest.close());

const remove = (body?: unknown) => rest.send("DELETE", "/v3/documents/bulk", body);
const add = async (fields: Record<string, unknown>) =>
  (await rest.send("POST", "/v3/documents", { content: "Words to keep.", ...fields })).body.id as string;
const exists = async (id: string) => (await rest.send("GET", `/v3/documents/${id}`)).status === 200;
const remember = async (containerTag: string, content: string) =>
  (await rest.send("POST", "/v4/memories", { containerTag, memories: [{ content }] })).body as {
    documentId: string;
    memories: { id: string }[];
  };

/** A container that no other test uses. */
let tag: string;
let counter = 0;
beforeEach(() => {
  counter += 1;
  tag = `bulk:${counter}`;
});

describe("DELETE /v3/documents/bulk by ids", () => {
  test("accepts ids, customIds and memory ids, and says which was which", async () => {
    const first = await add({ containerTag: tag });
    const second = await add({ containerTag: tag, customId: `${tag}/second` });
    const { memories } = await remember(tag, "Ada is a beekeeper.");
    const memory = memories[0]?.id ?? "";
    const { status, body } = await remove({ ids: [first, `${tag}/second`, memory] });
    expect(status).toBe(200);
    expect(body).toEqual({
      success: true,
      deletedCount: 3,
      removed: [
        { id: first, kind: "document" },
        { id: second, kind: "document" },
        { id: memory, kind: "memory" },
      ],
      statedIn: [],
    });
    expect(await exists(first)).toBe(false);
    expect(await exists(second)).toBe(false);
  });

  test("reports an unknown id and still removes the others", async () => {
    const id = await add({ containerTag: tag });
    const { body } = await remove({ ids: ["nobody", id, "111111111111111111111a"] });
    expect(body).toEqual({
      success: false,
      deletedCount: 1,
      errors: [
        { id: "nobody", error: "Document not found: nobody" },
        { id: "111111111111111111111a", error: "Document not found: 111111111111111111111a" },
      ],
      removed: [{ id, kind: "document" }],
    });
  });

  test("removes and counts an id once that is repeated or given under both its names", async () => {
    const id = await add({ containerTag: tag, customId: `${tag}/x` });
    expect((await remove({ ids: [id, id] })).body).toMatchObject({ success: true, deletedCount: 1 });
    const again = await add({ containerTag: tag, customId: `${tag}/x` });
    expect((await remove({ ids: [again, `${tag}/x`] })).body).toMatchObject({ success: false, deletedCount: 1 });
  });

  test("narrows the ids by container tags and path", async () => {
    const here = await add({ containerTag: tag, filepath: "/docs/a.md" });
    const there = await add({ containerTag: `${tag}.other`, filepath: "/docs/b.md" });
    const elsewhere = await add({ containerTag: tag, filepath: "/other/c.md" });
    const { body } = await remove({ ids: [here, there, elsewhere], containerTags: [tag], filepath: "/docs/" });
    expect(body).toMatchObject({ success: false, deletedCount: 1, removed: [{ id: here }] });
    expect(body.errors.map(({ id }: { id: string }) => id)).toEqual([there, elsewhere]);
    expect(body).not.toHaveProperty("containerTags");
    expect(await exists(there)).toBe(true);
    expect(await exists(elsewhere)).toBe(true);
  });

  test("does not find a memory that is already forgotten", async () => {
    const { memories } = await remember(tag, "Bob is a painter.");
    const memory = memories[0]?.id ?? "";
    expect((await remove({ ids: [memory] })).body.deletedCount).toBe(1);
    expect((await remove({ ids: [memory] })).body).toMatchObject({ success: false, deletedCount: 0 });
  });
});

describe("DELETE /v3/documents/bulk by containers", () => {
  test("removes everything in them, in any processing state", async () => {
    for (let index = 0; index < 45; index += 1) await add({ content: `Number ${index}.`, containerTag: tag });
    const other = await add({ containerTag: `${tag}.other` });
    const { body } = await remove({ containerTags: [tag] });
    expect(body).toEqual({ success: true, deletedCount: 45, containerTags: [tag] });
    expect((await rest.send("GET", `/v3/documents?containerTag=${tag}`)).body.pagination.totalItems).toBe(0);
    expect(await exists(other)).toBe(true);
    expect((await remove({ containerTags: [tag] })).body).toMatchObject({ success: true, deletedCount: 0 });
  });

  test.each([
    ["one file", "/docs/a.md", ["/docs/a.md"]],
    ["a folder", "/docs/", ["/docs/a.md", "/docs/deep/b.md"]],
    ["the start of a name, which is no folder", "/doc", []],
  ])("with a path: %s", async (_what, filepath, gone) => {
    const paths = ["/docs/a.md", "/docs/deep/b.md", "/docsother/c.md", "/d.md"];
    const ids = new Map<string, string>();
    for (const path of paths) ids.set(path, await add({ containerTag: tag, filepath: path }));
    await add({ containerTag: tag });
    expect((await remove({ containerTags: [tag], filepath })).body.deletedCount).toBe(gone.length);
    for (const [path, id] of ids) expect(await exists(id)).toBe(!gone.includes(path));
  });

  test("a document that is also in another container only leaves this one, in search too", async () => {
    const id = await add({ content: "The zeppelin lands at dawn.", containerTags: [tag, `${tag}.stays`] });
    await rest.settle();
    const hits = async (containerTag: string) =>
      (await rest.send("POST", "/v4/search", { q: "zeppelin lands", containerTag })).body.results.length as number;
    expect(await hits(tag)).toBeGreaterThan(0);
    expect((await remove({ containerTags: [tag] })).body).toMatchObject({ success: true, deletedCount: 1 });
    expect((await rest.send("GET", `/v3/documents/${id}`)).body.containerTags).toEqual([`${tag}.stays`]);
    expect(await hits(tag)).toBe(0);
    expect(await hits(`${tag}.stays`)).toBeGreaterThan(0);
  });

  test("memories that only the removed documents state are forgotten", async () => {
    await remember(tag, "Cleo sings in the choir.");
    await remove({ containerTags: [tag] });
    const { body } = await rest.send("POST", "/v4/search", { q: "Cleo sings in the choir", containerTag: tag });
    expect(body.results).toEqual([]);
  });

  test("accepts the singular containerTag", async () => {
    await add({ containerTag: tag });
    expect((await remove({ containerTag: tag })).body).toMatchObject({ deletedCount: 1, containerTags: [tag] });
  });
});

describe("a refused request deletes nothing", () => {
  const SELECTOR = "Either 'ids' or 'containerTags' must be provided";
  test.each<[what: string, body: unknown, words: string]>([
    ["no body", undefined, SELECTOR],
    ["no selector", {}, SELECTOR],
    ["a path alone", { filepath: "/" }, SELECTOR],
    ["no ids", { ids: [] }, "ids: must have at least 1 entry"],
    ["no tags", { containerTags: [] }, "containerTags: must have at least 1 entry"],
    ["no ids beside tags", { ids: [], containerTags: ["sm_project_default"] }, "ids: must have at least 1 entry"],
    ["too many ids", { ids: Array.from({ length: 101 }, (_, id) => `${id}`) }, "ids: must have at most 100 entries"],
    ["ids that are not a list", { ids: "x" }, "ids: "],
    ["an empty id", { ids: [""] }, "ids.0: must not be empty"],
    ["an invalid tag", { containerTags: ["*"] }, "containerTags.0: must contain only"],
    ["an empty path", { containerTags: ["sm_project_default"], filepath: "" }, "filepath: must not be empty"],
  ])("%s", async (_what, body, words) => {
    const id = await add({});
    const answer = await remove(body);
    expect(answer.status).toBe(400);
    expect(answer.body.error).toContain(words);
    expect(await exists(id)).toBe(true);
  });
});

describe("DELETE and GET /v3/documents/{id} with a memory id", () => {
  test("DELETE forgets the memory and says so; GET names it and its document", async () => {
    const { documentId, memories } = await remember(tag, "Dora rides horses.");
    const memory = memories[0]?.id ?? "";
    const found = await rest.send("GET", `/v3/documents/${memory}`);
    expect(found.status).toBe(404);
    expect(found.body.error).toBe(
      `Document not found: ${memory}. This is the id of a memory; it comes from the document ${documentId}.`,
    );
    const gone = await rest.send("DELETE", `/v3/documents/${memory}`);
    expect(gone.status).toBe(204);
    expect(gone.headers.get("x-recollect-removed")).toBe("memory");
    expect(await exists(documentId)).toBe(true);
    expect((await rest.send("DELETE", `/v3/documents/${memory}`)).status).toBe(404);
  });

  test("reports a document as one under either of its names", async () => {
    await add({ customId: `${tag}/a`, containerTag: tag });
    const { headers, status } = await rest.send("DELETE", `/v3/documents/${encodeURIComponent(`${tag}/a`)}`);
    expect(status).toBe(204);
    expect(headers.get("x-recollect-removed")).toBe("document");
  });
});
