import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { restrictTo } from "../support/restricted-rest.js";
import { encodeForm } from "../support/forms.js";
import { openRest, requestInit, type OpenedRest } from "../support/rest.js";

let rest: OpenedRest;
beforeAll(async () => {
  rest = await openRest();
});
afterAll(() => rest.close());

const UNKNOWN_ID = "1111111111111111111111";
const ID = expect.stringMatching(/^[1-9A-HJ-NP-Za-km-z]{22}$/) as string;
const TIME = expect.stringMatching(/^\d{4}-\d{2}-\d{2}T\d{2}:\d{2}:\d{2}\.\d{3}Z$/) as string;

const send = (method: string, body: unknown, path = "/v4/memories") => rest.send(method, path, body);
const create = async (containerTag: string, ...contents: (string | Record<string, unknown>)[]) => {
  const memories = contents.map((content) => (typeof content === "string" ? { content } : content));
  const { body } = await send("POST", { containerTag, memories });
  return body.memories as { id: string }[];
};
const list = async (body: Record<string, unknown>) => send("POST", body, "/v4/memories/list");
const search = async (containerTag: string, q: string) => {
  const { body } = await rest.send("POST", "/v4/search", { q, containerTag, searchMode: "memories", threshold: 0.5 });
  return body.results.map((result: { memory: string }) => result.memory);
};

describe("POST /v4/memories", () => {
  test("stores facts in order, with a document that states them, searchable immediately", async () => {
    const { status, body } = await send("POST", {
      containerTag: "create:one",
      memories: [
        { content: "Lena prefers email", isStatic: true, metadata: { team: "core" } },
        {
          content: "Lena is away until June",
          forgetAfter: "2999-06-01T00:00:00+02:00",
          forgetReason: "holiday",
          temporalContext: { documentDate: "2026-05-02", eventDate: ["2026-06-01"] },
        },
      ],
      unknownKey: true,
    });
    expect(status).toBe(201);
    expect(body).toEqual({
      warnings: ["unknownKey: is not known and was ignored"],
      documentId: ID,
      memories: [
        {
          id: ID,
          memory: "Lena prefers email",
          isStatic: true,
          createdAt: TIME,
          forgetAfter: null,
          forgetReason: null,
          metadata: { team: "core" },
        },
        {
          id: ID,
          memory: "Lena is away until June",
          isStatic: false,
          createdAt: TIME,
          forgetAfter: "2999-05-31T22:00:00.000Z",
          forgetReason: "holiday",
          metadata: { temporalContext: { documentDate: "2026-05-02", eventDate: ["2026-06-01"] } },
        },
      ],
    });
    expect(await search("create:one", "Lena prefers email")).toContain("Lena prefers email");
    expect((await rest.send("GET", `/v3/documents/${body.documentId}`)).body.memories).toHaveLength(2);
  });

  test("stores entityContext on the container", async () => {
    const entityContext = "Speaks of the ship Lena.";
    await send("POST", { containerTag: "create:context", memories: [{ content: "Lena sails" }], entityContext });
    expect(await rest.core.getContainer({ actor: rest.actor }, { containerTag: "create:context" })).toMatchObject({
      entityContext,
    });
    await send("POST", { containerTag: "create:context", memories: [{ content: "Lena sinks" }], entityContext: null });
    expect(await rest.core.getContainer({ actor: rest.actor }, { containerTag: "create:context" })).toMatchObject({
      entityContext,
    });
  });

  test("returns the existing memory for a known fact", async () => {
    const [first, second] = await create("create:twice", "Lena likes tea", "lena likes tea.");
    const [again] = await create("create:twice", "Lena likes tea");
    expect([second?.id, again?.id]).toEqual([first?.id, first?.id]);
  });

  test.each<[string, Record<string, unknown>, string]>([
    ["no entries", { memories: [] }, "memories: must have at least 1 entry"],
    ["too many entries", { memories: Array(101).fill({ content: "x" }) }, "memories: must have at most 100 entries"],
    ["an empty text", { memories: [{ content: "" }] }, "memories.0.content: must not be empty"],
    [
      "a huge text",
      { memories: [{ content: "x".repeat(10_001) }] },
      "memories.0.content: must have at most 10000 characters, has 10001",
    ],
    ["no container", { containerTag: undefined, memories: [{ content: "x" }] }, "containerTag: is missing"],
    [
      "a past expiry",
      { memories: [{ content: "x" }, { content: "y", forgetAfter: "2020-01-01" }] },
      "memories.1.forgetAfter: must be in the future",
    ],
    [
      "an invalid date",
      { memories: [{ content: "x", temporalContext: { documentDate: "2024-02-31" } }] },
      "memories.0.temporalContext.documentDate: must be an ISO 8601 date or date-time, such as 2024-05-06T07:08:09Z",
    ],
    [
      "an event that is not a list",
      { memories: [{ content: "x", temporalContext: { eventDate: "May" } }] },
      "memories.0.temporalContext.eventDate: must be an array of strings",
    ],
    [
      "a huge prompt",
      { memories: [{ content: "x" }], entityContext: "x".repeat(1_501) },
      "entityContext: must have at most 1500 characters",
    ],
  ])("%s: answers 400", async (_name, input, details) => {
    const { status, body } = await send("POST", { containerTag: "create:bad", ...input });
    expect({ status, details: body.details }).toEqual({ status: 400, details });
  });
});

