import type { BlockList } from "node:net";
import { homedir } from "node:os";
import type { z } from "zod";
import {
  chooseEmbedder,
  chooseEmbedding,
  type EmbedderConfig,
  type EmbeddingConfig,
  findEmbedderProblems,
  type HubConfig,
} from "./config/embedder.js";
import { chooseMail, findMailProblems, type MailConfig } from "./config/mail.js";
import { chooseModel, findIdleModelSettings, type ModelConfig } from "./config/model.js";
import { type UserFolders, userFoldersOf } from "./config/user-folders.js";
import type { PatienceConfig } from "./config/patience.js";
import { completeAddress, type DatabaseDefaults, findNodeProblems } from "./config/database.js";
import { chooseBucket, findBlobProblems, type BucketConfig } from "./config/blobs.js";
import { readingConfig, type ReadingConfig } from "./config/reading.js";
import { chooseRerank, findRerankProblems, type RerankConfig } from "./config/rerank.js";
import { chooseTraces, findTraceProblems, type TracesConfig } from "./config/traces.js";
import { chooseVectors, findVectorProblems } from "./config/vectors.js";
import { holdsUser, type Setting } from "./config/setting.js";
import { SETTINGS } from "./config/settings.js";
import {
  chooseTranscriber,
  findIdleTranscribeSettings,
  findTranscribeProblems,
  type TranscriberConfig,
} from "./config/transcribe.js";
import type { AllowedPlaces } from "./lib/allowed-places.js";
import { plainWords } from "./lib/bounded-parse.js";
import type { LogLevel } from "./lib/log.js";
import { machineTimeZone } from "./lib/time-zone.js";
import { truncate } from "./lib/truncate.js";

export { completeAddress, hasStrayPercent, isPostgresUrl } from "./config/database.js";
export { SETTINGS };

/** The environment, or overrides in the same form: names of settings with their text. */
export type Environment = Readonly<Record<string, string | undefined>>;

/** A setting that cannot be used. The message names the variable and what it must be; it never contains a secret. */
export class ConfigError extends Error {
  override readonly name = "ConfigError";
}

type SettingName = keyof typeof SETTINGS;
type Values = { [Name in SettingName]: z.infer<(typeof SETTINGS)[Name]["schema"]> | undefined };

