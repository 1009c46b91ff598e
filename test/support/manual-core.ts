import { rm } from "node:fs/promises";
import { join } from "node:path";
import { createFileBlobs } from "../../src/adapters/blobs/files.js";
import { createBuiltinEmbedder } from "../../src/adapters/embed/builtin.js";
import { createRulesExtractor } from "../../src/adapters/facts/rules.js";
import { createSqliteStore } from "../../src/adapters/store/store.js";
import { STORE_FILE } from "../../src/lib/store-file.js";
import { createExactVectors } from "../../src/adapters/vectors/exact.js";
import { createContainerJobs } from "../../src/core/containers/container-jobs.js";
import type { CoreContext, Limits } from "../../src/core/context.js";
import type { ContentExtractor } from "../../src/core/documents/content-ports.js";
import { createDocumentEvents } from "../../src/core/documents/document-events.js";
import { createEmbedders } from "../../src/core/embeddings/embedders.js";
import { reportDeadMerge } from "../../src/core/containers/merge-job.js";
import { createCore, localActor, type Call, type Core } from "../../src/core/index.js";
import type {
  Clock,
  Connector,
  Embedder,
  Embedders,
  FactExtractor,
  FileFetcher,
  JobStore,
  LanguageModel,
  Log,
  Mailer,
  Reranker,
  Store,
  Transcriber,
  VectorIndex,
} from "../../src/core/ports.js";
import type { Actor } from "../../src/core/types.js";
import type { IngestContext } from "../../src/ingest/context.js";
import { createModelExtractor } from "../../src/ingest/extract-with-model.js";
import { createSearchModel } from "../../src/core/search/search-model.js";
import { createSearchQueue } from "../../src/core/search/search-queue.js";
import { createSpaceCalibrations } from "../../src/core/search/space-calibrations.js";
import { createAuditTrail } from "../../src/core/journal/audit-trail.js";
import { createFilePasswords } from "../../src/core/documents/file-passwords.js";
import { createGuidedExtractor } from "../../src/ingest/guided-rules.js";
import { createPipeline, reportDead } from "../../src/ingest/pipeline.js";
import { versionsOf } from "../../src/ingest/readings.js";
import { createSight } from "../../src/ingest/sight.js";
import { createRateLimiter } from "../../src/lib/rate-limit.js";
import { createSecretBox } from "../../src/adapters/secrets/key-file.js";
import { createSourceClient } from "../../src/adapters/fetch/source-client.js";
import { createGuardedFetch } from "../../src/adapters/fetch/guarded-fetch.js";
import { NO_PLACES } from "../../src/lib/allowed-places.js";
import { createRunner, type Runner } from "../../src/jobs/runner.js";
import { ManualClock } from "./clock.js";
import { makeFolderWithStore } from "./empty-store.js";
import { USUAL_LIMITS } from "./extraction-tools.js";
import { sharedExtractor, silentLog } from "./shared-extractor.js";
import { dumpDatabase, openDatabase } from "./store-folder.js";

/** The core over a real store, with parts that a test can control or break. */
import { uploadsOf } from "./uploads-of.js";
import { withMethods } from "./with-methods.js";

export interface ManualCore {
  readonly core: Core;
  readonly store: Store;
  readonly clock: ManualClock;
  readonly context: IngestContext;
  readonly dataDirectory: string;
  /** The store's file. */
  readonly file: string;
  /** A call by the person at this machine, or by a caller restricted to some containers. */
  readonly call: (containers?: readonly string[]) => Call;
  /** Runs what is due; afterwards no job starts until it settles. */
  hold(): Promise<void>;
  /** Runs all due jobs. */
  settle(): Promise<void>;
  /**
   * Number of rows of every table; for the text index its words with the units that contain them. The audit counts as empty,
   * since it is written about a second after each call.
   */
  rowCounts(): Promise<Record<string, number>>;
  /** All stored data as text, without the audit. */
  everything(): Promise<string>;
  /** Stops, and leaves the data folder for another instance. */
  stop(): Promise<void>;
  close(): Promise<void>;
}

export interface ManualCoreOptions {
  readonly connectors?: readonly Connector[];
  readonly limits?: Partial<Limits>;
  readonly embedder?: Embedder;
  readonly factExtractor?: FactExtractor;
  readonly model?: LanguageModel;
  /** Limits for showing pictures to the model. */
  readonly sight?: { readonly patienceMs: number };
  /** Created over the store, for a language model whose costs are recorded there. */
  readonly reranker?: Reranker | ((store: Store) => Reranker);
  readonly mailer?: Mailer;
  readonly extractor?: ContentExtractor;
  /** Offline by default. */
  readonly fetcher?: FileFetcher;
  readonly transcriber?: Transcriber;
  readonly vectors?: (index: VectorIndex) => VectorIndex;
  readonly log?: Log;
  readonly clock?: ManualClock;
  /** UTC by default, wherever the test runs. */
  readonly timeZone?: string;
  /** An existing data folder to open, which is also removed at the end. */
  readonly dataDirectory?: string;
  /** False: no jobs are run. */
  readonly jobs?: boolean;
}

const TABLES =
  "select name from sqlite_schema where type = 'table' and name not like 'text_index%' and name not like 'sqlite_%'";

