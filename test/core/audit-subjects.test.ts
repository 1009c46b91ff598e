import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { type Call, isUseCase, type UseCase } from "../../src/core/index.js";
import type { AuditEntry } from "../../src/core/types.js";
import { createId } from "../../src/lib/ids.js";
import { USE_CASES_BY_ACCESS } from "../support/access-use-cases.js";
import { subjectOf } from "../support/access-world.js";
import { TAG as CONNECTED } from "../support/connection.js";
import { useExampleSources } from "../support/example-connection.js";
import { type ManualCore, openManualCore } from "../support/manual-core.js";

const TAG = "den";
const LAST = "resetOrganization";

/** Inputs with more names than those of the access tests. */
const INPUTS: Readonly<Partial<Record<UseCase, () => object | Promise<object>>>> = {
  addDocument: () => ({
    content: "Mia keeps bees.",
    containerTags: [TAG],
    facts: [{ text: "Mia keeps bees" }],
    dreaming: "instant",
    wait: 20,
  }),
  deleteDocuments: async () => ({ ids: [await subject().document()] }),
  deleteDocument: async () => ({ id: await subject().document(), within: TAG }),
  updateDocument: async () => ({ id: await subject().document(), metadata: { a: 1 }, within: TAG }),
  reprocess: async () => ({ ids: [await subject().document()] }),
  mergeContainers: async () => {
    const containerTags = [await subject().container(), await subject().container()];
    return { containerTags, targetContainerTag: "target" };
  },
  deleteProject: async () => {
    const [id, targetProjectId] = [await subject().project(), await subject().project()];
    return { id, action: "move", targetProjectId };
  },
  search: () => ({ q: "what sings", containerTags: [TAG], documentId: createId() }),
  searchDocuments: () => ({ q: "what sings", containerTags: [TAG], documentId: createId() }),
  purge: async () => ({ memoryId: await subject().memory(), containerTag: TAG, confirm: true }),
  listJournal: () => ({ containerTag: TAG, memoryId: createId(), documentId: createId(), batchId: createId() }),
  listRequests: () => ({ id: createId(), keyId: createId() }),
  listAudit: () => ({ containerTag: TAG, keyId: createId() }),
  connectClients: async () => ({ ...Object(await tried("connectClients")), request: `${createId()}-again` }),
  signIn: async () => ({ code: (await opened.core.createSignInCode(opened.call())).code }),
  endSignIn: async () => {
    const { code } = await opened.core.createSignInCode(opened.call());
    return { id: (await opened.core.signIn(opened.call(), { code })).signIn.id };
  },
  allowApp: async () => ({ ...Object(await tried("allowApp")), containerTags: [TAG] }),
  revokeGrants: async () => {
    const app = await tried("allowApp");
    return { client: (await opened.core.allowApp(opened.call(), app)).id };
  },
  pollDevice: async () => {
    const { deviceCode, userCode } = await opened.core.startDevice(opened.call(), { client: "codex" });
    await opened.core.answerDevice(opened.call(), { userCode, approve: true });
    return { deviceCode };
  },
  answerDevice: async () => {
    const { userCode } = await opened.core.startDevice(opened.call(), { client: "codex" });
    return { userCode, approve: true, grants: [{ containerTag: TAG }] };
  },
  saveOAuthRecord: async () => ({ ...Object(await tried("saveOAuthRecord")), grantId: createId() }),
  dropOAuthRecords: () => ({ grantId: createId() }),
  listConnectionDocuments: () => ({ provider: "granola", containerTags: [TAG] }),
  findConnectionOf: () => ({ provider: "granola", containerTags: [TAG] }),
  listConnections: () => ({ containerTags: [TAG] }),
  createConnection: () => ({ provider: "granola", containerTag: TAG, containerTags: ["attic"] }),
  importConnections: () => ({ provider: "granola", containerTags: [TAG] }),
};

/**
 * Where the names that the audit records of a call come from, tags before ids, for a call that succeeds and for one that
 * is refused. Fields of the answer start with `answer`; a tag alone comes from the journal. Other use cases record none.
 */
