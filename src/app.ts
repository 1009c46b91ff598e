import { join } from "node:path";
import { createBucketBlobs } from "./adapters/blobs/bucket.js";
import { createGuardedFetch } from "./adapters/fetch/guarded-fetch.js";
import { createSourceClient } from "./adapters/fetch/source-client.js";
import { createFileBlobs } from "./adapters/blobs/files.js";
import { createUploadFolder } from "./adapters/blobs/uploads.js";
import { createBuiltinEmbedder } from "./adapters/embed/builtin.js";
import { createEmbedderMaker } from "./adapters/embed/maker.js";
import { createBudgetedModel } from "./adapters/llm/budget.js";
import { createOpenAiModel } from "./adapters/llm/openai.js";
import { createWatchedModel } from "./adapters/llm/watched.js";
import { createRulesExtractor } from "./adapters/facts/rules.js";
import { createSmtpMailer } from "./adapters/mail/smtp.js";
import { findOwnerAddress } from "./adapters/owner/election.js";
import { takeFolder } from "./adapters/owner/take-folder.js";
import { createSecretBox } from "./adapters/secrets/key-file.js";
import { createRerankService } from "./adapters/rerank/service.js";
import { type Backup, backUpStore } from "./adapters/store/backup.js";
import type { MovedRecord, MoveOptions } from "./adapters/store/move/move-options.js";
import { placeOf } from "./adapters/store/postgres/place.js";
import { hasRecord, requireRecordPlace } from "./adapters/store/record-place.js";
import { createSqliteStore } from "./adapters/store/store.js";
import { STORE_FILE } from "./lib/store-file.js";
import { createCommandTranscriber } from "./adapters/transcribe/command.js";
import { createOpenAiTranscriber } from "./adapters/transcribe/openai.js";
import { createRememberingTranscriber } from "./adapters/transcribe/remembered.js";
import { createVectors } from "./adapters/vectors/index.js";
import { type Config, isPostgresUrl, readPlaces } from "./config.js";
import { keylessOf } from "./core/access/keyless.js";
import type { CoreContext } from "./core/context.js";
import { createConnectors } from "./connectors/index.js";
import { resealAll } from "./core/connections/secrets.js";
import { renewWebhooks } from "./core/connections/webhooks.js";
import { createConnectionJobs, syncDueConnections } from "./core/connections/connection-jobs.js";
import { createContainerJobs } from "./core/containers/container-jobs.js";
import { createDocumentEvents } from "./core/documents/document-events.js";
import { createCore, type Core } from "./core/index.js";
import { AppError } from "./core/errors.js";
import { createEmbedders } from "./core/embeddings/embedders.js";
import { maintainEmbedders, openEmbedders } from "./core/embeddings/open.js";
import type {
  Clock,
  Connector,
  EmbedderChoice,
  LanguageModel,
  Log,
  Reranker,
  Store,
  Transcriber,
  UploadStore,
} from "./core/ports.js";
import type { ContentExtractor } from "./core/documents/content-ports.js";
import { MISSING_JOB } from "./core/embeddings/roles.js";
import { reportDeadMerge } from "./core/containers/merge-job.js";
import { removeFailed } from "./core/documents/failed-documents.js";
import { createSummariser } from "./core/profile/summarise.js";
import { createSearchQueue } from "./core/search/search-queue.js";
import { createSpaceCalibrations } from "./core/search/space-calibrations.js";
import { createModelReranker } from "./core/search/rerank-with-model.js";
import { createSearchModel, type SearchModel } from "./core/search/search-model.js";
import { createAuditTrail } from "./core/journal/audit-trail.js";
import { createExpiryWarnings } from "./core/access/expiring-keys.js";
import { whereThereIsRoom } from "./core/upkeep/room.js";
import { createTextIndexJobs, enqueueRewriting } from "./core/upkeep/text-index.js";
import { cleanUp, forgetExpired } from "./core/upkeep/upkeep.js";
import { createNpmLanguages, LARGEST_PACKAGE } from "./adapters/languages/npm-languages.js";
import { createExtractionProcess } from "./extractors/extraction-process.js";
import { createModelExtractor } from "./ingest/extract-with-model.js";
import { createGuidedExtractor } from "./ingest/guided-rules.js";
import { createModelRetrial } from "./ingest/model-retrial.js";
import { createSight } from "./ingest/sight.js";
import { createPipeline, reportDead } from "./ingest/pipeline.js";
import { createFilePasswords } from "./core/documents/file-passwords.js";
import { versionsOf } from "./ingest/readings.js";
import { takeUpEmbedding } from "./ingest/take-up.js";
import { createSchedule } from "./jobs/schedule.js";
import { createRunner } from "./jobs/runner.js";
import { readAllowedPlaces } from "./lib/allowed-places.js";
import { createRateLimiter } from "./lib/rate-limit.js";

