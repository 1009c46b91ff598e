import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { openRest, type OpenedRest } from "../support/rest.js";
import { startScriptedProvider } from "../support/scripted-provider.js";

let rest: OpenedRest;
const send: OpenedRest["send"] = (...request) => rest.send(...request);

beforeEach(async () => {
  rest = await openRest({ asOwner: true });
});
afterEach(() => rest.close());

const add = async (containerTag: string, content = `Ada keeps bees in ${containerTag}.`) => {
  const { body } = await send("POST", "/v3/documents", { content, containerTag });
  await rest.settle();
  return body.id as string;
};
const list = async () => (await send("GET", "/v3/container-tags/list")).body;

describe("GET /v3/container-tags/list", () => {
  test("returns a bare array, without unknown fields", async () => {
    expect(await list()).toEqual([]);
    await add("a");
    const [entry] = await list();
    expect(entry).toEqual({
      id: expect.stringMatching(/^\w{22}$/) as string,
      name: "a",
      containerTag: "a",
      description: null,
      createdAt: expect.any(String) as string,
      updatedAt: expect.any(String) as string,
      isExperimental: false,
      visibility: "private",
      isNova: false,
      documentCount: 1,
      memoryCount: 1,
      lastActivityAt: expect.any(String) as string,
    });
  });

  test("includes names, projects and emoji", async () => {
    const { body } = await send("POST", "/v3/projects", { name: "Bees", emoji: "🐝" });
    expect(await list()).toMatchObject([
      { id: body.id, name: "Bees", containerTag: "sm_project_bees", isNova: true, emoji: "🐝", lastActivityAt: null },
    ]);
  });
});

describe("GET and PATCH /v3/container-tags/{containerTag}", () => {
  test("an unknown tag answers 404; a change creates it", async () => {
    const missing = await send("GET", "/v3/container-tags/a");
    expect(missing).toMatchObject({ status: 404, body: { message: "Container not found: a" } });
    const made = await send("PATCH", "/v3/container-tags/a", { name: "A", unknown: true });
    const { warnings, ...container } = made.body;
    expect(warnings).toEqual(["unknown: is not known and was ignored"]);
    expect(made).toMatchObject({
      status: 200,
      body: {
        containerTag: "a",
        name: "A",
        entityContext: null,
        memoryFilesystemPaths: null,
        profileBuckets: [],
      },
    });
    expect(await send("GET", "/v3/container-tags/a")).toMatchObject({
      status: 200,
      body: { ...container, documentCount: 0, memoryCount: 0, lastActivityAt: null },
    });
  });

  test("accepts every field, and null clears the two that are nullable", async () => {
    const fields = {
      name: "A",
      entityContext: "She keeps bees.",
      memoryFilesystemPaths: ["/notes/"],
      profileBuckets: [{ key: "hives", description: "Where they stand" }],
    };
    expect((await send("PATCH", "/v3/container-tags/a", fields)).body).toMatchObject(fields);
    const cleared = { entityContext: null, memoryFilesystemPaths: null };
    expect((await send("PATCH", "/v3/container-tags/a", cleared)).body).toMatchObject({ ...fields, ...cleared });
  });

  test("decodes a tag once", async () => {
    await send("PATCH", "/v3/container-tags/a%3Ab", { name: "AB" });
    expect((await send("GET", "/v3/container-tags/a:b")).body).toMatchObject({ containerTag: "a:b", name: "AB" });
  });

  test.each([
    ["/v3/container-tags/a%20b", {}, "containerTag: must contain only letters"],
    [`/v3/container-tags/${"x".repeat(101)}`, {}, "containerTag: must have at most 100 characters"],
    ["/v3/container-tags/a", { name: "" }, "name: must not be empty"],
    ["/v3/container-tags/a", { profileBuckets: [{ key: "static" }] }, "profileBuckets.0.key: must not be static"],
    ["/v3/container-tags/a", { entityContext: "x".repeat(1_501) }, "entityContext: must have at most 1500"],
    ["/v3/container-tags/a", [], "the body must be a JSON object"],
    ["/v3/container-tags/a", "{", "The body is not JSON"],
    ["/v3/container-tags/a", undefined, "The body is empty"],
  ])("PATCH %s is refused with %j", async (path, body, message) => {
    const answer = await send("PATCH", path, body);
    expect(answer.status).toBe(400);
    expect(answer.body.message).toContain(message);
    expect(await list()).toEqual([]);
  });

  test("refuses a tag with invalid characters in every call", async () => {
    for (const method of ["GET", "DELETE"])
      expect(await send(method, "/v3/container-tags/a%23b")).toMatchObject({ status: 400 });
  });
});

