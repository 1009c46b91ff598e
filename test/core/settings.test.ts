import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import type { Call, Core } from "../../src/core/index.js";
import { createSecretBox } from "../../src/adapters/secrets/key-file.js";
import { silentLog } from "../support/open-core.js";
import { openSecrets, readSettings, type Settings } from "../../src/core/upkeep/settings.js";
import { type ManualCore, openManualCore } from "../support/manual-core.js";

let opened: ManualCore;
let core: Core;
let call: Call;

beforeEach(async () => {
  opened = await openManualCore();
  core = opened.core;
  call = opened.call();
});
afterEach(() => opened.close());

const settings = async (by = call) => (await core.getSettings(by)).settings;
const update = async (change: Record<string, unknown>, by = call) => (await core.updateSettings(by, change)).settings;
const of = (client: string): Call => ({ actor: { ...call.actor, client } });

describe("settings", () => {
  test("are empty at first, and keep the fields that a change omits", async () => {
    expect(await settings()).toEqual({});
    await update({ workspacePrompt: "We sell honey.", chunkSize: 512 });
    expect(await update({ chunkSize: null, profileBuckets: [{ key: "work" }] })).toEqual({
      workspacePrompt: "We sell honey.",
      chunkSize: null,
      profileBuckets: [{ key: "work", description: "" }],
    });
    expect(await settings()).toEqual(await update({}));
  });

  test("accept every field of the contract together and any JSON as includeItems and excludeItems, and no others", async () => {
    const all = {
      shouldLLMFilter: true,
      filterPrompt: "Only bees “🐝”",
      includeItems: [{ folders: ["a"], urlPatterns: ["**/x"] }, 1, null],
      excludeItems: "a glob string that is longer than twenty characters",
      categories: ["bees"],
      workspacePrompt: "",
      chunkSize: -1,
      profileBuckets: [],
      googleDriveCustomKeyEnabled: true,
      googleDriveClientId: "id",
      notionCustomKeyEnabled: false,
      notionClientId: null,
      onedriveClientId: "id",
      githubClientId: "id",
    };
    expect(await update({ ...all, unknown: 1, orgId: "x" })).toEqual(all);
    expect(await settings()).toEqual(all);
  });

  test.each<[string, unknown, string]>([
    [
      "a long prompt",
      { shouldLLMFilter: true, filterPrompt: "x".repeat(751) },
      "filterPrompt: must have at most 750 characters, has 751",
    ],
    ["an empty prompt", { shouldLLMFilter: true, filterPrompt: " " }, "filterPrompt: must not be empty"],
    [
      "a long workspace prompt",
      { workspacePrompt: "x".repeat(1_501) },
      "workspacePrompt: must have at most 1500 characters",
    ],
    [
      "a control character",
      { workspacePrompt: "a\u0000b" },
      "workspacePrompt: must not contain the control character U+0000 at position 1",
    ],
    ["a fractional chunkSize", { chunkSize: 0.5 }, "chunkSize: must be a whole number"],
    ["a chunkSize that is not a number", { chunkSize: "512" }, "chunkSize: must be a number"],
    ["a negative chunkSize", { chunkSize: -2 }, "chunkSize: must be 100 to 8000, or -1 for the default"],
    ...[0, 10, 99, 8_001, 1e9, 2 ** 31].map((chunkSize): [string, unknown, string] => [
      `a size of ${chunkSize}`,
      { chunkSize },
      "chunkSize: must be 100 to 8000, or -1 for the default",
    ]),
    [
      "an overlap of at least half a chunk",
      { chunkSize: 200, chunkOverlap: 101 },
      "chunkOverlap: must be at most half of chunkSize, which is 200",
    ],
    [
      "an overlap that is too large for the default chunk size",
      { chunkOverlap: 251 },
      "chunkOverlap: must be at most half of chunkSize, which is 500",
    ],
    ["a negative overlap", { chunkOverlap: -1 }, "chunkOverlap: must be at least 0"],
    [
      "an unknown chunking strategy",
      { chunkingStrategy: "semantic" },
      "chunkingStrategy: must be one of auto, recursive, markdown, sentence, token",
    ],
    [
      "a chunk of too many tokens",
      { chunkingStrategy: "token", chunkSize: 2_001 },
      "chunkSize: must be at most 2000 where tokens are counted",
    ],
    ["no memories per document", { maxMemoriesPerDocument: 0 }, "maxMemoriesPerDocument: must be at least 1"],
    [
      "a fractional number of memories per container",
      { maxMemoriesPerContainer: 1.5 },
      "maxMemoriesPerContainer: must be a whole number",
    ],
    ["a switch that is not a boolean", { shouldLLMFilter: "yes" }, "shouldLLMFilter: must be true or false"],
    [
      "an invalid bucket",
      { profileBuckets: [{ key: "dynamic" }] },
      "profileBuckets.0.key: must not be static or dynamic, which every profile has",
    ],
    ["null as buckets", { profileBuckets: null }, "profileBuckets: must be an array of buckets"],
    [
      "a long secret",
      { notionClientSecret: "x".repeat(4_097) },
      "notionClientSecret: must have at most 4096 characters",
    ],
    ["a value that is not an object", [], "must be an object"],
  ])("reject %s, and nothing is changed", async (_name, change, message) => {
    await expect(core.updateSettings(call, change)).rejects.toMatchObject({ kind: "invalid", message });
    expect(await settings()).toEqual({});
  });

  test.each(["includeItems", "excludeItems", "categories"])(
    "reject %s that is too large, whatever its shape",
    async (key) => {
      await expect(update({ shouldLLMFilter: true, [key]: ["x".repeat(65_536)] })).rejects.toMatchObject({
        kind: "too_large",
        message: `${key}: has 65540 bytes as JSON, at most 65536 are accepted (RECOLLECT_MAX_METADATA_BYTES).`,
      });
      expect(await settings()).toEqual({});
    },
  );

  test("can only be read and changed by callers of the whole organisation", async () => {
    const onlyA = opened.call(["a"]);
    for (const useCase of ["getSettings", "updateSettings", "suggestBuckets"] as const)
      await expect(core[useCase](onlyA, {})).rejects.toMatchObject({ kind: "forbidden" });
    await expect(core.resetOrganization(onlyA, { confirmation: "Recollect" })).rejects.toMatchObject({
      kind: "forbidden",
    });
  });
});