const NAMED: Readonly<Partial<Record<UseCase, readonly [done: string, refused: string]>>> = {
  addDocument: ["containerTags | answer.id answer.facts.id", "containerTags |"],
  updateDocument: ["within | id", "within | id"],
  addConversation: ["containerTags | answer.id", "containerTags |"],
  addDocuments: ["containerTags | answer.items.id", "containerTags |"],
  addFile: ["document.containerTags | answer.id", "document.containerTags |"],
  deleteDocument: ["within | id", "within | id"],
  deleteDocuments: ["den | ids", "| ids"],
  reprocess: ["den | ids", "| ids"],
  listDocuments: ["|", "containerTags |"],
  listDocumentsWithMemories: ["|", "containerTags |"],
  readDocumentsWithMemories: ["|", "containerTags | ids"],
  countDocumentCategories: ["|", "containerTags |"],
  createMemories: ["containerTag | answer.documentId answer.memories.id", "containerTag |"],
  updateMemory: ["containerTag | id answer.id", "containerTag | id"],
  listMemories: ["|", "containerTags |"],
  forget: ["containerTag | ids answer.batchId", "containerTag | ids"],
  forgetOne: ["containerTag | id", "containerTag | id"],
  forgetMatching: ["containerTag | ids answer.forgetBatchId", "containerTag | ids"],
  listInferred: ["|", "containerTag |"],
  reviewInferred: ["containerTag | id", "containerTag | id"],
  pendingExtractions: ["containerTag |", "containerTag |"],
  submitExtraction: ["answer.containerTag | taskId answer.documentId answer.batchId", "| taskId"],
  listJournal: ["|", "containerTag | memoryId documentId batchId"],
  undoBatch: ["| batchId answer.batchId", "| batchId"],
  search: ["|", "containerTags | documentId"],
  searchDocuments: ["|", "containerTags | documentId"],
  profile: ["|", "containerTag |"],
  containerProfile: ["|", "containerTag |"],
  listProfileBuckets: ["|", "containerTag |"],
  getContainer: ["|", "containerTag |"],
  updateContainer: ["containerTag |", "containerTag |"],
  deleteContainer: ["containerTag |", "containerTag |"],
  mergeContainers: ["containerTags targetContainerTag |", "containerTags targetContainerTag |"],
  getMerge: ["| id", "| id"],
  createProject: ["answer.tag | answer.uid", "|"],
  deleteProject: ["answer.containerTag answer.movedTo | id targetProjectId", "| id targetProjectId"],
  purge: ["containerTag | memoryId", "containerTag | memoryId"],
  createKey: ["grants.containerTag | answer.key.id", "grants.containerTag |"],
  revokeKey: ["| id", "| id"],
  toggleKey: ["| id", "| id"],
  connectClients: ["grants.containerTag | answer.keys.id", "grants.containerTag |"],
  pollDevice: ["| answer.id", "| answer.id"],
  answerDevice: ["grants.containerTag |", "grants.containerTag |"],
  signIn: ["| answer.signIn.id", "| answer.signIn.id"],
  endSignIn: ["| id", "| id"],
  allowApp: ["containerTags | answer.id", "containerTags |"],
  revokeGrants: ["| client", "| client"],
  saveOAuthRecord: ["|", "| grantId"],
  dropOAuthRecords: ["|", "| grantId"],
  listRequests: ["| id keyId", "| id keyId"],
  listAudit: ["|", "containerTag | keyId"],
  listConnections: ["containerTags |", "containerTags |"],
  listConnectionDocuments: ["containerTags |", "containerTags |"],
  findConnection: ["| id", "| id"],
  findConnectionOf: ["containerTags |", "containerTags |"],
  openPicker: ["| id", "| id"],
  createConnection: ["containerTag containerTags |", "containerTag containerTags |"],
  importConnections: ["containerTags |", "containerTags |"],
  syncOneConnection: ["| id", "| id"],
  listSyncRuns: ["| id", "| id"],
  listConnectionResources: ["| id", "| id"],
  configureConnection: ["| id", "| id"],
  reconnectConnection: ["| id", "| id"],
  pollConnection: ["| id", "| id"],
  removeConnection: ["| id", "| id"],
  removeConnectionsOf: ["containerTags |", "containerTags |"],
};

const { startSource, connectTo } = useExampleSources();
let opened: ManualCore;
beforeAll(async () => {
  opened = await openManualCore();
});
afterAll(() => opened.close());

const names = Object.keys(USE_CASES_BY_ACCESS).filter(isUseCase);
const ordered = [...names.filter((name) => name !== LAST), ...names.filter((name) => name === LAST)];

/** No caller has fewer rights, and none of them in this container. */
const stranger = (): Call => {
  const { actor } = opened.call(["garage"]);
  return { actor: { ...actor, name: "key:stranger", containers: ["garage"], readOnly: "all", isScoped: true } };
};

const subject = () => subjectOf(opened, TAG);

/** The input of the access tests; an id named "nothing" becomes one that could exist. */
async function tried(name: UseCase): Promise<unknown> {
  const input = await USE_CASES_BY_ACCESS[name].input(subject());
  const { id } = Object(input) as { readonly id?: unknown };
  return id === "nothing" ? { ...Object(input), id: createId() } : input;
}