/** Name of the folder for uploaded files, inside a data folder. */
const FILES_FOLDER = "files";
const UPLOADS_FOLDER = "uploads";
/** Name of the file with the keys that credentials are encrypted with, inside a data folder. */
const SECRET_KEY_FILE = "secret.key";
/** Name of the folder for data of languages that text in pictures is read in, inside a data folder. */
const LANGUAGES_FOLDER = "languages";
/** Milliseconds for the package of a language over a slow line. */
const LANGUAGE_TIMEOUT_MS = 600_000;
/** Seconds of quiet before a model reads. Rules cost nothing, and waiting would only delay them. */
const QUIET_FOR_MODELS = 30;
const PROFILES_SUMMED_UP_MINUTES = 15;
const KEYS_LOOKED_AT_MINUTES = 30;
/** No job waits for longer than a day. */
const LONGEST_WAIT_MS = 25 * 3_600_000;

/** How jobs are taken where others take them as well: what a node that ends had begun is taken up within that time. */
const AMONG_OTHERS = { leaseMs: 15_000, looksEveryMs: 500 };

const systemClock: Clock = { now: () => new Date() };

export interface ServiceOptions {
  readonly config: Config;
  readonly version: string;
  readonly log: Log;
  /** Whether to start the local vector engine: short-lived processes leave it to the next long-lived one. */
  readonly engine: "background" | "off";
  /** True for a process that ends soon: what its settings do not say about the embedder, those of others may. */
  readonly isShortLived?: boolean;
  /** Sources besides those of the table, or in their place. */
  readonly connectors?: readonly Connector[];
  /** That of the machine by default. */
  readonly clock?: Clock;
  /** What reads files; a process of its own by default. */
  readonly extractor?: ContentExtractor;
}

/** The service over a data folder that this process owns. */
export interface Service {
  readonly core: Core;
  readonly organizationId: string;
  /** Resolves when no background work is due or running. */
  settle(): Promise<void>;
  /** As the store says of its files. */
  readonly lost: Promise<AppError>;
  isInPlace(): boolean;
  fullAt(): Date | null;
  close(): Promise<void>;
}

/** The record, in the data folder or in a database. */
async function openStore({ config, log }: ServiceOptions, clock: Clock): Promise<Store> {
  const { dataDirectory, databaseUrl, hasSeveralNodes, apiKey } = config;
  const onUpgrade = (upgrade: { readonly from: number; readonly to: number }): void =>
    log.info("the store has a new schema", { ...upgrade });
  const shared = { dataDirectory, clock, organizationId: apiKey?.organizationId, onUpgrade };
  if (databaseUrl !== undefined) {
    const { createPostgresStore } = await import("./adapters/store/postgres/store.js");
    return createPostgresStore({ ...shared, url: databaseUrl, isShared: hasSeveralNodes });
  }
  return createSqliteStore({
    ...shared,
    maxMegabytes: config.maxStoreMegabytes,
    vacuumMegabytes: config.vacuumMegabytes,
  });
}

/**
 * Opens the store and starts background work. The caller must own the data folder.
 * @throws AppError when the store or a setting cannot be used; nothing is left open then
 */
