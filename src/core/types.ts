/**
 * The nouns of Recollect. Dates are ISO 8601 strings in UTC with milliseconds and `Z`,
 * because clients sort and compare them as text. Ids are 22 characters of base58.
 */

export * from "./access/actor-types.js";
export * from "./journal/audit-types.js";
export * from "./journal/types.js";
export * from "./memories/fact-candidate.js";
export * from "./access/key-types.js";
export * from "./access/permissions.js";
export * from "./access/oauth-types.js";
export * from "./access/device-types.js";
export * from "./access/sign-in-types.js";

/** The one person of a server, as clients show people. The address is nobody's: that name leads nowhere. */
export const OWNER = { id: "owner", name: "Owner", email: "owner@localhost" } as const;

export const DOCUMENT_STATUSES = [
  "unknown",
  "queued",
  "extracting",
  "chunking",
  "embedding",
  "indexing",
  "done",
  "failed",
] as const;
export type DocumentStatus = (typeof DOCUMENT_STATUSES)[number];

/**
 * What a person would call a document (contract 2.12); each has one. What an MCP client sent is `mcp`, an upload
 * `files`, and a text of no other kind `notes`.
 */
export const DOCUMENT_CATEGORIES = [
  "webpage",
  "tweet",
  "google_drive",
  "notion",
  "onedrive",
  "files",
  "notes",
  "mcp",
] as const;
export type DocumentCategory = (typeof DOCUMENT_CATEGORIES)[number];

export type DreamingStatus = "dreaming" | "done";
export type TaskType = "memory" | "superrag";
export type Dreaming = "dynamic" | "instant";

/** Metadata as callers write it: flat, with arrays of text as the only nesting (contract 1.10). */
export type MetadataValue = string | number | boolean | readonly string[];
export type Metadata = Readonly<Record<string, MetadataValue>>;

/** Where a fact came from; decides how far it is trusted. */
export type Origin = "user" | "agent" | "connector" | "web" | "rules";

/**
 * How far a text is trusted. `unverified`: it came from a page, a connected service, a tool or the assistant itself, and holds
 * as long as the user says nothing else. `flagged`: it reads like an instruction, or like an attempt to take over what is
 * known, and nobody has reviewed it.
 */
export const TRUST = ["trusted", "unverified", "flagged"] as const;
export type Trust = (typeof TRUST)[number];

export type MemoryKind = "fact" | "preference" | "episode" | "statement";

/** A fact that a caller hands over ready-made, so that nothing has to be extracted. */
export interface StatedFact {
  readonly text: string;
  readonly isStatic?: boolean | undefined;
  readonly forgetAfter?: string | undefined;
  readonly kind?: MemoryKind | undefined;
  /** The words of the document that state it, as the caller quotes them. */
  readonly quote?: string | undefined;
  /** Id of the memory that this fact replaces. */
  readonly updates?: string | undefined;
}

/** What was sent, as it is kept in the record. */
export interface Document {
  readonly id: string;
  readonly organizationId: string;
  readonly customId: string | null;
  readonly containerTags: readonly string[];
  readonly content: string;
  /** Grows by one with every accepted change of the content; a job for an older revision stops. */
  readonly revision: number;
  /** The newest revision whose facts were resolved, 0 for none: what came before it is not read again. */
  readonly rememberedRevision: number;
  readonly title: string | null;
  readonly summary: string | null;
  /** Where it came from, or `/files/{key}` for an uploaded file. */
  readonly url: string | null;
  readonly source: string | null;
  /** Name of the client that sent it, whose settings then apply to it. */
  readonly client: string | null;
  readonly type: string;
  readonly status: DocumentStatus;
  readonly dreamingStatus: DreamingStatus;
  /** Why processing failed, in words a person can act on. */
  readonly errorReason: string | null;
  readonly taskType: TaskType;
  readonly dreaming: Dreaming;
  readonly metadata: Metadata | null;
  /** Which memories may serve as context when its facts are extracted; null for all of the container. */
  readonly filterByMetadata: Metadata | null;
  readonly filepath: string | null;
  /** The date the content is from; relative dates in the text resolve against it. */
  readonly documentDate: string | null;
  /** The moment (ISO 8601 in UTC) from which on neither its passages nor what it alone states are told; null for never. */
  readonly forgetAfter: string | null;
  readonly origin: Origin;
  readonly facts: readonly StatedFact[] | null;
  /** True when the caller asked for this very text to be remembered: it becomes one fact if no rule finds any. */
  readonly rememberAsIs: boolean;
  /** What became of the facts of the newest revision; null until they were resolved. */
  readonly receipt: readonly RememberedFact[] | null;
  /** How many of its facts found no room within the limits of the settings, since it was read as a whole last. */
  readonly factsLeftOut: number;
  readonly createdAt: string;
  readonly updatedAt: string;
  /** The turns of a document that was sent as a conversation; its content is their transcript. */
  readonly turns: readonly Turn[] | null;
}

