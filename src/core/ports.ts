import type { TimeZone } from "../lib/time-zone.js";
import type { ZodType } from "zod";
import type { AppError } from "./errors.js";
import type { ModelStanding } from "./documents/model-failure-ports.js";
import type { FactCandidate, ProfileBucket, Turn, Unit, UnitKind, UnitSet, VectorSpace } from "./types.js";

export type * from "./journal/audit-ports.js";
export type * from "./access/key-ports.js";
export type * from "./access/mail-ports.js";
export type * from "./usage/ports.js";
export type * from "./access/device-ports.js";
export type * from "./embeddings/ports.js";
export type * from "./access/oauth-ports.js";
export type * from "./search/rerank-ports.js";
export type * from "./access/sign-in-ports.js";
export type * from "./journal/ports.js";
export type * from "./documents/fetch-ports.js";
export type * from "./documents/model-failure-ports.js";
export type * from "./store-ports.js";
export type * from "./profile/ports.js";

/** The present. One port, so that tests can move time. */
export interface Clock {
  now(): Date;
}

/** Structured log on standard error. Fields hold ids and numbers, never content or keys. */
export interface Log {
  debug(event: string, fields?: Readonly<Record<string, unknown>>): void;
  info(event: string, fields?: Readonly<Record<string, unknown>>): void;
  warn(event: string, fields?: Readonly<Record<string, unknown>>): void;
  error(event: string, fields?: Readonly<Record<string, unknown>>): void;
}

// -------------------------------------------------------------------------------------------------------------- blobs

/** Bytes of uploaded files by key, beside the record: a row of `files` says which of them count. */
export interface BlobStore {
  /** Keeps the bytes durably under an id. @throws AppError `storage_full`, or `unavailable` when they cannot be kept */
  put(key: string, bytes: Uint8Array): Promise<void>;
  /** Up to `length` bytes from `start`, fewer at the end; null when there is nothing under the key. */
  read(key: string, start: number, length: number): Promise<Uint8Array | null>;
  /** Does nothing when there is nothing under the key. */
  remove(key: string): Promise<void>;
  /** Everything that is kept, and when it was written. */
  list(): Promise<{ readonly key: string; readonly writtenAt: Date }[]>;
}

// ---------------------------------------------------------------------------------------------------------- embedding

/** How the cosines of one vector space are to be read, so that similarity means the same in every space. */
export interface Calibration {
  /**
   * Cosine -> similarity by the vector alone, as points of a rising piecewise-linear curve: unrelated text lies near 0.2,
   * related above 0.45 (words make it 0.5), near-identical above 0.9. The last point is [1, 1].
   */
  readonly points: readonly (readonly [cosine: number, similarity: number])[];
  /** What common words count for beside the vector: 1, and up to 1.5 the less the vectors tell. */
  readonly wordWeight: number;
  /** Which share of common words counts for nothing where the vector says unrelated: 0 to 0.2, more the better it knows. */
  readonly doubt: number;
  /** Weight of the vector in the order of results; left out, that of the built-in embedder. */
  readonly vectorWeight?: number;
  /** True for vectors that say no more than the words that they are made of. */
  readonly ofWords?: boolean;
}

/** Turns texts into vectors of one space. */
export interface Embedder {
  /** Short name for people, e.g. `builtin` or `openai text-embedding-3-small`. */
  readonly name: string;
  /** Everything that decides what a vector means (embedder, version, model, requested dimensions), as one line. */
  readonly fingerprint: string;
  /** The most texts one `embed` call takes. */
  readonly maxBatch: number;
  /**
   * Cosine -> similarity, see `Calibration.points`. Unless `isCalibrated`, only a guess for as long as nothing was
   * measured in the space.
   */
  readonly calibration: Calibration["points"];
  /** True when `calibration` was measured with many labelled texts, so that no space has to be measured. */
  readonly isCalibrated?: boolean;
  /** See `Calibration.ofWords`. */
  readonly isOfWords?: boolean;
  /**
   * One vector of length 1 per text, in order. Never fewer, never of another size.
   * @throws AppError `unavailable` (with `retryAfter` when the provider named one) when the provider cannot be
   *   reached, is overloaded, or wants another key or model, `invalid` when it refuses these texts for good
   */
  embed(texts: readonly string[], purpose: "document" | "query", signal?: AbortSignal): Promise<Float32Array[]>;
  /** What keeps it from answering now, for people; null while it answers. */
  readonly problem?: () => string | null;
}