export async function openService(options: ServiceOptions): Promise<Service> {
  const { config, clock = systemClock } = options;
  const store = await openStore(options, clock);
  const parts = assemble(options, store);
  const { context, vectors, runner, schedule, retryModel } = parts;
  let closed: Promise<void> | undefined;
  const close = async (): Promise<void> => {
    await Promise.all([schedule.stop(), runner.stop(), context.calibrations.close()]);
    await context.audit.close();
    await context.embedders.close();
    await vectors.close();
    await context.extractor.close();
    await store.close();
  };
  try {
    await openEmbedders(context, {
      choice: choiceOf(config),
      isStated: config.embedding.isStated,
      isShortLived: options.isShortLived ?? false,
    });
    await whereThereIsRoom(context, () => enqueueRewriting(context));
    await whereThereIsRoom(context, () => takeUpEmbedding(context));
    await whereThereIsRoom(context, () => resealAll(context));
    await whereThereIsRoom(context, retryModel);
    await runner.start();
    await schedule.start();
    // Last, because nothing may fail any more that would leave the engine's process behind.
    if (options.engine === "background") vectors.start();
  } catch (error) {
    await close();
    throw error;
  }
  return {
    core: createCore(context),
    organizationId: store.organizationId,
    settle: () => runner.idle(),
    lost: store.lost,
    isInPlace: () => store.isInPlace(),
    fullAt: () => store.fullAt(),
    close: () => (closed ??= close()),
  };
}

function createTranscriber(chosen: NonNullable<Config["transcriber"]>): Transcriber {
  if (chosen.kind === "service") return createOpenAiTranscriber(chosen);
  const { home, programFolders } = readPlaces();
  return createCommandTranscriber({ ...chosen, home, programFolders });
}

