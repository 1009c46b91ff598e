import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { openRest, type OpenedRest } from "../support/rest.js";

let rest: OpenedRest;
const send: OpenedRest["send"] = (...request) => rest.send(...request);

beforeEach(async () => {
  rest = await openRest({ asOwner: true });
});
afterEach(() => rest.close());

const create = async (name: string) => (await send("POST", "/v3/projects", { name })).body;
const projects = async () => (await send("GET", "/v3/projects")).body.projects;
const fill = async (containerTag: string): Promise<void> => {
  await send("POST", "/v3/documents", { content: `Ada keeps bees in ${containerTag}.`, containerTag });
  await rest.settle();
};

describe("projects", () => {
  test("are the containers with their prefix, named after the tag if unnamed", async () => {
    await fill("a");
    await send("POST", "/v3/documents", { content: "Ada keeps bees." });
    await fill("sm_project_honey");
    expect(await projects()).toMatchObject([
      { name: "Default Project", containerTag: "sm_project_default", documentCount: 1 },
      { name: "honey", containerTag: "sm_project_honey", documentCount: 1 },
    ]);
  });

  test("are created with a tag derived from their name, and can be written to immediately", async () => {
    const made = await send("POST", "/v3/projects", { name: "  My Café Notes! ", emoji: "🐝" });
    expect(made).toMatchObject({
      status: 200,
      body: {
        name: "My Café Notes!",
        containerTag: "sm_project_my_cafe_notes",
        emoji: "🐝",
        isExperimental: false,
        documentCount: 0,
      },
    });
    expect(await projects()).toEqual([made.body]);
    await fill(made.body.containerTag);
    expect(await projects()).toMatchObject([{ id: made.body.id, documentCount: 1 }]);
  });

  test("of the same name get different tags", async () => {
    const tags = [];
    for (const name of ["Bees", "bees", "BEES!"]) tags.push((await create(name)).containerTag);
    expect(tags).toEqual(["sm_project_bees", "sm_project_bees_2", "sm_project_bees_3"]);
  });

  test.each([
    ["蜂", "sm_project_project"],
    ["a/b\\c <d>", "sm_project_abc_d"],
    ["x".repeat(100), `sm_project_${"x".repeat(83)}`],
    ["...", "sm_project_project"],
  ])("named %s get the tag %s", async (name, tag) => {
    expect(await create(name)).toMatchObject({ name, containerTag: tag });
  });

  test.each([
    [{}, "name: is missing"],
    [{ name: " " }, "name: must not be empty"],
    [{ name: "x".repeat(101) }, "name: must have at most 100 characters"],
    [{ name: "a\u0000b" }, "name: must not contain the control character"],
    [{ name: "a", emoji: "x".repeat(11) }, "emoji: must have at most 10 characters"],
  ])("are refused with %j", async (body, message) => {
    const answer = await send("POST", "/v3/projects", body);
    expect(answer.status).toBe(400);
    expect(answer.body.message).toContain(message);
    expect(await projects()).toEqual([]);
  });
});

describe("deleting a project", () => {
  test("deletes everything in it", async () => {
    const { id, containerTag } = await create("Bees");
    await fill(containerTag);
    expect(await send("DELETE", `/v3/projects/${id}`, { action: "delete" })).toMatchObject({
      status: 200,
      body: {
        success: true,
        message: "The project sm_project_bees was deleted with everything in it.",
        documentsAffected: 1,
        memoriesAffected: 1,
      },
    });
    expect(await projects()).toEqual([]);
    expect((await send("POST", "/v3/documents/list", {})).body.pagination.totalItems).toBe(0);
  });

  test("moves its content first if asked to, and removes it from the list immediately", async () => {
    const [bees, honey] = [await create("Bees"), await create("Honey")];
    await fill(bees.containerTag);
    const body = { action: "move", targetProjectId: honey.id };
    expect(await send("DELETE", `/v3/projects/${bees.id}`, body)).toMatchObject({
      status: 200,
      body: { success: true, documentsAffected: 1, memoriesAffected: 1 },
    });
    expect((await projects()).map((project: { id: string }) => project.id)).toEqual([honey.id]);
    await rest.settle();
    expect(await projects()).toMatchObject([{ id: honey.id, documentCount: 1 }]);
    const search = { q: "bees", containerTag: honey.containerTag, threshold: 0 };
    expect((await send("POST", "/v4/search", search)).body.results.length).toBeGreaterThan(0);
    expect(await send("GET", `/v3/container-tags/${bees.containerTag}`)).toMatchObject({ status: 404 });
  });

  test("works by tag as well as by id", async () => {
    const { containerTag } = await create("Bees");
    expect(await send("DELETE", `/v3/projects/${containerTag}`, { action: "delete" })).toMatchObject({ status: 200 });
  });

  test.each([
    [{}, 400, "action: is missing; it must be move or delete"],
    [{ action: "archive" }, 400, "action: must be move or delete"],
    [{ action: "move" }, 400, "targetProjectId: is required to move its content"],
    [{ action: "move", targetProjectId: "nowhere" }, 404, "Project not found: nowhere"],
    [{ action: "move", targetProjectId: "a" }, 404, "Project not found: a"],
    [{ action: "move", targetProjectId: "sm_project_bees" }, 400, "must be a different project"],
  ])("is refused with %j", async (body, status, message) => {
    await fill("a");
    const { id } = await create("Bees");
    const answer = await send("DELETE", `/v3/projects/${id}`, body);
    expect(answer.status).toBe(status);
    expect(answer.body.message).toContain(message);
    expect(await projects()).toHaveLength(1);
  });

  test("answers 404 for other containers and unknown ids", async () => {
    await fill("a");
    for (const id of ["a", "nowhere"])
      expect(await send("DELETE", `/v3/projects/${id}`, { action: "delete" })).toMatchObject({
        status: 404,
        body: { message: `Project not found: ${id}` },
      });
  });
});