export async function openManualCore(options: ManualCoreOptions = {}): Promise<ManualCore> {
  const dataDirectory = options.dataDirectory ?? (await makeFolderWithStore("recollect-core-"));
  const clock = options.clock ?? new ManualClock();
  const store = await createSqliteStore({ dataDirectory, maxMegabytes: 0, clock });
  const exact = createExactVectors(store.vectors, { megabytes: 16 });
  const vectors = options.vectors?.(exact) ?? exact;
  const log = options.log ?? silentLog;
  const { model = null } = options;
  const rules = createGuidedExtractor(createRulesExtractor());
  const factExtractor =
    options.factExtractor ?? (model ? createModelExtractor({ model, fallback: rules, log }) : rules);
  let runner: Runner | undefined;
  let isHeld = false;
  const extractor =
    options.extractor ??
    sharedExtractor({
      limits: USUAL_LIMITS,
      timeoutMs: 30_000,
      memoryMegabytes: 768,
      languages: "eng",
      programFolders: [],
    });
  const context: CoreContext = {
    store,
    vectors,
    embedders: onlyEmbedder(options.embedder ?? createBuiltinEmbedder()),
    calibrations: createSpaceCalibrations({ store, clock, log }),
    model,
    searchModel: model && createSearchModel({ model, store, patienceMs: 6_000 }),
    reranker: (typeof options.reranker === "function" ? options.reranker(store) : options.reranker) ?? null,
    mailer: options.mailer ?? null,
    fetcher:
      options.fetcher ??
      createGuardedFetch({
        allowed: NO_PLACES,
        isOffline: true,
        userAgent: "Recollect/test",
        maximumBytes: 50_000_000,
      }),
    connectors: new Map(options.connectors?.map((connector) => [connector.provider, connector])),
    sources: createSourceClient({
      allowed: NO_PLACES,
      isOffline: true,
      userAgent: "Recollect/test",
      maximumBytes: 50_000_000,
    }),
    secretBox: createSecretBox({ file: join(dataDirectory, "secret.key"), key: undefined }),
    tokenRequests: new Map(),
    webhookChanges: new Map(),
    webhooksUrl: null,
    clock,
    timeZone: options.timeZone ?? "UTC",
    log,
    events: createDocumentEvents(),
    attempts: createRateLimiter({ now: () => clock.now().getTime() }),
    searches: createSearchQueue(),
    audit: createAuditTrail({ store, clock, log }),
    wakeJobs: () => runner?.wake(),
    uploads: uploadsOf({ dataDirectory }),
    blobs: createFileBlobs(join(dataDirectory, "files")),
    extractor,
    transcriber: options.transcriber ?? null,
    readings: new Map(),
    filePasswords: createFilePasswords(),
    limits: {
      maxTextBytes: 1_048_576,
      maxMetadataBytes: 65_536,
      maxBatch: 600,
      maxFileBytes: 1_048_576,
      maxSuperseded: 5,
      dreamQuiet: 0,
      dreamLongestWait: 300,
      threshold: 0.5,
      embeddingTokensPerMinute: 0,
      embeddingPrice: null,
      searchMode: "hybrid",
      profileTokens: 1_500,
      ...options.limits,
    },
    about: {
      hasSeveralNodes: false,
      version: "0.0.0-test",
      dataDirectory,
      database: null,
      factExtractor: factExtractor.name,
      extractions: versionsOf(model),
      keyless: { isAllowed: true, reason: "tests" },
    },
  };
  const sight = model ? createSight({ model, clock, log, ...options.sight }) : undefined;
  const ingest: IngestContext = { ...context, store: store.background, factExtractor, sight };
  if (options.jobs !== false) {
    const { jobs } = store.background;
    const claim: JobStore["claim"] = async (...request) => (isHeld ? [] : jobs.claim(...request));
    runner = startRunner(ingest, withMethods(jobs, { claim }), clock, log);
    await runner.start();
  }
  const file = join(dataDirectory, STORE_FILE);
  const stop = async (): Promise<void> => {
    await Promise.all([runner?.stop(), context.calibrations.close()]);
    await context.audit.close();
    await vectors.close();
    await extractor.close();
    await store.close();
  };
  return {
    core: createCore(context),
    store,
    clock,
    context: { ...ingest, store },
    dataDirectory,
    file,
    call: (containers) => ({ actor: actorOf(store, containers) }),
    async hold() {
      await runner?.idle();
      isHeld = true;
    },
    async settle() {
      isHeld = false;
      await runner?.idle();
    },
    rowCounts: () => countRows(file),
    everything: async () => {
      const tables = (await dumpDatabase(file)).split("\n");
      return tables.filter((table) => !table.startsWith("audit_entries:")).join("\n");
    },
    stop,
    async close() {
      await stop();
      await rm(dataDirectory, { recursive: true, force: true });
    },
  };
}

function actorOf(store: Store, containers: readonly string[] | undefined): Actor {
  const local = localActor(store.organizationId);
  return containers ? { ...local, name: `key:${containers.join("+")}`, containers } : local;
}

function startRunner(ingest: IngestContext, jobs: JobStore, clock: Clock, log: Log): Runner {
  return createRunner({
    jobs,
    handlers: { ...createPipeline(ingest), ...createContainerJobs(ingest) },
    concurrency: 2,
    clock,
    log,
    soleOwner: true,
    random: () => 0,
    onDead: async (job, reason, bury) => {
      await reportDead(ingest, job, reason, bury);
      await reportDeadMerge(ingest, job, reason, bury);
    },
  });
}

async function countRows(file: string): Promise<Record<string, number>> {
  const connection = await openDatabase(file, { readOnly: true });
  try {
    const tables = connection.prepare(TABLES).all() as { name: string }[];
    const names = [...tables.map(({ name }) => name), "text_index_docsize"];
    const countOf = (name: string): number =>
      (connection.prepare(`select count(*) as n from ${name}`).all()[0] as { n: number }).n;
    return { ...Object.fromEntries(names.map((name) => [name, countOf(name)])), audit_entries: 0 };
  } finally {
    connection.close();
  }
}

/** A single, fixed embedder. */
export function onlyEmbedder(embedder: Embedder): Embedders {
  return createEmbedders({ make: () => Promise.resolve(embedder) }, embedder);
}
