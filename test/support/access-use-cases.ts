import type { ErrorKind } from "../../src/core/errors.js";
import type { UseCase } from "../../src/core/index.js";
import { createId } from "../../src/lib/ids.js";
import type { Access } from "./access-table.js";
import type { Subject } from "./access-world.js";

interface UseCaseAccess extends Access {
  readonly input: (subject: Subject) => unknown;
  /** The outcome for permitted callers, if it is not a success. */
  readonly ends?: ErrorKind | undefined;
}

const of =
  (needs: Access["needs"], names: Access["names"], isForScoped: boolean) =>
  (input: UseCaseAccess["input"] = () => ({}), ends?: ErrorKind): UseCaseAccess => ({
    needs,
    names,
    isForScoped,
    input,
    ends,
  });

const anybody = of("nothing", "neither", true);
const anyKey = of("any key", "neither", true);
const owner = of("owner", "neither", false);
const whole = of("whole", "neither", false);
const readsTag = of("read", "tag", true);
const readsId = of("read", "id", true);
const readsAll = of("read", "neither", true);
const writesTag = of("write", "tag", true);
const writesId = of("write", "id", true);
const writesOwnId = of("write", "id to change", true);
const agentReadsTag = of("read", "tag", false);
const agentReadsAll = of("read", "neither", false);
const agentWritesTag = of("write", "tag", false);
const agentNamedId = of("named", "id", false);
const agentNamedTag = of("named", "tag", false);
const agentWritesOwnId = of("write", "id to change", false);

const tag = (subject: Subject) => ({ containerTag: subject.tag });
const tags = (subject: Subject) => ({ containerTags: [subject.tag] });
const document = async (subject: Subject) => ({ id: await subject.document() });
const question = (subject: Subject) => ({ q: "what sings", containerTags: [subject.tag] });
const grants = [{ containerTag: "den" }];
const app = { issuer: "http://127.0.0.1", clientId: "app", clientName: "App", clientHost: "app.example" };
const record = { kind: "Session", secret: "a secret" };
/** A provider that does not exist until a setting names folders. */
const provider = { provider: "folder" };
const nothing = () => ({ id: "nothing" });

