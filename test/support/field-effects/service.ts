import { Bodies, type Effect, effectsOf, type Place, REQUIRED, unprobed } from "./effect.js";

const CONNECTORS = "test/transports/rest-connections.test.ts sends it to a scripted provider";
const all = (names: string, reason: string) =>
  Object.fromEntries(names.split(" ").map((name) => [name, unprobed(reason)]));
const range = {
  "?from": ({ ids }: Place) => ids["late"],
  "?to": "2001-01-01T00:00:00Z",
  "?period": unprobed("reaches back beyond any test: test/transports/rest-analytics.test.ts"),
};
/** The requests of the probes count as well, so only the time before the first of them is considered. */
const query = ({ ids }: Place) => ({ to: ids["until"] ?? "" });
const logs = { "?type": "delete", "?statusCode": 599, "?keyId": "none", "?status": "error", "?id": "none" };
const ANALYTICS = "test/transports/rest-analytics.test.ts";

const seeContainer = async ({ rest, tag }: Place) => (await rest.send("GET", `/v3/container-tags/${tag}`)).body;
const PROVIDERS = ["googleDrive", "notion", "onedrive", "github"];
const clear = ({ rest }: Place) =>
  rest.send("PATCH", "/v3/settings", {
    profileBuckets: [],
    ...Object.fromEntries(
      PROVIDERS.flatMap((name) => ["CustomKeyEnabled", "ClientId", "ClientSecret"].map((what) => [name + what, null])),
    ),
  });
const seeSettings = async ({ rest }: Place) => (await rest.send("GET", "/v3/settings")).body;
const known = ({ rest, tag }: Place) =>
  rest.send("POST", "/v4/memories", { containerTag: tag, memories: [{ content: "Mia keeps bees" }] });
const project = ({ rest, tag }: Place) => rest.send("POST", "/v3/projects", { name: tag });