/** The whole configuration, checked and frozen. Parts that are switched off are undefined. */
export interface Config {
  /** Absolute path. */
  readonly dataDirectory: string;
  readonly host: string;
  /** 0 for any free port. */
  readonly port: number;
  readonly apiKey: { readonly key: string; readonly organizationId: string } | undefined;
  /** The time zone in which days are counted, as `lib/time-zone.ts` takes it. */
  readonly timeZone: string;
  readonly offline: boolean;
  /** Places in private networks that may be fetched from all the same. */
  readonly fetchAllow: AllowedPlaces;
  readonly logLevel: LogLevel;
  /** For commands, which report the outcome of their work themselves. */
  readonly commandLogLevel: LogLevel;
  readonly logFormat: "text" | "json";
  readonly embedder: EmbedderConfig;
  readonly embedding: EmbeddingConfig;
  /** Where models of the static embedder are downloaded from. */
  readonly hub: HubConfig;
  /** The language model that finds facts; undefined when rules do. */
  readonly model: ModelConfig | undefined;
  /** URL of the PostgreSQL database for the store; undefined for a file in the data folder. */
  readonly databaseUrl: string | undefined;
  /** Contained in `databaseUrl`; for the address of another database. */
  readonly databaseDefaults: DatabaseDefaults;
  /** True when other nodes use that database at the same time. */
  readonly hasSeveralNodes: boolean;
  readonly vectors: "auto" | "exact";
  /** Absolute path of the folder for downloaded engines, if it is not in the data folder. */
  readonly enginesDirectory: string | undefined;
  /** A Chroma server in place of the local one. */
  readonly chroma: ChromaConfig | undefined;
  /** Containers with up to this many vectors are searched exactly. */
  readonly exactLimit: number;
  readonly exactMegabytes: number;
  readonly maxTextBytes: number;
  readonly maxMetadataBytes: number;
  /** Documents per batch. */
  readonly maxBatch: number;
  readonly maxBatchBytes: number;
  readonly maxFileBytes: number;
  /** Where uploaded files are kept; undefined for the data folder. */
  readonly bucket: BucketConfig | undefined;
  /** Encrypts the credentials of connections; undefined for the key in the data folder. */
  readonly secretKey: string | undefined;
  /** Absolute paths. */
  readonly connectionFolders: readonly string[];
  /** Alternative URLs of connection providers, by provider name. */
  readonly providerUrls: Readonly<Record<string, string>>;
  /** How files other than plain text are read. */
  readonly reading: ReadingConfig;
  /** Transcribes recordings; undefined when nothing does. */
  readonly transcriber: TranscriberConfig | undefined;
  /** Memories that one document may replace without confirmation. */
  readonly maxSuperseded: number;
  /** Seconds; undefined for the default of the extractor. */
  readonly dreamQuiet: number | undefined;
  /** Seconds. */
  readonly dreamLongestWait: number;
  /** 0 to keep them forever. */
  readonly keepFailedMinutes: number;
  /** 0 for no limit. */
  readonly maxStoreMegabytes: number;
  /** Memory that a purge may use to rewrite the store. */
  readonly vacuumMegabytes: number;
  /** Rate limit per key; undefined for none. */
  readonly rate: { readonly requests: number; readonly windowMs: number } | undefined;
  /** Concurrent jobs. */
  readonly concurrency: number;
  /** 0 to 1. */
  readonly threshold: number;
  /** Approximate number of tokens for all parts of a profile together. */
  readonly profileTokens: number;
  /** What a search finds if the caller does not specify it. */
  readonly searchMode: "hybrid" | "memories" | "documents";
  /** What reranks a search with `rerank`. */
  readonly rerank: RerankConfig;
  /** Where traces are sent; undefined for nowhere. */
  readonly traces: TracesConfig | undefined;
  /** How long searches wait for other services. */
  readonly patience: PatienceConfig;
  /** Container tag when the caller names none. */
  readonly container: string;
  /** Which tools MCP lists. */
  readonly mcpTools: "small" | "all";
  /** Origin at which others reach the service. */
  readonly publicUrl: string | undefined;
  /** True if local programs need a key as well. */
  readonly isKeylessOff: boolean;
  /** Proxies whose information about the client is trusted; undefined when there are none. */
  readonly trustedProxies: BlockList | undefined;
  /** Further `Host` values, and further origins of web pages. */
  readonly allowedHosts: readonly string[];
  readonly allowedOrigins: readonly string[];
  /** Where mail to the owner is sent; undefined when none is. */
  readonly mail: MailConfig | undefined;
  readonly noColor: boolean;
  /** Likely mistakes that are not errors, e.g. a variable that no setting has. For people to read. */
  readonly warnings: readonly string[];
}

interface ChromaConfig {
  readonly url: string;
  readonly token: string | undefined;
  readonly tenant: string | undefined;
  readonly database: string | undefined;
}

/**
 * Reads and checks all settings. `overrides` (from the command line) win; empty text and the placeholders that
 * installers leave (`${…}`) count as absent.
 * @throws ConfigError that names every invalid variable
 */
export function readConfig(environment: Environment = process.env, overrides: Environment = {}): Config {
  const texts = { ...present(environment), ...present(overrides) };
  const invalid = new Map<string, string>();
  const values = readValues(texts, invalid);
  const model = chooseModel(values, values.RECOLLECT_OFFLINE ?? false);
  const contradictions = [
    ...findContradictions(values, new Set(Object.keys(texts))),
    ...model.problems,
    ...findBlobProblems(values),
    ...findNodeProblems(values),
    ...findRerankProblems(values, model.chosen !== undefined),
    ...findTranscribeProblems(values),
  ];
  const problems = [...invalid.values(), ...contradictions.filter((problem) => !names(problem, invalid))];
  if (problems.length > 0) throw new ConfigError(problems.join("\n"));
  const set = new Set(Object.keys(texts));
  const warnings = [
    ...findUnknown(texts),
    ...findEmbedderProblems(values, set),
    ...findIdleModelSettings(values, model, values.RECOLLECT_OFFLINE ?? false),
    ...findIdleTranscribeSettings(values, set),
  ];
  const { PGHOST: host, PGPORT: port, PGDATABASE: database } = texts;
  const databaseDefaults = { host, port, database };
  return freeze({
    ...buildConfig(values, warnings),
    databaseUrl: values.DATABASE_URL && completeAddress(values.DATABASE_URL, databaseDefaults),
    databaseDefaults,
    commandLogLevel: set.has("RECOLLECT_LOG_LEVEL") ? need(values.RECOLLECT_LOG_LEVEL) : "error",
    embedding: chooseEmbedding(values, set),
    model: model.chosen,
  });
}