/** A document without its text, which may be large. */
export type DocumentHead = Omit<Document, "content" | "turns">;

/** What a chunk knows besides its text. */
export interface ChunkMetadata {
  readonly speakers?: readonly string[];
  /** ISO date or date-time of the conversation that the chunk is from. */
  readonly date?: string;
  /** Headings above the chunk in Markdown, outermost first. */
  readonly headings?: readonly string[];
  /** Set when the chunk is one piece of a turn that was too long to be one chunk. */
  readonly part?: { readonly number: number; readonly of: number };
  /** Where it stands in the file that the document was read from, as far as the format knows it; each from 1. */
  readonly page?: number;
  readonly slide?: number;
  readonly sheet?: string;
  /** Cells of the sheet, such as `A2:D40`. */
  readonly range?: string;
  readonly entry?: number;
  /** Seconds from the beginning of a recording. */
  readonly time?: readonly [start: number, end: number];
}

/** A piece of a document: the unit that search returns. */
export interface Chunk {
  /** Integer row number; never reused. See `unitOf`. */
  readonly seq: number;
  readonly id: string;
  readonly documentId: string;
  readonly revision: number;
  /** 0-based order within the document. */
  readonly position: number;
  readonly content: string;
  /** Neighbouring text that helps to find the chunk and is never returned. */
  readonly context: string;
  readonly type: "text";
  readonly metadata: ChunkMetadata | null;
  readonly createdAt: string;
}

/** The original bytes of an uploaded document, as they are known in the record; a `BlobStore` holds them. */
export interface StoredFile {
  /** Unguessable; the file is at `/files/{key}`. */
  readonly key: string;
  readonly documentId: string;
  /** As it was uploaded, without folders. */
  readonly name: string | null;
  /** `type/subtype` as the uploader named it. */
  readonly mimeType: string;
  readonly bytes: number;
  readonly createdAt: string;
}

/** One atomic fact. Versions are linked by `parentId` and `rootId`; a version is never overwritten. */
export interface Memory {
  readonly seq: number;
  readonly id: string;
  readonly containerTag: string;
  readonly text: string;
  readonly version: number;
  readonly isLatest: boolean;
  readonly parentId: string | null;
  readonly rootId: string | null;
  readonly kind: MemoryKind;
  readonly isStatic: boolean;
  readonly isInference: boolean;
  readonly isForgotten: boolean;
  readonly forgetAfter: string | null;
  /** What `forgetAfter` would be if no document that states it were ever forgotten. */
  readonly ownForgetAfter: string | null;
  readonly forgetReason: string | null;
  /** Number of documents that state this fact. */
  readonly sourceCount: number;
  /** How often the fact was stated, the first time included. */
  readonly strength: number;
  readonly origin: Origin;
  readonly metadata: Readonly<Record<string, unknown>> | null;
  /** Names of the people, places and things that it is about, where its author said so. */
  readonly entities?: readonly string[];
  /** Absent where nobody but the rules has judged. */
  readonly buckets?: BucketVerdict;
  readonly createdAt: string;
  readonly updatedAt: string;
}

