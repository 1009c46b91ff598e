import { ownsAll } from "../auth.js";
import { connectionsAtAGlance, type ConnectionsAtAGlance } from "../connections/at-a-glance.js";
import type { About, AuthorizedCall, CoreContext } from "../context.js";
import type { ReadingProgram } from "../documents/content-ports.js";
import type { FailureTally, ModelTotals, StoreHealth, VectorStatus } from "../ports.js";
import { keyIdOf, type KeyRate } from "../types.js";
import { type DegradedPart, degradedParts } from "./degraded.js";
import { embeddingSummary, type EmbeddingSummary } from "../embeddings/embedding-status.js";
import { idleGuidance } from "../documents/idle-guidance.js";
import { readSettings } from "./settings.js";
import { type ExpiringKey, listExpiringKeys } from "../access/expiring-keys.js";

/** What clients show as the name of the one organisation of a server. */
export const ORGANIZATION_NAME = "Recollect";

/** What a person wants to see at a glance. */
export interface Status {
  readonly version: string;
  readonly organizationId: string;
  readonly dataDirectory: string;
  /** The database that holds the record; null if it is a file in the data folder. */
  readonly database: string | null;
  /** Whether programs on this machine may connect without a key, and why. */
  readonly keyless: About["keyless"];
  readonly embedder: string;
  readonly embedding: EmbeddingSummary;
  readonly llm: string;
  /** The cost of the language model so far. */
  readonly llmUse: ModelTotals;
  /** US dollars spent this month, and the limit; null without a limit. */
  readonly llmBudget: { readonly limit: number; readonly spent: number } | null;
  /** What the language model refused or failed to do for documents; null without one. */
  readonly llmFailures: ModelFailures | null;
  readonly factExtractor: string;
  /** What reranks results for searches with `rerank`. */
  readonly rerank: { readonly name: string; readonly problem: string | null };
  /** The files that can be read here, besides plain text. */
  readonly reading: ReadingStatus;
  /** Where uploaded files are stored. */
  readonly files: { readonly problem: string | null };
  readonly vectors: VectorStatus;
  readonly store: StoreHealth;
  readonly jobs: {
    readonly waiting: number;
    readonly running: number;
    readonly dead: number;
    /** Dead jobs whose document source could not be read. */
    readonly unreadable: number;
    readonly oldestWaitingSeconds: number;
  };
  /** Number of documents whose passages or facts are still to come. */
  readonly waitingDocuments: number;
  /** Those of them that are not searchable yet. */
  readonly unsearchableDocuments: number;
  /** The state of connections; none for callers who may not see them. */
  readonly connections: ConnectionsAtAGlance;
  /** Keys that expire soon or have expired; none for callers who may not see keys. */
  readonly expiringKeys: readonly ExpiringKey[];
  /** Guidance that has no effect here, and why; empty for a caller who may not see it. */
  readonly idleGuidance: readonly string[];
  /** Number of documents waiting to be read again, or being read. */
  readonly reprocessing: number;
  /** Parts that are degraded now; none if all is well. */
  readonly degraded: readonly DegradedPart[];
}

/** What this service can use for reading files. */
export interface ReadingStatus {
  /** Extensions of the files other than plain text, in lower case without the dot. */
  readonly endings: readonly string[];
  /** Maximum file size in bytes. */
  readonly maxFileBytes: number;
  readonly programs: readonly ReadingProgram[];
}

/** Documents that rules have read, titled or summarised because the language model did not. */
export interface ModelFailures extends FailureTally {
  /** Why the latest request to the model was not answered; null if it was, or if none was made since the start. */
  readonly problem: string | null;
}

export async function getStatus(context: CoreContext, call: AuthorizedCall): Promise<Status> {
  const status = await collectStatus(context, call);
  return { ...status, degraded: degradedParts(status, context.clock.now()) };
}

