import { join } from "node:path";
import { createBucketAndFolderBlobs } from "./adapters/blobs/bucket-and-folder.js";
import { createBucketBlobs } from "./adapters/blobs/bucket.js";
import { createGuardedFetch } from "./adapters/fetch/guarded-fetch.js";
import { createSourceClient } from "./adapters/fetch/source-client.js";
import { createFileBlobs } from "./adapters/blobs/files.js";
import { createBuiltinEmbedder } from "./adapters/embed/builtin.js";
import { createEmbedderMaker } from "./adapters/embed/maker.js";
import { createBudgetedModel, notingUnusable } from "./adapters/llm/budget.js";
import { createOpenAiModel } from "./adapters/llm/openai.js";
import { createWatchedModel } from "./adapters/llm/watched.js";
import { createRulesExtractor } from "./adapters/facts/rules.js";
import { createSmtpMailer } from "./adapters/mail/smtp.js";
import { createSecretBox } from "./adapters/secrets/key-file.js";
import { createRerankService } from "./adapters/rerank/service.js";
import { placeOf } from "./adapters/store/postgres/place.js";
import { createSqliteStore } from "./adapters/store/store.js";
import { createCommandTranscriber } from "./adapters/transcribe/command.js";
import { createOpenAiTranscriber } from "./adapters/transcribe/openai.js";
import { createRememberingTranscriber } from "./adapters/transcribe/remembered.js";
import { createVectors } from "./adapters/vectors/index.js";
import { type Config, readUserFolders } from "./config.js";
import { openUploads } from "./data-folder.js";
import { keylessOf } from "./core/access/keyless.js";
import type { CoreContext } from "./core/context.js";
import { createConnectors } from "./connectors/index.js";
import { createConnectionJobs } from "./core/connections/connection-jobs.js";
import { createContainerJobs } from "./core/containers/container-jobs.js";
import { createDocumentEvents } from "./core/documents/document-events.js";
import { createEmbedders } from "./core/embeddings/embedders.js";
import type {
  Clock,
  Connector,
  EmbedderChoice,
  FactExtractor,
  LanguageModel,
  Log,
  Reranker,
  Store,
  Transcriber,
} from "./core/ports.js";
import type { ContentExtractor } from "./core/documents/content-ports.js";
import { reportDeadMerge } from "./core/containers/merge-job.js";
import { createSearchQueue } from "./core/search/search-queue.js";
import { createSpaceCalibrations } from "./core/search/space-calibrations.js";
import { createModelReranker } from "./core/search/rerank-with-model.js";
import { createSearchModel, type SearchModel } from "./core/search/search-model.js";
import { createAuditTrail } from "./core/journal/audit-trail.js";
import { createTextIndexJobs } from "./core/upkeep/text-index.js";
import { createNpmLanguages, LARGEST_PACKAGE } from "./adapters/languages/npm-languages.js";
import { createExtractionProcess } from "./extractors/extraction-process.js";
import { createModelExtractor } from "./ingest/extract-with-model.js";
import { createGuidedExtractor } from "./ingest/guided-rules.js";
import { createModelRetrial } from "./ingest/model-retrial.js";
import { createSight } from "./ingest/sight.js";
import { createPipeline, reportDead } from "./ingest/pipeline.js";
import { createFilePasswords } from "./core/documents/file-passwords.js";
import { versionsOf } from "./ingest/readings.js";
import { createRunner, type Runner } from "./jobs/runner.js";
import { createRecurringWork } from "./recurring-work.js";
import { readAllowedPlaces } from "./lib/allowed-places.js";
import { FILES_FOLDER } from "./lib/files-folder.js";
import { SECRET_KEY_FILE } from "./lib/secret-key-file.js";
import { createRateLimiter } from "./lib/rate-limit.js";

/** Name of the folder, inside a data folder, for the language data of text recognition. */
const LANGUAGES_FOLDER = "languages";
/** Time limit in milliseconds for a language package on a slow connection. */
const LANGUAGE_TIMEOUT_MS = 600_000;
/** Seconds of quiet before a model reads. Rules cost nothing, so waiting would only delay them. */
const QUIET_FOR_MODELS = 30;

/** How jobs are taken when nodes share them: the work of a node that ends is taken over within this time. */
const AMONG_OTHERS = { leaseMs: 15_000, looksEveryMs: 500 };

export const systemClock: Clock = { now: () => new Date() };

export interface ServiceOptions {
  readonly config: Config;
  readonly version: string;
  readonly log: Log;
  /** Whether to start the local vector engine: short-lived processes leave it to the next long-lived one. */
  readonly engine: "background" | "off";
  /** True for a process that ends soon: where its settings name no embedder, those of others decide. */
  readonly isShortLived?: boolean;
  /** Sources in addition to the built-in ones, or replacing them. */
  readonly connectors?: readonly Connector[];
  /** The system clock by default. */
  readonly clock?: Clock;
  /** Reads files; in a separate process by default. */
  readonly extractor?: ContentExtractor;
}

