import { addDocument } from "./documents/add-document.js";
import { reportConsumption, reportErrors, reportGrowth, reportUsage } from "./usage/analytics.js";
import { audited } from "./journal/audited.js";
import { authenticate } from "./auth.js";
import { listAudit } from "./journal/audit.js";
import { allowApp, authenticateToken, listGrants, revokeGrants } from "./access/app-grants.js";
import {
  consumeOAuthRecord,
  dropOAuthRecords,
  findOAuthRecord,
  oauthSecrets,
  saveOAuthRecord,
} from "./access/oauth-records.js";
import { getContainer, listContainers, updateContainer } from "./containers/containers.js";
import { createConnection } from "./connections/create-connection.js";
import {
  configureConnection,
  importConnections,
  listConnectionResources,
  removeConnection,
  removeConnectionsOf,
  syncOneConnection,
} from "./connections/change-connection.js";
import { reconnectConnection } from "./connections/reconnect-connection.js";
import {
  findConnection,
  findConnectionOf,
  listConnectionDocuments,
  listConnections,
  listSyncRuns,
} from "./connections/find-connections.js";
import { choosePicked, openPicker, showPicker } from "./connections/picker.js";
import { finishConnection, pollConnection } from "./connections/sign-in.js";
import { receiveWebhook } from "./connections/receive-webhook.js";
import type { Call, CoreContext } from "./context.js";
import type { CallSource } from "./types.js";
import { connectClients } from "./access/connect-clients.js";
import { answerDevice, findDevice, pollDevice, startDevice } from "./access/device.js";
import { addConversation } from "./documents/conversations.js";
import { deleteContainer } from "./containers/delete-container.js";
import { diagnose } from "./upkeep/doctor.js";
import { changeEmbeddings, getEmbeddingEstimate } from "./embeddings/change-embeddings.js";
import { getEmbeddings } from "./embeddings/embedding-status.js";
import { addDocuments } from "./documents/add-documents.js";
import { deleteDocuments } from "./documents/bulk-delete.js";
import { getChunks } from "./documents/chunks.js";
import { deleteDocument } from "./documents/delete-document.js";
import { getDocument, listDocuments } from "./documents/documents.js";
import { addFile } from "./documents/add-file.js";
import { getDocumentFile, getFile, readFile } from "./documents/files.js";
import {
  countDocumentCategories,
  listDocumentsWithMemories,
  readDocumentsWithMemories,
} from "./documents/documents-with-memories.js";
import { fetchById } from "./documents/fetch.js";
import { authorize, type NEEDS } from "./access/authorization.js";
import { createKey, ensureFirstKey, listKeys, revokeKey, toggleKey } from "./access/keys.js";
import { forgetMatching } from "./memories/forget-matching.js";
import { forget, forgetOne } from "./memories/forget-memory.js";
import { readHistory } from "./memories/history.js";
import { listMemories } from "./memories/list-memories.js";
import { createMemories } from "./memories/memories.js";
import { pendingExtractions } from "./memories/pending-extractions.js";
import { getMerge, mergeContainers } from "./containers/merge-containers.js";
import { getProfile, listProfileBuckets } from "./profile/profile.js";
import { listRequests, noteRequests } from "./usage/requests.js";
import { searchDocuments } from "./search/search-documents.js";
import { createJoin } from "./operations.js";
import { listInferred, reviewInferred } from "./memories/review.js";
import { searchMemories } from "./search/search.js";
import { createProject, deleteProject, listProjects } from "./containers/projects.js";
import { purge } from "./upkeep/purge.js";
import { reprocess } from "./documents/reprocess.js";
import { resetOrganization } from "./upkeep/reset.js";
import { getSettings, updateSettings } from "./upkeep/settings.js";
import { suggestBuckets } from "./profile/suggest-buckets.js";
import {
  checkSignIn,
  createSignInCode,
  endSignIn,
  hasPassword,
  listSignIns,
  setPassword,
  signIn,
  signOut,
} from "./access/sign-in.js";
import { getMeasures } from "./usage/measures.js";
import { getSession, getStatus } from "./upkeep/status.js";
import { changeBilling, changeTeam, getTeam } from "./access/team.js";
import { updateDocument } from "./documents/update-document.js";
import { submitExtraction } from "./memories/submit-extraction.js";
import { undoBatch } from "./memories/undo.js";
import { updateMemory } from "./memories/update-memory.js";
import { listJournal } from "./journal/journal.js";

