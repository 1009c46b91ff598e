import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { openRest, type OpenedRest } from "../support/rest.js";

let rest: OpenedRest;
beforeAll(async () => {
  rest = await openRest();
});
afterAll(() => rest.close());

const add = (body: Record<string, unknown>, headers?: Record<string, string>) =>
  rest.send("POST", "/v3/documents", body, headers);
const list = async (body: Record<string, unknown>) => (await rest.send("POST", "/v3/documents/list", body)).body;

describe("POST /v3/documents", () => {
  test("returns an id and `queued` immediately, and the document can be read immediately", async () => {
    const { status, body } = await add({ content: "Lena moved the launch to May.", containerTag: "add:one" });
    expect(status).toBe(200);
    expect(body).toEqual({
      id: expect.stringMatching(/^[1-9A-HJ-NP-Za-km-z]{22}$/),
      status: "queued",
      dreamingStatus: "dreaming",
    });
    expect((await rest.send("GET", `/v3/documents/${body.id}`)).body.content).toBe("Lena moved the launch to May.");
  });

  test("refuses a filterByMetadata with more values, or other keys, than a filter may have", async () => {
    const many = Object.fromEntries(Array.from({ length: 201 }, (_, index) => [`k${index}`, 1]));
    for (const [filterByMetadata, rule] of [
      [many, "filterByMetadata: must have at most 200 values, and has 201"],
      [{ 'a"b': 1 }, "must be 1 to 64 letters, digits"],
      [{ "a\\": 1 }, "must be 1 to 64 letters, digits"],
    ] as const) {
      const { status, body } = await add({ content: "Mine.", filterByMetadata });
      expect([status, JSON.stringify(body)]).toEqual([400, expect.stringContaining(rule)]);
    }
  });

  test("refuses the metadata key __proto__, here and in other requests that take metadata", async () => {
    const metadata = JSON.parse('{"__proto__":"x","k":"v"}') as Record<string, string>;
    const { id } = (await add({ content: "Mine.", containerTag: "add:proto" })).body;
    const answers = await Promise.all([
      add({ content: "Mine.", metadata }),
      rest.send("PATCH", `/v3/documents/${id}`, { metadata }),
      rest.send("POST", "/v4/memories", { containerTag: "add:proto", memories: [{ content: "A fact.", metadata }] }),
      rest.send("POST", "/v4/conversations", {
        conversationId: "c",
        messages: [{ role: "user", content: "Hello." }],
        metadata,
      }),
    ]);
    for (const { status, body } of answers) {
      expect(status).toBe(400);
      expect(JSON.stringify(body)).toContain("metadata.__proto__: is not a possible key");
    }
  });

  test("`Prefer: wait=N` answers when the document is searchable, and confirms the wait", async () => {
    const { headers, body } = await add(
      { content: "The harbour closes at nine.", containerTag: "add:wait" },
      { prefer: "respond-async, wait=30" },
    );
    expect(body).toMatchObject({ status: "done", dreamingStatus: "done" });
    expect(headers.get("preference-applied")).toBe("wait=30");
    const found = await rest.send("POST", "/v4/search", { q: "when does the harbour close", containerTag: "add:wait" });
    expect(found.body.results.length).toBeGreaterThan(0);
    expect(found.body.waiting).toBe(0);
  });

  test.each(["wait=soon", "wait", "wait=-1", "handling=strict", ""])("ignores the preference `%s`", async (prefer) => {
    const { status, headers } = await add({ content: "Some text.", containerTag: "add:prefer" }, { prefer });
    expect(status).toBe(200);
    expect(headers.get("preference-applied")).toBeNull();
  });

  test("combines containerTag and containerTags, the singular one first", async () => {
    const { body } = await add({ content: "Shared.", containerTag: "b", containerTags: ["a", "b", "c"] });
    expect((await rest.send("GET", `/v3/documents/${body.id}`)).body.containerTags).toEqual(["b", "a", "c"]);
  });

  test("puts a document without a tag into the default project", async () => {
    const { body } = await add({ content: "Nowhere in particular." });
    expect((await rest.send("GET", `/v3/documents/${body.id}`)).body.containerTags).toEqual(["sm_project_default"]);
  });

  test("ignores unknown keys, and uses `title`", async () => {
    const { body } = await add({
      content: "A text with a name.",
      title: "The name",
      url: "https://example.org",
      entityContext: "about nobody",
      somethingElse: { deep: [1] },
    });
    expect((await rest.send("GET", `/v3/documents/${body.id}`)).body).toMatchObject({ title: "The name", url: null });
  });

  test("turns facts supplied by the caller into memories", async () => {
    const facts = [{ text: "Ada plays the cello", isStatic: true }, { text: "Ada is in Oslo this week" }];
    const { body } = await add({ content: "zxcv", containerTag: "add:facts", facts }, { prefer: "wait=30" });
    const { memories } = (await rest.send("GET", `/v3/documents/${body.id}`)).body;
    expect(memories.map(({ memory, isStatic }: { memory: string; isStatic: boolean }) => [memory, isStatic])).toEqual(
      expect.arrayContaining([
        ["Ada plays the cello", true],
        ["Ada is in Oslo this week", false],
      ]),
    );
  });

  test("a repeated customId keeps its document and shows the newest text", async () => {
    const first = await add({ content: "First version.", customId: "note-1", containerTag: "add:again" });
    const second = await add({ content: "Second version.", customId: "note-1", containerTag: "add:again" });
    expect(second.body.id).toBe(first.body.id);
    expect((await rest.send("GET", "/v3/documents/note-1")).body.content).toBe("Second version.");
  });
});