/** The store, in the data folder or in a database. */
export async function openStore({ config, log }: ServiceOptions, clock: Clock): Promise<Store> {
  const { dataDirectory, databaseUrl, hasSeveralNodes, apiKey } = config;
  const onUpgrade = (upgrade: { readonly from: number; readonly to: number }): void =>
    log.info("the store has a new schema", { ...upgrade });
  const shared = { dataDirectory, clock, organizationId: apiKey?.organizationId, onUpgrade };
  if (databaseUrl !== undefined) {
    const { createPostgresStore } = await import("./adapters/store/postgres/store.js");
    const onWait = (reason: string): void => log.warn("waiting for the database", { reason });
    return createPostgresStore({ ...shared, url: databaseUrl, isShared: hasSeveralNodes, onWait });
  }
  return createSqliteStore({
    ...shared,
    maxMegabytes: config.maxStoreMegabytes,
    vacuumMegabytes: config.vacuumMegabytes,
  });
}

function createTranscriber(chosen: NonNullable<Config["transcriber"]>): Transcriber {
  if (chosen.kind === "service") return createOpenAiTranscriber(chosen);
  const { home, programFolders } = readUserFolders();
  return createCommandTranscriber({ ...chosen, home, programFolders });
}

/** Assembles the parts, without starting anything. */
export function assemble(options: ServiceOptions, store: Store) {
  const { config, log, clock = systemClock } = options;
  const model = createModel(config, { store, clock, log });
  const rules = createGuidedExtractor(createRulesExtractor());
  const factExtractor = model ? createModelExtractor({ model, fallback: rules, log }) : rules;
  const vectors = createRecordVectors(config, store, log);
  const context: CoreContext = {
    ...createServices(options, { store, model, clock }),
    vectors,
    wakeJobs: () => runner.wake(),
    limits: limitsOf(config, model !== null),
    about: {
      version: options.version,
      dataDirectory: config.dataDirectory,
      database: config.databaseUrl === undefined ? null : placeOf(config.databaseUrl),
      factExtractor: factExtractor.name,
      extractions: versionsOf(model),
      keyless: keylessOf(config),
      hasSeveralNodes: config.hasSeveralNodes,
    },
  };
  const runner = createJobRunner(config, { context, factExtractor });
  const retryModel = createModelRetrial(context);
  const schedule = createRecurringWork({ context, keepFailedMinutes: config.keepFailedMinutes, retryModel });
  return { context, vectors, runner, schedule, retryModel };
}

/** What the core gets from other parts, except vectors and jobs, which are started and stopped. */
function createServices(
  { config, version, log, connectors = [], extractor }: ServiceOptions,
  { store, model, clock }: { readonly store: Store; readonly model: LanguageModel | null; readonly clock: Clock },
): Omit<CoreContext, "vectors" | "wakeJobs" | "limits" | "about"> {
  const searchModel = model && createSearchModel({ model, store, patienceMs: config.patience.modelMs });
  const fetching = {
    allowed: config.fetchAllow,
    isOffline: config.offline,
    userAgent: `Recollect/${version}`,
    maximumBytes: config.maxFileBytes,
  };
  return {
    store,
    embedders: createEmbedders(createMaker(config, log), createBuiltinEmbedder()),
    calibrations: createSpaceCalibrations({ store, clock, log }),
    model,
    searchModel,
    reranker: createReranker(config, { searchModel, log }),
    mailer: config.mail ? createSmtpMailer(config.mail) : null,
    clock,
    timeZone: config.timeZone,
    log,
    events: createDocumentEvents(),
    attempts: store.attempts ?? createRateLimiter(),
    searches: createSearchQueue(),
    audit: createAuditTrail({ store, clock, log }),
    uploads: openUploads(config.dataDirectory),
    blobs: createBlobs(config),
    fetcher: createGuardedFetch(fetching),
    connectors: createConnectors(config, connectors),
    sources: createSourceClient(fetching),
    webhooksUrl: config.publicUrl?.startsWith("https:") ? `${config.publicUrl}/v3/connections/webhooks` : null,
    secretBox: createSecretBox({ file: join(config.dataDirectory, SECRET_KEY_FILE), key: config.secretKey }),
    tokenRequests: new Map(),
    webhookChanges: new Map(),
    extractor: extractor ?? createExtractor(config, version, log),
    transcriber: config.transcriber ? createRememberingTranscriber(createTranscriber(config.transcriber)) : null,
    readings: new Map(),
    filePasswords: createFilePasswords(),
  };
}

function createBlobs({ bucket, dataDirectory }: Config) {
  const inFolder = createFileBlobs(join(dataDirectory, FILES_FOLDER));
  return bucket ? createBucketAndFolderBlobs(createBucketBlobs(bucket), inFolder) : inFolder;
}

function createRecordVectors(config: Config, store: Store, log: Log) {
  return createVectors({
    ...config.chroma,
    record: store.vectors,
    feeder: store.vectorFeeder,
    log,
    namespace: store.organizationId,
    dataDirectory: config.dataDirectory,
    enginesDirectory: config.enginesDirectory,
    offline: config.offline,
    exactLimit: config.exactLimit,
    exactMegabytes: config.exactMegabytes,
    mode: config.vectors,
    engine: "off",
  });
}