describe("settings of the LLM filter", () => {
  test.each(["filterPrompt", "includeItems", "excludeItems", "categories"])(
    "%s needs the switch, in the same change or set before",
    async (key) => {
      const filter = { [key]: "bees" };
      const refused = {
        kind: "invalid",
        message: `${key}: has no effect: send shouldLLMFilter: true with it`,
      };
      await expect(update(filter)).rejects.toMatchObject(refused);
      await expect(update({ ...filter, shouldLLMFilter: false })).rejects.toMatchObject(refused);
      await expect(update({ ...filter, shouldLLMFilter: null })).rejects.toMatchObject(refused);
      expect(await update({ ...filter, shouldLLMFilter: true })).toEqual({ ...filter, shouldLLMFilter: true });
      expect(await update({ [key]: "wasps" })).toMatchObject({ [key]: "wasps" });
      await update({ shouldLLMFilter: false });
      await expect(update(filter)).rejects.toMatchObject(refused);
      expect(await update({ [key]: null })).toMatchObject({ [key]: null });
    },
  );
});

describe("settings of a client", () => {
  test("apply to this client only, and override those of the organisation", async () => {
    await update({ shouldLLMFilter: true, filterPrompt: "Everything", chunkSize: 512 });
    const written = await update({ shouldLLMFilter: true, filterPrompt: "Code only" }, of("opencode"));
    expect(written).toEqual({ shouldLLMFilter: true, filterPrompt: "Code only", chunkSize: 512 });
    expect(await settings(of("opencode"))).toEqual(written);
    const common = { shouldLLMFilter: true, filterPrompt: "Everything", chunkSize: 512 };
    for (const other of [call, of("cursor")]) expect(await settings(other)).toEqual(common);
  });

  test("fall back to the organisation for omitted fields, but not for null", async () => {
    await update({ shouldLLMFilter: true, filterPrompt: "Everything" });
    await update({ filterPrompt: null }, of("opencode"));
    await update({ filterPrompt: "Changed", chunkSize: 900 });
    expect(await settings(of("opencode"))).toEqual({ shouldLLMFilter: true, filterPrompt: null, chunkSize: 900 });
  });

  test("are used to process documents of this client", async () => {
    await update({ chunkSize: 1_000 });
    await update({ chunkSize: 300 }, of("opencode"));
    const { store } = opened;
    const chunkSize = async (client: string | null) =>
      (await readSettings(store, store.organizationId, client)).chunkSize;
    expect(await chunkSize("opencode")).toBe(300);
    for (const client of ["cursor", null]) expect(await chunkSize(client)).toBe(1_000);
  });

  test("apply to keys created for the client", async () => {
    const { secret } = await core.createKey(call, { name: "laptop", client: "OpenCode" });
    const actor = await core.authenticate(call, secret);
    expect(actor.client).toBe("opencode");
    await update({ chunkSize: 300 }, { actor });
    expect(await settings()).toEqual({});
    expect(await settings(of("opencode"))).toEqual({ chunkSize: 300 });
  });
});

