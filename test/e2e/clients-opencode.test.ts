import { afterAll, beforeAll, expect } from "vitest";
import { openClientService, type ClientService } from "../support/client-service.js";
import { tryClient } from "../support/client-table.js";
import { openPlugin, profileAnswer, REPO, teach, textsOf } from "../support/plugin.js";

/** The requests of the OpenCode plugin, field by field as its source sends them (contract 7.8). */

let service: ClientService;
beforeAll(async () => {
  service = await openClientService();
});
afterAll(() => service.close());

const trial = tryClient("openCode");
const plugin = () => openPlugin(service, { "x-sm-source": "opencode" });
const START = { shouldLLMFilter: true, filterPrompt: "You are a stateful coding agent." };

trial.tries("PATCH /v3/settings", "at every start, leaves the settings of others unchanged", async () => {
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

trial.tries(["POST /v3/documents", "POST /v3/documents/list"], "add, and list by sm_scope with texts", async () => {
  const metadata = {
    sm_source: "opencode",
    sm_client: "opencode",
    sm_plugin_version: "2.0.16",
    sm_capture_mode: "tool",
    sm_scope: "personal",
    type: "preference",
  };
  await teach(service, plugin(), {
    content: "OpenCode runs tests before it commits.",
    metadata,
    entityContext: "x".repeat(1_500),
  });
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
});

trial.tries(["POST /v4/search", "POST /v4/profile"], "recalls within its scope", async () => {
  const metadata = { sm_source: "claude-code", sm_scope: "project" };
  await teach(service, plugin(), { content: "Recollect prefers SQLite.", metadata });
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
    const document = await teach(service, plugin(), { content: "The old runtime of OpenCode is Bun." });
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

trial.isInTable();
