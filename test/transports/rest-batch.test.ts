import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { openRest, type OpenedRest } from "../support/rest.js";

let rest: OpenedRest;
beforeAll(async () => {
  rest = await openRest({
    settings: {
      RECOLLECT_MAX_BATCH: "50",
      RECOLLECT_MAX_BATCH_BYTES: "300000",
      RECOLLECT_MAX_TEXT_BYTES: "5000",
      RECOLLECT_MAX_METADATA_BYTES: "500",
    },
  });
});
afterAll(() => rest.close());

const batch = (body: unknown) => rest.send("POST", "/v3/documents/batch", body);
const get = async (id: string) => (await rest.send("GET", `/v3/documents/${encodeURIComponent(id)}`)).body;
const idsOf = (body: { results: { id: string }[] }) => body.results.map(({ id }) => id);

describe("POST /v3/documents/batch", () => {
  test("accepts objects and plain texts, and answers in their order", async () => {
    const { status, body } = await batch({
      documents: [{ content: "Ada keeps bees.", customId: "b/1" }, "Bob paints houses.", { content: "Cleo sings." }],
    });
    expect(status).toBe(200);
    expect(body).toMatchObject({ success: 3, failed: 0 });
    expect(body.results).toEqual(body.results.map(({ id }: { id: string }) => ({ id, status: "queued" })));
    await rest.settle();
    const documents = await Promise.all(idsOf(body).map(get));
    expect(documents.map(({ content }) => content)).toEqual(["Ada keeps bees.", "Bob paints houses.", "Cleo sings."]);
    expect(documents.map(({ status }) => status)).toEqual(["done", "done", "done"]);
    expect(documents[0].customId).toBe("b/1");
  });

  test("accepts a batch of strings only", async () => {
    const { body } = await batch({ documents: ["One.", "Two."], containerTag: "batch:texts" });
    expect(body).toMatchObject({ success: 2, failed: 0 });
    expect((await get(idsOf(body)[1] ?? "")).containerTags).toEqual(["batch:texts"]);
  });

  test("applies the batch-level fields to all documents that do not set them", async () => {
    const { body } = await batch({
      containerTag: "batch:default",
      metadata: { team: "core", level: 1 },
      taskType: "superrag",
      filepath: "/all.md",
      documentDate: "2024-05-06",
      content: null,
      documents: [
        { content: "Says nothing." },
        {
          content: "Says everything.",
          containerTag: "batch:own",
          metadata: { level: 2, own: true },
          taskType: "memory",
          filepath: "/own.md",
          unknownKey: { is: "ignored" },
        },
        { content: "Says null.", metadata: null, containerTag: null, customId: null },
      ],
    });
    expect(body).toMatchObject({ success: 3, failed: 0 });
    const [plain, own, nothing] = await Promise.all(idsOf(body).map(get));
    const defaults = { containerTags: ["batch:default"], metadata: { team: "core", level: 1 }, taskType: "superrag" };
    expect(plain).toMatchObject({ ...defaults, filepath: "/all.md" });
    expect(nothing).toMatchObject({ ...defaults, customId: null });
    expect(own).toMatchObject({
      containerTags: ["batch:own"],
      metadata: { team: "core", level: 2, own: true },
      taskType: "memory",
      filepath: "/own.md",
    });
  });

  test("treats null fields as absent, with and without a default", async () => {
    const nothing = { metadata: null, containerTag: null, containerTags: null, customId: null, title: null };
    const { body } = await batch({ documents: [{ content: "Says null.", ...nothing }] });
    expect(body).toMatchObject({ success: 1, failed: 0 });
    expect(await get(idsOf(body)[0] ?? "")).toMatchObject({ metadata: null, containerTags: ["sm_project_default"] });
  });

  test("ignores fields that only the service may set, like any unknown key", async () => {
    const inner = { origin: "connector", rememberAsIs: true, wait: 60, type: "pdf", url: "/files/x" };
    const { body } = await batch({
      documents: [
        { content: "One.", ...inner },
        { content: "Two.", title: null, ...inner },
      ],
    });
    expect(body).toMatchObject({ success: 2, failed: 0 });
    for (const id of idsOf(body)) {
      expect(await get(id)).toMatchObject({ type: "text", url: null });
      expect((await rest.core.getDocument({ actor: rest.actor }, { id })).document).toMatchObject({
        origin: "user",
        rememberAsIs: false,
      });
    }
  });

  test("fails invalid documents one by one, naming field and rule", async () => {
    const bad: [document: unknown, id: string, words: RegExp][] = [
      [{ content: "" }, "unknown", /content: must not be empty/],
      [{ content: " ", customId: "named" }, "named", /content: must not be empty/],
      [{}, "unknown", /content: is missing/],
      [{ content: 5, customId: 5 }, "unknown", /content: must be a string.*customId: must be a string/],
      [5, "unknown", /must be a string or an object/],
      [null, "unknown", /must be a string or an object/],
      [[], "unknown", /must be a string or an object/],
      ["", "unknown", /content: must not be empty/],
      [{ content: "x", containerTag: "a b" }, "unknown", /containerTags.0: must contain only letters/],
      [{ content: "x", containerTags: "a" }, "unknown", /containerTags/],
      [{ content: "x", metadata: { a: { b: 1 } } }, "unknown", /metadata.a: must be a string, a number/],
      [{ content: "x", metadata: "text" }, "unknown", /metadata: must be an object/],
      [{ content: "x", metadata: { a: "x".repeat(600) } }, "unknown", /metadata: .*RECOLLECT_MAX_METADATA_BYTES/],
      [{ content: "x".repeat(5_001) }, "unknown", /content: has 5001 bytes.*RECOLLECT_MAX_TEXT_BYTES/],
      [{ content: "x", documentDate: "soon" }, "unknown", /documentDate: must be an ISO 8601 date/],
      [
        { content: "x", facts: [{ text: "y", updates: "nope" }] },
        "unknown",
        /facts.0.updates: there is no memory nope/,
      ],
      [{ content: "a\u0000b" }, "unknown", /control character/],
      [JSON.parse('{"content":"x","__proto__":{"customId":"y"},"metadata":{"a":null}}'), "unknown", /metadata.a/],
    ];
    const documents = bad.flatMap(([document], index) => [document, { content: `Good ${index}.` }]);
    const { status, body } = await batch({ documents, containerTag: "batch:mixed", metadata: { all: true } });
    expect(status).toBe(200);
    expect(body).toMatchObject({ success: bad.length, failed: bad.length });
    for (const [index, [, id, words]] of bad.entries()) {
      const failed = body.results[2 * index];
      expect(failed).toEqual({ id, status: "error", index: 2 * index, error: failed.error, details: failed.error });
      expect(failed.error).toMatch(words);
      expect(await get(body.results[2 * index + 1].id)).toMatchObject({ content: `Good ${index}.` });
    }
    const { pagination } = (await rest.send("POST", "/v3/documents/list", { containerTags: ["batch:mixed"] })).body;
    expect(pagination.totalItems).toBe(bad.length);
  });

  test("adds a repeated customId again, in the order of the request", async () => {
    const { body } = await batch({
      documents: [
        { content: "First words.", customId: "again", documentDate: "2024-03-01" },
        { content: "In between.", documentDate: "2024-02-01" },
        { content: "Last words.", customId: "again", documentDate: "2024-01-01" },
      ],
    });
    expect(body).toMatchObject({ success: 3, failed: 0 });
    const [first, , last] = idsOf(body);
    expect(last).toBe(first);
    await rest.settle();
    expect((await get("again")).content).toBe("Last words.");
  });

  test("reads documents with older dates first, and dates undated ones now", async () => {
    const { body } = await batch({
      containerTag: "batch:dates",
      documents: [
        { content: "Of today." },
        { content: "Of 2022.", documentDate: "2022-01-01" },
        { content: "Of the future.", documentDate: "2999-01-01" },
        { content: "Of 2020.", documentDate: "2020-06-01T10:00:00Z" },
      ],
    });
    expect(body.success).toBe(4);
    const jobs = await rest.send(
      "GET",
      "/v3/documents?containerTag=batch:dates&sort=createdAt&order=asc&includeContent=1",
    );
    const created = jobs.body.memories as { content: string; createdAt: string }[];
    const at = (content: string) => created.find((document) => document.content === content)?.createdAt ?? "";
    expect(at("Of 2020.") <= at("Of 2022.")).toBe(true);
    expect(at("Of 2022.") <= at("Of today.")).toBe(true);
    expect(at("Of today.") <= at("Of the future.")).toBe(true);
  });

  test("is never refused because a document exists or is being processed", async () => {
    const documents = [{ content: "The same words.", customId: "same" }];
    const first = await batch({ documents });
    const second = await batch({ documents });
    expect(second.status).toBe(200);
    expect(idsOf(second.body)).toEqual(idsOf(first.body));
    await rest.settle();
    expect((await batch({ documents })).body.results).toEqual([{ id: idsOf(first.body)[0], status: "done" }]);
  });

  test.each<[what: string, body: unknown, status: number, words: RegExp]>([
    ["no body", undefined, 400, /body is empty/],
    ["an array", [{ content: "x" }], 400, /body must be a JSON object/],
    ["no documents", {}, 400, /documents: is missing/],
    ["documents that are not an array", { documents: "x" }, 400, /documents: must be an array/],
    ["an empty batch", { documents: [] }, 400, /documents: must have at least 1 document/],
    [
      "too many",
      { documents: Array(51).fill("x") },
      400,
      /documents: has 51 entries, at most 50 .*RECOLLECT_MAX_BATCH/,
    ],
    ["an invalid default", { documents: ["x"], containerTag: "a b" }, 400, /containerTag: must contain only/],
    ["a content for all documents", { documents: ["x"], content: "y" }, 400, /content: must be left out/],
    ["too many bytes", { documents: ["x".repeat(300_000)] }, 413, /at most 300000 .*RECOLLECT_MAX_BATCH_BYTES/],
  ])("%s is refused as a whole", async (_what, body, status, words) => {
    const answer = await batch(body);
    expect(answer.status).toBe(status);
    expect(answer.body.error).toMatch(words);
  });

  test("the older path works as well", async () => {
    expect((await rest.send("POST", "/v3/memories/batch", { documents: ["x y z"] })).body.success).toBe(1);
  });
});

test("600 documents of a usual size fit in one request", async () => {
  const large = await openRest();
  try {
    const documents = Array.from({ length: 600 }, (_, index) => ({
      content: `Note ${index}. `.repeat(200),
      customId: `note/${index}`,
    }));
    const { status, body } = await large.send("POST", "/v3/documents/batch", { documents, containerTag: "large" });
    expect(status).toBe(200);
    expect(body).toMatchObject({ success: 600, failed: 0 });
    const { pagination } = (await large.send("GET", "/v3/documents?containerTag=large")).body;
    expect(pagination.totalItems).toBe(600);
  } finally {
    await large.close();
  }
});