describe("PATCH /v4/memories", () => {
  test("returns the new version and its place in the chain", async () => {
    const [first] = await create("patch", { content: "Lena lives in Rome", metadata: { team: "core" } });
    const { status, body } = await send("PATCH", {
      id: first?.id,
      containerTag: "patch",
      newContent: "Lena lives in Bonn",
      reason: "she moved",
      unknownKey: 1,
    });
    expect(status).toBe(200);
    expect(body).toEqual({
      warnings: ["unknownKey: is not known and was ignored"],
      id: ID,
      memory: "Lena lives in Bonn",
      version: 2,
      parentMemoryId: first?.id,
      parentId: first?.id,
      rootMemoryId: first?.id,
      createdAt: TIME,
      forgetAfter: null,
      forgetReason: null,
      metadata: { team: "core" },
    });
    expect(await search("patch", "Lena lives in Bonn")).toEqual(["Lena lives in Bonn"]);
    const byText = await send("PATCH", {
      content: "Lena lives in Bonn",
      containerTag: "patch",
      newContent: "Lena lives in Oslo",
      forgetAfter: "2999-01-01T00:00:00Z",
    });
    expect(byText.body).toMatchObject({ version: 3, parentId: body.id, rootMemoryId: first?.id });
  });

  test.each<[string, Record<string, unknown>, number]>([
    ["an unknown id", { id: UNKNOWN_ID }, 404],
    ["an unknown text", { content: "never said" }, 404],
    ["neither id nor text", {}, 400],
    ["a past expiry", { id: UNKNOWN_ID, forgetAfter: "2020-01-01T00:00:00Z" }, 400],
    ["no container", { id: UNKNOWN_ID, containerTag: undefined }, 400],
    ["an empty text", { id: UNKNOWN_ID, newContent: "" }, 400],
  ])("%s: %j is %i", async (_name, input, status) => {
    expect((await send("PATCH", { containerTag: "patch", newContent: "x", ...input })).status).toBe(status);
  });

  test("answers 404 for a forgotten memory", async () => {
    const [{ id } = { id: "" }] = await create("patch:gone", "Lena keeps goats");
    await send("DELETE", { id, containerTag: "patch:gone" });
    expect((await send("PATCH", { id, containerTag: "patch:gone", newContent: "x" })).status).toBe(404);
  });
});