describe("secrets in settings", () => {
  test("are stored, and only their last four characters are returned", async () => {
    const written = await update({ notionClientSecret: "notion-secret-1234", githubClientSecret: "short" });
    expect(written).toEqual({ notionClientSecret: "••••1234", githubClientSecret: "••••" });
    expect(await settings()).toEqual(written);
    const { store } = opened;
    const kept = await readSettings(store, store.organizationId, null);
    expect(JSON.stringify(kept)).not.toMatch(/notion-secret|short/);
    expect(await opening(kept)).toEqual({ notionClientSecret: "notion-secret-1234", githubClientSecret: "short" });
  });

  /** Decrypts what only the service itself can read. */
  const opening = (kept: Settings): Promise<Settings> =>
    openSecrets(
      {
        secretBox: createSecretBox({ file: join(opened.dataDirectory, "secret.key"), key: undefined }),
        log: silentLog,
      },
      kept,
    );

  test("are unchanged when the masked value is sent back; other values replace them, and null removes them", async () => {
    const { store } = opened;
    const secret = async () =>
      (await opening(await readSettings(store, store.organizationId, null))).notionClientSecret;
    await update({ notionClientSecret: "notion-secret-1234" });
    await update({ ...(await settings()), notionClientId: "id" });
    expect(await secret()).toBe("notion-secret-1234");
    expect(await update({ notionClientSecret: "another-secret-9876" })).toMatchObject({
      notionClientSecret: "••••9876",
    });
    expect(await update({ notionClientSecret: null })).toMatchObject({ notionClientSecret: null });
    expect(await secret()).toBeNull();
  });

  test("are also masked in a remembered operation", async () => {
    await core.updateSettings({ ...call, operationId: "once" }, { notionClientSecret: "notion-secret-1234" });
    expect(JSON.stringify(await opened.store.operations.find(operationKey()))).not.toContain("notion-secret");
  });

  const operationKey = (): string =>
    JSON.stringify([opened.store.organizationId, call.actor.name, "updateSettings", "once"]);
});

describe("suggesting buckets", () => {
  const keys = async (filterPrompt: string) => {
    await update({ shouldLLMFilter: true, filterPrompt });
    return (await core.suggestBuckets(call)).suggestions.map(({ key }) => key);
  };

  test("needs a prompt", async () => {
    await expect(core.suggestBuckets(call)).rejects.toMatchObject({
      kind: "invalid",
      message: expect.stringMatching(/^No organization context configured/) as string,
    });
  });

  test.each([
    ["A fitness app that tracks workouts, diet and sleep of its users, and their goals", ["health", "goals"]],
    ["We help students with exams and courses", ["education"]],
    ["Travel agency: flights, hotels, itineraries. Remember budgets.", ["travel", "finances"]],
    ["A coding agent for software developers", ["skills", "projects"]],
  ])("is based on the words of the prompt: %s", async (prompt, expected) => {
    const found = await keys(prompt);
    expect(found).toEqual(expect.arrayContaining(expected));
    expect(found.length).toBeGreaterThanOrEqual(3);
    expect(found.length).toBeLessThanOrEqual(6);
  });

  test("falls back to general ones, and stores nothing", async () => {
    expect(await keys("Zwölf Boxkämpfer")).toEqual(["preferences", "interests", "goals"]);
    expect(await settings()).not.toHaveProperty("profileBuckets");
  });
});

