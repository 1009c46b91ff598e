import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { type OpenedRest, openRest } from "../support/rest.js";

type Grant = { readonly containerTag: string; readonly permission?: "read" | "write" };

let rest: OpenedRest;
beforeAll(async () => {
  rest = await openRest();
  for (const [containerTag, place] of [
    ["alpha", "Ulm"],
    ["beta", "Ghent"],
    ["gamma", "Oslo"],
  ] as const)
    await rest.core.createMemories(
      { actor: rest.actor },
      {
        containerTag,
        memories: [{ content: `The bakery is in ${place}.`, isStatic: true }, { content: `Ada saw ${place}.` }],
      },
    );
  await rest.settle();
});
afterAll(() => rest.close());

/** Calls with a key for these containers only. */
async function senderFor(grants: readonly Grant[]) {
  const { secret } = await rest.core.createKey({ actor: rest.actor }, { kind: "agent", grants: [...grants] });
  return (method: string, path: string, body: unknown) =>
    rest.send(method, path, body, { authorization: `Bearer ${secret}` });
}

const BOTH = [{ containerTag: "alpha" }, { containerTag: "beta" }];

describe("a key for two containers, in requests that name none", () => {
  test.each<[path: string, body: Record<string, unknown>]>([
    ["/v4/profile", {}],
    ["/v4/profile", { q: "Where is the bakery?" }],
    ["/v4/memories/list", {}],
    ["/v4/search", { q: "Where is the bakery?" }],
    ["/v3/documents/documents", {}],
  ])("reads both with POST %s %j, and nothing else", async (path, body) => {
    const { status, body: answer } = await (await senderFor(BOTH))("POST", path, body);
    const told = JSON.stringify(answer);
    expect([status, told.includes("Ulm"), told.includes("Ghent"), told.includes("Oslo")]).toEqual([
      200,
      true,
      true,
      false,
    ]);
  });

  test("returns the newest facts of both first, and the buckets of both", async () => {
    for (const { containerTag } of BOTH)
      await rest.core.updateContainer(
        { actor: rest.actor },
        { containerTag, profileBuckets: [{ key: `of_${containerTag}`, description: "Where the bakery is." }] },
      );
    const send = await senderFor(BOTH);
    const { body } = await send("POST", "/v4/profile", {});
    expect(body.profile.static).toEqual(["The bakery is in Ghent.", "The bakery is in Ulm."]);
    expect(body.profile.dynamic.map((text: string) => text.replace(/^.*\] /, ""))).toEqual([
      "Ada saw Ghent.",
      "Ada saw Ulm.",
    ]);
    expect(Object.keys(body.profile.buckets)).toEqual(["of_alpha", "of_beta"]);
    const buckets = await send("POST", "/v4/profile/buckets", {});
    expect(buckets.body.buckets.map(({ key }: { key: string }) => key)).toEqual(["of_alpha", "of_beta"]);
  });

  test.each<[method: string, path: string, body: Record<string, unknown>]>([
    ["POST", "/v3/documents", { content: "Rye." }],
    ["POST", "/v4/memories", { memories: [{ content: "Rye." }] }],
    ["PATCH", "/v4/memories", { content: "Ada saw Ulm.", newContent: "Ada was in Ulm." }],
    ["DELETE", "/v4/memories", { content: "Ada saw Ulm." }],
    ["POST", "/v4/memories/forget-matching", { query: "Ulm" }],
    ["POST", "/v3/extractions/pending", {}],
  ])("has to say which container %s %s refers to", async (method, path, body) => {
    const { status, body: answer } = await (await senderFor(BOTH))(method, path, body);
    expect([status, answer.message]).toEqual([400, expect.stringContaining("which may write to alpha, beta")]);
  });
});

describe("a key that may write to only one container, in requests that name none", () => {
  test.each<[method: string, path: string, body: Record<string, unknown>, status: number]>([
    ["POST", "/v4/memories", { memories: [{ content: "The mill is in Bruges." }] }, 201],
    ["PATCH", "/v4/memories", { content: "The mill is in Bruges.", newContent: "The mill is in Lille." }, 200],
    ["POST", "/v4/memories/forget-matching", { query: "The mill is in Lille.", dryRun: true }, 200],
    ["DELETE", "/v4/memories", { content: "The mill is in Lille." }, 200],
    ["POST", "/v3/extractions/pending", {}, 200],
  ])("%s %s applies to that one", async (method, path, body, status) => {
    const send = await senderFor([
      { containerTag: "alpha", permission: "read" },
      { containerTag: "beta", permission: "write" },
    ]);
    const answer = await send(method, path, body);
    expect(answer.status, JSON.stringify(answer.body)).toBe(status);
  });
});

test("a key for the whole organisation still has to name the container", async () => {
  const headers = await rest.ownerKey();
  for (const [method, path, body, message] of [
    ["POST", "/v4/profile", {}, "containerTag: is missing"],
    ["POST", "/v4/memories/list", {}, "containerTags: is missing"],
    ["POST", "/v4/memories", { memories: [{ content: "Rye." }] }, "containerTag: is missing"],
    ["DELETE", "/v4/memories", { content: "Rye." }, "containerTag: is missing"],
    ["POST", "/v4/memories/forget-matching", { query: "Rye" }, "containerTag: is missing"],
  ] as const) {
    const { status, body: answer } = await rest.send(method, path, body, headers);
    expect([path, status, answer.message]).toEqual([path, 400, message]);
  }
  expect((await rest.send("POST", "/v3/extractions/pending", {}, headers)).status).toBe(200);
});
