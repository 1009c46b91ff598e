import type { allowApp } from "../access/app-grants.js";
import type { NEEDS } from "../access/authorization.js";
import type { connectClients } from "../access/connect-clients.js";
import type { pollDevice } from "../access/device.js";
import type { createKey, revokeKey, toggleKey } from "../access/keys.js";
import type { endSignIn, signIn } from "../access/sign-in.js";
import type { configureConnection, importConnections, removeConnectionsOf } from "../connections/change-connection.js";
import type { createConnection } from "../connections/create-connection.js";
import type { findConnectionOf } from "../connections/find-connections.js";
import type { updateContainer } from "../containers/containers.js";
import type { deleteContainer } from "../containers/delete-container.js";
import type { mergeContainers } from "../containers/merge-containers.js";
import type { createProject, deleteProject } from "../containers/projects.js";
import type { addDocument } from "../documents/add-document.js";
import type { addDocuments } from "../documents/add-documents.js";
import type { addFile } from "../documents/add-file.js";
import type { deleteDocuments } from "../documents/bulk-delete.js";
import type { addConversation } from "../documents/conversations.js";
import type { deleteDocument } from "../documents/delete-document.js";
import type { updateDocument } from "../documents/update-document.js";
import type { forgetMatching } from "../memories/forget-matching.js";
import type { forget, forgetOne } from "../memories/forget-memory.js";
import type { createMemories } from "../memories/memories.js";
import type { reviewInferred } from "../memories/review.js";
import type { submitExtraction } from "../memories/submit-extraction.js";
import type { undoBatch } from "../memories/undo.js";
import type { updateMemory } from "../memories/update-memory.js";
import { subjects, type Subjects } from "./named-subjects.js";

const NOTHING = subjects({});
const TAG = subjects({ tags: ["containerTag"] });
const TAGS = subjects({ tags: ["containerTags"] });
const ID = subjects({ ids: ["id"] });
const DOCUMENT = subjects({ tags: ["within"], ids: ["id"] });
const SEARCHED = subjects({ tags: ["containerTags"], ids: ["documentId"] });
const GRANT = subjects({ ids: ["grantId"] });

/**
 * The subjects of each use case, as recorded in the audit: every one has an entry, because every one may be refused. The inputs
 * of authentication are not examined.
 */
