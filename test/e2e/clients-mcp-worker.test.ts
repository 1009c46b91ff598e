import Supermemory from "supermemory";
import { afterAll, beforeAll, expect } from "vitest";
import * as z from "zod";
import { openClientService, type ClientService } from "../support/client-service.js";
import { tryClient } from "../support/client-table.js";
import { openPlugin } from "../support/plugin.js";

/** The vendor's MCP worker, pointed here by its API_URL: it validates every answer against its own schemas. */

let service: ClientService;
let sdk: Supermemory;
beforeAll(async () => {
  service = await openClientService();
  const defaultHeaders = { "x-sm-source": "supermemory-mcp" };
  sdk = new Supermemory({ apiKey: service.key, baseURL: service.url, timeout: 30_000, defaultHeaders });
});
afterAll(() => service.close());

const plugin = () => openPlugin(service, { "x-sm-source": "supermemory-mcp" });
const TAG = "sm_project_default";

/** Fields that the worker requires (contract 7.8). */
const count = z.int().nonnegative();
const pagination = z.object({ currentPage: count, limit: count, totalItems: count, totalPages: count });
const textOrNothing = z.string().nullish();
const session = z.object({
  user: z.object({ id: z.string().min(1), email: z.string().optional(), name: z.string().optional() }),
  org: z.object({ id: z.string().min(1) }),
  role: z.string().optional(),
  accessType: z.enum(["full", "restricted"]).optional(),
  containerTags: z
    .array(z.object({ containerTag: z.string(), permission: z.enum(["read", "write"]) }))
    .nullable()
    .optional(),
  scope: z
    .object({
      type: z.enum(["full", "scoped"]),
      permission: z.enum(["read", "write"]).optional(),
      tag: z.string().optional(),
      tags: z.array(z.string()).optional(),
      rateLimit: z.number().optional(),
      expires: z.string().optional(),
    })
    .optional(),
});
const spaces = z.array(
  z.object({
    id: z.string(),
    name: z.string(),
    containerTag: z.string(),
    description: textOrNothing,
    visibility: textOrNothing,
    createdAt: z.string(),
    updatedAt: z.string(),
    isExperimental: z.boolean(),
    emoji: textOrNothing,
    isNova: z.boolean(),
    documentCount: count,
    memoryCount: count,
    lastActivityAt: textOrNothing,
  }),
);
const results = z.array(
  z.object({
    id: z.string(),
    memory: textOrNothing,
    chunk: textOrNothing,
    content: textOrNothing,
    similarity: z.number(),
    title: textOrNothing,
    context: textOrNothing,
  }),
);
const graph = z.object({
  documents: z.array(
    z.object({
      id: z.string(),
      title: textOrNothing,
      summary: textOrNothing,
      type: z.string(),
      createdAt: z.string(),
      updatedAt: z.string(),
      memoryEntries: z.array(
        z.object({
          id: z.string(),
          memory: z.string(),
          spaceId: z.string(),
          isStatic: z.boolean().nullish(),
          isLatest: z.boolean().nullish(),
          isForgotten: z.boolean().nullish(),
          forgetAfter: textOrNothing,
          forgetReason: textOrNothing,
          version: z.number().nullish(),
          parentMemoryId: textOrNothing,
          rootMemoryId: textOrNothing,
          memoryRelations: z.record(z.string(), z.enum(["updates", "extends", "derives"])).nullish(),
          createdAt: z.string(),
          updatedAt: z.string(),
        }),
      ),
    }),
  ),
  pagination,
});
const memories = z.object({
  memoryEntries: z.array(
    z.object({
      id: z.string(),
      memory: z.string(),
      version: z.number(),
      isLatest: z.boolean(),
      isForgotten: z.boolean(),
      isStatic: z.boolean().optional(),
      isInference: z.boolean().optional(),
      createdAt: z.string(),
      updatedAt: z.string(),
      sourceCount: z.number().optional(),
      documentIds: z.array(z.string()).optional(),
      history: z
        .array(
          z.object({
            id: z.string(),
            memory: z.string(),
            version: z.number(),
            createdAt: z.string(),
            updatedAt: z.string(),
            parentMemoryId: textOrNothing,
            rootMemoryId: textOrNothing,
            isLatest: z.boolean().optional(),
            isForgotten: z.boolean().optional(),
          }),
        )
        .optional(),
    }),
  ),
  pagination,
});
const documentType = z.enum(
  "text pdf tweet google_doc google_slide google_sheet image video audio notion_doc webpage onedrive github_markdown".split(
    " ",
  ),
);

const trial = tryClient("mcpWorker");