describe("resetting the organisation", () => {
  const fill = async (): Promise<void> => {
    const wait = { wait: 20 };
    await core.addDocument(call, { content: "Bees of nowhere", facts: [{ text: "doomed one" }], ...wait });
    await core.addDocument(call, {
      content: "doomed bees",
      containerTags: ["a", "b"],
      facts: [{ text: "doomed two" }],
      ...wait,
    });
    const { memories } = await core.createMemories(call, {
      containerTag: "a",
      memories: [{ content: "doomed three" }],
    });
    await core.forget(call, { ids: [memories[0]?.id ?? ""] });
    await core.createMemories(call, { containerTag: "old", memories: [{ content: "doomed four" }] });
    await core.deleteContainer(call, { containerTag: "old" });
    await core.updateContainer(call, { containerTag: "sm_project_default", entityContext: "doomed prompt" });
    await update({ workspacePrompt: "doomed workspace" });
    await update({ workspacePrompt: "doomed client" }, of("opencode"));
  };

  test("removes everything except the keys and the default container without a trace, and counts it", async () => {
    await fill();
    const { secret } = await core.createKey(call, { name: "laptop" });
    expect(await core.resetOrganization(call, { confirmation: "Recollect" })).toEqual({
      documents: 3,
      documentBatches: expect.any(Number) as number,
      // In the default container, in `a` and `b`, the forgotten one, and one of the deleted container.
      memories: 5,
      containers: 2,
      clearedDefaultContext: true,
    });
    expect((await core.listDocuments(call, {})).total).toBe(0);
    expect((await core.listContainers(call)).containers).toMatchObject([
      { tag: "sm_project_default", entityContext: null, documentCount: 0, memoryCount: 0 },
    ]);
    for (const by of [call, of("opencode")]) expect(await settings(by)).toEqual({});
    expect(await core.authenticate(call, secret)).toMatchObject({ organizationId: opened.store.organizationId });
    expect(await opened.everything()).not.toContain("doomed");
  });

  test("ends merges, and the tags can be used again immediately", async () => {
    const idle = await openManualCore({ jobs: false });
    const by = idle.call();
    for (const containerTag of ["a", "b"])
      await idle.core.createMemories(by, { containerTag, memories: [{ content: `Bees of ${containerTag}` }] });
    const input = { containerTags: ["a", "b"], targetContainerTag: "b" };
    const { id } = await idle.core.mergeContainers(by, input);
    await idle.core.resetOrganization(by, { confirmation: idle.store.organizationId });
    expect(await idle.core.getMerge(by, { id })).toMatchObject({
      status: "failed",
      lastError: "The organisation was reset.",
    });
    await idle.core.createMemories(by, { containerTag: "a", memories: [{ content: "New bees" }] });
    const { dataDirectory, clock } = idle;
    const working = await openManualCore({ dataDirectory, clock });
    await working.settle();
    expect((await working.core.listContainers(by)).containers).toMatchObject([{ tag: "a", memoryCount: 1 }]);
    expect(await working.store.jobs.counts()).toMatchObject({ waiting: 0, dead: 0 });
    await working.close();
    await idle.close();
  });

  test("counts nothing and creates no container if the organisation is empty", async () => {
    expect(await core.resetOrganization(call, { confirmation: opened.store.organizationId })).toEqual({
      documents: 0,
      documentBatches: 0,
      memories: 0,
      containers: 0,
      clearedDefaultContext: false,
    });
    expect((await core.listContainers(call)).containers).toEqual([]);
  });

  test.each([undefined, "", "recollect", "yes", "x".repeat(1_001)])(
    "is rejected with the confirmation %j",
    async (confirmation) => {
      await fill();
      const before = await opened.rowCounts();
      await expect(core.resetOrganization(call, { confirmation })).rejects.toMatchObject({
        kind: "invalid",
        message: expect.stringMatching(/^confirmation: (is missing$|must )/) as string,
      });
      expect(await opened.rowCounts()).toEqual(before);
    },
  );
});