describe("DELETE /v4/memories", () => {
  test.each(["POST", "DELETE"])("%s /v3/memories/forget does the same", async (method) => {
    const containerTag = `forget:older:${method}`;
    const [memory] = await create(containerTag, "Lena owns a kayak");
    const answer = await send(method, { containerTag, content: "Lena owns a kayak" }, "/v3/memories/forget");
    expect(answer).toMatchObject({ status: 200, body: { id: memory?.id, forgotten: true, removed: "memory" } });
    expect(await search(containerTag, "Lena owns a kayak")).toEqual([]);
  });

  test("forgets by id and by exact text, and removes the memory from search", async () => {
    const [one, two] = await create("delete", "Lena keeps bees", "Lena keeps goats");
    expect(await send("DELETE", { id: one?.id, containerTag: "delete", reason: "sold" })).toMatchObject({
      status: 200,
      body: { id: one?.id, forgotten: true, removed: "memory" },
    });
    expect((await send("DELETE", { content: "Lena keeps goats", containerTag: "delete" })).body).toEqual({
      id: two?.id,
      forgotten: true,
      removed: "memory",
      statedIn: [],
    });
    expect(await search("delete", "Lena keeps bees and goats")).toEqual([]);
  });

  test("prefers an id to a text", async () => {
    const [one, two] = await create("delete:both", "Nora dives", "Nora rows");
    const { body } = await send("DELETE", { id: one?.id, content: "Nora rows", containerTag: "delete:both" });
    expect(body.id).toBe(one?.id);
    expect((await list({ containerTag: "delete:both" })).body.memoryEntries).toMatchObject([{ id: two?.id }]);
  });

  test("forgets the whole chain, whichever version is named", async () => {
    const [first] = await create("delete:chain", "Lena lives in Rome");
    const patch = { containerTag: "delete:chain", newContent: "Lena lives in Bonn" };
    const second = (await send("PATCH", { ...patch, id: first?.id })).body.id as string;
    expect((await send("DELETE", { id: first?.id, containerTag: "delete:chain" })).body.id).toBe(second);
    expect((await list({ containerTag: "delete:chain" })).body.memoryEntries).toEqual([]);
  });

  test("answers a permanent conflict for a memory that is already forgotten", async () => {
    const [{ id } = { id: "" }] = await create("delete:twice", "Lena keeps bees");
    await send("DELETE", { id, containerTag: "delete:twice" });
    for (const selector of [{ id }, { content: "Lena keeps bees" }]) {
      const { status, headers } = await send("DELETE", { ...selector, containerTag: "delete:twice" });
      expect({ status, retry: headers.get("x-should-retry") }).toEqual({ status: 409, retry: "false" });
    }
  });

  test.each(["id", "customId"])("the %s of a document removes the document and what it alone stated", async (name) => {
    const containerTag = `delete:${name}`;
    const added = await rest.send(
      "POST",
      "/v3/documents",
      {
        content: "Lena lives in Rome.",
        customId: `doc-${name}`,
        containerTag,
        facts: [{ text: "Lena lives in Rome" }],
      },
      { prefer: "wait=30" },
    );
    const id = added.body.id as string;
    const { status, body } = await send("DELETE", { id: name === "id" ? id : `doc-${name}`, containerTag });
    expect({ status, body }).toEqual({ status: 200, body: { id, forgotten: true, removed: "document", statedIn: [] } });
    expect((await rest.send("GET", `/v3/documents/${id}`)).status).toBe(404);
    expect((await list({ containerTag })).body.memoryEntries).toEqual([]);
  });

  test("deletes the bytes of a file with its document", async () => {
    const form = await encodeForm({ file: new File(["Lena keeps bees."], "bees.txt"), containerTag: "delete:file" });
    const { id } = (await rest.send("POST", "/v3/documents/file", form.bytes, { ...form.headers })).body;
    const { url } = (await rest.send("GET", `/v3/documents/${id}/file-url`)).body;
    const { pathname, search } = new URL(url);
    const download = async () => (await rest.app.request(pathname + search, requestInit("GET", undefined))).status;
    expect(await download()).toBe(200);
    await send("DELETE", { id, containerTag: "delete:file" });
    expect(await download()).toBe(404);
  });

  test("answers 404 for unknown memories and those in another container", async () => {
    const [{ id } = { id: "" }] = await create("delete:mine", "Lena keeps bees");
    const { body: added } = await rest.send("POST", "/v3/documents", {
      content: "x",
      customId: "delete-mine",
      containerTag: "delete:mine",
    });
    const selectors = [
      { id },
      { id: added.id },
      { id: "delete-mine" },
      { id: UNKNOWN_ID },
      { content: "Lena keeps bees" },
      { content: "lena keeps bees" },
    ];
    for (const selector of selectors) {
      const { status, body } = await send("DELETE", { ...selector, containerTag: "delete:yours" });
      expect(status, JSON.stringify(selector)).toBe(404);
      expect(body.message).toMatch(/^(Memory not found: |No memory with exactly this text)/);
    }
    expect((await rest.send("GET", `/v3/documents/${added.id}`)).status).toBe(200);
  });

  test.each<[string, unknown]>([
    ["neither id nor text", { containerTag: "delete" }],
    ["no container", { id: UNKNOWN_ID }],
    ["an empty id", { id: "", containerTag: "delete" }],
    ["a body that is not an object", []],
    ["no body", undefined],
  ])("%s: answers 400", async (_name, body) => {
    expect((await send("DELETE", body)).status).toBe(400);
  });
});