/** Where the programs of this user keep their settings. */
export function readUserFolders(environment: Environment = process.env): UserFolders {
  return userFoldersOf(environment, homedir(), process.platform);
}

function present(texts: Environment): Record<string, string> {
  const kept: Record<string, string> = {};
  for (const [name, text] of Object.entries(texts)) {
    const trimmed = text?.trim() ?? "";
    if (trimmed !== "" && !/^\$\{[^}]*\}$/.test(trimmed)) kept[name] = trimmed;
  }
  return kept;
}

/** An invalid value is left out, and would be reported once more as not set. */
function names(problem: string, settings: ReadonlyMap<string, string>): boolean {
  return problem.split(/[^A-Z0-9_]/).some((word) => settings.has(word));
}

/** @param invalid receives a sentence for each setting with an invalid value */
function readValues(texts: Environment, invalid: Map<string, string>): Values {
  const values: Record<string, unknown> = {};
  for (const [name, definition] of Object.entries<Setting<unknown>>(SETTINGS)) {
    const text = texts[name] ?? definition.fallback;
    if (text === undefined) continue;
    const result = definition.schema.safeParse(text, { error: plainWords });
    if (result.success) values[name] = result.data;
    else invalid.set(name, describeProblem(name, text, definition, result.error));
  }
  return values as Values;
}

function describeProblem(name: string, text: string, definition: Setting<unknown>, error: z.ZodError): string {
  const rule = error.issues[0]?.message ?? "is not valid";
  if (definition.isSecret || holdsUser(text)) return `${name} ${rule}.`;
  const shown = text.length > 60 ? `${truncate(text, 60)}…` : text;
  return `${name} ${rule}; it is ${JSON.stringify(shown)}.`;
}

/** A part that is only half configured would not do what its owner expects. */
function findContradictions(values: Values, set: ReadonlySet<string>): string[] {
  return [...findVectorProblems(values, set), ...findMailProblems(set), ...findTraceProblems(set)];
}

function findUnknown(texts: Environment): string[] {
  return Object.keys(texts)
    .filter((name) => name.startsWith("RECOLLECT_") && !(name in SETTINGS))
    .map((name) => `${name} is not a setting of this version and has no effect.`);
}

