import { afterEach, beforeEach, describe, expect, test } from "vitest";
import type { UseCase } from "../../src/core/index.js";
import type { RequestRecord } from "../../src/core/types.js";
import { cleanUp } from "../../src/core/upkeep/upkeep.js";
import { createId } from "../../src/lib/ids.js";
import { type ManualCore, openManualCore } from "../support/manual-core.js";

const DAY_MS = 86_400_000;

let opened: ManualCore;
beforeEach(async () => {
  opened = await openManualCore();
});
afterEach(() => opened.close());

/** A search this many days ago. */
function search(daysAgo: number, values: Partial<RequestRecord> = {}): RequestRecord {
  return {
    id: createId(),
    keyId: null,
    client: null,
    type: "search_v4",
    method: "POST",
    path: "/v4/search",
    status: 200,
    duration: 10,
    containerTag: null,
    error: null,
    createdAt: opened.clock.from(-daysAgo * DAY_MS).toISOString(),
    ...values,
  };
}

const note = (...requests: RequestRecord[]) => opened.core.noteRequests(opened.call(), { requests });

describe("requests", () => {
  test("are kept for 90 days", async () => {
    const kept = search(89.9);
    await note(search(90.1), kept);
    await cleanUp(opened.context);
    expect(await opened.core.listRequests(opened.call(), {})).toMatchObject({ items: [kept], total: 1 });
  });

  test("are recorded once, even if they are sent repeatedly", async () => {
    const request = search(1);
    await note(request);
    await note(request, search(2));
    expect((await opened.core.listRequests(opened.call(), {})).total).toBe(2);
  });

  test.each<[string, object, string]>([
    ["an invalid status", { status: 20 }, "requests.0.status"],
    ["an invalid type", { type: "walk" }, "requests.0.type"],
    ["a negative duration", { duration: -1 }, "requests.0.duration"],
    ["an invalid time", { createdAt: "today" }, "requests.0.createdAt"],
    ["a path that is too long", { path: "x".repeat(300) }, "requests.0.path"],
    ["a refusal that is too long", { error: "x".repeat(501) }, "requests.0.error"],
  ])("are rejected with %s", async (_name, values, path) => {
    await expect(note(search(0, values as Partial<RequestRecord>))).rejects.toMatchObject({
      kind: "invalid",
      message: expect.stringContaining(path),
    });
  });
});

describe("growth", () => {
  test("compares with the preceding period of equal length, in percent", async () => {
    await note(search(1), search(2), search(3), search(8), search(9));
    const { searches, growth } = await opened.core.reportGrowth(opened.call(), { period: "7d" });
    expect([searches, growth.searches]).toEqual([3, 50]);
  });

  test("is 0 without a preceding period, and for all time", async () => {
    await note(search(1));
    expect((await opened.core.reportGrowth(opened.call(), { period: "7d" })).growth.searches).toBe(0);
    expect((await opened.core.reportGrowth(opened.call(), {})).growth.searches).toBe(0);
  });

  test("counts new documents, memories and containers", async () => {
    const add = (content: string, containerTag: string) =>
      opened.core.addDocument(opened.call(), {
        content,
        containerTags: [containerTag],
        facts: [{ text: content }],
        wait: 20,
      });
    await add("Mia keeps bees.", "a");
    opened.clock.advance(3 * DAY_MS);
    await add("Ben keeps goats.", "b");
    await add("Ada keeps cats.", "b");
    const { total, growth, tokens } = await opened.core.reportGrowth(opened.call(), { period: "24h" });
    expect(total).toMatchObject({ documents: 3, memories: 3, containers: 2 });
    expect(tokens).toBe(Math.ceil("Ben keeps goats.Ada keeps cats.".length / 4));
    expect(growth).toMatchObject({ documents: 0 });
    opened.clock.advance(DAY_MS + 1);
    const next = await opened.core.reportGrowth(opened.call(), { period: "24h" });
    expect(next.growth).toMatchObject({ documents: -100, memories: -100, containers: -100 });
  });
});

describe("consumption", () => {
  test("covers the current month in UTC, and includes when it ends", async () => {
    await note(search(1), search(2, { type: "add" }), search(7));
    expect(await opened.core.reportConsumption(opened.call())).toMatchObject({
      from: "2024-05-01T00:00:00.000Z",
      resetsAt: "2024-06-01T00:00:00.000Z",
      searches: 1,
      operations: 2,
      byDay: [
        { day: "2024-05-04", count: 1 },
        { day: "2024-05-05", count: 1 },
      ],
    });
  });

  test("covers another period on request", async () => {
    await note(search(1), search(40));
    const march = { from: "2024-03-01", to: "2024-04-01" };
    expect(await opened.core.reportConsumption(opened.call(), march)).toMatchObject({ searches: 1, operations: 1 });
    const wrong = { from: "2024-04-02", to: "2024-04-01" };
    await expect(opened.core.reportConsumption(opened.call(), wrong)).rejects.toMatchObject({ kind: "invalid" });
  });
});

test.each<[UseCase, unknown]>([
  ["noteRequests", { requests: [] }],
  ["listRequests", {}],
  ["reportUsage", {}],
  ["reportErrors", {}],
  ["reportGrowth", {}],
  ["reportConsumption", {}],
  ["getTeam", {}],
  ["changeTeam", {}],
  ["changeBilling", {}],
  ["listConnections", {}],
  ["listConnectionDocuments", { provider: "notion" }],
  ["findConnection", { id: "x" }],
  ["findConnectionOf", { provider: "notion" }],
  ["createConnection", { provider: "notion" }],
  ["importConnections", { provider: "notion" }],
])("%s needs a key of the whole organisation: keys for some containers are rejected", async (name, input) => {
  await expect(opened.core[name](opened.call(["a"]), input)).rejects.toMatchObject({
    kind: "forbidden",
    message: expect.stringContaining("may only use its containers"),
  });
});
