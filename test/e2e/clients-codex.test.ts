import { afterAll, beforeAll, describe, expect } from "vitest";
import { openClientService, type ClientService } from "../support/client-service.js";
import { tryClient } from "../support/client-table.js";
import { openPlugin, PROFILE_LIMIT, profileAnswer, receipt, REPO, teach, textsOf } from "../support/plugin.js";

/** The requests of the plugins for Codex and Cursor, field by field as their sources send them (contract 7.8). */

let service: ClientService;
beforeAll(async () => {
  service = await openClientService();
});
afterAll(() => service.close());

describe("Codex", () => {
  const trial = tryClient("codex");
  const plugin = () => openPlugin(service, { "x-sm-source": "codex" });

  trial.tries(["POST /v3/memories", "POST /v3/memories/list"], "add and list by the old names", async () => {
    const { status, body } = await plugin().call("POST", "/v3/memories", {
      content: "Codex prefers small functions.",
      containerTag: REPO,
      metadata: { type: "learned-pattern", sm_source: "codex", sm_scope: "personal" },
      entityContext: "Developer coding session transcript.",
    });
    expect(status).toBe(200);
    const { id } = receipt.parse(body);
    const list = { containerTags: [REPO], limit: 20, order: "desc", sort: "createdAt", includeContent: true };
    const listed = await plugin().call("POST", "/v3/memories/list", list);
    expect(listed.body.memories[0]).toMatchObject({
      id,
      content: "Codex prefers small functions.",
      createdAt: expect.any(String),
    });
    await service.settle();
  });

  trial.tries(["POST /v4/search", "POST /v4/profile"], "recalls within 3 seconds", async () => {
    const search = { q: "What does Codex prefer?", containerTag: REPO, threshold: 0.6, limit: 5, searchMode: "hybrid" };
    const found = await plugin().call("POST", "/v4/search", search, PROFILE_LIMIT);
    expect(textsOf(found.body.results)).toContain("small functions");
    const profile = { containerTag: REPO, q: "What does Codex prefer?" };
    profileAnswer.parse((await plugin().call("POST", "/v4/profile", profile, PROFILE_LIMIT)).body);
  });

  trial.tries(
    "DELETE /v3/memories/{id}",
    "accepts the id of a memory from a search, as well as a document's",
    async () => {
      const created = await service.rest.send("POST", "/v4/memories", {
        containerTag: REPO,
        memories: [{ content: "Codex once liked tabs" }],
      });
      for (const id of [
        created.body.memories[0].id,
        await teach(service, plugin(), { content: "Codex once liked spaces." }),
      ])
        expect((await plugin().call("DELETE", `/v3/memories/${id}`)).status).toBe(204);
      const { body } = await plugin().call("POST", "/v4/search", { q: "Codex once liked", containerTag: REPO });
      expect(textsOf(body.results)).not.toMatch(/tabs|spaces/);
    },
  );

  trial.tries("PATCH /v3/container-tags/{tag}", "names the repository", async () => {
    const { status, body } = await plugin().call("PATCH", `/v3/container-tags/${REPO}`, { name: "recollect" });
    expect(status).toBe(200);
    expect(body).toMatchObject({ containerTag: REPO, name: "recollect" });
  });

  trial.tries(
    ["DELETE /v4/memories", "GET /v3/session"],
    "forget by text, and identify the user; other account paths answer 404",
    async () => {
      await service.rest.send("POST", "/v4/memories", {
        containerTag: REPO,
        memories: [{ content: "Codex is tired" }],
      });
      const forget = { containerTag: REPO, content: "Codex is tired" };
      expect((await plugin().call("DELETE", "/v4/memories", forget)).body).toMatchObject({ forgotten: true });
      for (const path of ["/v3/auth/account/memberships", "/v3/account/memberships", "/v3/me"]) {
        const { status, body } = await plugin().call("GET", path);
        expect({ status, body }).toMatchObject({
          status: 404,
          body: { error: expect.any(String), message: expect.any(String) },
        });
      }
      expect((await plugin().call("GET", "/v3/session")).body.user.id).toEqual(expect.any(String));
    },
  );

  trial.isInTable();
});

describe("Cursor", () => {
  const trial = tryClient("cursor");
  const plugin = () =>
    openPlugin(service, {
      "x-sm-source": "cursor",
      "X-Content-Hash": "9f86d081884c7d65",
      "X-Request-Integrity": "v1.c2lnbmF0dXJl",
    });

  trial.tries(
    [
      "POST /v3/documents",
      "POST /v3/documents/list",
      "POST /v4/search",
      "POST /v4/profile",
      "DELETE /v4/memories",
      "GET /v3/session",
    ],
    "adds, lists, recalls and forgets, with headers that mean nothing here",
    async () => {
      const metadata = { sm_source: "cursor", sm_scope: "project", type: "preference" };
      const id = await teach(service, plugin(), { content: "Cursor opens the terminal on the left.", metadata });
      const list = {
        containerTags: [REPO],
        limit: 10,
        page: 1,
        filters: { AND: [{ key: "sm_source", value: "cursor" }] },
      };
      expect((await plugin().call("POST", "/v3/documents/list", list)).body.memories).toMatchObject([{ id }]);
      const q = "Where does Cursor open the terminal?";
      const search = { q, containerTag: REPO, searchMode: "hybrid", limit: 5 };
      const { body } = await plugin().call("POST", "/v4/search", search);
      expect(textsOf(body.results)).toContain("on the left");
      profileAnswer.parse((await plugin().call("POST", "/v4/profile", { containerTag: REPO, q }, PROFILE_LIMIT)).body);
      const memory = body.results.find((result: { memory?: string }) => result.memory !== undefined);
      const forget = { containerTag: REPO, id: memory.id };
      expect((await plugin().call("DELETE", "/v4/memories", forget)).body).toMatchObject({
        id: memory.id,
        forgotten: true,
      });
      const { org } = (await plugin().call("GET", "/v3/session")).body;
      expect(org).toMatchObject({ id: expect.any(String), name: expect.any(String) });
    },
  );

  trial.isInTable();
});