/** Puts the parts together; starts nothing. */
function assemble(
  { config, version, log, connectors = [], clock = systemClock, extractor }: ServiceOptions,
  store: Store,
) {
  const model = createModel(config, { store, clock, log });
  const searchModel = model && createSearchModel({ model, store, patienceMs: config.patience.modelMs });
  const rules = createGuidedExtractor(createRulesExtractor());
  const factExtractor = model ? createModelExtractor({ model, fallback: rules, log }) : rules;
  const vectors = createVectors({
    ...config.chroma,
    record: store.vectors,
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
  const context: CoreContext = {
    store,
    vectors,
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
    attempts: createRateLimiter(),
    searches: createSearchQueue(),
    audit: createAuditTrail({ store, clock, log }),
    wakeJobs: () => runner.wake(),
    uploads: openUploads(config.dataDirectory),
    blobs: config.bucket ? createBucketBlobs(config.bucket) : createFileBlobs(join(config.dataDirectory, FILES_FOLDER)),
    fetcher: createGuardedFetch({
      allowed: config.fetchAllow,
      isOffline: config.offline,
      userAgent: `Recollect/${version}`,
      maximumBytes: config.maxFileBytes,
    }),
    connectors: createConnectors(config, connectors),
    sources: createSourceClient({
      allowed: config.fetchAllow,
      isOffline: config.offline,
      userAgent: `Recollect/${version}`,
      maximumBytes: config.maxFileBytes,
    }),
    webhooksUrl: config.publicUrl?.startsWith("https:") ? `${config.publicUrl}/v3/connections/webhooks` : null,
    secretBox: createSecretBox({ file: join(config.dataDirectory, SECRET_KEY_FILE), key: config.secretKey }),
    tokenRequests: new Map(),
    webhookChanges: new Map(),
    extractor: extractor ?? createExtractor(config, version, log),
    transcriber: config.transcriber ? createRememberingTranscriber(createTranscriber(config.transcriber)) : null,
    readings: new Map(),
    filePasswords: createFilePasswords(),
    limits: {
      maxTextBytes: config.maxTextBytes,
      maxMetadataBytes: config.maxMetadataBytes,
      maxBatch: config.maxBatch,
      maxFileBytes: config.maxFileBytes,
      maxSuperseded: config.maxSuperseded,
      dreamQuiet: config.dreamQuiet ?? (model ? QUIET_FOR_MODELS : 0),
      dreamLongestWait: config.dreamLongestWait,
      threshold: config.threshold,
      embeddingTokensPerMinute: config.embedding.tokensPerMinute,
      embeddingPrice: config.embedding.price ?? null,
      searchMode: config.searchMode,
      profileTokens: config.profileTokens,
    },
    about: {
      version,
      dataDirectory: config.dataDirectory,
      database: config.databaseUrl === undefined ? null : placeOf(config.databaseUrl),
      factExtractor: factExtractor.name,
      extractions: versionsOf(model),
      keyless: keylessOf(config),
      hasSeveralNodes: config.hasSeveralNodes,
    },
  };
  // Jobs are done again when a power failure takes their end away, so their many commits need not wait for the disk.
  const background = { ...context, store: store.background };
  const sight = model && config.model?.seesPictures ? createSight({ model, clock, log }) : undefined;
  const ingest = { ...background, factExtractor, sight };
  const runner = createRunner({
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
    ...(config.hasSeveralNodes ? AMONG_OTHERS : { soleOwner: true }),
    onDead: async (job, reason, bury) => {
      await reportDead(ingest, job, reason, bury);
      await reportDeadMerge(context, job, reason, bury);
    },
  });
  const schedule = createSchedule({ runs: store.jobs, clock, log, isShared: config.hasSeveralNodes });
  schedule.every("forget expired memories", { minutes: 1 }, (signal) => forgetExpired(context, signal));
  schedule.every("remove failed documents", { minutes: 1 }, (signal) =>
    removeFailed(context, config.keepFailedMinutes, signal),
  );
  const retryModel = createModelRetrial(context);
  if (model) {
    schedule.every("read again with the language model", { minutes: 1 }, retryModel);
    schedule.every("sum up profiles", { minutes: PROFILES_SUMMED_UP_MINUTES }, createSummariser({ ...context, model }));
  }
  schedule.every("warn of expiring keys", { minutes: KEYS_LOOKED_AT_MINUTES }, createExpiryWarnings(context));
  schedule.every("sync connections", { minutes: 1 }, () => syncDueConnections(context));
  schedule.every("make due what a wrong clock put off", { minutes: 1 }, async () => {
    const latest = new Date(clock.now().getTime() + LONGEST_WAIT_MS);
    if ((await store.jobs.hastenAfter(latest)) > 0) runner.wake();
  });
  schedule.every("renew webhooks", { minutes: 10 }, () => renewWebhooks(context));
  schedule.every("look after embedders", { minutes: 1 }, () => maintainEmbedders(context), "process");
  schedule.every("look for missing vectors", { minutes: 60 }, async () => {
    await store.jobs.enqueue([MISSING_JOB]);
    runner.wake();
  });
  const learn = (signal: AbortSignal) => context.calibrations.learn(context.embedders.active(), signal);
  schedule.every("learn from stored vectors", { minutes: 60 }, learn, "process");
  schedule.every("clean up", { minutes: 60 }, (signal) => cleanUp(context, signal), "process");
  const verify = (signal: AbortSignal) => vectors.verify(signal).then(() => undefined);
  schedule.every("verify vectors", { minutes: 360 }, verify, "process");
  return { context, vectors, runner, schedule, retryModel };
}

/** Rules take about a millisecond and need no service, so they are what nobody has to choose. */
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
  const model = createOpenAiModel({ ...named, log });
  const { monthlyBudget: limit } = named;
  if (limit === undefined) return createWatchedModel(model, { clock });
  const spentSince = (moment: string) => store.extractions.costSince(store.organizationId, moment);
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
    programFolders: readPlaces().programFolders,
    log,
  });
}

/** Data of languages from a registry, which may lie in the own network as the owner has named it. */
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

/** The embedder that the settings ask for, without what is secret. */
function choiceOf({ embedder }: Config): EmbedderChoice {
  if (embedder.kind !== "openai") return embedder;
  const { kind, model, baseUrl, dimensions = null } = embedder;
  return { kind, model, baseUrl, dimensions };
}

/**
 * Base URL by which browsers reach the process that owns the data folder: its public one if it has one; null when none answers.
 * @throws AppError `conflict` for a copy of a folder that is being served
 */
