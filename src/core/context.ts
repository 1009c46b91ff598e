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
  /** The same for searches, which wait for it for a while only. */
  readonly searchModel: SearchModel | null;
  /** Null where rules put results in order. */
  readonly reranker: Reranker | null;
  /** Null when no mail server is configured: warnings are then in the log. */
  readonly mailer: Mailer | null;
  readonly clock: Clock;
  /** Where days are counted for containers and documents without a zone of their own. */
  readonly timeZone: TimeZone;
  readonly log: Log;
  readonly blobs: BlobStore;
  readonly uploads: UploadStore;
  /** Fetches what callers name by its address. */
  readonly fetcher: FileFetcher;
  /** Sources that documents can be brought in from, by the names of their providers. */
  readonly connectors: ReadonlyMap<string, Connector>;
  /** How connections reach their sources. */
  readonly sources: SourceClient;
  /** Where sources reach this server, over https; null: nowhere. */
  readonly webhooksUrl: string | null;
  /** Keeps credentials unreadable at rest. */
  readonly secretBox: SecretBox;
  /** Tokens that are being asked for in this process, by the ids of their connections. */
  readonly tokenRequests: Map<string, Promise<string>>;
  /** What is being registered or removed at the sources of connections, by their ids. */
  readonly webhookChanges: Map<string, Promise<number>>;
  /** Reads files that are no plain text. */
  readonly extractor: ContentExtractor;
  /** Null where nobody configured one: recordings without subtitles are then not read. */
  readonly transcriber: Transcriber | null;
  /** The readings that go on in this process, by the ids of their documents. */
  readonly readings: Map<string, RunningReading>;
  /** What opens files that wait for their reading. */
  readonly filePasswords: FilePasswords;
  readonly limits: Limits;
  readonly events: DocumentEvents;
  /** Counts attempts to sign in. */
  readonly attempts: AttemptCounter;
  /** The line in which searches wait for each other. */
  readonly searches: ConcurrencyLimit;
  /** Who did what. */
  readonly audit: AuditTrail;
  /** Tells the job runner that work was committed. */
  readonly wakeJobs: () => void;
  readonly about: About;
  /** Times the parts of the one search that this context was made for. */
  readonly stages?: Stages;
  /** What that search has waited for services. */
  readonly waits?: SearchWaits;
}

/** Sizes that a person may change; each is printed in the error that it causes. */
export interface Limits {
  readonly maxTextBytes: number;
  readonly maxMetadataBytes: number;
  /** Documents of one batch. */
  readonly maxBatch: number;
  readonly maxFileBytes: number;
  /** How many memories one document may replace without being told to. */
  readonly maxSuperseded: number;
  /** Seconds without a new document after which those that wait in a container are remembered together; 0: no waiting. */
  readonly dreamQuiet: number;
  /** Seconds that a document waits for that at most. */
  readonly dreamLongestWait: number;
  /** Similarity below which search drops a result when the caller names no threshold, 0 to 1. */
  readonly threshold: number;
  /** Tokens a minute that a move to another embedder may send to a service; 0 for no limit. */
  readonly embeddingTokensPerMinute: number;
  /** US dollars of a million tokens that are embedded; null where nobody set it. */
  readonly embeddingPrice: number | null;
  /** About how many tokens the parts of a profile may have together. */
  readonly profileTokens: number;
  /** What search finds when the caller does not say. */
  readonly searchMode: "memories" | "hybrid" | "documents";
}

/** Names that `status` and `doctor` show. */
export interface About {
  readonly version: string;
  readonly dataDirectory: string;
  /** Names the database that keeps the record; null where a file in the data folder does. */
  readonly database: string | null;
  readonly factExtractor: string;
  /** Versions of what finds facts now, e.g. `extract-facts/2`; the first is what reads a document again. */
  readonly extractions: readonly string[];
  /** True where other processes serve the same record. */
  readonly hasSeveralNodes: boolean;
  /** Whether programs of this machine may come without a key, and why. */
  readonly keyless: { readonly isAllowed: boolean; readonly reason: string };
}

/** One call of a use case. */
export interface Call {
  readonly actor: Actor;
  /** A call that is repeated with the same id does its work once and gets the same answer. */
  readonly operationId?: string | undefined;
  /** Where it came from, as the face that took it says; for the audit. */
  readonly from?: CallSource | undefined;
}

declare const admitted: unique symbol;

/** A call whose actor may make it. Only `authorize` (needs.ts) makes one, so no use case can run without that check. */
export interface AuthorizedCall extends Call {
  readonly [admitted]: true;
  /** Hears of each write of the call whether it is done now, or was before by a call with the same operation id. */
  readonly hearWrite?: HearWrite | undefined;
}

export type HearWrite = (what: "done" | "repeated") => void;