// ------------------------------------------------------------------------------------------------------------ vectors

export interface VectorHit {
  readonly unit: Unit;
  /** Cosine of the angle to the query, -1 to 1. */
  readonly cosine: number;
}

export interface VectorQuery {
  readonly space: VectorSpace;
  /** Rows of `containers`; nothing outside them is ever returned. */
  readonly containerIds: readonly number[];
  readonly kinds: readonly UnitKind[];
  /** Length 1. */
  readonly vector: Float32Array;
  readonly limit: number;
  /** When given, only these units count (a metadata filter that was evaluated in the record). */
  readonly among?: UnitSet | undefined;
}

/** Finds the nearest vectors. Derived data: everything in it can be rebuilt from a `VectorRecord`. */
export interface VectorIndex {
  /**
   * The best hits, best first, at most `limit`, each unit once. Sees everything that was committed to the record
   * before the call.
   * @throws AppError `unavailable` when no tier can answer
   */
  nearest(query: VectorQuery): Promise<VectorHit[]>;
  /** What a person should know: which tiers run, and what is degraded. */
  status(): Promise<VectorStatus>;
  /** Compares the index with the record and repairs what differs; searches go on meanwhile. */
  verify(signal?: AbortSignal): Promise<VectorVerification>;
  /**
   * Leaves no trace, not even in files, of vectors that the record no longer has. What keeps such traces is removed
   * whole and built anew from the record; searches go on meanwhile.
   */
  scrub(signal?: AbortSignal): Promise<void>;
  /** Gives up everything that is held of a space which the record is about to drop, or no longer has. */
  dropSpace(spaceId: number): Promise<void>;
  close(): Promise<void>;
}

export interface VectorStatus {
  /** E.g. `exact`, `exact + local Chroma 1.0.5`. */
  readonly name: string;
  readonly state: "ready" | "starting" | "degraded" | "off";
  /** Why it is degraded or off, and what to do. */
  readonly reason?: string;
  /** Changes of the record that the index has not seen yet. */
  readonly behind: number;
}

export interface VectorVerification {
  readonly collections: readonly {
    readonly name: string;
    readonly expected: number;
    readonly found: number;
    /** How many sampled vectors found themselves, of how many. */
    readonly selfQueries: { readonly asked: number; readonly found: number };
    readonly repaired: boolean;
  }[];
}

/** One change of the vector set, in the order of commits. */
export interface VectorChange {
  readonly seq: number;
  readonly containerId: number;
  readonly unit: Unit;
  /** The vector to hold from now on, or null when the unit is gone. */
  readonly vector: Float32Array | null;
}

/** Vectors of some units. */
export interface ContainerVectors {
  readonly units: readonly Unit[];
  /** `units.length × dimensions` floats, row by row. */
  readonly matrix: Float32Array;
}

/** The vectors as the record holds them, and the log of their changes that indexes follow. */
export interface VectorRecord {
  /** Number of vectors per container. */
  counts(spaceId: number): Promise<ReadonlyMap<number, number>>;
  /** The vectors of some units of some containers, in no order, each unit once. */
  pick(space: VectorSpace, containerIds: readonly number[], units: readonly Unit[]): Promise<ContainerVectors>;
  /** A page of all vectors of one container, by rising unit. */
  page(space: VectorSpace, containerId: number, afterUnit: Unit, limit: number): Promise<VectorChange[]>;
  /**
   * Goes through such a page without keeping it: a vector holds only until `see` returns, for the next one takes its place.
   * For reading very many.
   * @returns the units of the page, by rising unit
   */
  visit(
    space: VectorSpace,
    page: { readonly containerId: number; readonly afterUnit: Unit; readonly limit: number },
    see: (unit: Unit, vector: Float32Array) => void,
  ): Promise<Unit[]>;
  /**
   * Changes after `seq`, oldest first, of one container or of all.
   * @returns `truncated: true` when the log no longer reaches back to `seq`, so that the follower must load afresh
   */
  changesSince(
    space: VectorSpace,
    seq: number,
    options: { containerId?: number; limit: number },
  ): Promise<{ changes: VectorChange[]; truncated: boolean }>;
  /** Drops lines of the log that every follower has passed, except the newest ones. @returns how many */
  trim(spaceId: number, keepNewest: number): Promise<number>;
  /** The newest change of the space, 0 when there is none. */
  head(spaceId: number): Promise<number>;
  /** Where a named follower stands; 0 when it never moved. */
  position(follower: string, spaceId: number): Promise<number>;
  setPosition(follower: string, spaceId: number, seq: number): Promise<void>;
  /** Containers that have a collection of their own in the index. */
  placements(spaceId: number): Promise<ReadonlyMap<number, string>>;
  setPlacement(spaceId: number, containerId: number, collection: string): Promise<void>;
  removePlacement(spaceId: number, containerId: number): Promise<void>;
  /** Every space that holds vectors. */
  spaces(): Promise<VectorSpace[]>;
  /**
   * Deletes a space with all that belongs to it, little by little. Nothing may write to it meanwhile. What an earlier
   * call left unfinished is finished.
   */
  dropSpace(spaceId: number): Promise<void>;
}