/** What the audit records of one call: for each name, its first place in the input or in the answer. */
async function noted(name: UseCase, call: Call): Promise<string> {
  const fuller = INPUTS[name];
  const input = fuller ? await fuller() : await tried(name);
  await opened.settle();
  const { entry, answer } = await ask(name, call, input);
  if (!entry) return "|";
  const places = new Map<string, string>();
  locate(input, "", places);
  locate(answer, "answer", places);
  const shown = (texts: readonly string[]) => [...new Set(texts.map((text) => places.get(text) ?? text))].join(" ");
  return `${shown(entry.containerTags)} | ${shown(entry.subjectIds)}`.trim();
}

async function ask(name: UseCase, call: Call, input: unknown): Promise<{ entry?: AuditEntry; answer: unknown }> {
  // Counted entries are counted per minute.
  opened.clock.advance(60_000);
  const before = new Set((await entriesOf(name)).map(({ id }) => id));
  const answer: unknown = await opened.core[name](call, input).catch(() => null);
  const entry = (await entriesOf(name)).find(({ id }) => !before.has(id));
  return { ...(entry && { entry }), answer };
}

async function entriesOf(name: UseCase): Promise<readonly AuditEntry[]> {
  await opened.context.audit.flush();
  const { store } = opened;
  return (await store.audit.list(store.organizationId, { action: name, offset: 0, limit: 1_000 })).entries;
}

/** Records the first place of each text. */
function locate(value: unknown, place: string, places: Map<string, string>): void {
  if (typeof value === "string" && !places.has(value)) places.set(value, place);
  if (typeof value !== "object" || value === null) return;
  for (const [field, part] of Object.entries(value))
    locate(part, Array.isArray(value) ? place : [place, field].filter(Boolean).join("."), places);
}

describe("the audit records the subjects of", () => {
  test.each(ordered)("%s", async (name) => {
    // Reads are not recorded in the audit, refusals are.
    const refused = await noted(name, stranger());
    const done = await noted(name, opened.call());
    expect([done, refused]).toEqual(NAMED[name] ?? ["|", "|"]);
  });
});

test("records the connections that a call creates, changes, syncs or removes, also when it names only the provider", async () => {
  const source = await startSource();
  const { core, actor, id } = await connectTo(source);
  const made = { provider: "granola", containerTag: CONNECTED, metadata: { apiKey: "good" } };
  const { id: second } = await core.createConnection({ actor }, made);
  await core.findConnectionOf({ actor }, { provider: "granola" });
  await core.configureConnection({ actor }, { id, everyMinutes: 60 });
  await core.importConnections({ actor }, { provider: "granola" });
  await core.removeConnectionsOf({ actor }, { provider: "granola", containerTags: [CONNECTED] });
  const { items } = await core.listAudit({ actor }, { limit: 1_000 });
  const named = (action: string) =>
    items
      .filter((entry) => entry.action === action)
      .map(({ containerTags, subjectIds }) => [containerTags, subjectIds.toSorted()]);
  const both = [id, second].toSorted();
  expect(named("createConnection")).toEqual([[[CONNECTED], both]]);
  expect(named("findConnectionOf")).toEqual([[[], [second]]]);
  expect(named("configureConnection")).toEqual([[[CONNECTED], [id]]]);
  expect(named("importConnections")).toEqual([[[], both]]);
  expect(named("removeConnectionsOf")).toEqual([[[CONNECTED], both]]);
});

describe("a call with arbitrary input", () => {
  const tag = "somebody";
  const id = createId();
  const nested = (depth: number): unknown => (depth === 0 ? id : [nested(depth - 1)]);
  const inherited = Object.assign(Object.create({ id, containerTag: tag }) as object, { q: "x" });

  test.each<[string, UseCase, unknown]>([
    ["fields of other use cases", "createKey", { id, containerTag: tag, documents: [{ id }], key: { id }, ids: [id] }],
    ["nested fields", "forgetOne", { metadata: { id, containerTag: tag }, document: { id, containerTag: tag } }],
    ["a caller's own words", "deleteDocument", { id: `${id}x`, within: "two words" }],
    ["objects instead of texts", "forget", { ids: [{ id }], containerTag: { containerTag: tag } }],
    ["lists of lists", "forget", { ids: nested(2_000) }],
    ["a text", "deleteDocument", id],
    ["null", "deleteDocument", null],
    ["a list", "deleteDocument", [{ id }]],
    ["inherited properties", "forgetOne", inherited],
    ["credentials of an unknown caller", "signIn", { code: id, id, containerTag: tag, signIn: { id } }],
  ])("leaves no name in the audit from %s", async (_what, name, input) => {
    const { entry } = await ask(name, stranger(), input);
    expect(entry).toMatchObject({ action: name, containerTags: [], subjectIds: [] });
    expect(["forbidden", "unauthorized"]).toContain(entry?.outcome);
  });
});
