import type { Status } from "./status.js";

/**
 * The status of a service that may be of an earlier version: it still owns the data folder when a later one asks. What such a
 * service does not tell is filled in as if there were nothing to report.
 */
export function completeStatus(told: EarlierStatus): Status {
  return {
    ...LATER,
    unsearchableDocuments: told.waitingDocuments,
    ...told,
    embedding: { ...LATER_OF_EMBEDDING, ...told.embedding },
    store: { ...LATER_OF_STORE, ...told.store },
    jobs: { ...LATER_OF_JOBS, ...told.jobs },
  };
}

type EarlierStatus = Partial<Status> & Omit<Status, keyof typeof LATER | "unsearchableDocuments">;

const LATER = {
  database: null,
  keyless: { isAllowed: false, reason: "the service that runs is of an earlier version, which does not say" },
  llmFailures: null,
  rerank: { name: "rules", problem: null },
  // The service itself refuses files that are too large.
  reading: { endings: [], maxFileBytes: Number.MAX_SAFE_INTEGER, programs: [] },
  files: { problem: null },
  connections: { total: 0, inTrouble: [] },
  idleGuidance: [],
  degraded: [],
} as const satisfies Partial<Status>;

const LATER_OF_EMBEDDING = { problem: null } as const satisfies Partial<Status["embedding"]>;
const LATER_OF_STORE = { fullAt: null, folderOpenTo: null } as const satisfies Partial<Status["store"]>;
const LATER_OF_JOBS = { unreadable: 0 } as const satisfies Partial<Status["jobs"]>;
