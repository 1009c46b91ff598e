import { afterAll, beforeAll, describe, expect } from "vitest";
import * as z from "zod";
import { localActor } from "../../src/core/index.js";
import { openClientService, type ClientService } from "../support/client-service.js";
import { tryClient } from "../support/client-table.js";
import { openCore } from "../support/open-core.js";
import { openPlugin, type Plugin } from "../support/plugin.js";
import { startServe, withDataDirectory } from "../support/recollect-process.js";

/**
 * The requests of the coding plugins, field by field as their sources send them (clients.md §3), and the fields of the
 * answers that they break without. Each call has the plugin's own time limit.
 */

let service: ClientService;
beforeAll(async () => {
  service = await openClientService();
});
afterAll(() => service.close());

/** The shape that the plugins share for one repository. */
const REPO = "repo_recollect__0123456789abcdef";
const PROFILE_LIMIT = 3_000;

/** What every plugin reads of a profile: plain strings, and results that have a text, a score and a date. */
const profileAnswer = z.object({
  profile: z.object({ static: z.array(z.string()), dynamic: z.array(z.string()) }),
  searchResults: z.object({
    results: z.array(
      z.object({
        id: z.string(),
        memory: z.string().optional(),
        chunk: z.string().optional(),
        similarity: z.number(),
        filepath: z.string().nullable(),
        updatedAt: z.iso.datetime(),
      }),
    ),
    total: z.number(),
    timing: z.number(),
  }),
});
const receipt = z.object({ id: z.string().min(1), status: z.enum(["queued", "done"]) });

/** Adds one text and waits until it can be found. */
async function teach(plugin: Plugin, content: string, more: object = {}): Promise<string> {
  const { body } = await plugin.call("POST", "/v3/documents", { content, containerTag: REPO, ...more });
  await service.settle();
  return receipt.parse(body).id;
}

function textsOf(results: readonly { memory?: string | undefined; chunk?: string | undefined }[]): string {
  return results.map(({ memory, chunk }) => memory ?? chunk).join("\n");
}

describe("Claude Code", () => {
  const trial = tryClient("claudeCode");
  const plugin = () => openPlugin(service, { "x-sm-source": "claude-code" });
  const capture = (content: string) => ({
    content,
    containerTag: REPO,
    customId: "session-41",
    entityContext: "Shared coding-agent memory for one software repository.",
    metadata: {
      sm_source: "claude-code",
      type: "session_turn",
      project: "recollect",
      sm_project_id: "recollect",
      sm_scope: "project",
      sm_capture_mode: "automatic",
      timestamp: "2026-11-20T10:00:00.000Z",
    },
  });
  const FIRST = "[user]\nWe chose SQLite for the record of Recollect.\n[assistant]\nNoted.";

  trial.tries("POST /v3/documents", "captures a session, and goes on with it under the same id", async () => {
    const first = await plugin().call("POST", "/v3/documents", capture(FIRST), 25_000);
    expect(first.status).toBe(200);
    const next = `${FIRST}\n[user]\nThe release of Recollect is planned for June.`;
    const second = await plugin().call("POST", "/v3/documents", capture(next), 25_000);
    expect(receipt.parse(second.body).id).toBe(receipt.parse(first.body).id);
    await service.settle();
  });

  trial.tries("POST /v4/profile", "recalls at the start of a session and at every prompt", async () => {
    for (const q of ["recollect", "When is the release of Recollect planned?"]) {
      const { status, body } = await plugin().call("POST", "/v4/profile", { containerTag: REPO, q }, PROFILE_LIMIT);
      expect(status).toBe(200);
      profileAnswer.parse(body);
    }
    const q = "When is the release of Recollect planned?";
    const { body } = await plugin().call("POST", "/v4/profile", { containerTag: REPO, q }, PROFILE_LIMIT);
    const kept = profileAnswer.parse(body).searchResults.results.filter(({ similarity }) => similarity >= 0.55);
    expect(textsOf(kept.slice(0, 5))).toMatch(/release.*June/s);
  });

  trial.tries("POST /v4/profile", "an unknown repository is an empty profile", async () => {
    const unknown = { containerTag: "repo_other__fedcba9876543210", q: "anything" };
    const { status, body } = await plugin().call("POST", "/v4/profile", unknown, PROFILE_LIMIT);
    expect(status).toBe(200);
    expect(body).toMatchObject({ profile: { static: [], dynamic: [] }, searchResults: { results: [], total: 0 } });
  });

  trial.tries("POST /v4/search", "finds by sm_scope, as older versions ask", async () => {
    const search = (value: string) =>
      plugin().call("POST", "/v4/search", {
        q: "What is the record of Recollect?",
        containerTag: REPO,
        limit: 10,
        searchMode: "hybrid",
        filters: { AND: [{ key: "sm_scope", value, filterType: "metadata" }] },
      });
    expect(textsOf((await search("project")).body.results)).toContain("SQLite");
    expect((await search("personal")).body).toMatchObject({ results: [], total: 0 });
  });

  trial.tries("GET /v3/session", "names the organisation of the status line", async () => {
    const { status, body } = await plugin().call("GET", "/v3/session");
    expect(status).toBe(200);
    expect(body).toMatchObject({
      org: { id: service.rest.actor.organizationId, name: /./.exec(body.org.name)?.input },
    });
  });

  trial.tries(
    "POST /v4/profile",
    "answers in 3 s after a cold start over 2,000 memories, and then in 1 s",
    async () => {
      await withDataDirectory(async (dataDirectory) => {
        const key = await fill(dataDirectory, 2_000);
        const server = await startServe(dataDirectory);
        try {
          const cold = openPlugin({ ...service, url: server.url }, { key });
          const ask = (number: number, limit: number) =>
            cold.call("POST", "/v4/profile", { containerTag: REPO, q: `Who owns module ${number}?` }, limit);
          const first = await ask(77, 3_000);
          expect(first.status).toBe(200);
          expect(textsOf(profileAnswer.parse(first.body).searchResults.results)).toContain("module 77");
          for (const number of [3, 500, 1_999]) {
            const { searchResults } = profileAnswer.parse((await ask(number, 1_000)).body);
            expect(textsOf(searchResults.results)).toContain(`module ${number}`);
          }
        } finally {
          await server.stop();
        }
      });
    },
  );

  trial.isInReadme();
});