describe("DELETE /v3/container-tags/{containerTag}", () => {
  test("reports what was deleted, and the container is gone", async () => {
    const id = await add("a");
    await add("b");
    expect(await send("DELETE", "/v3/container-tags/a")).toMatchObject({
      status: 200,
      body: { success: true, containerTag: "a", deletedDocumentsCount: 1, deletedMemoriesCount: 1 },
    });
    expect((await list()).map((entry: { containerTag: string }) => entry.containerTag)).toEqual(["b"]);
    expect(await send("GET", `/v3/documents/${id}`)).toMatchObject({ status: 404 });
    expect(await send("DELETE", "/v3/container-tags/a")).toMatchObject({ status: 404 });
  });
});

describe("merging", () => {
  const target = { containerTags: ["a", "b"], targetContainerTag: "b" };

  beforeEach(async () => {
    for (const tag of ["a", "b"]) await add(tag);
  });

  test("answers 202, and its state can be read until it is completed", async () => {
    const accepted = await send("POST", "/v3/container-tags/merge", target);
    expect(accepted).toMatchObject({
      status: 202,
      body: { success: true, status: "queued", targetTag: "b", sourceTags: ["a"], mergedCount: 1 },
    });
    const path = `/v3/container-tags/merge/${accepted.body.mergeId}`;
    expect(await send("GET", path)).toMatchObject({ status: 200, body: { id: accepted.body.mergeId } });
    await rest.settle();
    expect((await send("GET", path)).body).toMatchObject({ status: "completed", lastError: null });
    expect(await list()).toMatchObject([{ containerTag: "b", documentCount: 2, memoryCount: 2 }]);
    expect((await list())[0]).not.toHaveProperty("mergeStatus");
  });

  test("accepts from and to as well", async () => {
    expect(await send("POST", "/v3/container-tags/merge", { from: "a", to: "b" })).toMatchObject({
      status: 202,
      body: { sourceTags: ["a"], targetTag: "b" },
    });
  });

  test.each([
    [{}, 400, "containerTags: is missing"],
    [{ from: "a" }, 400, "containerTags: is missing"],
    [{ ...target, containerTags: ["a", "a"] }, 400, "must name two different containers"],
    [{ ...target, targetContainerTag: "nowhere" }, 404, "Container not found: nowhere"],
    [{ ...target, containerTags: ["a", "nowhere"] }, 404, "Container not found: nowhere"],
  ])("refuses %j", async (body, status, message) => {
    const answer = await send("POST", "/v3/container-tags/merge", body);
    expect(answer.status).toBe(status);
    expect(answer.body.message).toContain(message);
  });
});

describe("while a merge is pending", () => {
  const target = { containerTags: ["a", "b"], targetContainerTag: "b" };

  test("the list shows it, and writes to the source are refused with a retry after one second", async () => {
    const provider = await startScriptedProvider();
    const waiting = await openRest({
      asOwner: true,
      settings: { RECOLLECT_EMBEDDER: "openai", RECOLLECT_EMBEDDING_BASE_URL: provider.url },
    });
    await waiting.settle();
    // Without vectors, new documents stay unfinished.
    await provider.close();
    const content = "Ada keeps bees.";
    for (const containerTag of ["a", "b"]) await waiting.send("POST", "/v3/documents", { content, containerTag });
    const { mergeId } = (await waiting.send("POST", "/v3/container-tags/merge", target)).body;

    const listed = (await waiting.send("GET", "/v3/container-tags/list")).body;
    const merge = { mergeId, mergeTargetTag: "b" };
    expect(listed).toHaveLength(2);
    expect(listed).toEqual(
      expect.arrayContaining([
        expect.objectContaining({ containerTag: "a", mergeStatus: "source", ...merge }),
        expect.objectContaining({ containerTag: "b", mergeStatus: "target", ...merge }),
      ]),
    );
    const refused = await waiting.send("POST", "/v3/documents", { content: "New bees", containerTag: "a" });
    expect(refused.status).toBe(409);
    expect(refused.headers.get("retry-after")).toBe("1");
    expect(refused.headers.get("x-should-retry")).toBeNull();
    const second = await waiting.send("POST", "/v3/container-tags/merge", target);
    expect(second.status).toBe(409);
    expect(second.headers.get("x-should-retry")).toBe("false");
    await waiting.close();
  });
});

describe("literal paths", () => {
  test("take precedence over a tag of the same name", async () => {
    await add("list");
    expect(await list()).toMatchObject([{ containerTag: "list" }]);
    expect(await send("GET", "/v3/container-tags/merge")).toMatchObject({ status: 405 });
    expect(await send("GET", "/v3/container-tags/merge/unknown")).toMatchObject({
      status: 404,
      body: { message: "Merge not found: unknown" },
    });
  });
});