/** The buckets of a profile that somebody who was shown their definitions chose for a fact. */
export interface BucketVerdict {
  readonly keys: readonly string[];
  /** Marks of the definitions that it was chosen from (`definitionMark`); of others it says nothing. */
  readonly judged: readonly string[];
}

/** A memory that is about to be written. */
export interface MemoryDraft {
  readonly id: string;
  readonly containerTag: string;
  readonly text: string;
  readonly kind: MemoryKind;
  readonly isStatic: boolean;
  readonly isInference: boolean;
  readonly forgetAfter: string | null;
  /** The same as `forgetAfter` by default. */
  readonly ownForgetAfter?: string | null;
  readonly forgetReason: string | null;
  readonly origin: Origin;
  readonly metadata: Readonly<Record<string, unknown>> | null;
  readonly entities?: readonly string[];
  readonly buckets?: BucketVerdict;
}

/** What became of a candidate. */
export interface RememberedFact {
  readonly id: string;
  readonly text: string;
  /**
   * `extended`: beside a memory that it says more of. `outdated`: kept in the past only, as something newer is known.
   * `review`: a guess that waits, as it reads like an order, would replace what it may not, or is not what the text says.
   */
  readonly outcome: "added" | "updated" | "duplicate" | "extended" | "outdated" | "review";
  /** The memory that was superseded, when `outcome` is `updated`. */
  readonly replaced?: string;
  readonly closeTo?: readonly string[]; // Ids of up to two memories that spoke of nearly the same, the nearest first.
  /** Since when search finds it (ISO); absent for what is kept in the past only, and where it was not noted. */
  readonly searchableAt?: string;
}

/** One turn of a conversation. */
export interface Turn {
  readonly speaker: string;
  readonly text: string;
  /** ISO date or date-time at which it was said, where the source knows it. */
  readonly date?: string;
}

/** A named part of a profile: `key` is 1 to 64 of `a-z0-9_-`, `description` says what belongs into it. */
export interface ProfileBucket {
  readonly key: string;
  readonly description: string;
}

/** A container tag with what is known of it (contract 5.3). */
export interface Container {
  /** Row number, as indexes use it. */
  readonly id: number;
  /** The id that clients see as `spaceId`. */
  readonly uid: string;
  readonly tag: string;
  readonly name: string | null;
  readonly description: string | null;
  /** Guidance for extraction in this container, up to 1,500 characters. */
  readonly entityContext: string | null;
  /** Who wrote it; null where that is not known. */
  readonly entityContextBy: ContextAuthor | null;
  /** Only documents under these paths form memories; null for all. */
  readonly memoryFilesystemPaths: readonly string[] | null;
  readonly profileBuckets: readonly ProfileBucket[];
  readonly visibility: "public" | "private" | "unlisted";
  readonly isExperimental: boolean;
  readonly emoji: string | null;
  /** Where its days are counted, as `lib/time-zone.ts` takes it; null for the server's zone. */
  readonly timeZone: string | null;
  readonly createdAt: string;
  readonly updatedAt: string;
}

/** Whoever wrote the guidance of a container. */
export interface ContextAuthor {
  /** As the journal names them. */
  readonly name: string;
  /** True for whoever could change everything of the organisation when they wrote it. */
  readonly isOwner: boolean;
}

/** A container with what lies in it. */
export interface ContainerSummary extends Container {
  readonly documentCount: number;
  /** Latest versions that are not forgotten. */
  readonly memoryCount: number;
  /** When a document was changed or a memory was made last; null for an empty one. */
  readonly lastActivityAt: string | null;
}

export const MERGE_STATUSES = [
  "queued",
  "waiting_for_ingest",
  "copying_vectors",
  "db_committing",
  "cleanup_pending",
  "completed",
  "failed",
] as const;
export type MergeStatus = (typeof MERGE_STATUSES)[number];