function limitsOf(config: Config, hasModel: boolean): CoreContext["limits"] {
  return {
    maxTextBytes: config.maxTextBytes,
    maxMetadataBytes: config.maxMetadataBytes,
    maxBatch: config.maxBatch,
    maxFileBytes: config.maxFileBytes,
    maxSuperseded: config.maxSuperseded,
    dreamQuiet: config.dreamQuiet ?? (hasModel ? QUIET_FOR_MODELS : 0),
    dreamLongestWait: config.dreamLongestWait,
    threshold: config.threshold,
    embeddingTokensPerMinute: config.embedding.tokensPerMinute,
    embeddingPrice: config.embedding.price ?? null,
    searchMode: config.searchMode,
    profileTokens: config.profileTokens,
  };
}

function createJobRunner(
  config: Config,
  { context, factExtractor }: { readonly context: CoreContext; readonly factExtractor: FactExtractor },
): Runner {
  const { store, clock, log, model } = context;
  // Jobs are repeated if a power failure loses their end, so their many commits need not wait for the disk.
  const background = { ...context, store: store.background };
  const sight = model && config.model?.seesPictures ? createSight({ model, clock, log }) : undefined;
  const ingest = { ...background, factExtractor, sight };
  return createRunner({
    jobs: store.background.jobs,
    handlers: {
      ...createPipeline(ingest),
      ...createContainerJobs(background),
      ...createTextIndexJobs(context),
      ...createConnectionJobs(context),
    },
    concurrency: config.concurrency,
    clock,
    log,
    onFull: () => context.store.workSignal?.tell(),
    ...(config.hasSeveralNodes ? AMONG_OTHERS : { soleOwner: true }),
    onDead: async (job, reason, bury) => {
      await reportDead(ingest, job, reason, bury);
      await reportDeadMerge(context, job, reason, bury);
    },
  });
}

/** Rules take about a millisecond and need no service, which makes them the default. */
function createReranker(
  { rerank, patience }: Config,
  { searchModel, log }: { readonly searchModel: SearchModel | null; readonly log: Log },
): Reranker | null {
  if (rerank.kind === "service") return createRerankService({ ...rerank, patienceMs: patience.serviceMs, log });
  return rerank.kind === "llm" && searchModel ? createModelReranker(searchModel) : null;
}

function createModel(
  { model: named }: Config,
  { store, clock, log }: { readonly store: Store; readonly clock: Clock; readonly log: Log },
): LanguageModel | null {
  if (!named) return null;
  const { extractions, organizationId } = store;
  const model = notingUnusable(createOpenAiModel({ ...named, log }), (use) =>
    extractions.note(organizationId, { ...use, documentId: "", revision: 0 }),
  );
  const { monthlyBudget: limit } = named;
  if (limit === undefined) return createWatchedModel(model, { clock });
  const spentSince = (moment: string) => extractions.costSince(organizationId, moment);
  return createWatchedModel(createBudgetedModel(model, { limit, spentSince, clock }), { clock });
}

function createMaker({ dataDirectory, offline, hub, embedding, patience }: Config, log: Log) {
  const { apiKey: key, baseUrl, formerApiKey: formerKey } = embedding;
  return createEmbedderMaker({
    dataDirectory,
    offline,
    hub,
    keys: { key, baseUrl, formerKey },
    searchPatienceMs: patience.serviceMs,
    log,
  });
}

function createExtractor(config: Config, version: string, log: Log): ContentExtractor {
  return createExtractionProcess({
    ...config.reading,
    languageSource: createLanguageSource(config, version, log),
    programFolders: readUserFolders().programFolders,
    log,
  });
}

/** Language data from a registry, which may be in the owner's own network if the owner has named it. */
function createLanguageSource({ dataDirectory, offline, fetchAllow, reading }: Config, version: string, log: Log) {
  const { hostname, port, protocol } = new URL(reading.languagesFrom);
  const own = readAllowedPlaces([`${hostname}:${port || (protocol === "https:" ? 443 : 80)}`]) ?? [];
  const fetcher = createGuardedFetch({
    allowed: [...fetchAllow, ...own],
    isOffline: offline,
    userAgent: `Recollect/${version}`,
    maximumBytes: LARGEST_PACKAGE,
    timeoutMs: LANGUAGE_TIMEOUT_MS,
  });
  const folder = join(dataDirectory, LANGUAGES_FOLDER);
  return createNpmLanguages({ folder, registry: reading.languagesFrom, isOffline: offline, fetcher, log });
}

/** The embedder chosen in the settings, without secrets. */
export function choiceOf({ embedder }: Config): EmbedderChoice {
  if (embedder.kind !== "openai") return embedder;
  const { kind, model, baseUrl, dimensions = null } = embedder;
  return { kind, model, baseUrl, dimensions };
}
