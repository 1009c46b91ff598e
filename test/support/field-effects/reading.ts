import { Bodies, type Effect, effectsOf, type Place, REQUIRED, unprobed } from "./effect.js";

const TEAM = { AND: [{ key: "team", value: "a" }] };
const within = { containerTag: "second", containerTags: ["second"] };
const AND = new Bodies(
  () => ({ containerTags: ["world", "second"] }),
  () => ({ containerTags: ["world", "second"], operator: "AND" }),
);
const pages = { limit: 1, page: 2, order: "asc", sort: "createdAt" };
const BETWEEN = "orders by the other time: test/transports/rest-list.test.ts";
const listing = {
  ...within,
  operator: AND,
  filters: TEAM,
  includeContent: true,
  ...pages,
  sort: unprobed(BETWEEN),
  filepath: "/notes/",
  status: "failed",
  source: "slack",
  provider: "notion",
};
const asQuery = (fields: Readonly<Record<string, unknown>>) =>
  Object.fromEntries(Object.entries(fields).map(([name, value]) => [`?${name}`, value]));

const QUERY = { q: "Mia bees honey Rome", containerTags: ["world", "second"] };
const ground = {
  containerTag: new Bodies(
    () => ({ q: QUERY.q }),
    () => ({ q: QUERY.q, containerTag: "second" }),
  ),
  containerTags: ["second"],
  filters: TEAM,
  filepath: "/notes/",
  docId: "bees",
  endUserId: "nobody",
};

export const readingEffects: Readonly<Record<string, Effect>> = {
  ...effectsOf("POST /v3/documents/list", { base: () => ({}), fields: { ...listing, endUserId: "nobody" } }),
  ...effectsOf("GET /v3/documents", {
    base: () => ({}),
    fields: asQuery({
      ...listing,
      endUserId: "nobody",
      containerTags: "second",
      operator: unprobed("as in the list by POST"),
      filters: JSON.stringify(TEAM),
    }),
  }),
  ...effectsOf("GET /v3/documents/processing", {
    base: () => ({}),
    // Requested before anything can have been read: a document of any size is still in progress.
    before: ({ rest, tag }) =>
      rest.send("POST", "/v3/documents", { content: "Slow ".repeat(50_000), containerTag: tag }),
    fields: {
      "?containerTag": unprobed("what is under way: test/transports/rest-list.test.ts"),
      "?containerTags": unprobed("what is under way: test/transports/rest-list.test.ts"),
    },
  }),
  ...effectsOf("POST /v3/documents/documents", {
    base: () => ({}),
    fields: {
      ...within,
      ...pages,
      endUserId: "nobody",
      sort: unprobed(BETWEEN),
      sources: ["slack"],
      categories: ["webpage"],
    },
  }),
  ...effectsOf("POST /v3/documents/documents/by-ids", {
    base: () => ({ ids: ["bees"], by: "customId" }),
    fields: { ...within, ids: REQUIRED, by: REQUIRED },
  }),
  ...effectsOf("POST /v3/documents/documents/facets", { base: () => ({}), fields: within }),
  ...effectsOf("POST /v4/search", {
    base: () => QUERY,
    fields: {
      ...ground,
      q: REQUIRED,
      operator: new Bodies(
        () => ({ ...QUERY, searchMode: "documents" }),
        () => ({ ...QUERY, searchMode: "documents", operator: "AND" }),
      ),
      searchMode: "memories",
      limit: 1,
      threshold: 0.99,
      chunkThreshold: 0.99,
      documentThreshold: 0.99,
      onlyMatchingChunks: new Bodies(
        () => ({ ...QUERY, searchMode: "documents" }),
        () => ({ ...QUERY, searchMode: "documents", onlyMatchingChunks: false }),
      ),
      include: { documents: true },
      "include.documents": true,
      "include.summaries": new Bodies(
        () => ({ ...QUERY, include: { documents: true } }),
        () => ({ ...QUERY, include: { documents: true, summaries: true } }),
      ),
      "include.relatedMemories": true,
      "include.forgottenMemories": new Bodies(
        () => ({ q: "chess", containerTag: "world" }),
        () => ({ q: "chess", containerTag: "world", include: { forgottenMemories: true } }),
      ),
      "include.chunks": true,
      rerank: unprobed("another order: test/core/rerank.test.ts"),
      rewriteQuery: unprobed("other forms of the query: test/core/rewrite.test.ts"),
      aggregate: unprobed("joins memories: test/core/aggregate.test.ts"),
    },
  }),
  ...effectsOf("POST /v3/search", {
    base: () => QUERY,
    fields: {
      ...ground,
      q: REQUIRED,
      operator: new Bodies(
        () => QUERY,
        () => ({ ...QUERY, operator: "AND" }),
      ),
      limit: 1,
      chunkThreshold: 0.99,
      documentThreshold: 0.99,
      onlyMatchingChunks: false,
      includeFullDocs: true,
      includeSummary: true,
      categoriesFilter: ["technology"],
      rerank: unprobed("another order: test/core/rerank.test.ts"),
      rewriteQuery: unprobed("other forms of the query: test/core/rewrite.test.ts"),
    },
  }),
  ...effectsOf("POST /v4/memories/list", {
    base: () => ({ containerTags: ["world", "second"] }),
    fields: {
      containerTag: new Bodies(
        () => ({}),
        () => ({ containerTag: "world" }),
      ),
      containerTags: REQUIRED,
      filters: TEAM,
      endUserId: "nobody",
      kind: "statement",
      ...pages,
      sort: unprobed(BETWEEN),
    },
  }),
  ...effectsOf("POST /v4/profile", {
    base: () => ({ containerTag: "world" }),
    fields: {
      containerTag: REQUIRED,
      q: "bees",
      threshold: new Bodies(
        () => ({ containerTag: "world", q: "bees" }),
        () => ({ containerTag: "world", q: "bees", threshold: 0.99 }),
      ),
      filters: TEAM,
      endUserId: "nobody",
      include: ["static"],
      buckets: new Bodies(
        () => ({ containerTag: "world", include: ["buckets"] }),
        () => ({ containerTag: "world", include: ["buckets"], buckets: ["none"] }),
      ),
    },
  }),
  ...effectsOf("POST /v4/profile/buckets", {
    base: () => ({ containerTag: "world" }),
    fields: { containerTag: REQUIRED },
  }),
  ...effectsOf("GET /v3/journal", {
    base: () => ({}),
    fields: {
      "?containerTag": "second",
      "?memoryId": ({ ids }: Place) => ids["memory"],
      "?documentId": ({ ids }: Place) => ids["bees"],
      "?batchId": ({ ids }: Place) => ids["batch"],
      "?action": "memory.forgotten",
      "?actor": "local",
      "?from": "2031-01-01T00:00:00Z",
      "?to": "2001-01-01T00:00:00Z",
      "?page": 2,
      "?limit": 1,
    },
  }),
};
