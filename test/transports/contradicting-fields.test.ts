import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { type OpenedRest, openRest } from "../support/rest.js";

let rest: OpenedRest;
beforeAll(async () => {
  rest = await openRest({ asOwner: true });
});
afterAll(() => rest.close());

const remember = async (containerTag: string, content: string) =>
  rest.send("POST", "/v4/memories", { containerTag, memories: [{ content }] });
const memoriesOf = async (containerTag: string): Promise<string[]> => {
  await rest.settle();
  const { body } = await rest.send("POST", "/v4/memories/list", { containerTags: [containerTag] });
  return body.memoryEntries.map(({ memory }: { memory: string }) => memory);
};

describe("a request that destroys is refused when its fields contradict each other", () => {
  test("a project to delete, with a project to move its content to", async () => {
    const { containerTag } = (await rest.send("POST", "/v3/projects", { name: "bees" })).body;
    await rest.send("POST", "/v3/projects", { name: "honey" });
    await remember(containerTag, "Mia keeps bees");
    const body = { action: "delete", targetProjectId: "sm_project_honey" };
    const { status, body: refusal } = await rest.send("DELETE", `/v3/projects/${containerTag}`, body);
    expect([status, refusal.error]).toEqual([
      400,
      "targetProjectId: contradicts the action delete, which keeps nothing; leave it out, or send the action move",
    ]);
    expect(await memoriesOf(containerTag)).toEqual(["Mia keeps bees"]);
    const absent = { action: "delete", targetProjectId: null };
    expect((await rest.send("DELETE", `/v3/projects/${containerTag}`, absent)).status).toBe(200);
  });

  describe("a merge", () => {
    beforeAll(async () => {
      for (const tag of ["src", "dst", "other"]) await remember(tag, `Mia knows ${tag}`);
    });

    const CONTRADICTIONS = [
      [{ from: "src", to: "dst", targetContainerTag: "src" }, "to: contradicts targetContainerTag; send one of them"],
      [
        { containerTags: ["src", "dst"], targetContainerTag: "dst", from: "other" },
        "from: contradicts containerTags and their target; send only these",
      ],
      [
        { containerTags: ["src", "dst"], targetContainerTag: "dst", from: "dst" },
        "from: contradicts containerTags and their target; send only these",
      ],
    ] as const;

    test.each(CONTRADICTIONS)("%j", async (body, error) => {
      const answer = await rest.send("POST", "/v3/container-tags/merge", body);
      expect([answer.status, answer.body.error]).toEqual([400, error]);
      for (const tag of ["src", "dst", "other"]) expect(await memoriesOf(tag)).toEqual([`Mia knows ${tag}`]);
    });

    test("is accepted when both names say the same", async () => {
      const body = { containerTags: ["src", "dst"], from: "src", to: "dst", targetContainerTag: "dst" };
      expect((await rest.send("POST", "/v3/container-tags/merge", body)).status).toBe(202);
    });
  });

  test("two different queries for what to forget", async () => {
    await remember("tastes", "Mia drinks tea");
    const about = (fields: Record<string, string>) =>
      rest.send("POST", "/v4/memories/forget-matching", { containerTag: "tastes", ...fields });
    const { status, body } = await about({ query: "Mia drinks tea", q: "Mia drinks coffee" });
    expect([status, body.error]).toEqual([400, "q: contradicts query, which means the same; send one of them"]);
    expect(await memoriesOf("tastes")).toEqual(["Mia drinks tea"]);
    expect((await about({ query: "Mia drinks tea", q: "Mia drinks tea" })).body.count).toBe(1);
  });
});