describe("POST /v4/memories/forget-matching", () => {
  const forgetMatching = (body: Record<string, unknown>) => send("POST", body, "/v4/memories/forget-matching");

  test("a dry run lists candidates, a real run what was forgotten and its batch", async () => {
    const containerTag = "match";
    const [falcon] = await create(containerTag, "Falcon starts in May", "Lena keeps bees");
    const shown = await forgetMatching({ containerTag, query: "Falcon", dryRun: true });
    expect(shown).toMatchObject({ status: 200 });
    expect(shown.body).toEqual({
      dryRun: true,
      count: 1,
      forgetBatchId: null,
      summary: "1 memory would be forgotten",
      statedIn: [],
      candidates: [{ id: falcon?.id, memory: "Falcon starts in May", score: expect.any(Number) as number }],
    });
    // The parameter name in a sample of the specification.
    const done = await forgetMatching({ containerTag, q: "Falcon", reason: "over" });
    expect(done.body).toEqual({
      dryRun: false,
      count: 1,
      forgetBatchId: ID,
      summary: "1 memory was forgotten",
      statedIn: [],
      forgotten: shown.body.candidates,
    });
    expect((await list({ containerTag })).body.memoryEntries).toHaveLength(1);
  });

  test("scores memories named by id with 1", async () => {
    const [one] = await create("match:ids", "Falcon starts in May");
    const { body } = await forgetMatching({ containerTag: "match:ids", ids: [one?.id, UNKNOWN_ID] });
    expect(body.forgotten).toEqual([{ id: one?.id, memory: "Falcon starts in May", score: 1 }]);
  });

  test.each<[string, Record<string, unknown>]>([
    ["neither query nor ids", {}],
    ["both query and ids", { query: "x", ids: ["y"] }],
    ["q and ids", { q: "x", ids: ["y"] }],
    ["a limit as text", { query: "x", maxForget: "5" }],
    ["no container", { query: "x", containerTag: undefined }],
  ])("%s: answers 400", async (_name, body) => {
    expect((await forgetMatching({ containerTag: "match", ...body })).status).toBe(400);
  });
});

describe("POST /v4/memories/list", () => {
  test("returns each memory with its history, documents and relations", async () => {
    const containerTag = "list:whole";
    const created = await send("POST", { containerTag, memories: [{ content: "v1", metadata: { team: "core" } }] });
    const first = created.body.memories[0].id as string;
    const patch = async (newContent: string) => (await send("PATCH", { id: first, containerTag, newContent })).body.id;
    const [second, third] = [await patch("v2"), await patch("v3")];
    const { status, body } = await list({ containerTags: [containerTag] });
    expect(status).toBe(200);
    const older = { createdAt: TIME, updatedAt: TIME, isLatest: false, isForgotten: false };
    expect(body.memoryEntries).toEqual([
      {
        id: third,
        memory: "v3",
        version: 3,
        isLatest: true,
        isForgotten: false,
        isStatic: false,
        isInference: false,
        createdAt: TIME,
        updatedAt: TIME,
        spaceId: ID,
        orgId: rest.actor.organizationId,
        sourceCount: 1,
        parentMemoryId: second,
        rootMemoryId: first,
        forgetAfter: null,
        forgetReason: null,
        metadata: { team: "core" },
        temporalContext: { team: "core" },
        memoryRelations: { [second]: "updates" },
        documentIds: [created.body.documentId],
        history: [
          { ...older, id: second, memory: "v2", version: 2, parentMemoryId: first, rootMemoryId: first },
          { ...older, id: first, memory: "v1", version: 1, parentMemoryId: null, rootMemoryId: null },
        ],
      },
    ]);
    expect(body.pagination).toEqual({ currentPage: 1, limit: 10, totalItems: 1, totalPages: 1 });
  });

  test("pages in both orders; accepts numbers as text; a page beyond the end is empty", async () => {
    const containerTag = "list:pages";
    for (let index = 0; index < 12; index++) await create(containerTag, `fact ${index}`);
    const texts = async (body: Record<string, unknown>) => {
      const answer = await list({ containerTag, ...body });
      return answer.body.memoryEntries.map((entry: { memory: string }) => entry.memory);
    };
    expect(await texts({})).toEqual(Array.from({ length: 10 }, (_, index) => `fact ${11 - index}`));
    expect(await texts({ page: "2" })).toEqual(["fact 1", "fact 0"]);
    expect(await texts({ order: "asc", limit: "2" })).toEqual(["fact 0", "fact 1"]);
    expect(await texts({ page: 3 })).toEqual([]);
    expect((await list({ containerTag, limit: 5, page: 9 })).body.pagination).toEqual({
      currentPage: 9,
      limit: 5,
      totalItems: 12,
      totalPages: 3,
    });
  });

  test("sorts by the last change, filters, and accepts several containers", async () => {
    await create("list:a", { content: "red", metadata: { sm_scope: "personal" } }, "plain");
    await create("list:b", { content: "blue", metadata: { sm_scope: "project" } });
    await create("list:a", "red");
    const texts = async (body: Record<string, unknown>) => {
      const answer = await list({ containerTags: ["list:a", "list:b"], ...body });
      return answer.body.memoryEntries.map((entry: { memory: string }) => entry.memory);
    };
    expect(await texts({ sort: "updatedAt" })).toEqual(["red", "blue", "plain"]);
    const filters = { AND: [{ key: "sm_scope", value: "personal" }] };
    expect(await texts({ filters })).toEqual(["red"]);
    expect(await texts({ filters: JSON.stringify(filters) })).toEqual(["red"]);
    expect(await texts({ containerTags: ["list:nowhere"] })).toEqual([]);
  });

  test("returns a complete page of 1,100 memories, each with its own documents", async () => {
    const containerTag = "list:many";
    for (let start = 0; start < 1_100; start += 100)
      await create(containerTag, ...Array.from({ length: 100 }, (_, index) => `number ${start + index} is odd`));
    const { body } = await list({ containerTag, limit: 1_100 });
    expect(body.memoryEntries).toHaveLength(1_100);
    expect(new Set(body.memoryEntries.map((entry: { id: string }) => entry.id)).size).toBe(1_100);
    for (const entry of body.memoryEntries) expect(entry.documentIds).toHaveLength(1);
  }, 20_000);

  test.each<[string, Record<string, unknown>]>([
    ["no container", {}],
    ["an empty list of containers", { containerTags: [] }],
    ["an invalid container", { containerTags: ["a b"] }],
    ["a page size that is too large", { containerTag: "x", limit: 1_101 }],
    ["page zero", { containerTag: "x", page: 0 }],
    ["a page that is not a number", { containerTag: "x", page: "two" }],
    ["an unknown order", { containerTag: "x", order: "up" }],
    ["an unknown sort", { containerTag: "x", sort: "text" }],
    ["a bare condition", { containerTag: "x", filters: { key: "a", value: "b" } }],
  ])("%s: answers 400", async (_name, body) => {
    expect((await list(body)).status).toBe(400);
  });
});