// --------------------------------------------------------------------------------------------------------- extraction

/** What an extractor of facts is given. */
export interface FactSource {
  /** The whole text of the document. */
  readonly content: string;
  /** ISO date or date-time that relative dates resolve against, as somebody in the time zone writes it. */
  readonly date: string;
  /** Where the days of the text are counted. */
  readonly timeZone: TimeZone;
  readonly containerTag: string;
  /** The document as a conversation, when it is one; "I" is then the speaker, and "User" in any other text. */
  readonly turns?: readonly Turn[] | undefined;
  readonly title?: string | null | undefined;
  /** The beginning of the document, where `content` may be only what was added to it. */
  readonly opening?: string | undefined;
  readonly guidance?: ExtractionGuidance | undefined;
  /** What is known already and helps to understand the text. */
  readonly known?: readonly string[] | undefined;
  /** True for a text of the user or an agent: what comes from outside gives no instructions (`trust.ts`). */
  readonly isOwn?: boolean | undefined;
  /** Told of every answer of a language model, as soon as it was given. */
  readonly onModelUse?: ((use: ModelUse) => Promise<void>) | undefined;
  /** Told once a reading of why a language model did not read all of it, so that rules have read something in its place. */
  readonly onRefused?: ((why: AppError) => Promise<void>) | undefined;
}

/** What people said about how texts are to be read (contract 6.1); absent where nobody said anything. */
export interface ExtractionGuidance {
  readonly filterPrompt?: string;
  /** Any JSON. */
  readonly includeItems?: unknown;
  /** Any JSON. */
  readonly excludeItems?: unknown;
  readonly workspacePrompt?: string;
  readonly entityContext?: string;
  /** What somebody else than the owner wrote in its place: data, and nobody's wish. */
  readonly statedContext?: StatedContext;
  /** Which buckets a profile has that will show the facts. */
  readonly buckets?: readonly ProfileBucket[];
}

/** Guidance that is not the owner's. */
export interface StatedContext {
  readonly text: string;
  /** Who wrote it, as the journal names them. */
  readonly by: string;
}

/** What one answer of a language model cost. */
export interface ModelUse {
  readonly model: string;
  /** Name and version of the prompt, e.g. `extract-facts/1`. */
  readonly prompt: string;
  readonly inputTokens: number;
  readonly outputTokens: number;
  /** US dollars; null or absent where the price of the model is not known. */
  readonly cost?: number | null | undefined;
}

/** Finds lasting facts in a text. */
export interface FactExtractor {
  readonly name: string;
  /** Candidates in the order of the text; none for small talk and questions. Never throws for odd content. */
  extract(source: FactSource, signal?: AbortSignal): Promise<FactCandidate[]>;
}

// ------------------------------------------------------------------------------------------------------ language model

export interface ModelMessage {
  readonly role: "system" | "user" | "assistant";
  readonly content: string;
}

/** One question to a language model whose answer has to fit a schema. */
export interface ModelRequest<T> {
  /** Names the prompt, such as `extract-facts`; letters, digits and hyphens. */
  readonly name: string;
  readonly messages: readonly ModelMessage[];
  readonly schema: ZodType<T>;
  /** `fast` for many small questions, `careful` for what decides about memories. */
  readonly effort: "fast" | "careful";
  /** Longest answer in tokens. */
  readonly maxTokens?: number;
  /** True: is sent even while a model that refused is left alone, to see whether it does so still. */
  readonly isTrial?: boolean;
}

