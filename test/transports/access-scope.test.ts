import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { type AccessWorld, CANARY, HOME, LIBRARY, openAccessWorld } from "../support/access-world.js";
import { readAnswer, requestInit, type RestAnswer } from "../support/rest.js";

let world: AccessWorld;
/** What the containers hold from the start. */
let ids: Record<"document" | "file" | "memory" | "libraryDocument", string>;
beforeAll(async () => {
  world = await openAccessWorld();
  const [home, library] = [world.lasting(HOME), world.lasting(LIBRARY)];
  ids = {
    document: await home.document(),
    file: await home.file(),
    memory: await home.memory(),
    libraryDocument: await library.document(),
  };
}, 30_000);
afterAll(() => world.close());

async function as(name: string, method: string, path: string, body?: unknown): Promise<RestAnswer> {
  const { headers, bindings } = world.principal(name);
  return readAnswer(await world.app.request(path, requestInit(method, body, { ...headers }), bindings));
}

const OWN = "scoped to the container";
const OTHER = "scoped to another container";
const BOTH = "agent, one container to write, one to read";

describe("GET /v3/session returns what each key may do", () => {
  const grant = (containerTag: string, permission: string) => ({ containerTag, permission });
  const restricted = (permission: string, ...granted: ReturnType<typeof grant>[]) => ({
    role: "member",
    accessType: "restricted",
    containerTags: granted,
    scope: {
      type: "scoped",
      permission,
      ...(granted.length === 1 && { tag: granted[0]?.containerTag }),
      tags: granted.map(({ containerTag }) => containerTag),
    },
  });
  const full = { role: "owner", accessType: "full", scope: { type: "full" } };
  const readsAll = { role: "member", accessType: "restricted", scope: { type: "scoped", permission: "read" } };

  test.each<[name: string, told: object]>([
    ["no key, from this machine", full],
    ["full key", full],
    [OTHER, restricted("write", grant("garage", "write"))],
    [OWN, restricted("write", grant(HOME, "write"))],
    ["scoped to the container, reading", restricted("read", grant(HOME, "read"))],
    ["agent of another container", restricted("write", grant("garage", "write"))],
    ["agent, reading everything", readsAll],
    [BOTH, restricted("write", grant(HOME, "write"), grant(LIBRARY, "read"))],
    ["app, one container, reading", restricted("read", grant(HOME, "read"))],
    ["app, everything, that asked for reading", readsAll],
  ])("%s", async (name, told) => {
    const { status, body } = await as(name, "GET", "/v3/session");
    const { user, org, plan, client: _client, ...rights } = body;
    expect([status, rights]).toEqual([200, told]);
    expect([user.id, org.id, plan]).toEqual(["owner", world.owner.actor.organizationId, "enterprise"]);
  });

  test("does not reveal what an invalid key could once do", async () => {
    const strangers = world.principals.filter(({ rights }) => rights === null);
    expect(strangers.length).toBeGreaterThan(5);
    for (const { name } of strangers) {
      const { status, body } = await as(name, "GET", "/v3/session");
      expect([name, status, Object.keys(body).toSorted()]).toEqual([name, 401, ["details", "error", "message"]]);
    }
    const wrong = ["wrong key", "expired key", "key that is switched off", "revoked key", "app that was let go"];
    const said = await Promise.all(wrong.map(async (name) => (await as(name, "GET", "/v3/session")).body.message));
    expect(new Set(said).size).toBe(1);
  });
});

describe("a request that names no container", () => {
  const tagsIn = (answer: RestAnswer) => new Set(JSON.stringify(answer.body).match(/\b(den|shed|garage)\b/g));
  test.each<[method: string, path: string, body?: unknown]>([
    ["GET", "/v3/documents"],
    ["POST", "/v3/documents/list", {}],
    ["POST", "/v3/documents/list", { limit: 100, includeContent: true }],
    ["GET", "/v3/documents/processing"],
    ["POST", "/v3/documents/documents", {}],
    ["POST", "/v3/documents/documents/facets", {}],
    ["POST", "/v4/search", { q: "what sings", threshold: 0 }],
    ["POST", "/v4/search", { q: "what sings", threshold: 0, searchMode: "hybrid", include: { documents: true } }],
    ["POST", "/v3/search", { q: "what sings", includeFullDocs: true }],
    ["POST", "/v4/profile", { q: "what sings" }],
  ])("%s %s covers only what the key may read", async (method, path, body) => {
    const everything = await as("full key", method, path, path === "/v4/profile" ? { containerTag: HOME } : body);
    expect([path, everything.status]).toEqual([path, 200]);
    for (const name of [OTHER, "agent of another container", "app of another container"]) {
      const answer = await as(name, method, path, body);
      expect([name, answer.status]).toEqual([name, 200]);
      expect([name, JSON.stringify(answer.body).includes(CANARY)]).toEqual([name, false]);
      expect([name, tagsIn(answer).has(HOME), tagsIn(answer).has(LIBRARY)]).toEqual([name, false, false]);
    }
    for (const name of [OWN, "scoped to the container, reading", "app, one container, reading"]) {
      const answer = await as(name, method, path, body);
      expect([name, answer.status, tagsIn(answer).has(LIBRARY)]).toEqual([name, 200, false]);
    }
  });

  test("finds what the key's own containers hold", async () => {
    for (const name of [OWN, "scoped to the container, reading", BOTH, "app, one container, reading"]) {
      const { body } = await as(name, "POST", "/v4/search", { q: `the ${CANARY} sings`, threshold: 0 });
      expect([name, JSON.stringify(body).includes(CANARY)]).toEqual([name, true]);
    }
    const { body } = await as(BOTH, "POST", "/v3/documents/list", { limit: 100 });
    const tags = new Set(body.memories.flatMap((one: { containerTags: string[] }) => one.containerTags));
    expect(tags).toEqual(new Set([HOME, LIBRARY]));
  });

  test("adds to the only container that the key may write to", async () => {
    for (const name of [OWN, BOTH, "app of another container", OTHER]) {
      const { status, body } = await as(name, "POST", "/v3/documents", { content: `By ${name}.` });
      expect([name, status]).toEqual([name, 200]);
      const { document } = await world.core.getDocument(world.owner, { id: body.id });
      expect([name, document.containerTags]).toEqual([name, [name === OWN || name === BOTH ? HOME : "garage"]]);
    }
  });
});