/** How far a merge is (contract 5.5). */
export interface MergeProgress {
  readonly phase: MergeStatus;
  readonly currentSourceTag?: string | undefined;
  readonly currentKind?: "chunk" | "memory" | undefined;
  /** Documents and memories that were moved. */
  readonly copiedRows?: number | undefined;
  /** Documents that gave up their customId, which another one has in the target. */
  readonly withoutCustomId?: number | undefined;
  readonly completedSourceTags?: readonly string[] | undefined;
  /** Documents that are still being processed. */
  readonly inFlightItems?: number | undefined;
  readonly attempt?: number | undefined;
}

/** Containers on their way into another one. */
export interface Merge {
  readonly id: string;
  readonly sourceTags: readonly string[];
  readonly targetTag: string;
  readonly status: MergeStatus;
  /** Null before the first step. */
  readonly progress: MergeProgress | null;
  readonly lastError: string | null;
  readonly createdAt: string;
  readonly updatedAt: string;
}

/** What a request was for, in the words of the wire contract (contract 1.14). */
export const REQUEST_TYPES = [
  "add",
  "search",
  "fast_search",
  "request",
  "update",
  "delete",
  "chat",
  "search_v4",
] as const;
export type RequestType = (typeof REQUEST_TYPES)[number];

/** One request to the API, without anything of what it said. */
export interface RequestRecord {
  readonly id: string;
  /** Null for a request without a key, or with a wrong one. */
  readonly keyId: string | null;
  readonly client: string | null;
  readonly type: RequestType;
  readonly method: string;
  /** The pattern of the path, such as `/v3/documents/{id}`. */
  readonly path: string;
  readonly status: number;
  /** Milliseconds from the request to its answer. */
  readonly duration: number;
  /** The container, when the request named exactly one. */
  readonly containerTag: string | null;
  /** What a refused request was told. */
  readonly error: string | null;
  /** Of the other end of the connection, where it is known. */
  readonly address?: string | null | undefined;
  /** As how many operations it counts in usage; one where nothing is said. */
  readonly operations?: number | undefined;
  readonly createdAt: string;
}

/** How one memory relates to an older one. `updates` is a new version; the others leave both true. */
export type Relation = "updates" | "extends" | "derives";

/** Fingerprint of everything that decides what a vector means. Vectors of different spaces never meet. */
export interface VectorSpace {
  readonly id: number;
  readonly fingerprint: string;
  readonly dimensions: number;
}

export type UnitKind = "chunk" | "memory";

/**
 * A unit is what search finds: a chunk or a memory, as one integer that is the row id in the text index
 * and the key of its vector. Even numbers are chunks, odd numbers memories.
 */
export type Unit = number;

/** Units, each once. */
export interface UnitSet extends Iterable<Unit> {
  readonly size: number;
  has(unit: Unit): boolean;
}

export function unitOf(kind: UnitKind, seq: number): Unit {
  return seq * 2 + (kind === "memory" ? 1 : 0);
}

export function kindOf(unit: Unit): UnitKind {
  return unit % 2 === 1 ? "memory" : "chunk";
}

export function seqOf(unit: Unit): number {
  return Math.floor(unit / 2);
}

/** Filter language of contract 1.13, after parsing. */
export type FilterExpression =
  { readonly all: readonly FilterExpression[] } | { readonly any: readonly FilterExpression[] } | FilterCondition;

export interface FilterCondition {
  readonly key: string;
  readonly value: string;
  readonly type: "metadata" | "numeric" | "array_contains" | "string_contains";
  readonly operator: ">" | "<" | ">=" | "<=" | "=" | "!=";
  readonly negate: boolean;
  readonly ignoreCase: boolean;
}

/**
 * Bytes of the texts of documents that one answer holds at most, besides those of its first: more would fill the memory and
 * hold others up.
 */
export const MOST_CONTENT_BYTES = 16 * 1024 * 1024;