export interface ModelAnswer<T> {
  readonly value: T;
  readonly model: string;
  readonly inputTokens: number;
  readonly outputTokens: number;
  /** US dollars; null or absent where the price of the model is not known. */
  readonly cost?: number | null | undefined;
}

/** What a model costs, in US dollars per million tokens. */
export interface ModelPrices {
  readonly input: number;
  readonly output: number;
}

/** A language model of any provider. */
export interface LanguageModel {
  /** Short name for people, e.g. `openai gpt-5-mini`. */
  readonly name: string;
  /** Another one for another address, model or key, none of which it gives away. */
  readonly mark: string;
  /** How the model of an effort did lately; without one, how the newest question fared. Absent where nobody watches it. */
  readonly standing?: ((effort?: ModelRequest<unknown>["effort"]) => ModelStanding) | undefined;
  /** Of the careful model; absent where nobody named them. */
  readonly prices?: ModelPrices | undefined;
  /** Dollars of this month, and how many may be spent; absent where nobody set a limit. */
  readonly budget?: (() => Promise<{ readonly limit: number; readonly spent: number }>) | undefined;
  /**
   * Answers with a value that fits the schema, after repair and one more try where the first answer does not.
   * @throws AppError `unavailable` (with `retryAfter`) when the provider cannot be reached, is overloaded or out of
   *   credit; `invalid` when its answers never fit the schema or it refuses for good, as a `ServiceRefusal` where it
   *   refuses everything (wrong key, unknown model); `too_large` for a text or an answer that is too long for it
   */
  generate<T>(request: ModelRequest<T>, signal?: AbortSignal): Promise<ModelAnswer<T>>;
}

// --------------------------------------------------------------------------------------------------------------- jobs

/** A unit of background work. Written in the transaction of the change that needs it. */
export interface JobDraft {
  readonly kind: string;
  /** JSON; validated by the handler when the job is taken. */
  readonly payload: unknown;
  /** Jobs of one group take turns with those of other groups; usually a container tag. */
  readonly group: string;
  /** A second draft with the same key is dropped while the first is waiting or running. */
  readonly key?: string;
  /** True: never two jobs of this group and kind at once. */
  readonly exclusive?: boolean;
  /** Not before this moment. */
  readonly runAt?: Date;
  /** What it waits for until then, in words for people. */
  readonly reason?: string;
  readonly maxAttempts?: number;
}

export interface Job {
  readonly id: number;
  readonly kind: string;
  readonly payload: unknown;
  readonly group: string;
  readonly exclusive: boolean;
  /** 1 on the first run. A `retry later` does not count. */
  readonly attempt: number;
  readonly maxAttempts: number;
  /** How many processes in a row ended without a word while they ran it. */
  readonly crashes: number;
  /** When it was due. A following step that is enqueued with the same moment goes before younger work of its group. */
  readonly runAt: Date;
}

/** What a handler knows of the run it is in. */
export interface JobContext {
  readonly job: Job;
  /** Aborts when the service stops, the run takes too long, or the job was taken away. */
  readonly signal: AbortSignal;
  /**
   * Removes the job within the handler's own transaction, so that its effect and its end commit together; the
   * drafts of following jobs belong into the same transaction. Optional: a job whose handler returns is removed anyway.
   * @throws AppError `conflict` when the job is no longer this run's; the transaction must then roll back
   */
  finish(jobs: JobStore): Promise<void>;
  /**
   * As `finish`, and has another job done next: by the same run at once, where it is due and nothing else may have to go
   * before it.
   */
  follow(jobs: JobStore, draft: JobDraft): Promise<void>;
}

/**
 * Does one kind of job. `run` may be called again for the same job (a crash, a retry) and must cope with that.
 * It fails by throwing: `RetryLater` or an AppError with `retryAfter` puts the job back without counting an attempt;
 * an AppError that no retry can mend (`invalid`, `not_found`, ...) ends the job at once; anything else is retried.
 */