/** Writes so many memories of one container into a data folder, and gives a key for it. */
async function fill(dataDirectory: string, count: number): Promise<string> {
  const opened = await openCore({ dataDirectory });
  const call = { actor: localActor(opened.actor.organizationId) };
  for (let from = 0; from < count; from += 100) {
    const memories = Array.from({ length: 100 }, (_, index) => ({
      content: `Engineer ${(from + index) * 7} owns module ${from + index} of the system.`,
    }));
    await opened.core.createMemories(call, { containerTag: REPO, memories });
  }
  const { secret } = await opened.core.createKey(call, { name: "plugin" });
  await opened.settle();
  await opened.close();
  return secret;
}

describe("Codex", () => {
  const trial = tryClient("codex");
  const plugin = () => openPlugin(service, { "x-sm-source": "codex" });

  trial.tries(["POST /v3/memories", "POST /v3/memories/list"], "adds and lists by the old names", async () => {
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
    "takes the id of a memory that a search gave, as well as a document's",
    async () => {
      const created = await service.rest.send("POST", "/v4/memories", {
        containerTag: REPO,
        memories: [{ content: "Codex once liked tabs" }],
      });
      for (const id of [created.body.memories[0].id, await teach(plugin(), "Codex once liked spaces.")])
        expect((await plugin().call("DELETE", `/v3/memories/${id}`)).status).toBe(204);
      const { body } = await plugin().call("POST", "/v4/search", { q: "Codex once liked", containerTag: REPO });
      expect(textsOf(body.results)).not.toMatch(/tabs|spaces/);
    },
  );

  trial.tries("PATCH /v3/container-tags/{tag}", "gives the repository a name", async () => {
    const { status, body } = await plugin().call("PATCH", `/v3/container-tags/${REPO}`, { name: "recollect" });
    expect(status).toBe(200);
    expect(body).toMatchObject({ containerTag: REPO, name: "recollect" });
  });

  trial.tries(
    ["DELETE /v4/memories", "GET /v3/session"],
    "forgets by text, and asks who it is in several places",
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

  trial.isInReadme();
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
      const id = await teach(plugin(), "Cursor opens the terminal on the left.", { metadata });
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

  trial.isInReadme();
});

describe("OpenCode", () => {
  const trial = tryClient("openCode");
  const plugin = () => openPlugin(service, { "x-sm-source": "opencode" });
  const START = { shouldLLMFilter: true, filterPrompt: "You are a stateful coding agent." };

  trial.tries("PATCH /v3/settings", "at every start, leaves what others have set alone", async () => {
    const plain = openPlugin(service);
    await plain.call("PATCH", "/v3/settings", {
      shouldLLMFilter: true,
      filterPrompt: "Keep decisions.",
      chunkSize: 700,
    });
    const named = openPlugin(service, { key: await service.createKey("opencode-2") });
    for (const client of [plugin(), plugin(), named]) {
      const { status, body } = await client.call("PATCH", "/v3/settings", START);
      expect(status).toBe(200);
      expect(body.updated).toMatchObject(START);
      expect((await client.call("GET", "/v3/settings")).body).toMatchObject({ ...START, chunkSize: 700 });
    }
    expect((await plain.call("GET", "/v3/settings")).body).toMatchObject({ filterPrompt: "Keep decisions." });
    const other = openPlugin(service, { "x-sm-source": "claude-code" });
    expect((await other.call("GET", "/v3/settings")).body).toMatchObject({ filterPrompt: "Keep decisions." });
  });

  trial.tries(
    ["POST /v3/documents", "POST /v3/documents/list"],
    "adds and lists by sm_scope, with the texts",
    async () => {
      const metadata = {
        sm_source: "opencode",
        sm_client: "opencode",
        sm_plugin_version: "2.0.16",
        sm_capture_mode: "tool",
        sm_scope: "personal",
        type: "preference",
      };
      await teach(plugin(), "OpenCode runs tests before it commits.", { metadata, entityContext: "x".repeat(1_500) });
      const filters = { AND: [{ key: "sm_scope", value: "personal", filterType: "metadata" }] };
      const list = {
        containerTags: [REPO],
        filters,
        limit: 20,
        order: "desc",
        sort: "createdAt",
        includeContent: true,
      };
      const { body } = await plugin().call("POST", "/v3/documents/list", list);
      expect(body.memories[0]).toMatchObject({ content: "OpenCode runs tests before it commits.", metadata });
      expect(body.pagination).toMatchObject({
        currentPage: 1,
        totalItems: expect.any(Number),
        totalPages: expect.any(Number),
      });
    },
  );

  trial.tries(["POST /v4/search", "POST /v4/profile"], "recalls within its scope", async () => {
    const filters = { AND: [{ key: "sm_scope", value: "personal", filterType: "metadata" }] };
    const search = {
      q: "When does OpenCode run tests?",
      containerTag: REPO,
      threshold: 0.6,
      limit: 5,
      searchMode: "hybrid",
      filters,
    };
    const found = await plugin().call("POST", "/v4/search", search);
    expect(textsOf(found.body.results)).toContain("before it commits");
    const profile = { containerTag: REPO, q: "When does OpenCode run tests?", filters };
    const { body } = await plugin().call("POST", "/v4/profile", profile);
    expect(textsOf(profileAnswer.parse(body).searchResults.results)).toContain("before it commits");
    expect([...body.profile.static, ...body.profile.dynamic].join()).not.toContain("SQLite");
  });

  trial.tries(
    ["DELETE /v4/memories", "DELETE /v3/documents/{id}"],
    "deletes by the id of a memory or of a document",
    async () => {
      const document = await teach(plugin(), "The old runtime of OpenCode is Bun.");
      const { body } = await plugin().call("POST", "/v4/search", {
        q: "What is the old runtime of OpenCode?",
        containerTag: REPO,
        searchMode: "memories",
      });
      for (const id of [body.results[0].id, document]) {
        const forgotten = await plugin().call("DELETE", "/v4/memories", { id, containerTag: REPO });
        if (forgotten.status === 404) expect((await plugin().call("DELETE", `/v3/documents/${id}`)).status).toBe(204);
        else expect(forgotten.status).toBe(200);
      }
      const after = await plugin().call("POST", "/v4/search", {
        q: "What is the old runtime of OpenCode?",
        containerTag: REPO,
      });
      expect(textsOf(after.body.results)).not.toContain("Bun");
    },
  );

  trial.isInReadme();
});

describe("OpenClaw", () => {
  const trial = tryClient("openClaw");
  const plugin = () => openPlugin(service);
  const TAG = "openclaw_main";

  trial.tries("POST /v3/documents", "adds to the six hours of a day", async () => {
    const add = {
      containerTag: TAG,
      customId: "session_2026-11-20_b2",
      metadata: { source: "openclaw" },
      entityContext: "A chat.",
    };
    const first = receipt.parse(
      (await plugin().call("POST", "/v3/documents", { ...add, content: "[role: user]\nI moved to Porto.\n[user:end]" }))
        .body,
    );
    const second = receipt.parse(
      (
        await plugin().call("POST", "/v3/documents", {
          ...add,
          content: "[role: user]\nMy favourite tea is Assam.\n[user:end]",
        })
      ).body,
    );
    expect(second.id).toBe(first.id);
    await service.settle();
  });

  trial.tries(
    ["POST /v4/search", "POST /v4/profile"],
    "reads memories only, without a mode or a threshold",
    async () => {
      const { body } = await plugin().call("POST", "/v4/search", {
        q: "What is my favourite tea?",
        containerTag: TAG,
        limit: 5,
      });
      const memories = body.results.flatMap(({ memory }: { memory?: string }) => memory ?? []);
      expect(memories.join("\n")).toContain("Assam");
      profileAnswer.parse(
        (await plugin().call("POST", "/v4/profile", { containerTag: TAG, q: "Where do I live?" })).body,
      );
    },
  );

  trial.tries("DELETE /v4/memories", "forgets the best match, and is told the truth about it", async () => {
    const { body } = await plugin().call("POST", "/v4/search", { q: "my favourite tea", containerTag: TAG, limit: 5 });
    const { id } = body.results.find((result: { memory?: string }) => result.memory?.includes("Assam"));
    const forget = { containerTag: TAG, id };
    expect((await plugin().call("DELETE", "/v4/memories", forget)).body).toMatchObject({
      id: expect.any(String),
      forgotten: true,
    });
    expect((await plugin().call("DELETE", "/v4/memories", { containerTag: TAG, id: "nobody" })).status).toBe(404);
  });

  trial.tries(["POST /v3/documents/list", "DELETE /v3/documents/bulk"], "wipes by pages of a hundred", async () => {
    await plugin().call("POST", "/v3/documents/batch", {
      containerTag: TAG,
      documents: Array.from({ length: 120 }, (_, index) => `Note ${index}.`),
    });
    const ids: string[] = [];
    for (let page = 1; ; page += 1) {
      const { body } = await plugin().call("POST", "/v3/documents/list", { containerTags: [TAG], limit: 100, page });
      ids.push(...body.memories.map(({ id }: { id: string }) => id));
      if (page >= body.pagination.totalPages) break;
    }
    expect(ids).toHaveLength(121);
    for (const from of [0, 100]) {
      const batch = ids.slice(from, from + 100);
      const { body } = await plugin().call("DELETE", "/v3/documents/bulk", { ids: batch });
      expect(body).toMatchObject({ success: true, deletedCount: batch.length });
    }
    await service.settle();
  });

  trial.isInReadme();
});

describe("Hermes", () => {
  const trial = tryClient("hermes");
  const plugin = () => openPlugin(service, { "x-sm-source": "hermes" });
  const TAG = "hermes";

  trial.tries("POST /v4/conversations", "sends the whole conversation again at every turn", async () => {
    const messages = [
      { role: "system", content: "You are Hermes." },
      { role: "user", content: "My sister Iris lives in Lisbon." },
      {
        role: "assistant",
        content: "Noted.",
        tool_calls: [{ id: "a", type: "function", function: { name: "save", arguments: "{}" } }],
      },
      { role: "tool", content: "saved", tool_call_id: "a", name: "save" },
    ];
    const send = (more: readonly object[]) =>
      plugin().call("POST", "/v4/conversations", {
        conversationId: "hermes:42",
        messages: [...messages, ...more],
        containerTags: [TAG],
        metadata: { source: "hermes", turn: 1, private: false },
      });
    const first = await send([]);
    expect(first.status).toBe(200);
    expect(first.body).toMatchObject({
      id: expect.any(String),
      conversationId: "hermes:42",
      status: expect.any(String),
    });
    const second = await send([{ role: "user", content: "She works at the aquarium." }]);
    expect(second.body.id).toBe(first.body.id);
    await service.settle();
  });

  trial.tries(
    ["POST /v3/documents", "POST /v4/search", "POST /v4/profile", "DELETE /v4/memories"],
    "adds, searches and forgets",
    async () => {
      const { body: added } = await plugin().call("POST", "/v3/documents", {
        content: "Iris has a canary.",
        containerTags: [TAG],
        metadata: { source: "hermes" },
      });
      await service.settle();
      const { body } = await plugin().call("POST", "/v4/search", {
        q: "Where does Iris live?",
        containerTag: TAG,
        searchMode: "hybrid",
        limit: 5,
      });
      expect(textsOf(body.results)).toContain("Lisbon");
      profileAnswer.parse((await plugin().call("POST", "/v4/profile", { containerTag: TAG, q: "Iris" })).body);
      const forgotten = await plugin().call("DELETE", "/v4/memories", { containerTag: TAG, id: added.id });
      expect(forgotten.status).toBe(200);
      const after = await plugin().call("POST", "/v4/search", {
        q: "Which bird has Iris?",
        containerTag: TAG,
        searchMode: "hybrid",
      });
      expect(textsOf(after.body.results)).not.toContain("canary");
    },
  );

  trial.isInReadme();
});
