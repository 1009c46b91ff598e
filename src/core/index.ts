import { addDocument } from "./add-document.js";
import { reportConsumption, reportErrors, reportGrowth, reportUsage } from "./analytics.js";
import { authenticate } from "./auth.js";
import { getContainer, listContainers, updateContainer } from "./containers.js";
import {
  createConnection,
  findConnection,
  findConnectionOf,
  finishConnection,
  importConnections,
  listConnectionDocuments,
  listConnections,
} from "./connections.js";
import type { Call, CoreContext } from "./context.js";
import { addConversation } from "./conversations.js";
import { deleteContainer } from "./delete-container.js";
import { diagnose } from "./doctor.js";
import { addDocuments } from "./add-documents.js";
import { deleteDocuments } from "./bulk-delete.js";
import { getChunks } from "./chunks.js";
import { deleteDocument } from "./delete-document.js";
import { getDocument, listDocuments } from "./documents.js";
import { addFile, getDocumentFile, getFile, readFile } from "./files.js";
import {
  countDocumentCategories,
  listDocumentsWithMemories,
  readDocumentsWithMemories,
} from "./documents-with-memories.js";
import { fetchById } from "./fetch.js";
import { createKey, ensureFirstKey, listKeys, revokeKey } from "./keys.js";
import { forgetMatching } from "./forget-matching.js";
import { forget, forgetOne } from "./forget-memory.js";
import { listMemories } from "./list-memories.js";
import { createMemories } from "./memories.js";
import { getMerge, mergeContainers } from "./merge-containers.js";
import { getProfile, listProfileBuckets } from "./profile.js";
import { listRequests, noteRequests } from "./requests.js";
import { searchDocuments } from "./search-documents.js";
import { listInferred, reviewInferred } from "./review.js";
import { searchMemories } from "./search.js";
import { createProject, deleteProject, listProjects } from "./projects.js";
import { resetOrganization } from "./reset.js";
import { getSettings, updateSettings } from "./settings.js";
import { suggestBuckets } from "./suggest-buckets.js";
import { getSession, getStatus } from "./status.js";
import { changeBilling, changeTeam, getTeam } from "./team.js";
import { updateDocument } from "./update-document.js";
import { updateMemory } from "./update-memory.js";

export type { Call } from "./context.js";
export { localActor } from "./auth.js";
export { clientSchema } from "./input.js";
export { updateContainerSchema, type ListedContainer } from "./containers.js";
export type { AcceptedMerge } from "./merge-containers.js";
export { conversationSchema } from "./conversations.js";
export type { Check, Diagnosis } from "./doctor.js";
export { addDocumentSchema, DEFAULT_CONTAINER, type AddDocumentInput, type DocumentReceipt } from "./add-document.js";
export { addDocumentsSchema, type BatchItem, type BatchReceipt } from "./add-documents.js";
export { deleteDocumentsSchema, type DeletedDocuments } from "./bulk-delete.js";
export type { DocumentChunks } from "./chunks.js";
export type { Removed } from "./delete-document.js";
export type { DocumentPage } from "./documents.js";
export type { Fetched } from "./fetch.js";
export type { CreatedKey } from "./keys.js";
export { createMemoriesSchema, type CreatedMemories, type CreateMemoriesInput } from "./memories.js";
export { forgetOneSchema, forgetSchema, type Forgotten, type ForgetInput } from "./forget-memory.js";
export { forgetMatchingSchema, type ForgottenMatching, type Match } from "./forget-matching.js";
export { listMemoriesSchema, type MemoryEntry, type MemoryPage } from "./list-memories.js";
export {
  documentGraphSchema,
  documentsByIdsSchema,
  type CategoryCount,
  type DocumentMemory,
  type DocumentWithMemories,
} from "./documents-with-memories.js";
export { MAX_PAGE_SIZE } from "./pages.js";
export { reviewSchema, type Reviewed } from "./review.js";
export { updateDocumentSchema } from "./update-document.js";
export { updateMemorySchema } from "./update-memory.js";
export { profileSchema, type Profile, type ProfileInput } from "./profile.js";
export type { Relatives, RelatedMemory } from "./related.js";
export { searchDocumentsSchema, type DocumentSearchAnswer, type FoundDocument } from "./search-documents.js";
export { searchSchema, type SearchAnswer, type SearchInput, type SearchResult } from "./search.js";
export type { ConsumptionReport, ErrorReport, GrowthReport, UsageReport } from "./analytics.js";
export { consumptionSchema } from "./analytics.js";
export { PROVIDERS, providerSchema } from "./connections.js";
export { listRequestsSchema, rangeSchema, type Page } from "./requests.js";
export { createProjectSchema, deleteProjectSchema, type DeletedProject } from "./projects.js";
export { resetSchema } from "./reset.js";
export { settingsSchema } from "./settings.js";
export { ORGANIZATION_NAME } from "./status.js";
export type { Session, Status } from "./status.js";

/** Every use case by name. Inputs are checked inside, so a face may pass on what it was sent. */
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
  search: searchMemories,
  searchDocuments,
  profile: getProfile,
  listProfileBuckets,
  fetch: fetchById,
  session: getSession,
  status: getStatus,
  diagnose,
  listContainers,
  getContainer,
  updateContainer,
  deleteContainer,
  mergeContainers,
  getMerge,
  getSettings,
  updateSettings,
  resetOrganization,
  suggestBuckets,
  listProjects,
  createProject,
  deleteProject,
  createKey,
  listKeys,
  revokeKey,
  ensureFirstKey,
  noteRequests,
  listRequests,
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
  createConnection,
  importConnections,
} as const;

export type UseCase = keyof typeof USE_CASES;

/** The service as faces see it. Every answer is JSON, so that it can be given from another process. */
export type Core = {
  readonly [Name in UseCase]: (call: Call, input?: unknown) => Promise<Awaited<ReturnType<(typeof USE_CASES)[Name]>>>;
};

/** Use cases that write, and therefore need an operation id to be repeated safely. */
export const WRITES: ReadonlySet<UseCase> = new Set([
  "updateContainer",
  "deleteContainer",
  "mergeContainers",
  "updateSettings",
  "resetOrganization",
  "createProject",
  "deleteProject",
  "addDocument",
  "updateDocument",
  "addConversation",
  "addDocuments",
  "addFile",
  "deleteDocument",
  "deleteDocuments",
  "createMemories",
  "updateMemory",
  "forget",
  "forgetOne",
  "forgetMatching",
  "reviewInferred",
]);

export function isUseCase(name: string): name is UseCase {
  return Object.hasOwn(USE_CASES, name);
}

/** The service over its ports. */
export function createCore(context: CoreContext): Core {
  return coreOver((name, call, input) => USE_CASES[name](context, call, input));
}

/** Calls any use case, here or in another process. */
export type Caller = (name: UseCase, call: Call, input: unknown) => Promise<unknown>;

/** The service over anything that can call its use cases by name. */
export function coreOver(caller: Caller): Core {
  const entries = Object.keys(USE_CASES)
    .filter(isUseCase)
    .map((name) => [name, (call: Call, input?: unknown) => caller(name, call, input)] as const);
  return Object.fromEntries(entries) as unknown as Core;
}
