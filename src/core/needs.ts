import { admit, type Need } from "./auth.js";
import type { Admitted, Call, HearWrite } from "./context.js";
import { AppError } from "./errors.js";

/**
 * What each use case asks of whoever calls it; checked before it runs, wherever the call comes from. `*` marks those that
 * scoped keys may use: what lies under the paths of contract.md §1.2, and who they are.
 */
export const NEEDS = {
  authenticate: "nothing",
  session: "read *",
  status: "read",
  diagnose: "owner",
  getEmbeddings: "owner",
  getEmbeddingEstimate: "owner",
  changeEmbeddings: "owner",

  addDocument: "write *",
  updateDocument: "write *",
  addConversation: "write",
  getDocument: "read *",
  addDocuments: "write *",
  addFile: "write *",
  getChunks: "read *",
  getDocumentFile: "read *",
  getFile: "read *",
  readFile: "read *",
  deleteDocument: "write *",
  deleteDocuments: "write *",
  reprocess: "write",
  listDocuments: "read *",
  listDocumentsWithMemories: "read *",
  readDocumentsWithMemories: "read *",
  countDocumentCategories: "read *",
  fetch: "read *",

  createMemories: "write *",
  updateMemory: "write *",
  listMemories: "read *",
  forget: "write *",
  forgetOne: "write *",
  forgetMatching: "write *",
  listInferred: "read",
  reviewInferred: "write",
  pendingExtractions: "write *",
  submitExtraction: "write *",
  readHistory: "read *",
  listJournal: "read",
  undoBatch: "write",

  search: "read *",
  searchDocuments: "read *",
  profile: "read *",
  containerProfile: "read",
  listProfileBuckets: "read *",

  listContainers: "read",
  getContainer: "read",
  updateContainer: "write",
  deleteContainer: "owner",
  mergeContainers: "owner",
  getMerge: "owner",
  listProjects: "read",
  createProject: "owner",
  deleteProject: "owner",

  getSettings: "owner",
  updateSettings: "owner",
  suggestBuckets: "owner",
  resetOrganization: "owner",
  purge: "erase",

  createKey: "owner",
  listKeys: "owner",
  revokeKey: "owner",
  toggleKey: "owner",

  createSignInCode: "owner",
  signIn: "nothing",
  checkSignIn: "nothing",
  signOut: "nothing",
  hasPassword: "nothing",
  listSignIns: "owner",
  endSignIn: "owner",
  setPassword: "owner",
  connectClients: "owner",
  startDevice: "nothing",
  pollDevice: "nothing",
  findDevice: "owner",
  answerDevice: "owner",

  authenticateToken: "nothing",
  allowApp: "owner",
  listGrants: "owner",
  revokeGrants: "owner",
  saveOAuthRecord: "owner",
  findOAuthRecord: "owner",
  consumeOAuthRecord: "owner",
  dropOAuthRecords: "owner",
  oauthSecrets: "owner",

  ensureFirstKey: "owner",

  noteRequests: "owner",
  listRequests: "owner",
  listAudit: "owner",
  reportUsage: "owner",
  reportErrors: "owner",
  reportGrowth: "owner",
  reportConsumption: "owner",
  getTeam: "owner",
  changeTeam: "owner",
  changeBilling: "owner",

  listConnections: "owner",
  listConnectionDocuments: "owner",
  findConnection: "owner",
  findConnectionOf: "owner",
  finishConnection: "owner",
  createConnection: "owner",
  importConnections: "owner",
} as const satisfies Readonly<Record<string, Need | `${Need} *`>>;

/**
 * The call as a use case may take it, its actor reduced to what it may do there.
 * @throws AppError `forbidden` when the actor may not use it
 */
export function admitTo(useCase: keyof typeof NEEDS, call: Call, hearWrite?: HearWrite): Admitted {
  const stated = NEEDS[useCase];
  const isForScoped = stated.endsWith(" *") || stated === "nothing";
  if (call.actor.isScoped === true && !isForScoped)
    throw new AppError(
      "forbidden",
      "A scoped key may only use documents, memories, search and profile of its containers. Use a key of the whole organisation.",
    );
  // The only place that makes one.
  return { ...call, actor: admit(call.actor, stated.replace(" *", "") as Need), hearWrite } as Admitted;
}