trial.tries("GET /v3/session", "accepts a key", async () => {
  const { status, body } = await openPlugin(service).call("GET", "/v3/session");
  expect(status).toBe(200);
  session.parse(body);
  expect(service.key).toMatch(/^sm_\S{17,}$/);
  const wrong = openPlugin(service, { key: "sm_nobody_xxxxxxxxxxxxxxxxxxxx" });
  expect((await wrong.call("GET", "/v3/session")).status).toBe(401);
});

trial.tries(["POST /v3/documents", "POST /v3/documents/file"], "saves a text and a file", async () => {
  const content = "Ada leads the search team. Bo prefers tea to coffee.";
  const added = await sdk.add({ content, containerTag: TAG, metadata: { sm_source: "supermemory-mcp" } });
  expect(added.id).toEqual(expect.any(String));
  const form = new FormData();
  form.set("file", new Blob(["The mill closes on Monday."], { type: "text/plain" }), "mill.txt");
  form.set("containerTag", TAG);
  form.set("metadata", JSON.stringify({ sm_source: "supermemory-mcp" }));
  const uploaded = await plugin().call("POST", "/v3/documents/file", form);
  expect(uploaded).toMatchObject({ status: 200, body: { id: expect.any(String), status: expect.any(String) } });
  await service.settle();
});

trial.tries(["POST /v4/search", "POST /v4/profile"], "recalls, with and without a tag", async () => {
  for (const containerTag of [{ containerTag: TAG }, {}]) {
    const answer = await sdk.search.memories({
      q: "Who leads the search team?",
      limit: 10,
      ...containerTag,
      searchMode: "hybrid",
    });
    expect(results.parse(answer.results).length).toBeGreaterThan(0);
  }
  const profile = await sdk.profile({ containerTag: TAG, q: "What does Bo prefer?" });
  expect(results.parse(profile.searchResults?.results).length).toBeGreaterThan(0);
  expect(profile.profile).toMatchObject({ static: expect.any(Array), dynamic: expect.any(Array) });
});

trial.tries("GET /v3/container-tags/list", "lists spaces", async () => {
  const { body } = await plugin().call("GET", "/v3/container-tags/list");
  expect(spaces.parse(body)).toMatchObject([{ containerTag: TAG, isNova: true, documentCount: 2 }]);
});

trial.tries(
  ["POST /v3/documents/documents", "POST /v4/memories/list"],
  "shows the graph and the memories",
  async () => {
    const page = { page: 1, limit: 200, sort: "createdAt", order: "desc", containerTags: [TAG] };
    expect(graph.parse((await plugin().call("POST", "/v3/documents/documents", page)).body).documents).toHaveLength(2);
    const entries = memories.parse((await plugin().call("POST", "/v4/memories/list", { ...page, limit: 50 })).body);
    expect(entries.memoryEntries.map(({ memory }) => memory).join()).toContain("Ada");
    expect(entries.pagination).toMatchObject({ currentPage: 1, limit: 50 });
  },
);

trial.tries(["POST /v3/documents/list", "GET /v3/documents/{id}"], "lists and opens documents", async () => {
  const list = await sdk.documents.list({
    containerTags: [TAG],
    page: 1,
    limit: 50,
    sort: "createdAt",
    order: "desc",
    includeContent: false,
  });
  pagination.parse(list.pagination);
  expect(list.memories).toHaveLength(2);
  for (const document of list.memories) {
    const opened = await sdk.documents.get(document.id);
    documentType.parse(opened.type);
    expect(opened).toMatchObject({
      id: document.id,
      status: "done",
      content: expect.any(String),
      title: expect.anything(),
    });
  }
});

trial.tries("DELETE /v4/memories", "forgets the exact text, or what a search at 0.85 finds", async () => {
  const add = { containerTag: TAG, memories: [{ content: "Cleo plays the cello" }, { content: "Dora lives in Rome" }] };
  await plugin().call("POST", "/v4/memories", add);
  const exact = await sdk.memories.forget({ content: "Cleo plays the cello", containerTag: TAG });
  expect(exact.forgotten).toBe(true);
  const forgetting = sdk.memories.forget({ content: "dora lives in rome.", containerTag: TAG });
  await expect(forgetting).rejects.toMatchObject({ status: 404 });
  const near = await sdk.search.memories({
    q: "dora lives in rome.",
    limit: 5,
    threshold: 0.85,
    containerTag: TAG,
    searchMode: "hybrid",
  });
  const found = near.results.find(({ memory }) => memory === "Dora lives in Rome");
  expect((await sdk.memories.forget({ id: found?.id ?? "", containerTag: TAG })).forgotten).toBe(true);
});

trial.isInTable();
