import { afterAll, beforeAll, describe, expect } from "vitest";
import { openClientService, type ClientService } from "../support/client-service.js";
import { tryClient } from "../support/client-table.js";
import { openPlugin, profileAnswer, receipt, textsOf } from "../support/plugin.js";

/** The requests of OpenClaw and Hermes, field by field as their sources send them (contract 7.8). */

let service: ClientService;
beforeAll(async () => {
  service = await openClientService();
});
afterAll(() => service.close());

describe("OpenClaw", () => {
  const trial = tryClient("openClaw");
  const plugin = () => openPlugin(service);
  const TAG = "openclaw_main";

  trial.tries("POST /v3/documents", "adds to the document of the same customId", async () => {
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
    "return memories only, without a mode or a threshold",
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

  trial.tries("DELETE /v4/memories", "forgets the best match, and reports it truthfully", async () => {
    const { body } = await plugin().call("POST", "/v4/search", { q: "my favourite tea", containerTag: TAG, limit: 5 });
    const { id } = body.results.find((result: { memory?: string }) => result.memory?.includes("Assam"));
    const forget = { containerTag: TAG, id };
    expect((await plugin().call("DELETE", "/v4/memories", forget)).body).toMatchObject({
      id: expect.any(String),
      forgotten: true,
    });
    expect((await plugin().call("DELETE", "/v4/memories", { containerTag: TAG, id: "nobody" })).status).toBe(404);
  });

  trial.tries(
    ["POST /v3/documents/list", "DELETE /v3/documents/bulk"],
    "wipe all documents in pages of a hundred",
    async () => {
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
    },
  );

  trial.isInTable();
});

describe("Hermes", () => {
  const trial = tryClient("hermes");
  const plugin = () => openPlugin(service, { "x-sm-source": "hermes" });
  const TAG = "hermes";

  trial.tries("POST /v4/conversations", "accepts the whole conversation again at every turn", async () => {
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

  trial.tries("POST /v4/conversations", "treats the same id of another user as another conversation", async () => {
    const say = async (content: string, tag: string) => {
      const body = { conversationId: "hermes:42", messages: [{ role: "user", content }], containerTags: [tag] };
      const { id } = (await plugin().call("POST", "/v4/conversations", body)).body;
      return (await plugin().call("GET", `/v3/documents/${id}`)).body.content;
    };
    expect(await say("My brother Jon lives in Oslo.", "hermes_2")).not.toContain("Iris");
    expect(await say("Thanks.", TAG)).toMatch(/Iris.*Thanks\./s);
    expect(await say("Thanks.", TAG)).not.toContain("Jon");
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
      expect(forgotten.body).toMatchObject({ id: added.id, forgotten: true, removed: "document" });
      const after = await plugin().call("POST", "/v4/search", {
        q: "Which bird has Iris?",
        containerTag: TAG,
        searchMode: "hybrid",
      });
      expect(textsOf(after.body.results)).not.toContain("canary");
    },
  );

  trial.isInTable();
});