describe("a caller with access to some containers", () => {
  test("neither reaches nor changes anything in other containers through any of these", async () => {
    const [secret] = await create("theirs", "secret bees");
    await create("mine", "my bees");
    const sendMine = restrictTo(rest, ["mine"]);
    const inTheirs = { containerTag: "theirs" };
    const asMine = { containerTag: "mine" };
    const tries: [string, string, Record<string, unknown>, number][] = [
      ["POST", "/v4/memories", { ...inTheirs, memories: [{ content: "x" }] }, 403],
      ["PATCH", "/v4/memories", { ...inTheirs, id: secret?.id, newContent: "x" }, 403],
      ["PATCH", "/v4/memories", { ...asMine, id: secret?.id, newContent: "x" }, 404],
      ["PATCH", "/v4/memories", { id: secret?.id, newContent: "x" }, 404],
      ["DELETE", "/v4/memories", { ...inTheirs, id: secret?.id }, 403],
      ["DELETE", "/v4/memories", { ...asMine, id: secret?.id }, 404],
      ["DELETE", "/v4/memories", { ...asMine, content: "secret bees" }, 404],
      ["POST", "/v4/memories/forget-matching", { ...inTheirs, query: "bees" }, 403],
      ["POST", "/v4/memories/forget-matching", { ...asMine, query: "bees secret", dryRun: true, threshold: 0 }, 200],
      ["POST", "/v4/memories/forget-matching", { ...asMine, ids: [secret?.id] }, 200],
      ["POST", "/v4/memories/list", { containerTags: ["mine", "theirs"] }, 403],
      ["POST", "/v4/memories/list", { containerTags: ["mine"] }, 200],
    ];
    for (const [method, path, body, status] of tries) {
      const answer = await sendMine(method, path, body);
      expect(answer.status, `${method} ${path} ${JSON.stringify(body)}`).toBe(status);
      expect(JSON.stringify(answer.body)).not.toContain("secret");
    }
    const { body } = await list({ containerTag: "theirs" });
    expect(body.memoryEntries).toMatchObject([{ id: secret?.id, version: 1 }]);
  });
});