export const AUDIT_SUBJECTS = {
  authenticate: NOTHING,
  session: NOTHING,
  status: NOTHING,
  ownerStatus: NOTHING,
  measures: NOTHING,
  diagnose: NOTHING,
  getEmbeddings: NOTHING,
  getEmbeddingEstimate: NOTHING,
  changeEmbeddings: NOTHING,

  addDocument: subjects<typeof addDocument>(
    { tags: ["containerTags"] },
    { tags: ["containerTags"], ids: ["id", "facts.id"] },
  ),
  updateDocument: subjects<typeof updateDocument>(
    { tags: ["within", "containerTags"], ids: ["id"] },
    { tags: ["containerTags"], ids: ["id", "facts.id"] },
  ),
  addConversation: subjects<typeof addConversation>(
    { tags: ["containerTags"] },
    { tags: ["containerTags"], ids: ["id", "facts.id"] },
  ),
  getDocument: DOCUMENT,
  addDocuments: subjects<typeof addDocuments>(
    { tags: ["containerTag", "containerTags", "documents.containerTag", "documents.containerTags"] },
    { ids: ["items.id"] },
  ),
  addFile: subjects<typeof addFile>(
    { tags: ["document.containerTags"] },
    { tags: ["containerTags"], ids: ["id", "facts.id"] },
  ),
  getChunks: DOCUMENT,
  getDocumentFile: DOCUMENT,
  getFile: NOTHING,
  readFile: NOTHING,
  deleteDocument: subjects<typeof deleteDocument>({ tags: ["within"], ids: ["id"] }, { ids: ["id"] }),
  deleteDocuments: subjects<typeof deleteDocuments>({ tags: ["containerTags"], ids: ["ids"] }, { ids: ["removed.id"] }),
  reprocess: subjects({ tags: ["containerTag"], ids: ["ids"] }),
  listDocuments: TAGS,
  listDocumentsWithMemories: TAGS,
  readDocumentsWithMemories: subjects({ tags: ["containerTags"], ids: ["ids"] }),
  countDocumentCategories: TAGS,
  fetch: DOCUMENT,

  createMemories: subjects<typeof createMemories>(
    { tags: ["containerTag"] },
    { tags: ["memories.containerTag"], ids: ["documentId", "memories.id"] },
  ),
  updateMemory: subjects<typeof updateMemory>(
    { tags: ["containerTag"], ids: ["id"] },
    { tags: ["containerTag"], ids: ["id"] },
  ),
  listMemories: TAGS,
  forget: subjects<typeof forget>({ tags: ["containerTag"], ids: ["ids"] }, { ids: ["forgotten.id", "batchId"] }),
  forgetOne: subjects<typeof forgetOne>({ tags: ["containerTag"], ids: ["id"] }, { ids: ["id"] }),
  forgetMatching: subjects<typeof forgetMatching>(
    { tags: ["containerTag"], ids: ["ids"] },
    { ids: ["matches.id", "forgetBatchId"] },
  ),
  listInferred: TAG,
  reviewInferred: subjects<typeof reviewInferred>({ tags: ["containerTag"], ids: ["id"] }, { ids: ["id"] }),
  pendingExtractions: TAG,
  submitExtraction: subjects<typeof submitExtraction>(
    { ids: ["taskId"] },
    { tags: ["containerTag"], ids: ["documentId", "batchId", "facts.id"] },
  ),
  readHistory: ID,
  listJournal: subjects({ tags: ["containerTag"], ids: ["memoryId", "documentId", "batchId"] }),
  // The batch in the answer is that of the undo itself.
  undoBatch: subjects<typeof undoBatch>({ ids: ["batchId"] }, { ids: ["batchId"] }),

  search: SEARCHED,
  searchDocuments: SEARCHED,
  profile: TAG,
  containerProfile: TAG,
  listProfileBuckets: TAG,

  listContainers: NOTHING,
  getContainer: TAG,
  updateContainer: subjects<typeof updateContainer>({ tags: ["containerTag"] }, { tags: ["tag"] }),
  deleteContainer: subjects<typeof deleteContainer>({ tags: ["containerTag"] }, { tags: ["containerTag"] }),
  mergeContainers: subjects<typeof mergeContainers>(
    { tags: ["containerTags", "targetContainerTag"] },
    { tags: ["sourceTags", "targetTag"], ids: ["id"] },
  ),
  getMerge: ID,
  listProjects: NOTHING,
  createProject: subjects<typeof createProject>({}, { tags: ["tag"], ids: ["uid"] }),
  deleteProject: subjects<typeof deleteProject>(
    { ids: ["id", "targetProjectId"] },
    { tags: ["containerTag", "movedTo"] },
  ),

  getSettings: NOTHING,
  updateSettings: NOTHING,
  suggestBuckets: NOTHING,
  resetOrganization: NOTHING,
  purge: subjects({ tags: ["containerTag"], ids: ["documentId", "memoryId"] }),

  createKey: subjects<typeof createKey>(
    { tags: ["grants.containerTag"] },
    { tags: ["key.grants.containerTag"], ids: ["key.id"] },
  ),
  listKeys: NOTHING,
  revokeKey: subjects<typeof revokeKey>({ ids: ["id"] }, { ids: ["id"] }),
  toggleKey: subjects<typeof toggleKey>({ ids: ["id"] }, { ids: ["id"] }),
  ensureFirstKey: NOTHING,
  connectClients: subjects<typeof connectClients>({ tags: ["grants.containerTag"] }, { ids: ["keys.id"] }),
  startDevice: NOTHING,
  // The key that was created.
  pollDevice: subjects<typeof pollDevice>({}, { ids: ["id"] }),
  findDevice: NOTHING,
  answerDevice: subjects({ tags: ["grants.containerTag"] }),

  createSignInCode: NOTHING,
  signIn: subjects<typeof signIn>({}, { ids: ["signIn.id"] }),
  checkSignIn: NOTHING,
  signOut: NOTHING,
  hasPassword: NOTHING,
  listSignIns: NOTHING,
  endSignIn: subjects<typeof endSignIn>({ ids: ["id"] }, { ids: ["id"] }),
  setPassword: NOTHING,

  authenticateToken: NOTHING,
  allowApp: subjects<typeof allowApp>({ tags: ["containerTags"] }, { tags: ["containerTags"], ids: ["id"] }),
  listGrants: NOTHING,
  // The id of a grant, or of an app; ids of apps are their own.
  revokeGrants: subjects({ ids: ["client"] }),
  saveOAuthRecord: GRANT,
  findOAuthRecord: NOTHING,
  consumeOAuthRecord: NOTHING,
  dropOAuthRecords: GRANT,
  oauthSecrets: NOTHING,

  noteRequests: NOTHING,
  listRequests: subjects({ ids: ["id", "keyId"] }),
  listAudit: subjects({ tags: ["containerTag"], ids: ["keyId"] }),
  reportUsage: NOTHING,
  reportErrors: NOTHING,
  reportGrowth: NOTHING,
  reportConsumption: NOTHING,
  getTeam: NOTHING,
  changeTeam: NOTHING,
  changeBilling: NOTHING,

  listConnections: TAGS,
  listConnectionDocuments: TAGS,
  findConnection: ID,
  findConnectionOf: subjects<typeof findConnectionOf>({ tags: ["containerTags"] }, { ids: ["id"] }),
  finishConnection: NOTHING,
  pollConnection: ID,
  openPicker: ID,
  showPicker: NOTHING,
  choosePicked: NOTHING,
  receiveWebhook: ID,
  createConnection: subjects<typeof createConnection>({ tags: ["containerTag", "containerTags"] }, { ids: ["id"] }),
  reconnectConnection: ID,
  configureConnection: subjects<typeof configureConnection>({ ids: ["id"] }, { tags: ["connection.containerTags"] }),
  listConnectionResources: ID,
  importConnections: subjects<typeof importConnections>({ tags: ["containerTags"] }, { ids: ["ids"] }),
  syncOneConnection: ID,
  listSyncRuns: ID,
  removeConnection: ID,
  removeConnectionsOf: subjects<typeof removeConnectionsOf>({ tags: ["containerTags"] }, { ids: ["removed.id"] }),
} as const satisfies Readonly<Record<keyof typeof NEEDS, Subjects>>;
