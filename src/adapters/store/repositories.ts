import type { Kysely } from "kysely";
import type { Clock, Repositories } from "../../core/ports.js";
import { createAuditStore } from "./audit.js";
import { createChunkStore } from "./chunks.js";
import { createContainerStore } from "./containers.js";
import { createDocumentStore } from "./documents.js";
import { createEmbeddingStore } from "./embeddings.js";
import { createExtractionTaskStore } from "./extraction-tasks.js";
import { createExtractionStore } from "./extractions.js";
import { createMessagePictureStore } from "./message-pictures.js";
import { createModelFailureStore } from "./model-failures.js";
import { createSummaryStore } from "./summaries.js";
import { createFileStore } from "./files.js";
import { createJobStore } from "./jobs.js";
import { createJournalStore } from "./journal.js";
import { createKeyStore } from "./keys.js";
import { createConnectionStore } from "./connections.js";
import { createDeviceRequestStore } from "./device-requests.js";
import { createSignInStore } from "./sign-ins.js";
import { createOAuthStore } from "./oauth.js";
import { createMemoryStore } from "./memories.js";
import { createMergeStore } from "./merges.js";
import { createOperationStore } from "./operations.js";
import { createPurgeStore } from "./purges.js";
import { createRequestStore } from "./requests.js";
import { createSettingsStore } from "./settings.js";
import { createTurnStore } from "./turns.js";
import { createUnitStore } from "./units.js";
import { createVolumeStore } from "./volumes.js";
import type { Database } from "./schema.js";
import type { UnitCaches } from "./unit-caches.js";

/** The repositories of the record over a database or a transaction. @param caches within a transaction at most counts */
export function repositoriesOver(db: Kysely<Database>, clock: Clock, caches?: UnitCaches): Repositories {
  return {
    documents: createDocumentStore(db, clock),
    chunks: createChunkStore(db, clock),
    memories: createMemoryStore(db, clock),
    turns: createTurnStore(db, clock),
    units: createUnitStore(db, clock, caches),
    embeddings: createEmbeddingStore(db),
    containers: createContainerStore(db, clock),
    settings: createSettingsStore(db, clock),
    merges: createMergeStore(db, clock),
    files: createFileStore(db, clock),
    extractions: createExtractionStore(db, clock),
    modelFailures: createModelFailureStore(db),
    messagePictures: createMessagePictureStore(db),
    summaries: createSummaryStore(db, clock),
    extractionTasks: createExtractionTaskStore(db, clock),
    keys: createKeyStore(db),
    signIns: createSignInStore(db, clock),
    oauth: createOAuthStore(db, clock),
    deviceRequests: createDeviceRequestStore(db),
    connections: createConnectionStore(db, clock),
    jobs: createJobStore(db, clock),
    journal: createJournalStore(db, clock),
    operations: createOperationStore(db, clock),
    purges: createPurgeStore(db),
    requests: createRequestStore(db),
    audit: createAuditStore(db),
    volumes: createVolumeStore(db),
  };
}