/** Every use case: a new one must say here who may use it, besides `needs.ts`, which is compared with this list. */
export const USE_CASES_BY_ACCESS: Readonly<Record<UseCase, UseCaseAccess>> = {
  authenticate: anybody(() => "sm_wrong", "unauthorized"),
  authenticateToken: anybody(() => ({ token: "wrong", issuer: null }), "unauthorized"),
  session: anyKey(),
  status: agentReadsAll(),
  ownerStatus: owner(),
  measures: whole(),
  diagnose: owner(),
  getEmbeddings: owner(),
  getEmbeddingEstimate: owner(() => ({ choice: { kind: "builtin" } })),
  changeEmbeddings: owner(() => ({ action: "use", choice: { kind: "builtin" } })),

  addDocument: writesTag((subject) => ({ content: "Mia keeps bees.", ...tags(subject) })),
  updateDocument: writesId(async (subject) => ({ ...(await document(subject)), metadata: { a: 1 } })),
  addConversation: agentWritesTag((subject) => ({
    conversationId: createId(),
    messages: [{ role: "user", content: "I keep bees." }],
    ...tags(subject),
  })),
  getDocument: readsId(document),
  addDocuments: writesTag((subject) => ({ documents: ["Mia keeps bees."], ...tags(subject) })),
  addFile: writesTag((subject) => ({ bytes: btoa("Mia keeps bees."), name: "a.txt", document: tags(subject) })),
  getChunks: readsId(document),
  getDocumentFile: readsId(async (subject) => ({ id: await subject.file() })),
  getFile: readsAll(() => ({ key: "nothing" }), "not_found"),
  readFile: readsAll(() => ({ key: "nothing", start: 0, length: 1 }), "not_found"),
  deleteDocument: writesId(document),
  deleteDocuments: writesTag((subject) => ({ ...tags(subject), filepath: "/nowhere/" })),
  reprocess: agentWritesTag(tag),
  listDocuments: readsTag(tags),
  listDocumentsWithMemories: readsTag(tags),
  readDocumentsWithMemories: readsTag(async (subject) => ({ ids: [await subject.document()], ...tags(subject) })),
  countDocumentCategories: readsTag(tags),
  fetch: readsId(document),

  createMemories: writesTag((subject) => ({ ...tag(subject), memories: [{ content: `Mia has ${createId()}.` }] })),
  updateMemory: writesTag(async (subject) => ({
    id: await subject.memory(),
    newContent: `Now it is ${createId()}.`,
    ...tag(subject),
  })),
  listMemories: readsTag(tags),
  forget: writesTag(async (subject) => ({ ids: [await subject.memory()], ...tag(subject) })),
  forgetOne: writesTag(async (subject) => ({ id: await subject.memory(), ...tag(subject) })),
  forgetMatching: writesTag(async (subject) => ({ ids: [await subject.memory()], ...tag(subject) })),
  listInferred: agentReadsTag(tag),
  reviewInferred: agentWritesTag(async (subject) => ({
    id: await subject.inferred(),
    action: "approve",
    ...tag(subject),
  })),
  pendingExtractions: writesTag(tag),
  submitExtraction: writesOwnId(async (subject) => ({ taskId: await subject.task(), facts: [] })),
  readHistory: readsId(async (subject) => ({ id: await subject.memory() })),
  listJournal: agentReadsTag(tag),
  undoBatch: agentWritesOwnId(async (subject) => ({ batchId: await subject.batch() })),

  search: readsTag(question),
  searchDocuments: readsTag(question),
  profile: readsTag(tag),
  containerProfile: agentReadsTag(tag),
  listProfileBuckets: readsTag(tag),

  listContainers: agentReadsAll(),
  getContainer: agentReadsTag(tag),
  updateContainer: agentNamedTag((subject) => ({ ...tag(subject), entityContext: `Asked ${createId()}` })),
  deleteContainer: owner(async (subject) => ({ containerTag: await subject.container() })),
  mergeContainers: owner(async (subject) => {
    const containerTags = [await subject.container(), await subject.container()];
    return { containerTags, targetContainerTag: containerTags[1] };
  }),
  getMerge: owner(() => ({ id: "nothing" }), "not_found"),
  listProjects: agentReadsAll(),
  createProject: owner(() => ({ name: `Project ${createId()}` })),
  deleteProject: owner(async (subject) => ({ id: await subject.project(), action: "delete" })),

  getSettings: owner(),
  updateSettings: owner(() => ({ chunkSize: 2_000 })),
  suggestBuckets: owner(undefined, "invalid"),
  // Last of all, since it ends everything.
  resetOrganization: owner(() => ({ confirmation: "Recollect" })),
  purge: agentNamedId(async (subject) => ({ documentId: await subject.document(), confirm: true })),

  createKey: owner(() => ({ grants })),
  listKeys: owner(),
  revokeKey: owner(async (subject) => ({ id: await subject.key() })),
  toggleKey: owner(async (subject) => ({ id: await subject.key() })),
  ensureFirstKey: owner(() => ({ configured: `sm_configured_${createId()}` })),
  connectClients: owner(() => ({
    request: `${createId()}-${createId()}`,
    clients: [{ client: "codex", kind: "plugin", name: "codex" }],
    grants,
  })),
  startDevice: anybody(() => ({ client: "codex", from: createId() })),
  pollDevice: anybody(() => ({ deviceCode: "nothing" })),
  findDevice: owner(() => ({ userCode: "BCDF-GHJK" }), "not_found"),
  answerDevice: owner(() => ({ userCode: "BCDF-GHJK", approve: false }), "not_found"),

  createSignInCode: owner(),
  signIn: anybody(() => ({ code: "wrong", from: createId() }), "unauthorized"),
  checkSignIn: anybody(() => ({ token: "wrong" }), "unauthorized"),
  signOut: anybody(() => ({ token: "wrong" })),
  hasPassword: anybody(),
  listSignIns: owner(),
  endSignIn: owner(() => ({ id: "nothing" }), "not_found"),
  setPassword: owner(() => ({ password: null })),

  allowApp: owner(() => ({ ...app, permission: "read" })),
  listGrants: owner(),
  revokeGrants: owner(() => ({ client: "nobody" }), "not_found"),
  saveOAuthRecord: owner(() => ({ ...record, payload: "{}" })),
  findOAuthRecord: owner(() => record),
  consumeOAuthRecord: owner(() => record),
  dropOAuthRecords: owner(() => record),
  oauthSecrets: owner(),

  noteRequests: owner(() => ({ requests: [] })),
  listRequests: owner(),
  listAudit: owner(),
  reportUsage: owner(),
  reportErrors: owner(),
  reportGrowth: owner(),
  reportConsumption: owner(),
  getTeam: owner(),
  changeTeam: owner(undefined, "forbidden"),
  changeBilling: owner(undefined, "forbidden"),
  listConnections: owner(),
  listConnectionDocuments: owner(() => provider),
  findConnection: owner(nothing, "not_found"),
  findConnectionOf: owner(() => provider, "not_found"),
  finishConnection: anybody(() => provider, "invalid"),
  openPicker: owner(() => ({ ...nothing(), origin: "http://localhost" }), "not_found"),
  showPicker: anybody(() => ({ token: "wrong" }), "not_found"),
  choosePicked: anybody(() => ({ token: "wrong", resources: [] }), "not_found"),
  receiveWebhook: anybody(() => ({ id: "nobody", headers: {}, validationToken: null, bytes: "" }), "not_found"),
  createConnection: owner(() => provider, "unsupported"),
  importConnections: owner(() => provider, "invalid"),
  syncOneConnection: owner(nothing, "not_found"),
  listSyncRuns: owner(nothing, "not_found"),
  listConnectionResources: owner(nothing, "not_found"),
  configureConnection: owner(nothing, "not_found"),
  reconnectConnection: owner(nothing, "not_found"),
  pollConnection: owner(nothing, "not_found"),
  removeConnection: owner(nothing, "not_found"),
  removeConnectionsOf: owner(() => ({ ...provider, containerTags: ["a"] }), "not_found"),
};