export type { Call } from "./context.js";
export { anybodyActor, localActor } from "./auth.js";
export { clientSchema, containerTagSchema, MOST_CONTAINERS_OF_DOCUMENT } from "./input.js";
export { updateContainerSchema, type ListedContainer } from "./containers/containers.js";
export { mayReplaceContext, maySetContext } from "./containers/entity-context.js";
export type { AcceptedMerge } from "./containers/merge-containers.js";
export { conversationSchema } from "./documents/conversations.js";
export type { Check, Diagnosis } from "./upkeep/doctor.js";
export {
  changeEmbeddingsSchema,
  type ChangedEmbeddings,
  type EmbeddingEstimate,
} from "./embeddings/change-embeddings.js";
export type { EmbeddingStatus, ShownMove } from "./embeddings/embedding-status.js";
export { DEFAULT_CONTAINER } from "./containers/usual-container.js";
export {
  addDocumentSchema,
  type AddDocumentInput,
  type DocumentReceipt,
  type ExplainedReceipt,
} from "./documents/add-document.js";
export { addDocumentsSchema, type BatchItem, type BatchReceipt } from "./documents/add-documents.js";
export { deleteDocumentsSchema, type DeletedDocuments } from "./documents/bulk-delete.js";
export type { DocumentChunks } from "./documents/chunks.js";
export type { Removed } from "./documents/delete-document.js";
export { reprocessSchema, type NotReprocessed, type Reprocessed } from "./documents/reprocess.js";
export type { DocumentDetails, DocumentPage } from "./documents/documents.js";
export type { Fetched } from "./documents/fetch.js";
export { FileBytes } from "./documents/file-bytes.js";
export {
  createKeySchema,
  expiresInDaysSchema,
  keyNameSchema,
  permissionSchema,
  rateSchema,
  type CreatedKey,
  type ListedKey,
} from "./access/keys.js";
export type { ClientKey } from "./access/connect-clients.js";
export type { PolledDevice, StartedDevice } from "./access/device.js";
export { createMemoriesSchema, type CreatedMemories, type CreateMemoriesInput } from "./memories/memories.js";
export type { ExplainedFact } from "./memories/explain-facts.js";
export { documentSource } from "./documents/document-source.js";
export type { StatingDocument } from "./memories/still-stated.js";
export { forgetOneSchema, forgetSchema, type Forgotten, type ForgetInput } from "./memories/forget-memory.js";
export { forgetMatchingSchema, type ForgottenMatching, type Match } from "./memories/forget-matching.js";
export type { MemoryHistory, Source } from "./memories/history.js";
export type { NotUndone, Undone } from "./memories/undo.js";
export { listJournalSchema } from "./journal/journal.js";
export type { JournalRow } from "./ports.js";
export { listMemoriesSchema, type MemoryEntry, type MemoryPage } from "./memories/list-memories.js";
export {
  documentGraphSchema,
  documentsByIdsSchema,
  type CategoryCount,
  type DocumentMemory,
  type DocumentWithMemories,
} from "./documents/documents-with-memories.js";
export { MAX_PAGE_SIZE } from "./pages.js";
export { pendingExtractionsSchema, type PendingExtractions, type PendingTask } from "./memories/pending-extractions.js";
export { reviewSchema, type Reviewed } from "./memories/review.js";
export { submitExtractionSchema, type SubmittedExtraction } from "./memories/submit-extraction.js";
export { updateDocumentSchema } from "./documents/update-document.js";
export { updateMemorySchema } from "./memories/update-memory.js";
export { profileSchema, type Profile, type ProfileInput, markedText } from "./profile/profile.js";
export type { Relatives, RelatedMemory } from "./search/related.js";
export { searchDocumentsSchema, type DocumentSearchAnswer, type FoundDocument } from "./search/search-documents.js";
export { searchSchema, type SearchAnswer, type SearchInput, type SearchResult } from "./search/search.js";
export type { ConsumptionReport, ErrorReport, GrowthReport, UsageReport } from "./usage/analytics.js";
export { consumptionSchema } from "./usage/analytics.js";
export { PROVIDERS, providerSchema, type ShownConnection } from "./connections/find-connections.js";
export {
  type ConfiguredConnection,
  resourcePageSchema,
  resourcesPerPageSchema,
} from "./connections/change-connection.js";
export type { SyncRun } from "./connections/types.js";
export {
  documentLimitSchema,
  everyMinutesSchema,
  raisedLimitSchema,
  type CreatedConnection,
} from "./connections/create-connection.js";
export type { BegunDeviceSignIn, FinishedSignIn } from "./connections/sign-in.js";
export type { FoundResources } from "./connections/connector-ports.js";
export { listAuditSchema, type ListedAuditEntry } from "./journal/audit.js";
export { listRequestsSchema, rangeSchema, type Page } from "./usage/requests.js";
export { createProjectSchema, deleteProjectSchema, type DeletedProject } from "./containers/projects.js";
export { purgeSchema, type Purged } from "./upkeep/purge.js";
export { resetSchema } from "./upkeep/reset.js";
export { settingsSchema } from "./upkeep/settings.js";
export { secretWarnings } from "./memories/secret-warnings.js";
export { idleGuidance } from "./documents/idle-guidance.js";
export { completeStatus } from "./upkeep/complete-status.js";
export { ORGANIZATION_NAME } from "./upkeep/status.js";
export type { Measures } from "./usage/measures.js";
export type { ReadingStatus, Session, Status } from "./upkeep/status.js";
export type { ModelFailure, Upload, UploadStore } from "./ports.js";