export interface JobHandler<Payload = unknown> {
  /** Checks the payload whenever a job is taken; what does not fit is dead at once. */
  readonly schema: ZodType<Payload>;
  /** Longest run in milliseconds, default 10 minutes. */
  readonly timeoutMs?: number;
  /**
   * So many jobs of this kind run beside all others instead of among them: for work that waits for a slow service, which
   * nothing else should have to wait for.
   */
  readonly slots?: number;
  /**
   * Each run goes on where the last one stopped, and takes long enough to be killed now and then: only the number of
   * attempts limits it. Any other job is set aside once two processes have died while they ran it.
   */
  readonly resumes?: boolean;
  run(payload: Payload, context: JobContext): Promise<void>;
}

export interface DeadJob {
  readonly id: number;
  readonly kind: string;
  readonly payload: unknown;
  readonly group: string;
  readonly reason: string;
  readonly diedAt: string;
}

/** Which jobs to take: by their kind, or those that a process died with. */
export type JobChoice =
  { readonly only: readonly string[] } | { readonly except: readonly string[] } | { readonly crashed: true };

/** A job that waits for its time or its turn. */
export interface WaitingJob {
  readonly id: number;
  readonly payload: unknown;
  /** How often it failed. */
  readonly attempt: number;
}

export interface JobStore {
  enqueue(drafts: readonly JobDraft[]): Promise<void>;
  /**
   * Takes up to `limit` due jobs for `leaseMs`, oldest first, alternating between groups and starting with those
   * that have the fewest running. Leases that ran out count as due again. Of all kinds, unless `kinds` says which.
   */
  claim(worker: string, limit: number, leaseMs: number, kinds?: JobChoice): Promise<Job[]>;
  /** Which of these kinds have a job to take, or would have one if no other kept it from its turn. */
  dueKinds(kinds: readonly string[]): Promise<string[]>;
  /** Prolongs the lease. @returns false when the job is no longer this worker's */
  extend(worker: string, jobId: number, leaseMs: number): Promise<boolean>;
  /** Removes a finished job. @returns false when the job is no longer this worker's */
  complete(worker: string, jobId: number): Promise<boolean>;
  /**
   * Puts another job, taken by the same worker, in the place of a finished one.
   * @returns null where a living job has its key already; "gone" when the finished one is no longer this worker's
   */
  replace(worker: string, jobId: number, draft: JobDraft, leaseMs: number): Promise<Job | null | "gone">;
  /** Puts the job back for a later run, counting a failure or not; it has not ended the process, so no crash counts any more. */
  release(worker: string, jobId: number, options: { runAt: Date; failed: boolean; reason: string }): Promise<void>;
  /** Gives up: the job stays visible as dead. */
  bury(worker: string, jobId: number, reason: string): Promise<void>;
  /** Frees every lease of workers that are gone, and counts a crash for each job; only the sole owner of a store may call it. */
  reclaim(): Promise<number>;
  /** Jobs of one kind and group that wait, due or not, oldest first. */
  waiting(kind: string, group: string): Promise<WaitingJob[]>;
  /** Puts off those of these jobs that wait; counts no failure. */
  hold(ids: readonly number[], runAt: Date, reason: string): Promise<void>;
  /** Makes all jobs of a kind due that wait for a later time. */
  hasten(kind: string): Promise<void>;
  /** Removes those of these jobs that wait: their work is done. */
  drop(ids: readonly number[]): Promise<void>;
  /** When the next waiting job is due, or null. */
  nextDue(): Promise<Date | null>;
  counts(): Promise<{ waiting: number; running: number; dead: number; oldestWaitingSeconds: number }>;
  /** How many jobs of a kind wait or run. */
  countOf(kind: string): Promise<number>;
  dead(limit: number): Promise<DeadJob[]>;
  /** Why the waiting job with this key was put back; null when it was not, or when there is none. */
  reasonOf(key: string): Promise<string | null>;
  /** Removes dead jobs whose key names this subject between colons: it was repaired or is gone. @returns how many */
  dropDead(subject: string): Promise<number>;
  /** Makes dead jobs due again, all or by id. @returns how many */
  revive(ids?: readonly number[]): Promise<number>;
  /** Last and next run of recurring work by name. */
  lastRun(name: string): Promise<Date | null>;
  setLastRun(name: string, at: Date): Promise<void>;
}