describe("GET /v3/documents/{id}", () => {
  test("returns every field that any generation of clients reads", async () => {
    const { body } = await add({
      content: "Whole.",
      customId: "whole",
      containerTag: "sm_project_x",
      metadata: { sm_source: "cli", tags: ["a", "b"], n: 1, ok: true },
      filepath: "/notes/whole.md",
      taskType: "superrag",
    });
    expect((await rest.send("GET", `/v3/documents/${body.id}`)).body).toMatchObject({
      id: body.id,
      customId: "whole",
      connectionId: null,
      containerTags: ["sm_project_x"],
      content: "Whole.",
      metadata: { sm_source: "cli", tags: ["a", "b"], n: 1, ok: true },
      ogImage: null,
      raw: null,
      source: "cli",
      spatialPoint: null,
      dreamingStatus: "done",
      summary: null,
      taskType: "superrag",
      type: "text",
      url: null,
      filepath: "/notes/whole.md",
    });
  });

  test.each(["n/1", "ä ö", "100%", "%41", "a+b", "s3://bucket/key?x=1#y", "acct:9", "..."])(
    "finds a document by the customId `%s`",
    async (customId) => {
      const { body } = await add({ content: `Text of ${customId}`, customId, containerTag: "get:custom" });
      const found = await rest.send("GET", `/v3/documents/${encodeURIComponent(customId)}`);
      expect(found.body).toMatchObject({ id: body.id, customId });
    },
  );

  test("has no `memories` before there are any", async () => {
    const { body } = await add({ content: "zxcv qwer", taskType: "superrag" });
    expect((await rest.send("GET", `/v3/documents/${body.id}`)).body).not.toHaveProperty("memories");
  });

  test("answers 404 with a message for an unknown id", async () => {
    const { status, body } = await rest.send("GET", "/v3/documents/9TbHwQe5RrPz3JmKx6VnCa");
    expect(status).toBe(404);
    expect(body.error).toBe("Document not found: 9TbHwQe5RrPz3JmKx6VnCa");
  });
});

describe("DELETE /v3/documents/{id}", () => {
  test("answers 204 without a body, also while the document is being processed", async () => {
    const { body } = await add({ content: "Soon gone.", customId: "gone/1" });
    const gone = await rest.send("DELETE", "/v3/documents/gone%2F1");
    expect(gone.status).toBe(204);
    expect(gone.body).toBeUndefined();
    expect((await rest.send("GET", `/v3/documents/${body.id}`)).status).toBe(404);
    expect((await rest.send("DELETE", `/v3/documents/${body.id}`)).status).toBe(404);
  });

  test("never takes a path of the API for an id", async () => {
    await add({ content: "I am called bulk.", customId: "bulk" });
    const { status, body } = await rest.send("DELETE", "/v3/documents/bulk", { ids: [] });
    expect(status).toBe(400);
    expect(body.error).toBe("ids: must have at least 1 entry");
    expect((await list({ containerTags: ["sm_project_default"], limit: 100 })).memories).toContainEqual(
      expect.objectContaining({ customId: "bulk" }),
    );
  });
});