async function collectStatus(context: CoreContext, call: AuthorizedCall): Promise<Omit<Status, "degraded">> {
  const { store, vectors, embedders, reranker, about } = context;
  return {
    version: about.version,
    organizationId: store.organizationId,
    dataDirectory: about.dataDirectory,
    database: about.database,
    keyless: about.keyless,
    embedder: embedders.active().name,
    embedding: await embeddingSummary(context),
    llm: context.model?.name ?? "none",
    llmUse: await store.extractions.totals(store.organizationId),
    llmBudget: (await context.model?.budget?.()) ?? null,
    llmFailures: await modelFailures(context, call),
    factExtractor: about.factExtractor,
    rerank: { name: reranker?.name ?? "rules", problem: reranker?.problem() ?? null },
    reading: {
      endings: context.extractor.endings,
      maxFileBytes: context.limits.maxFileBytes,
      programs: await context.extractor.programs(),
    },
    files: { problem: await context.blobs.problem() },
    vectors: await vectors.status(),
    store: await store.health({ deep: false }),
    jobs: { ...(await store.jobs.counts()), unreadable: await store.jobs.unreadable() },
    reprocessing: await store.jobs.countOf("reprocess"),
    waitingDocuments: await store.documents.countWaiting(store.organizationId, call.actor.containers),
    unsearchableDocuments: await store.documents.countUnsearchable(store.organizationId, call.actor.containers),
    idleGuidance: ownsAll(call.actor) ? await findIdleGuidance(context) : [],
    connections: ownsAll(call.actor) ? await connectionsAtAGlance(context) : { total: 0, inTrouble: [] },
    expiringKeys: ownsAll(call.actor) ? await listExpiringKeys(context) : [],
  };
}

/** From the common settings and the containers; clients learn about their own when they set it. */
async function findIdleGuidance({ store, model }: CoreContext): Promise<string[]> {
  const hasModel = model !== null;
  const settings = await readSettings(store, store.organizationId, null);
  const { filterPrompt, includeItems, excludeItems, ...others } = settings;
  const filters = settings.shouldLLMFilter === true ? { filterPrompt, includeItems, excludeItems } : {};
  const idle = idleGuidance({ ...others, ...filters }, { hasModel });
  let containers = 0;
  for (const { text, containers: have } of await store.containers.guidance(store.organizationId))
    if (idleGuidance({ entityContext: text }, { hasModel }).length > 0) containers += have;
  if (containers === 0) return idle;
  const whose = containers === 1 ? "1 container" : `${containers} containers`;
  return [...idle, `entityContext of ${whose}: has no effect, or only a partial one, without a language model`];
}

async function modelFailures({ store, model }: CoreContext, { actor }: AuthorizedCall): Promise<ModelFailures | null> {
  if (!model) return null;
  const query = { mark: model.mark, within: actor.containers };
  const tally = await store.modelFailures.tally(store.organizationId, query);
  return { problem: model.standing?.().problem ?? null, ...tally };
}

/** `GET /v3/session` (contract 6.5). */
export interface Session {
  readonly organizationId: string;
  readonly keyName: string;
  readonly containers: "all" | readonly string[];
  /** Those of them that may only be read. */
  readonly readOnly: "all" | readonly string[];
  readonly isScoped: boolean;
  /** Requests per window, if the key has a rate of its own. */
  readonly rate: KeyRate | null;
  readonly expiresAt: string | null;
  /** The client that the key was made for, or that the request names. */
  readonly client: string | null;
}

export async function getSession({ store }: CoreContext, { actor }: AuthorizedCall): Promise<Session> {
  const { organizationId, name, containers, readOnly = [], isScoped = false, rate = null, client = null } = actor;
  const keyId = keyIdOf(actor);
  const key = keyId === null ? null : await store.keys.byId(organizationId, keyId);
  return {
    organizationId: store.organizationId,
    keyName: name,
    containers,
    readOnly,
    isScoped,
    rate,
    expiresAt: key?.expiresAt ?? null,
    client,
  };
}