export async function addressOfService(dataDirectory: string): Promise<string | null> {
  const found = await findOwnerAddress(dataDirectory);
  return found && (found.publicUrl ?? found.url);
}

/** Where files wait that are being sent, for every process of a data folder. */
export function openUploads(dataDirectory: string): UploadStore {
  return createUploadFolder(join(dataDirectory, UPLOADS_FOLDER));
}

/** False for a folder in which no memory was begun yet, such as one whose name is misspelt. A database is never misspelt so. */
export function hasMemory({ dataDirectory, databaseUrl }: Config): boolean {
  return databaseUrl !== undefined || hasRecord(dataDirectory);
}

/**
 * As `backUpStore` says, of a data folder that anybody may own at the moment.
 * @throws AppError `invalid` or `conflict` where a database keeps the record
 */
export async function backUp(
  { dataDirectory, databaseUrl }: Config,
  target: string,
  signal: AbortSignal,
): Promise<Backup> {
  if (databaseUrl !== undefined)
    throw new AppError(
      "invalid",
      `The record is in the database of DATABASE_URL, which this command does not copy. Use \`pg_dump\` for it, and copy the data folder ${dataDirectory}, which has the uploaded files and the key of the credentials.`,
      { paths: [dataDirectory] },
    );
  requireRecordPlace(dataDirectory, undefined);
  return backUpStore({ file: join(dataDirectory, STORE_FILE), folders: [FILES_FOLDER], target, signal });
}

/**
 * As `moveToPostgres` and `moveToFolder` say, of a data folder that anybody may own at the moment.
 * @param wanted.to the address of a database, or `folder`
 * @throws AppError `invalid` where the settings do not fit the direction
 */
export async function move(
  { dataDirectory, databaseUrl, maxStoreMegabytes: maxMegabytes }: Config,
  { to, ...wanted }: Pick<MoveOptions, "waits" | "signal" | "tell"> & { readonly to: string },
): Promise<MovedRecord> {
  const shared = { ...wanted, dataDirectory, maxMegabytes, takeFolder: () => takeFolder(dataDirectory) };
  if (to === "folder") {
    if (databaseUrl === undefined)
      throw new AppError("invalid", "Set DATABASE_URL to the database that the record is to be moved from.");
    const { moveToFolder } = await import("./adapters/store/move/move-to-folder.js");
    return moveToFolder({ ...shared, url: databaseUrl });
  }
  if (!isPostgresUrl(to))
    throw new AppError(
      "invalid",
      "A record is moved to `folder`, or to the address of a PostgreSQL database such as postgres://user:password@host:5432/recollect.",
    );
  if (databaseUrl !== undefined && placeOf(databaseUrl) !== placeOf(to))
    throw new AppError(
      "invalid",
      "DATABASE_URL names another database than --to. Unset it to move the record of the data folder; use `pg_dump` to move one from database to database.",
    );
  const { moveToPostgres } = await import("./adapters/store/move/move-to-postgres.js");
  return moveToPostgres({ ...shared, url: to });
}

/** For whatever begins none there; `begin` names commands that do. */
export function noMemoryIn(dataDirectory: string, begin: string): AppError {
  const message = `There is no memory in ${dataDirectory}. Look whether --data-dir or RECOLLECT_DATA_DIR names the folder that you mean; ${begin} begins one.`;
  return new AppError("not_found", message, { paths: [dataDirectory] });
}

/** Why this process could not listen: the error, or that the owner of the same data folder has the port. */
export async function explainTakenPort({ dataDirectory, port }: Config, error: unknown): Promise<unknown> {
  const cause: unknown = error instanceof AppError ? error.cause : undefined;
  if (!(cause instanceof Error && "code" in cause && cause.code === "EADDRINUSE")) return error;
  const owner = await findOwnerAddress(dataDirectory);
  if (owner === null || new URL(owner.url).port !== String(port)) return error;
  const message = `Recollect serves the data folder ${dataDirectory} at ${owner.url} already. Use that one, or choose another port with --port; 0 takes a free one.`;
  return new AppError("unavailable", message, { paths: [dataDirectory], cause });
}