describe("POST /v3/documents/list", () => {
  beforeAll(async () => {
    for (const [index, tag] of ["list:a", "list:b", "list:b"].entries())
      await add({ content: `Item ${index}`, containerTags: [tag, "sm_project_list"], metadata: { n: index } });
    await rest.settle();
  });

  test("hides the tags of the vendor's own app, and the content unless requested", async () => {
    const { memories } = await list({ containerTags: ["list:a"] });
    expect(memories).toHaveLength(1);
    expect(memories[0].containerTags).toEqual(["list:a"]);
    expect(memories[0]).not.toHaveProperty("content");
    expect((await list({ containerTags: ["list:a"], includeContent: true })).memories[0].content).toBe("Item 0");
  });

  test("several tags match any of them, or all with the operator AND", async () => {
    expect((await list({ containerTags: ["list:a", "list:b"] })).pagination.totalItems).toBe(3);
    const all = await list({ containerTags: ["list:b", "sm_project_list"], operator: "and" });
    expect(all.pagination.totalItems).toBe(2);
    expect((await list({ containerTags: ["list:a", "list:b"], operator: "AND" })).pagination.totalItems).toBe(0);
  });

  test("pages by number or digits, newest first, and is empty beyond the end", async () => {
    const first = await list({ containerTag: "sm_project_list", limit: "2", page: "1" });
    expect(first.pagination).toEqual({ currentPage: 1, limit: 2, totalItems: 3, totalPages: 2 });
    const second = await list({ containerTag: "sm_project_list", limit: 2, page: 2 });
    expect([...first.memories, ...second.memories].map((item) => item.metadata.n)).toEqual([2, 1, 0]);
    expect((await list({ containerTag: "sm_project_list", limit: 2, page: 999_999_999 })).memories).toEqual([]);
  });

  test("returns no pages when nothing matches", async () => {
    const { pagination } = await list({ containerTags: ["list:nobody"] });
    expect(pagination).toEqual({ currentPage: 1, limit: 10, totalItems: 0, totalPages: 0 });
  });

  test("lists everything without a body", async () => {
    const { status, body } = await rest.send("POST", "/v3/documents/list");
    expect(status).toBe(200);
    expect(body.pagination.totalItems).toBeGreaterThan(3);
  });

  test("accepts filters as an object and as JSON text", async () => {
    const filters = { AND: [{ key: "n", value: "1", filterType: "numeric", numericOperator: ">=" }] };
    const byObject = await list({ containerTags: ["list:a", "list:b"], filters });
    const byText = await list({ containerTags: ["list:a", "list:b"], filters: JSON.stringify(filters) });
    expect(byObject.pagination.totalItems).toBe(2);
    expect(byText.memories).toEqual(byObject.memories);
  });
});

describe("GET /v3/documents/processing", () => {
  test("shows unfinished documents of the named containers", async () => {
    const { body: one } = await add({ content: "First in line.", containerTag: "work:a" });
    const { body: two } = await add({ content: "Second in line.", containerTag: "work:b" });
    await add({ content: "Elsewhere.", containerTag: "work:c" });
    const before = await rest.send("GET", "/v3/documents/processing?containerTag=work:a&containerTag=work%3Ab");
    const ids = before.body.documents.map((document: { id: string }) => document.id);
    expect([one.id, two.id]).toEqual(expect.arrayContaining(ids));
    expect(before.body.totalCount).toBe(ids.length);
    await rest.settle();
    expect((await rest.send("GET", "/v3/documents/processing")).body).toEqual({ documents: [], totalCount: 0 });
  });

  test("refuses an invalid tag", async () => {
    const { status, body } = await rest.send("GET", "/v3/documents/processing?containerTag=a%20b");
    expect(status).toBe(400);
    expect(body.issues[0].path).toEqual(["containerTag", 0]);
  });
});
