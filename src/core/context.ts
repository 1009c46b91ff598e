import type { ConcurrencyLimit } from "../lib/concurrency-limit.js";
import type { AttemptCounter } from "../lib/rate-limit.js";
import type { Stages } from "../lib/stages.js";
import type { TimeZone } from "../lib/time-zone.js";
import type { SearchWaits } from "./search/waits.js";
import type { SearchModel } from "./search/search-model.js";
import type { SpaceCalibrations } from "./search/space-calibrations.js";
import type { ContentExtractor, RunningReading } from "./documents/content-ports.js";
import type { DocumentEvents } from "./documents/document-events.js";
import type { FilePasswords } from "./documents/file-passwords.js";
import type {
  BlobStore,
  UploadStore,
  Clock,
  Connector,
  Embedders,
  FileFetcher,
  LanguageModel,
  Log,
  Mailer,
  Reranker,
  SecretBox,
  SourceClient,
  Store,
  Transcriber,
  VectorIndex,
} from "./ports.js";
import type { AuditTrail } from "./journal/audit-trail.js";
import type { Actor, CallSource } from "./types.js";

/** What every use case may use, passed as one value. */
export interface CoreContext {
  readonly store: Store;
  readonly vectors: VectorIndex;
  readonly embedders: Embedders;
  /** How the cosines of each vector space are to be read. */
  readonly calibrations: SpaceCalibrations;
  /** Null when none is configured: rules then do what they can. */
  readonly model: LanguageModel | null;
  /** The same for searches, which wait for it only briefly. */
  readonly searchModel: SearchModel | null;
  /** Null if rules rerank results. */
  readonly reranker: Reranker | null;
  /** Null when no mail server is configured: warnings then go to the log. */
  readonly mailer: Mailer | null;
  readonly clock: Clock;
  /** Time zone in which days are counted for containers and documents without one of their own. */
  readonly timeZone: TimeZone;
  readonly log: Log;
  readonly blobs: BlobStore;
  readonly uploads: UploadStore;
  /** Fetches what callers name by address. */
  readonly fetcher: FileFetcher;
  /** Sources of documents, by provider name. */
  readonly connectors: ReadonlyMap<string, Connector>;
  /** How connections reach their sources. */
  readonly sources: SourceClient;
  /** The https address at which sources reach this server; null: none. */
  readonly webhooksUrl: string | null;
  /** Encrypts credentials at rest. */
  readonly secretBox: SecretBox;
  /** Tokens being requested in this process, by connection id. */
  readonly tokenRequests: Map<string, Promise<string>>;
  /** Registrations and removals in progress at the sources of connections, by connection id. */
  readonly webhookChanges: Map<string, Promise<number>>;
  /** Reads files that are not plain text. */
  readonly extractor: ContentExtractor;
  /** Null if none is configured: recordings without subtitles are then not read. */
  readonly transcriber: Transcriber | null;
  /** The readings in progress in this process, by document id. */
  readonly readings: Map<string, RunningReading>;
  /** Passwords of files that wait to be read. */
  readonly filePasswords: FilePasswords;
  readonly limits: Limits;
  readonly events: DocumentEvents;
  /** Counts attempts to sign in. */
  readonly attempts: AttemptCounter;
  /** The queue for searches. */
  readonly searches: ConcurrencyLimit;
  /** Who did what. */
  readonly audit: AuditTrail;
  /** Tells the job runner that work was committed. */
  readonly wakeJobs: () => void;
  readonly about: About;
  /** Times the stages of the search that this context was made for. */
  readonly stages?: Stages;
  /** The time that search has waited for services. */
  readonly waits?: SearchWaits;
}

/** Configurable limits; each is named in the error it causes. */
export interface Limits {
  readonly maxTextBytes: number;
  readonly maxMetadataBytes: number;
  /** Documents per batch. */
  readonly maxBatch: number;
  readonly maxFileBytes: number;
  /** How many memories one document may replace without being told to. */
  readonly maxSuperseded: number;
  /**
   * Seconds without a new document after which those waiting in a container are processed into memories together; 0: no
   * waiting.
   */
  readonly dreamQuiet: number;
  /** The longest that a document waits for that, in seconds. */
  readonly dreamLongestWait: number;
  /** Similarity below which search drops a result when the caller gives no threshold, 0 to 1. */
  readonly threshold: number;
  /** Tokens a minute that a move to another embedder may send to a service; 0 for no limit. */
  readonly embeddingTokensPerMinute: number;
  /** US dollars per million embedded tokens; null if not configured. */
  readonly embeddingPrice: number | null;
  /** About how many tokens all parts of a profile together may have. */
  readonly profileTokens: number;
  /** The search mode when the caller gives none. */
  readonly searchMode: "memories" | "hybrid" | "documents";
}

/** Names that `status` and `doctor` show. */
export interface About {
  readonly version: string;
  readonly dataDirectory: string;
  /** The database that holds the record; null if it is a file in the data folder. */
  readonly database: string | null;
  readonly factExtractor: string;
  /** Versions of the current extractors, e.g. `extract-facts/2`; the first is the one that reads a document again. */
  readonly extractions: readonly string[];
  /** True if other processes serve the same record. */
  readonly hasSeveralNodes: boolean;
  /** Whether programs on this machine may connect without a key, and why. */
  readonly keyless: { readonly isAllowed: boolean; readonly reason: string };
}

/** One call of a use case. */
export interface Call {
  readonly actor: Actor;
  /** A call repeated with the same id does its work once and gets the same answer. */
  readonly operationId?: string | undefined;
  /** Where it came from, according to the face that received it; for the audit. */
  readonly from?: CallSource | undefined;
}

declare const admitted: unique symbol;

/**
 * A call whose actor may make it. Only `authorize` (access/authorization.ts) creates one, so no use case can run without that
 * check.
 */
export interface AuthorizedCall extends Call {
  readonly [admitted]: true;
  /** Told for each write of the call whether it is done now, or was done by an earlier call with the same operation id. */
  readonly hearWrite?: HearWrite | undefined;
}

export type HearWrite = (what: "done" | "repeated") => void;
