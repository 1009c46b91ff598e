import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { restrictTo } from "../support/restricted-rest.js";
import { openRest, type OpenedRest, type RestAnswer } from "../support/rest.js";

const TEXT = "The bakery in Ulm ships its sourdough to Ghent on Fridays, by the night train.";

let rest: OpenedRest;
beforeAll(async () => {
  rest = await openRest();
});
afterAll(() => rest.close());

const add = (containerTag: string, content = TEXT, more: Record<string, unknown> = {}): Promise<RestAnswer> =>
  rest.send("POST", "/v3/documents", { content, containerTag, ...more }, { prefer: "wait=20" });
const pending = (body?: unknown) => rest.send("POST", "/v3/extractions/pending", body);
const submit = (taskId: string, body: unknown) => rest.send("POST", `/v3/extractions/${taskId}`, body);
const takeOn = async (containerTag: string): Promise<string> => {
  await add(containerTag);
  return (await pending({ containerTag })).body.tasks[0].taskId;
};

describe("POST /v3/extractions/pending", () => {
  test("hands out documents that only rules have read, once", async () => {
    const { body: added } = await add("pending");
    const { status, body } = await pending({ containerTag: "pending" });
    expect(status).toBe(200);
    expect(body).toMatchObject({
      tasks: [{ documentId: added.id, part: 1, parts: 1, text: TEXT, guidance: {} }],
      remaining: 0,
      instructions: expect.stringContaining("quote"),
    });
    expect((await pending({ containerTag: "pending" })).body.tasks).toEqual([]);
  });

  test("uses the default container without a body", async () => {
    await rest.send("POST", "/v3/documents", { content: "Lyon is old." }, { prefer: "wait=20" });
    expect((await pending()).body.tasks).toMatchObject([{ text: "Lyon is old." }]);
  });

  test.each([
    [{ limit: 0 }, /limit: must be at least 1/],
    [{ limit: 11 }, /limit: must be at most 10/],
    [{ limit: "three" }, /limit: must be a number/],
    [{ containerTag: "a b" }, /containerTag: must contain only/],
    [[], /must be/],
  ])("refuses %j with a reason", async (body, words) => {
    const answer = await pending(body);
    expect(answer.status).toBe(400);
    expect(answer.body.error + String(answer.body.details)).toMatch(words);
  });

  test("is closed to a key for other containers", async () => {
    await add("theirs");
    const mine = restrictTo(rest, ["mine"]);
    expect((await mine("POST", "/v3/extractions/pending", { containerTag: "theirs" })).status).toBe(403);
    const taskId = (await pending({ containerTag: "theirs" })).body.tasks[0].taskId;
    expect((await mine("POST", `/v3/extractions/${taskId}`, { facts: [] })).status).toBe(404);
  });
});

describe("POST /v3/extractions/{taskId}", () => {
  test("stores the facts, reports the outcome of each, and can be undone", async () => {
    const taskId = await takeOn("submitted");
    const { status, body } = await submit(taskId, {
      facts: [
        { text: "The bakery ships to Ghent on Fridays.", quote: "to Ghent on Fridays" },
        { text: "The bakery is bankrupt.", quote: "bankrupt" },
      ],
    });
    expect(status).toBe(200);
    expect(body).toMatchObject({ containerTag: "submitted", remaining: 0 });
    expect(body.facts).toMatchObject([
      { memory: "The bakery ships to Ghent on Fridays.", outcome: "added" },
      { memory: "The bakery is bankrupt.", outcome: "review" },
    ]);
    const undone = await rest.send("POST", `/v3/journal/${body.batchId}/undo`);
    expect(undone.body).toMatchObject({ undone: 2, skipped: [] });
  });

  test("returns the same answer to the same submission, and refuses a different one permanently", async () => {
    const taskId = await takeOn("twice");
    const facts = [{ text: "The bakery is in Ulm.", quote: "bakery in Ulm" }];
    const first = await submit(taskId, { facts });
    expect((await submit(taskId, { facts })).body).toEqual(first.body);
    const other = await submit(taskId, { facts: [] });
    expect(other.status).toBe(409);
    expect(other.headers.get("x-should-retry")).toBe("false");
  });

  test.each<[string, unknown, number, RegExp]>([
    ["no facts", {}, 400, /facts/],
    ["facts that are none", { facts: [1] }, 400, /facts\.0/],
    ["too many facts", { facts: Array.from({ length: 101 }, () => ({ text: "x" })) }, 400, /at most 100/],
    ["a long text", { facts: [{ text: "x".repeat(2_001) }] }, 400, /facts\.0\.text: must have at most 2000/],
    [
      "a memory that was not shown",
      { facts: [{ text: "x", relation: { kind: "updates", ids: ["m77"] } }] },
      400,
      /facts\.0\.relation\.ids\.0: the task shows no memory "m77"/,
    ],
  ])("refuses %s with a reason", async (what, body, status, words) => {
    const taskId = await takeOn(`refused-${what.replaceAll(" ", "-")}`);
    const answer = await submit(taskId, body);
    expect(answer.status).toBe(status);
    expect(answer.body.error + String(answer.body.details)).toMatch(words);
  });

  test("answers 404 for an unknown task", async () => {
    const { status, body } = await submit("2".repeat(22), { facts: [] });
    expect(status).toBe(404);
    expect(body.error).toContain("There is no extraction task");
  });
});

describe("POST /v3/documents with facts", () => {
  test("reports their outcome, and which of them the text does not state", async () => {
    const facts = [
      { text: "The bakery ships on Fridays.", quote: "on Fridays", kind: "episode" },
      { text: "The bakery is bankrupt.", quote: "bankrupt" },
    ];
    const { body } = await add("quoted", TEXT, { facts });
    expect(body.facts).toMatchObject([{ outcome: "added" }, { outcome: "review" }]);
    expect((await add("unquoted")).body).not.toHaveProperty("facts");
  });

  test.each([
    [{ quote: 1 }, /facts\.0\.quote: must be a string/],
    [{ quote: "" }, /facts\.0\.quote: must not be empty/],
    [{ kind: "rumour" }, /facts\.0\.kind: must be fact, preference or episode/],
  ])("refuses %j with a reason", async (more, words) => {
    const { status, body } = await add("refused", TEXT, { facts: [{ text: "x", ...more }] });
    expect(status).toBe(400);
    expect(body.error + String(body.details)).toMatch(words);
  });
});
