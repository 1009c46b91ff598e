import { admit, type Need } from "../auth.js";
import type { AuthorizedCall, Call, HearWrite } from "../context.js";
import { AppError } from "../errors.js";

/**
 * What each use case requires of its caller; checked before it runs, wherever the call comes from. `*` marks those that scoped
 * keys may use: what lies under the paths of contract 1.2, and who they are. A caller that lost the answer repeats the call:
 * `again` means that this does no more than the first call did, and gives the same answer; `once` that the use case stores its
 * answer for that with `runOnce` (operations.ts), under the id of the operation.
 */
export const NEEDS = {
  authenticate: "nothing, again",
  session: "read *, again",
  status: "read, again",
  ownerStatus: "owner, again",
  measures: "whole, again",
  diagnose: "owner, again",
  getEmbeddings: "owner, again",
  getEmbeddingEstimate: "owner, again",
  changeEmbeddings: "owner, once",

  addDocument: "write *, once",
  updateDocument: "write *, once",
  addConversation: "write, once",
  getDocument: "read *, again",
  addDocuments: "write *, once",
  addFile: "write *, once",
  getChunks: "read *, again",
  getDocumentFile: "read *, again",
  getFile: "read *, again",
  readFile: "read *, again",
  deleteDocument: "write *, once",
  deleteDocuments: "write *, once",
  reprocess: "write, once",
  listDocuments: "read *, again",
  listDocumentsWithMemories: "read *, again",
  readDocumentsWithMemories: "read *, again",
  countDocumentCategories: "read *, again",
  fetch: "read *, again",

  createMemories: "write *, once",
  updateMemory: "write *, once",
  listMemories: "read *, again",
  forget: "write *, once",
  forgetOne: "write *, once",
  forgetMatching: "write *, once",
  listInferred: "read, again",
  reviewInferred: "write, once",
  pendingExtractions: "write *, once",
  submitExtraction: "write *, once",
  readHistory: "read *, again",
  listJournal: "read, again",
  undoBatch: "write, once",

  search: "read *, again",
  searchDocuments: "read *, again",
  profile: "read *, again",
  containerProfile: "read, again",
  listProfileBuckets: "read *, again",

  listContainers: "read, again",
  getContainer: "read, again",
  updateContainer: "named, once",
  deleteContainer: "owner, once",
  mergeContainers: "owner, once",
  getMerge: "owner, again",
  listProjects: "read, again",
  createProject: "owner, once",
  deleteProject: "owner, once",

  getSettings: "owner, again",
  updateSettings: "owner, once",
  suggestBuckets: "owner, again",
  resetOrganization: "owner, once",
  purge: "named, once",

  createKey: "owner, once",
  listKeys: "owner, again",
  revokeKey: "owner, once",
  toggleKey: "owner, once",

  createSignInCode: "owner, once",
  signIn: "nothing, once",
  checkSignIn: "nothing, again",
  signOut: "nothing, once",
  hasPassword: "nothing, again",
  listSignIns: "owner, again",
  endSignIn: "owner, once",
  setPassword: "owner, once",
  connectClients: "owner, once",
  startDevice: "nothing, once",
  pollDevice: "nothing, once",
  findDevice: "owner, again",
  answerDevice: "owner, once",

  authenticateToken: "nothing, again",
  allowApp: "owner, once",
  listGrants: "owner, again",
  revokeGrants: "owner, once",
  saveOAuthRecord: "owner, again",
  findOAuthRecord: "owner, again",
  consumeOAuthRecord: "owner, once",
  dropOAuthRecords: "owner, again",
  oauthSecrets: "owner, again",

  ensureFirstKey: "owner, once",

  noteRequests: "owner, again",
  listRequests: "owner, again",
  listAudit: "owner, again",
  reportUsage: "owner, again",
  reportErrors: "owner, again",
  reportGrowth: "owner, again",
  reportConsumption: "owner, again",
  getTeam: "owner, again",
  changeTeam: "owner, again",
  changeBilling: "owner, again",

  listConnections: "owner, again",
  listConnectionDocuments: "owner, again",
  findConnection: "owner, again",
  findConnectionOf: "owner, again",
  finishConnection: "nothing, again",
  pollConnection: "owner, again",
  openPicker: "owner, again",
  showPicker: "nothing, again",
  choosePicked: "nothing, again",
  receiveWebhook: "nothing, again",
  createConnection: "owner, again",
  reconnectConnection: "owner, again",
  configureConnection: "owner, again",
  listConnectionResources: "owner, again",
  importConnections: "owner, again",
  syncOneConnection: "owner, again",
  listSyncRuns: "owner, again",
  removeConnection: "owner, again",
  removeConnectionsOf: "owner, again",
} as const satisfies Readonly<Record<string, Rules>>;

/** The names of all use cases. */
export const USE_CASES: readonly string[] = Object.keys(NEEDS);

type Rules = `${Need | `${Need} *`}, ${"once" | "again"}`;

/** Use cases that do their work once for an operation id. */
export type OnceUseCase = {
  [Name in keyof typeof NEEDS]: (typeof NEEDS)[Name] extends `${string}, once` ? Name : never;
}[keyof typeof NEEDS];

/** Whether a call of it needs an operation id, so that it may be repeated when its answer was lost. */
export function runsOnce(useCase: keyof typeof NEEDS): useCase is OnceUseCase {
  return NEEDS[useCase].endsWith(", once");
}

/** The rights that a use case requires of its caller. */
export function needOf(useCase: keyof typeof NEEDS): Need {
  return NEEDS[useCase].split(/[ ,]/, 1)[0] as Need;
}

function isForScoped(useCase: keyof typeof NEEDS): boolean {
  return NEEDS[useCase].includes(" *") || needOf(useCase) === "nothing";
}

/**
 * The call in the form a use case accepts, its actor reduced to what it may do there.
 * @throws AppError `forbidden` when the actor may not use it
 */
export function authorize(useCase: keyof typeof NEEDS, call: Call, hearWrite?: HearWrite): AuthorizedCall {
  if (call.actor.isScoped === true && !isForScoped(useCase))
    throw new AppError(
      "forbidden",
      "A scoped key may only use documents, memories, search and profile of its containers. Use a key of the whole organisation.",
    );
  // The only place that creates one.
  return { ...call, actor: admit(call.actor, needOf(useCase)), hearWrite } as AuthorizedCall;
}
