import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { openRest, type OpenedRest } from "../support/rest.js";

let rest: OpenedRest;
beforeAll(async () => {
  rest = await openRest();
});
afterAll(() => rest.close());

const add = async (body: Record<string, unknown>) => (await rest.send("POST", "/v3/documents", body)).body;
const get = async (id: string) => (await rest.send("GET", `/v3/documents/${encodeURIComponent(id)}`)).body;

describe("PATCH /v3/documents/{id}", () => {
  const patch = (id: string, body?: unknown) => rest.send("PATCH", `/v3/documents/${encodeURIComponent(id)}`, body);

  test("a new text answers `queued`, can be read immediately and is found later", async () => {
    const { id } = await add({ content: "Lena moved to Bonn.", customId: "notes/lena 1.md", containerTag: "patch:a" });
    const { status, body } = await patch("notes/lena 1.md", { content: "Otto moved to Oslo.", filepath: "/otto.md" });
    expect([status, body]).toEqual([200, { id, status: "queued", dreamingStatus: "dreaming" }]);
    expect(await get(id)).toMatchObject({ content: "Otto moved to Oslo.", filepath: "/otto.md" });
    await rest.settle();
    expect(await get(id)).toMatchObject({ status: "done", dreamingStatus: "done" });
    const found = await rest.send("POST", "/v3/search", { q: "who moved", containerTag: "patch:a", chunkThreshold: 0 });
    expect(JSON.stringify(found.body)).toContain("Otto");
    expect(JSON.stringify(found.body)).not.toContain("Lena moved");
  });

  test("metadata, path and customId answer `done` when the document is done; an empty body changes nothing", async () => {
    const { id } = await add({ content: "A short text.", containerTag: "patch:b", metadata: { a: 1 } });
    await rest.settle();
    for (const body of [{ metadata: { b: ["x"] } }, { filepath: "/x/y.md" }, { customId: "patch b" }, {}, undefined])
      expect((await patch(id, body)).body).toEqual({ id, status: "done", dreamingStatus: "done" });
    expect(await get("patch b")).toMatchObject({ id, metadata: { a: 1, b: ["x"] }, filepath: "/x/y.md" });
  });

  test("containerTag and containerTags move the document", async () => {
    const { id } = await add({ content: "A thing that is moved.", containerTag: "patch:c" });
    expect((await patch(id, { containerTag: "patch:d", containerTags: ["patch:e"] })).body.status).toBe("queued");
    expect((await get(id)).containerTags).toEqual(["patch:d", "patch:e"]);
  });

  test("works under the older path as well", async () => {
    const { id } = await add({ content: "An older client." });
    const { status, body } = await rest.send("PATCH", `/v3/memories/${id}`, { title: "Older" });
    expect([status, body.id, (await get(id)).title]).toEqual([200, id, "Older"]);
  });

  test("a customId that is taken is a conflict that should not be retried", async () => {
    await add({ content: "The first.", customId: "patch taken" });
    const { id } = await add({ content: "The second." });
    const { status, headers, body } = await patch(id, { customId: "patch taken" });
    expect([status, headers.get("x-should-retry")]).toEqual([409, "false"]);
    expect(body.error).toMatch(/patch taken/);
  });

  test.each([
    [{ content: "" }, ["content"]],
    [{ content: 3 }, ["content"]],
    [{ metadata: { a: { b: 1 } } }, ["metadata", "a"]],
    [{ containerTag: "a b" }, ["containerTag"]],
    [{ taskType: "other" }, ["taskType"]],
    [{ documentDate: "soon" }, ["documentDate"]],
    [{ customId: "" }, ["customId"]],
    [{ filepath: "" }, ["filepath"]],
  ])("refuses %j, naming the field", async (body, path) => {
    const { id } = await add({ content: "Something to change." });
    const answer = await patch(id, body);
    expect([answer.status, answer.body.issues[0].path]).toEqual([400, path]);
  });

  test("an unknown document answers 404", async () => {
    expect((await patch("nobody", { content: "x" })).status).toBe(404);
  });
});

describe("POST /v3/documents", () => {
  test("accepts guidance and a filter for extraction, and ignores unknown keys", async () => {
    const body = {
      content: "Lena knits.",
      containerTag: "post:a",
      entityContext: "Lena is a person.",
      filterByMetadata: { team: ["a"], n: 1 },
      somethingNew: { deep: [1] },
    };
    expect(await add(body)).toMatchObject({ status: "queued" });
  });

  test.each([
    [{ entityContext: "x".repeat(1_501) }, ["entityContext"]],
    [{ filterByMetadata: { a: { b: 1 } } }, ["filterByMetadata", "a"]],
  ])("refuses %j, naming the field", async (body, path) => {
    const answer = await rest.send("POST", "/v3/documents", { content: "x y", ...body });
    expect([answer.status, answer.body.issues[0].path]).toEqual([400, path]);
  });
});

describe("POST /v4/conversations", () => {
  const talk = (body: unknown) => rest.send("POST", "/v4/conversations", body);
  const MESSAGES = [
    { role: "user", content: "I live in Rome." },
    { role: "assistant", content: [{ type: "text", text: "Nice!" }] },
  ];

  test("returns the document's id, which stays the same when more messages are sent", async () => {
    const first = await talk({ conversationId: "talk 1", containerTags: ["talk"], messages: MESSAGES });
    expect([first.status, first.body]).toEqual([
      200,
      { id: expect.any(String) as string, conversationId: "talk 1", status: "queued" },
    ]);
    const more = [...MESSAGES, { role: "user", content: "Is it warm there?" }];
    expect((await talk({ conversationId: "talk 1", containerTags: ["talk"], messages: more })).body.id).toBe(
      first.body.id,
    );
    expect(await get("talk 1")).toMatchObject({
      id: first.body.id,
      content: "user: I live in Rome.\n\nassistant: Nice!\n\nuser: Is it warm there?",
      containerTags: ["talk"],
    });
  });

  test("accepts the names used by samples: customId, containerTag, image_url", async () => {
    const messages = [
      { role: "user", content: [{ type: "image_url", image_url: { url: "https://x.example/a.png" } }] },
    ];
    const { status, body } = await talk({ customId: "talk 2", containerTag: "talk:2", messages });
    expect([status, body.conversationId]).toEqual([200, "talk 2"]);
    expect(await get("talk 2")).toMatchObject({
      content: "user: [image: https://x.example/a.png]",
      containerTags: ["talk:2"],
    });
  });

  test.each([
    [{ messages: MESSAGES }, ["conversationId"]],
    [{ conversationId: "x", messages: [] }, ["messages"]],
    [{ conversationId: "x" }, ["messages"]],
    [{ conversationId: "x", messages: [{ role: "user", content: [{ type: "text" }] }] }, ["messages", 0, "content"]],
    [{ conversationId: "x", messages: [{ role: "robot", content: "x" }] }, ["messages", 0, "role"]],
    [{ conversationId: "x", messages: MESSAGES, metadata: { a: ["b"] } }, ["metadata", "a"]],
  ])("refuses %j, naming the field", async (body, path) => {
    const { status, body: error } = await talk(body);
    expect([status, error.issues[0].path.slice(0, path.length)]).toEqual([400, path]);
  });
});