/** Every use case by name. Inputs are validated inside, so a face may pass on what it received. */
const USE_CASES = {
  authenticate: (context: CoreContext, _call: Call, input: unknown) => authenticate(context, String(input)),
  addDocument,
  updateDocument,
  addConversation,
  getDocument,
  addDocuments,
  addFile,
  getChunks,
  getDocumentFile,
  getFile,
  readFile,
  deleteDocument,
  deleteDocuments,
  reprocess,
  listDocuments,
  listDocumentsWithMemories,
  readDocumentsWithMemories,
  countDocumentCategories,
  createMemories,
  updateMemory,
  listMemories,
  forget,
  forgetOne,
  forgetMatching,
  listInferred,
  reviewInferred,
  pendingExtractions,
  submitExtraction,
  readHistory,
  listJournal,
  undoBatch,
  search: searchMemories,
  searchDocuments,
  profile: getProfile,
  /** The same under a path of containers, which scoped keys may not use (contract 1.2). */
  containerProfile: getProfile,
  listProfileBuckets,
  fetch: fetchById,
  session: getSession,
  status: getStatus,
  /** The same for the owner alone. */
  ownerStatus: getStatus,
  measures: getMeasures,
  diagnose,
  getEmbeddings,
  getEmbeddingEstimate,
  changeEmbeddings,
  listContainers,
  getContainer,
  updateContainer,
  deleteContainer,
  mergeContainers,
  getMerge,
  getSettings,
  updateSettings,
  resetOrganization,
  purge,
  suggestBuckets,
  listProjects,
  createProject,
  deleteProject,
  createKey,
  listKeys,
  revokeKey,
  toggleKey,
  createSignInCode,
  signIn,
  checkSignIn,
  signOut,
  hasPassword,
  listSignIns,
  endSignIn,
  setPassword,
  connectClients,
  startDevice,
  pollDevice,
  findDevice,
  answerDevice,
  authenticateToken,
  allowApp,
  listGrants,
  revokeGrants,
  saveOAuthRecord,
  findOAuthRecord,
  consumeOAuthRecord,
  dropOAuthRecords,
  oauthSecrets,
  ensureFirstKey,
  noteRequests,
  listRequests,
  listAudit,
  reportUsage,
  reportErrors,
  reportGrowth,
  reportConsumption,
  getTeam,
  changeTeam,
  changeBilling,
  listConnections,
  listConnectionDocuments,
  findConnection,
  findConnectionOf,
  finishConnection,
  pollConnection,
  openPicker,
  showPicker,
  choosePicked,
  receiveWebhook,
  createConnection,
  reconnectConnection,
  configureConnection,
  listConnectionResources,
  importConnections,
  syncOneConnection,
  listSyncRuns,
  removeConnection,
  removeConnectionsOf,
} as const satisfies Readonly<Record<keyof typeof NEEDS, unknown>>;

export type UseCase = keyof typeof USE_CASES;

/** The service as seen by transports. Every answer is JSON, so that it can come from another process. */
export type Core = {
  readonly [Name in UseCase]: (call: Call, input?: unknown) => Promise<Awaited<ReturnType<(typeof USE_CASES)[Name]>>>;
};

export { runsOnce } from "./access/authorization.js";

export function isUseCase(name: string): name is UseCase {
  return Object.hasOwn(USE_CASES, name);
}

/** The service over its ports. */
export function createCore(context: CoreContext): Core {
  const join = createJoin();
  return coreOver((name, call, input) =>
    join(name, call, () =>
      audited<unknown>(context, { name, call, input }, async (hearWrite) =>
        USE_CASES[name](context, authorize(name, call, hearWrite), input),
      ),
    ),
  );
}

/** The same service for a face, which states with every call where it came from. */
export function coreFor(core: Core, from: CallSource): Core {
  return coreOver((name, call, input) => core[name]({ ...call, from: call.from ?? from }, input));
}

/** Calls any use case, here or in another process. */
export type CallUseCase = (name: UseCase, call: Call, input: unknown) => Promise<unknown>;

/** The service over anything that can call its use cases by name. */
export function coreOver(caller: CallUseCase): Core {
  const entries = Object.keys(USE_CASES)
    .filter(isUseCase)
    .map((name) => [name, (call: Call, input?: unknown) => caller(name, call, input)] as const);
  return Object.fromEntries(entries) as unknown as Core;
}
