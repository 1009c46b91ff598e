import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { openRest, type OpenedRest } from "../support/rest.js";

let rest: OpenedRest;

const remember = (containerTag: string, memories: Record<string, unknown>[]) =>
  rest.send("POST", "/v4/memories", { containerTag, memories });
const profile = async (body: Record<string, unknown>, headers: Record<string, string> = {}) => {
  const answer = await rest.send("POST", "/v4/profile", body, headers);
  expect(answer.status).toBe(200);
  return answer.body;
};
const tomorrow = new Date(Date.now() + 86_400_000).toISOString().slice(0, 10);
const today = new Date().toISOString().slice(0, 10);
/** A fact as `dynamic` shows it. It was written a moment ago, which may have been before midnight. */
const recent = (text: string) =>
  expect.stringMatching(new RegExp(`^\\[Recent\\] \\[(?:${today}|${tomorrow})\\] ${text}$`)) as string;
const buckets = async (containerTag: string, headers: Record<string, string> = {}) =>
  (await rest.send("POST", "/v4/profile/buckets", { containerTag }, headers)).body.buckets as {
    key: string;
    description: string;
  }[];

beforeAll(async () => {
  rest = await openRest({ asOwner: true });
  await remember("person", [
    { content: "Ines leads the core team", isStatic: true, metadata: { sm_scope: "work" } },
    { content: "Ines prefers tea over coffee", isStatic: true },
    { content: "Ines is preparing the spring release", metadata: { sm_scope: "work" } },
    { content: "Ines flew to Rome last week" },
  ]);
});
afterAll(() => rest.close());

describe("POST /v4/profile", () => {
  test("returns static and dynamic facts as texts, the newest first with their day, and buckets", async () => {
    expect(await profile({ containerTag: "person" })).toEqual({
      profile: {
        static: ["Ines prefers tea over coffee", "Ines leads the core team"],
        dynamic: [recent("Ines flew to Rome last week"), recent("Ines is preparing the spring release")],
        buckets: { preferences: ["[Recent] Ines prefers tea over coffee"] },
      },
    });
  });

  test("`include` omits the parts it does not name", async () => {
    expect((await profile({ containerTag: "person", include: ["dynamic"] })).profile).toEqual({
      dynamic: [recent("Ines flew to Rome last week"), recent("Ines is preparing the spring release")],
    });
    expect((await profile({ containerTag: "person", include: ["buckets"] })).profile).toEqual({
      buckets: { preferences: ["[Recent] Ines prefers tea over coffee"] },
    });
  });

  test("returns empty parts for an empty container", async () => {
    expect((await profile({ containerTag: "nobody" })).profile).toEqual({
      static: [],
      dynamic: [],
      buckets: { preferences: [] },
    });
  });

  test("filters narrow every part and the search results", async () => {
    const filters = { AND: [{ key: "sm_scope", value: "work" }] };
    for (const form of [filters, JSON.stringify(filters)]) {
      const answer = await profile({ containerTag: "person", filters: form, q: "what does Ines do", threshold: 0 });
      expect(answer.profile).toEqual({
        static: ["Ines leads the core team"],
        dynamic: [recent("Ines is preparing the spring release")],
        buckets: { preferences: [] },
      });
      const found = answer.searchResults.results.map(({ memory }: { memory: string }) => memory);
      expect(new Set(found)).toEqual(new Set(["Ines leads the core team", "Ines is preparing the spring release"]));
    }
  });

  test("a question adds search results with scores; an empty one does not", async () => {
    const { searchResults } = await profile({ containerTag: "person", q: "who leads the core team", threshold: 0.3 });
    expect(searchResults.results[0]).toMatchObject({ memory: "Ines leads the core team", version: 1 });
    expect(searchResults.total).toBe(searchResults.results.length);
    for (const result of searchResults.results) {
      expect(result.similarity).toBeGreaterThanOrEqual(0.3);
      expect(result).not.toHaveProperty("context");
    }
    for (const q of ["", "  ", undefined])
      expect(await profile({ containerTag: "person", q })).not.toHaveProperty("searchResults");
  });

  test("omits forgotten and superseded facts and those of other containers", async () => {
    const containerTag = "changed";
    const { body } = await remember(containerTag, [{ content: "Tom lives in Rome" }, { content: "Tom likes jam" }]);
    const [home, jam] = body.memories;
    await rest.send("PATCH", "/v4/memories", { containerTag, id: home.id, newContent: "Tom lives in Bern" });
    await rest.send("DELETE", "/v4/memories", { containerTag, id: jam.id });
    expect((await profile({ containerTag })).profile).toEqual({
      static: [],
      dynamic: [recent("Tom lives in Bern")],
      buckets: { preferences: [] },
    });
  });

  test.each<[Record<string, unknown>, RegExp]>([
    [{}, /^containerTag: /],
    [{ containerTag: "a b" }, /^containerTag: /],
    [{ containerTag: "a", include: ["all"] }, /^include\.0: must be static, dynamic or buckets/],
    [{ containerTag: "a", include: "static" }, /^include: must be an array/],
    [{ containerTag: "a", buckets: "work" }, /^buckets: must be an array of strings/],
    [{ containerTag: "a", threshold: "0.5" }, /^threshold: must be a number/],
    [{ containerTag: "a", filters: { key: "k", value: "v" } }, /^filters: must be an object with AND or OR/],
    [{ containerTag: "a", q: 1 }, /^q: must be a string/],
  ])("refuses %j, naming the field", async (body, message) => {
    const answer = await rest.send("POST", "/v4/profile", body);
    expect(answer.status).toBe(400);
    expect(answer.body.message).toMatch(message);
  });
});