function buildConfig(
  values: Values,
  warnings: readonly string[],
): Omit<Config, "model" | "embedding" | "commandLogLevel" | "databaseUrl" | "databaseDefaults"> {
  return {
    dataDirectory: need(values.RECOLLECT_DATA_DIR),
    host: need(values.RECOLLECT_HOST),
    port: need(values.RECOLLECT_PORT),
    apiKey: values.RECOLLECT_API_KEY,
    timeZone: values.RECOLLECT_TIMEZONE ?? machineTimeZone(),
    offline: need(values.RECOLLECT_OFFLINE),
    fetchAllow: need(values.RECOLLECT_FETCH_ALLOW),
    logLevel: need(values.RECOLLECT_LOG_LEVEL),
    logFormat: need(values.RECOLLECT_LOG_FORMAT),
    embedder: chooseEmbedder(values),
    hub: { baseUrl: need(values.HF_ENDPOINT), token: values.HF_TOKEN },
    hasSeveralNodes: values.RECOLLECT_NODES === "several",
    enginesDirectory: values.RECOLLECT_ENGINES_DIR,
    chroma: values.CHROMA_URL === undefined ? undefined : buildChroma(values.CHROMA_URL, values),
    ...chooseVectors(values),
    exactMegabytes: need(values.RECOLLECT_EXACT_MEGABYTES),
    maxTextBytes: need(values.RECOLLECT_MAX_TEXT_BYTES),
    maxMetadataBytes: need(values.RECOLLECT_MAX_METADATA_BYTES),
    maxBatch: need(values.RECOLLECT_MAX_BATCH),
    maxBatchBytes: need(values.RECOLLECT_MAX_BATCH_BYTES),
    maxFileBytes: need(values.RECOLLECT_MAX_FILE_BYTES),
    bucket: chooseBucket(values),
    secretKey: values.RECOLLECT_SECRET_KEY,
    connectionFolders: need(values.RECOLLECT_CONNECTION_FOLDERS),
    providerUrls: need(values.RECOLLECT_PROVIDER_URLS),
    reading: readingConfig({
      RECOLLECT_READ_TIMEOUT_SECONDS: need(values.RECOLLECT_READ_TIMEOUT_SECONDS),
      RECOLLECT_READ_MEMORY_MEGABYTES: need(values.RECOLLECT_READ_MEMORY_MEGABYTES),
      RECOLLECT_READ_MAX_TEXT_BYTES: need(values.RECOLLECT_READ_MAX_TEXT_BYTES),
      RECOLLECT_READ_MAX_PAGES: need(values.RECOLLECT_READ_MAX_PAGES),
      RECOLLECT_READ_MAX_UNPACKED_BYTES: need(values.RECOLLECT_READ_MAX_UNPACKED_BYTES),
      RECOLLECT_READ_LANGUAGES: need(values.RECOLLECT_READ_LANGUAGES),
      RECOLLECT_READ_LANGUAGES_FROM: need(values.RECOLLECT_READ_LANGUAGES_FROM),
    }),
    transcriber: chooseTranscriber(values),
    maxSuperseded: need(values.RECOLLECT_MAX_SUPERSEDED),
    dreamQuiet: values.RECOLLECT_DREAM_QUIET,
    dreamLongestWait: need(values.RECOLLECT_DREAM_LONGEST_WAIT),
    keepFailedMinutes: need(values.RECOLLECT_KEEP_FAILED_MINUTES),
    maxStoreMegabytes: need(values.RECOLLECT_MAX_STORE_MEGABYTES),
    vacuumMegabytes: need(values.RECOLLECT_VACUUM_MEGABYTES),
    rate: buildRate(need(values.RECOLLECT_RATE_LIMIT), need(values.RECOLLECT_RATE_WINDOW_SECONDS)),
    concurrency: need(values.RECOLLECT_CONCURRENCY),
    threshold: need(values.RECOLLECT_THRESHOLD),
    searchMode: need(values.RECOLLECT_SEARCH_MODE),
    profileTokens: need(values.RECOLLECT_PROFILE_TOKENS),
    rerank: chooseRerank(values),
    traces: chooseTraces(values),
    patience: {
      serviceMs: need(values.RECOLLECT_SEARCH_PATIENCE_MS),
      modelMs: need(values.RECOLLECT_SEARCH_MODEL_PATIENCE_MS),
    },
    container: need(values.RECOLLECT_CONTAINER),
    mcpTools: need(values.RECOLLECT_MCP_TOOLS),
    publicUrl: values.RECOLLECT_PUBLIC_URL,
    isKeylessOff: values.RECOLLECT_KEYLESS === "off",
    trustedProxies: values.RECOLLECT_TRUSTED_PROXIES,
    allowedHosts: need(values.RECOLLECT_ALLOWED_HOSTS),
    allowedOrigins: need(values.RECOLLECT_ALLOWED_ORIGINS),
    mail: chooseMail(values),
    noColor: values.NO_COLOR !== undefined,
    warnings,
  };
}

function buildRate(requests: number, seconds: number): Config["rate"] {
  return requests === 0 ? undefined : { requests, windowMs: seconds * 1_000 };
}

function buildChroma(url: string, values: Values): ChromaConfig {
  return {
    url,
    token: values.CHROMA_TOKEN,
    tenant: values.CHROMA_TENANT,
    database: values.CHROMA_DATABASE,
  };
}

/** For settings with a fallback, which always have a value if they were read without a problem. */
function need<Value>(value: Value | undefined): Value {
  if (value === undefined) throw new Error("A setting without a fallback was treated as one with a fallback.");
  return value;
}

function freeze<Value extends object>(value: Value): Readonly<Value> {
  for (const part of Object.values(value)) if (typeof part === "object" && part !== null) freeze(part);
  return Object.freeze(value);
}
