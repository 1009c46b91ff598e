import { expect, test } from "vitest";
import type { RequestPart, RequestQuery } from "../../../src/core/ports.js";
import type { RequestRecord } from "../../../src/core/types.js";
import { createId } from "../../../src/lib/ids.js";
import { type OpenStore, OTHER_ORGANIZATION, useStore } from "./fixture.js";

const EVER = { from: "0000-01-01T00:00:00.000Z", to: "9999-01-01T00:00:00.000Z" };

function buildRequest(values: Partial<RequestRecord> = {}): RequestRecord {
  return {
    id: createId(),
    keyId: "k1",
    client: null,
    type: "search_v4",
    method: "POST",
    path: "/v4/search",
    status: 200,
    duration: 10,
    containerTag: "a",
    error: null,
    address: "203.0.113.7",
    createdAt: "2024-05-06T07:08:09.000Z",
    ...values,
  };
}

export function requestsContract(open: OpenStore): void {
  const at = useStore(open);

  const list = (query: Partial<RequestQuery> = {}) =>
    at.store.requests.list(at.organization, { ...EVER, offset: 0, limit: 100, ...query });

  test("a request is returned as it was recorded, newest first", async () => {
    const older = buildRequest({ createdAt: "2024-01-01T00:00:00.000Z" });
    const newer = buildRequest({
      keyId: null,
      client: "opencode",
      containerTag: null,
      status: 404,
      error: "none",
      address: null,
    });
    await at.store.requests.insert(at.organization, [older, newer]);
    expect(await list()).toEqual({ requests: [newer, older], total: 2 });
  });

  test("recording it again changes nothing", async () => {
    const request = buildRequest();
    await at.store.requests.insert(at.organization, [request]);
    await at.store.requests.insert(at.organization, [{ ...request, status: 500 }, buildRequest()]);
    expect((await list()).requests.find(({ id }) => id === request.id)?.status).toBe(200);
    expect((await list()).total).toBe(2);
  });

  test("batches larger than one statement are recorded whole or not at all", async () => {
    const many = Array.from({ length: 350 }, () => buildRequest());
    await at.store.requests.insert(at.organization, many);
    expect((await list()).total).toBe(350);
    await at.store.requests.insert(at.organization, []);
    const bad = { ...buildRequest(), path: null } as unknown as RequestRecord;
    const more = Array.from({ length: 150 }, () => buildRequest());
    await expect(at.store.requests.insert(at.organization, [...more, bad])).rejects.toThrow();
    expect((await list()).total).toBe(350);
  });

  test("pages and filters", async () => {
    const failed = buildRequest({ status: 400, type: "add", createdAt: "2024-05-06T07:08:10.000Z" });
    const other = buildRequest({ keyId: "k2", createdAt: "2024-05-06T07:08:11.000Z" });
    await at.store.requests.insert(at.organization, [buildRequest(), failed, other]);
    const idsOf = async (query: Partial<RequestQuery>) => (await list(query)).requests.map(({ id }) => id);
    expect(await idsOf({ outcome: "error" })).toEqual([failed.id]);
    expect(await idsOf({ outcome: "success", limit: 1 })).toEqual([other.id]);
    expect(await idsOf({ statusCode: 400 })).toEqual([failed.id]);
    expect(await idsOf({ type: "add" })).toEqual([failed.id]);
    expect(await idsOf({ keyId: "k2" })).toEqual([other.id]);
    expect(await idsOf({ id: other.id })).toEqual([other.id]);
    expect(await idsOf({ from: failed.createdAt, to: other.createdAt })).toEqual([failed.id]);
    expect(await idsOf({ offset: 1, limit: 1 })).toEqual([failed.id]);
    expect(await list({ offset: 9 })).toEqual({ requests: [], total: 3 });
  });

  test("tallies count by the requested parts", async () => {
    await at.store.requests.insert(at.organization, [
      buildRequest({ duration: 10 }),
      buildRequest({ duration: 30, status: 500, createdAt: "2024-05-06T07:59:59.999Z" }),
      buildRequest({ type: "add", keyId: null, createdAt: "2024-05-06T08:00:00.000Z" }),
    ]);
    const tally = (...parts: RequestPart[]) => at.store.requests.tally(at.organization, EVER, parts);
    expect(await tally("type")).toMatchObject([
      { type: "add", count: 1, errors: 0, keyId: null, status: null, hour: null },
      { type: "search_v4", count: 2, operations: 2, errors: 1, averageMs: 20, lastAt: "2024-05-06T07:59:59.999Z" },
    ]);
    expect(await tally("hour")).toMatchObject([
      { hour: "2024-05-06T07:00:00.000Z", count: 2 },
      { hour: "2024-05-06T08:00:00.000Z", count: 1 },
    ]);
    expect(await tally("type", "status")).toMatchObject([
      { type: "add", status: 200 },
      { type: "search_v4", status: 200 },
      { type: "search_v4", status: 500 },
    ]);
    expect((await tally("keyId")).map(({ keyId, count }) => [keyId, count])).toEqual([
      [null, 1],
      ["k1", 2],
    ]);
    const errors = await at.store.requests.tally(at.organization, EVER, ["status"], { errorsOnly: true });
    expect(errors.map(({ status, count }) => [status, count])).toEqual([[500, 1]]);
    expect(await at.store.requests.tally(at.organization, { from: EVER.from, to: EVER.from }, ["type"])).toEqual([]);
  });

  test("another organisation can neither see nor drop any of it", async () => {
    await at.store.requests.insert(at.organization, [buildRequest()]);
    expect((await at.store.requests.list(OTHER_ORGANIZATION, { ...EVER, offset: 0, limit: 9 })).total).toBe(0);
    expect(await at.store.requests.tally(OTHER_ORGANIZATION, EVER, ["type"])).toEqual([]);
    expect(await at.store.requests.dropBefore(OTHER_ORGANIZATION, new Date(EVER.to))).toBe(0);
    expect((await list()).total).toBe(1);
  });

  test("requests older than a moment are dropped", async () => {
    const kept = buildRequest({ createdAt: "2024-05-06T00:00:00.000Z" });
    await at.store.requests.insert(at.organization, [buildRequest({ createdAt: "2024-05-05T23:59:59.999Z" }), kept]);
    expect(await at.store.requests.dropBefore(at.organization, new Date(kept.createdAt))).toBe(1);
    expect((await list()).requests).toEqual([kept]);
  });

  test("requests beyond a maximum are dropped, oldest first", async () => {
    const requests = Array.from({ length: 5 }, (_, second) =>
      buildRequest({ createdAt: `2024-05-06T07:08:0${second}.000Z` }),
    );
    await at.store.requests.insert(at.organization, requests);
    expect(await at.store.requests.dropBeyond(at.organization, 5)).toBe(0);
    expect(await at.store.requests.dropBeyond(OTHER_ORGANIZATION, 0)).toBe(0);
    expect(await at.store.requests.dropBeyond(at.organization, 2)).toBe(3);
    expect((await list()).requests).toEqual([requests[4], requests[3]]);
  });

  test("volumes count what was added in a period and still exists", async () => {
    const nothing = { documents: 0, memories: 0, containers: 0, tokens: 0 };
    expect(await at.store.volumes.within(at.organization, EVER)).toEqual(nothing);
    await at.store.containers.ensure(at.organization, ["a", "b"]);
    await at.addDocument({ content: "é".repeat(10) });
    const memory = await at.addMemory();
    await at.addMemory();
    await at.store.memories.update(at.organization, memory.id, { isForgotten: true });
    expect(await at.store.volumes.within(at.organization, EVER)).toEqual({
      documents: 1,
      memories: 1,
      containers: 2,
      tokens: 5,
    });
    expect(await at.store.volumes.within(at.organization, { from: EVER.from, to: "2000-01-01" })).toEqual(nothing);
    expect(await at.store.volumes.within(OTHER_ORGANIZATION, EVER)).toEqual(nothing);
  });
}