describe("profile buckets", () => {
  test("are one for preferences until others are defined", async () => {
    expect((await buckets("nobody")).map(({ key }) => key)).toEqual(["preferences"]);
  });

  test("come from the organisation and the container; for the same key the organisation's wins", async () => {
    const own = await openRest({ asOwner: true });
    try {
      const send = (method: string, path: string, body: unknown, headers = {}) => own.send(method, path, body, headers);
      const keysOf = async (containerTag: string) =>
        (await send("POST", "/v4/profile/buckets", { containerTag })).body.buckets;
      await send("PATCH", "/v3/container-tags/person", {
        profileBuckets: [
          { key: "travel", description: "Trips" },
          { key: "pets", description: "Animals of the house" },
        ],
      });
      expect(await keysOf("person")).toEqual([
        { key: "travel", description: "Trips" },
        { key: "pets", description: "Animals of the house" },
      ]);
      await send("PATCH", "/v3/settings", {
        profileBuckets: [{ key: "travel", description: "Journeys of all kinds" }],
      });
      expect(await keysOf("person")).toEqual([
        { key: "travel", description: "Journeys of all kinds" },
        { key: "pets", description: "Animals of the house" },
      ]);
      expect(await keysOf("other")).toEqual([{ key: "travel", description: "Journeys of all kinds" }]);

      const memories = [{ content: "Ines flew to Rome last week" }, { content: "Ines has a dog named Bo" }];
      await send("POST", "/v4/memories", { containerTag: "person", memories });
      const read = async (more: Record<string, unknown>) =>
        (await send("POST", "/v4/profile", { containerTag: "person", ...more })).body.profile.buckets;
      expect(await read({})).toEqual({
        travel: ["[Recent] Ines flew to Rome last week"],
        pets: ["[Recent] Ines has a dog named Bo"],
      });
      expect(await read({ buckets: ["pets", "unknown"] })).toEqual({ pets: ["[Recent] Ines has a dog named Bo"] });
      expect(await read({ buckets: [] })).toEqual({});

      const plugin = { "x-sm-source": "some-plugin" };
      await send("PATCH", "/v3/settings", { profileBuckets: [{ key: "code", description: "" }] }, plugin);
      const forPlugin = await send("POST", "/v4/profile/buckets", { containerTag: "other" }, plugin);
      expect(forPlugin.body.buckets).toEqual([{ key: "code", description: "" }]);
      expect(await keysOf("other")).toEqual([{ key: "travel", description: "Journeys of all kinds" }]);
    } finally {
      await own.close();
    }
  });

  test("require a container", async () => {
    const { status, body } = await rest.send("POST", "/v4/profile/buckets", {});
    expect(status).toBe(400);
    expect(body.message).toMatch(/^containerTag: /);
  });
});

describe("GET /v3/container-tags/{containerTag}/profile", () => {
  test("returns static and dynamic facts", async () => {
    const { body } = await rest.send("GET", "/v3/container-tags/person/profile");
    expect(body).toEqual({
      profile: {
        static: ["Ines prefers tea over coffee", "Ines leads the core team"],
        dynamic: [recent("Ines flew to Rome last week"), recent("Ines is preparing the spring release")],
      },
    });
  });

  test("is empty for an unknown container, and refuses an invalid tag", async () => {
    expect((await rest.send("GET", "/v3/container-tags/acct:1/profile")).body.profile).toEqual({
      static: [],
      dynamic: [],
    });
    expect((await rest.send("GET", "/v3/container-tags/a%20b/profile")).status).toBe(400);
  });
});