export const serviceEffects: Readonly<Record<string, Effect>> = {
  ...effectsOf("POST /v3/container-tags/merge", {
    base: ({ tag }) => ({ containerTags: [tag, `${tag}-to`], targetContainerTag: `${tag}-to` }),
    before: async ({ rest, ids, tag }) => {
      await known({ rest, ids, tag });
      await known({ rest, ids, tag: `${tag}-to` });
    },
    fields: {
      containerTags: REQUIRED,
      targetContainerTag: REQUIRED,
      from: new Bodies(
        ({ tag }) => ({ to: `${tag}-to` }),
        ({ tag }) => ({ from: tag, to: `${tag}-to` }),
      ),
      to: new Bodies(
        ({ tag }) => ({ from: tag }),
        ({ tag }) => ({ from: tag, to: `${tag}-to` }),
      ),
    },
  }),
  ...effectsOf("PATCH /v3/container-tags/{containerTag}", {
    base: () => ({}),
    before: known,
    path: ({ tag }) => `/v3/container-tags/${tag}`,
    see: seeContainer,
    fields: {
      name: "Mia",
      entityContext: "Mia is a beekeeper.",
      memoryFilesystemPaths: ["/notes/"],
      profileBuckets: [{ key: "bees", description: "About bees" }],
      "profileBuckets[].key": new Bodies(
        () => ({ profileBuckets: [{ description: "About bees" }] }),
        () => ({ profileBuckets: [{ key: "bees", description: "About bees" }] }),
      ),
      "profileBuckets[].description": new Bodies(
        () => ({ profileBuckets: [{ key: "bees" }] }),
        () => ({ profileBuckets: [{ key: "bees", description: "About bees" }] }),
      ),
      timezone: "Europe/Brussels",
    },
  }),
  ...effectsOf("PATCH /v3/settings", {
    base: () => ({}),
    before: clear,
    see: seeSettings,
    fields: {
      ...all(
        "filterPrompt includeItems excludeItems shouldLLMFilter workspacePrompt",
        "tell what is remembered: test/ingest/guidance.test.ts, test/transports/guidance-warnings.test.ts",
      ),
      categories: unprobed("has no effect, which a warning says: test/transports/guidance-warnings.test.ts"),
      ...all("chunkSize chunkOverlap chunkingStrategy", "cut documents: test/core/reprocess-chunks.test.ts"),
      ...all("maxMemoriesPerDocument maxMemoriesPerContainer", "limit memories: test/core/memory-limits.test.ts"),
      profileBuckets: [{ key: "bees", description: "About bees" }],
      "profileBuckets[].key": unprobed("as of a container"),
      "profileBuckets[].description": unprobed("as of a container"),
      ...Object.fromEntries(
        PROVIDERS.flatMap((name) => [
          [`${name}CustomKeyEnabled`, true],
          [`${name}ClientId`, "x"],
          [`${name}ClientSecret`, "x"],
        ]),
      ),
    },
  }),
  ...effectsOf("POST /v3/settings/reset", {
    base: () => ({}),
    fields: { confirmation: unprobed("removes everything: test/transports/rest-settings.test.ts") },
  }),
  ...effectsOf("POST /v3/embeddings", {
    base: () => ({ action: "pause" }),
    fields: { action: unprobed("directs a move: test/transports/rest-embeddings.test.ts") },
  }),
  ...effectsOf("POST /v3/projects", {
    base: ({ tag }) => ({ name: tag }),
    fields: { name: REQUIRED, emoji: "🐝" },
  }),
  ...effectsOf("DELETE /v3/projects/{id}", {
    base: () => ({ action: "delete" }),
    before: project,
    path: ({ tag }) => `/v3/projects/sm_project_${tag}`,
    fields: {
      action: REQUIRED,
      targetProjectId: new Bodies(
        () => ({ action: "move" }),
        () => ({ action: "move", targetProjectId: "sm_project_default" }),
      ),
    },
  }),
  ...effectsOf("POST /v3/auth/scoped-key", {
    base: ({ tag }) => ({ containerTag: tag }),
    fields: {
      containerTag: REQUIRED,
      containerTags: new Bodies(
        () => ({}),
        ({ tag }) => ({ containerTags: [tag] }),
      ),
      name: "phone",
      permission: "read",
      expiresInDays: 7,
      rateLimitMax: unprobed("counts calls: test/transports/rest-limits.test.ts"),
      rateLimitTimeWindow: unprobed("counts calls: test/transports/rest-limits.test.ts"),
    },
  }),
  ...effectsOf("POST /v3/auth/agent-key", {
    base: () => ({}),
    fields: {
      containerTag: ({ tag }: Place) => tag,
      containerTags: ({ tag }: Place) => [tag],
      name: "phone",
      permission: "read",
      expiresInDays: 7,
      pluginId: "codex",
      deviceInfo: { hostname: "x" },
    },
  }),
  ...effectsOf("GET /v3/analytics/usage", { base: () => ({}), query, fields: { ...range, "?page": 2, "?limit": 1 } }),
  ...effectsOf("GET /v3/analytics/errors", { base: () => ({}), query, fields: { ...range, "?page": 2, "?limit": 1 } }),
  ...effectsOf("GET /v3/analytics/logs", {
    base: () => ({}),
    query,
    fields: { ...range, ...logs, "?page": 2, "?limit": 1 },
  }),
  ...effectsOf("GET /v3/analytics/requests", {
    base: () => ({}),
    query,
    fields: { ...range, ...logs, "?page": 2, "?limit": 1 },
  }),
  ...effectsOf("GET /v3/analytics/memory", {
    base: () => ({}),
    query,
    fields: { ...range, ...all("?page ?limit", `has one page: ${ANALYTICS}`) },
  }),
  ...effectsOf("GET /v3/analytics/chat", {
    base: () => ({}),
    query,
    fields: all("?from ?to ?period ?page ?limit", "nothing is chatted with here, so there is nothing to count"),
  }),
  ...effectsOf("GET /v3/audit", {
    base: () => ({}),
    query,
    fields: {
      "?keyId": "none",
      "?actor": "local",
      "?containerTag": "second",
      "?action": "createKey",
      "?outcome": "invalid",
      "?from": ({ ids }: Place) => ids["late"],
      "?to": "2001-01-01T00:00:00Z",
      "?page": 2,
      "?limit": 1,
    },
  }),
  ...effectsOf("GET /v3/auth/billing/usage-events", {
    base: () => ({}),
    fields: { "?start": ({ ids }: Place) => ids["until"], "?end": "2001-01-01T00:00:00Z" },
  }),
  ...effectsOf("POST /v3/documents/migrate-mcp", {
    base: () => ({ userId: "u" }),
    fields: { userId: REQUIRED, projectId: "p" },
  }),
  ...effectsOf("GET /v3/digests", { base: () => ({}), fields: { "?page": 2, "?limit": 1 } }),
  ...effectsOf("POST /v3/digests/preferences", {
    base: () => ({ digestOptOut: true }),
    fields: { digestOptOut: REQUIRED },
  }),
  ...effectsOf("POST /v3/emails/welcome/pro", {
    base: () => ({ email: "a@example.org", firstName: "Mia" }),
    fields: { email: REQUIRED, firstName: REQUIRED },
  }),
  ...effectsOf("POST /v3/connections/list", { base: () => ({}), fields: all("containerTags provider", CONNECTORS) }),
  ...effectsOf("GET /v3/connections", { base: () => ({}), fields: all("?endUserId", CONNECTORS) }),
  ...effectsOf("POST /v3/connections/{connection}", {
    base: () => ({}),
    fields: all(
      "containerTags containerTag documentLimit endUserId everyMinutes isDevice metadata redirectUrl",
      CONNECTORS,
    ),
  }),
  ...effectsOf("DELETE /v3/connections/{connection}", {
    base: () => ({}),
    fields: all("containerTags ?deleteDocuments", CONNECTORS),
  }),
  ...Object.assign(
    {},
    ...["connection", "documents", "import"].map((what) =>
      effectsOf(`POST /v3/connections/{connection}/${what}`, {
        base: () => ({}),
        fields: all("containerTags", CONNECTORS),
      }),
    ),
  ),
  ...effectsOf("POST /v3/connections/{connection}/configure", {
    base: () => ({}),
    fields: all("resources everyMinutes documentLimit isPaused", CONNECTORS),
  }),
  ...effectsOf("GET /v3/connections/{connection}/resources", {
    base: () => ({}),
    fields: all("?page ?per_page ?parent_id", CONNECTORS),
  }),
  ...effectsOf("POST /v3/connections/{connection}/sync", {
    base: () => ({}),
    fields: all("confirmRemovals", CONNECTORS),
  }),
  ...effectsOf("POST /v3/connections/{connection}/reconnect", {
    base: () => ({}),
    fields: all("metadata redirectUrl isDevice", CONNECTORS),
  }),
  ...effectsOf("POST /v3/connections/{connection}/google-drive/hosted-picker", {
    base: () => ({}),
    fields: all("returnUrl", "test/transports/connection-picker.test.ts is sent on to it"),
  }),
  ...effectsOf("GET /v3/connections/auth/callback/{connection}", {
    base: () => ({}),
    fields: all("?code ?state ?error", CONNECTORS),
  }),
  ...effectsOf("POST /v3/connections/webhooks/{connection}", {
    base: () => ({}),
    fields: all("?validationToken", "test/transports/webhooks.test.ts sends it as Microsoft does"),
  }),
};