describe("content of a container that the key may not use", () => {
  test("returns 404 by id and by customId, with the message for an unknown id", async () => {
    for (const name of [OTHER, "agent of another container", "app of another container"])
      for (const id of [ids.document, ids.file, ids.memory, `own-${HOME}`])
        for (const [method, path, body] of [
          ["GET", `/v3/documents/${id}`],
          ["GET", `/v3/documents/${id}/chunks`],
          ["GET", `/v3/documents/${id}/file-url`],
          ["PATCH", `/v3/documents/${id}`, { metadata: { a: 1 } }],
          ["DELETE", `/v3/documents/${id}`],
          ["GET", `/v3/memories/${id}`],
        ] as const) {
          const there = await as(name, method, path, body);
          const never = await as(name, method, path.replace(id, "nothing"), body);
          expect([name, path, there.status]).toEqual([name, path, 404]);
          expect(JSON.stringify(there.body).replaceAll(id, "nothing")).toBe(JSON.stringify(never.body));
        }
  });

  test("is left out of reads by ids and of bulk deletion by ids", async () => {
    const named = { ids: [ids.document, `own-${HOME}`] };
    const read = await as(OTHER, "POST", "/v3/documents/documents/by-ids", named);
    expect([read.status, read.body.documents]).toEqual([200, []]);
    const removed = await as(OTHER, "DELETE", "/v3/documents/bulk", named);
    expect(removed.body).toMatchObject({ success: false, deletedCount: 0 });
    expect((await as(OWN, "GET", `/v3/documents/${ids.document}`)).status).toBe(200);
    expect((await as(OTHER, "POST", "/v3/search", { q: "sings", docId: ids.document })).status).toBe(404);
    expect((await as(OTHER, "POST", "/v3/search", { q: "sings", docId: `own-${HOME}` })).status).toBe(404);
  });

  test("cannot be requested by container tag, alone or beside the key's own", async () => {
    for (const containerTags of [[HOME], ["garage", HOME], [HOME, "garage"]])
      for (const [method, path, body] of [
        ["POST", "/v3/documents", { content: "x", containerTags }],
        ["POST", "/v3/documents/list", { containerTags }],
        ["POST", "/v3/search", { q: "x", containerTags }],
        ["POST", "/v4/memories/list", { containerTags }],
        ["POST", "/v3/documents/documents", { containerTags }],
        ["DELETE", "/v3/documents/bulk", { containerTags }],
        ["POST", "/v3/documents/batch", { documents: [{ content: "x" }], containerTags }],
        ["POST", "/v3/documents/batch", { documents: [{ content: "x" }, { content: "y", containerTags }] }],
      ] as const) {
        const { status, body: said } = await as(OTHER, method, path, body);
        expect([path, containerTags, status]).toEqual([path, containerTags, 403]);
        expect(said.message).toContain("It may use: garage");
        expect(said.message).not.toContain(LIBRARY);
      }
  });

  test("a write to a read-only container returns 403 with that reason instead", async () => {
    const refused = await as(BOTH, "PATCH", `/v3/documents/${ids.libraryDocument}`, { metadata: { a: 1 } });
    expect([refused.status, refused.body.message]).toEqual([403, expect.stringContaining("may only read")]);
    const moved = await as(BOTH, "PATCH", `/v3/documents/${ids.document}`, { containerTags: [LIBRARY] });
    expect([moved.status, moved.body.message]).toEqual([403, expect.stringContaining("may only read")]);
  });
});
