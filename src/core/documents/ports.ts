import type { FileReading } from "./content-ports.js";
import type {
  Chunk,
  ChunkMetadata,
  Document,
  DocumentCategory,
  DocumentHead,
  DocumentStatus,
  DreamingStatus,
  FilterExpression,
  Metadata,
  VectorSpace,
} from "../types.js";

export interface DocumentDraft {
  readonly id: string;
  readonly customId: string | null;
  readonly containerTags: readonly string[];
  readonly content: string;
  readonly turns: Document["turns"];
  readonly title: string | null;
  readonly url: string | null;
  readonly client: string | null;
  readonly type: string;
  readonly status: DocumentStatus;
  readonly dreamingStatus: DreamingStatus;
  readonly taskType: Document["taskType"];
  readonly dreaming: Document["dreaming"];
  readonly metadata: Metadata | null;
  readonly filterByMetadata: Metadata | null;
  readonly source: string | null;
  readonly filepath: string | null;
  readonly documentDate: string | null;
  readonly forgetAfter: string | null;
  readonly origin: Document["origin"];
  readonly facts: Document["facts"];
  readonly rememberAsIs: boolean;
}

/** What an update of a document may change; absent keys stay as they are. */
export interface DocumentChange {
  readonly customId?: string | null;
  readonly content?: string;
  readonly turns?: Document["turns"];
  readonly revision?: number;
  readonly rememberedRevision?: number;
  readonly containerTags?: readonly string[];
  readonly title?: string | null;
  readonly summary?: string | null;
  readonly url?: string | null;
  readonly client?: string | null;
  readonly type?: string;
  readonly status?: DocumentStatus;
  readonly dreamingStatus?: DreamingStatus;
  readonly errorReason?: string | null;
  readonly taskType?: Document["taskType"];
  readonly dreaming?: Document["dreaming"];
  readonly metadata?: Metadata | null;
  readonly filterByMetadata?: Metadata | null;
  readonly source?: string | null;
  readonly filepath?: string | null;
  readonly documentDate?: string | null;
  readonly forgetAfter?: string | null;
  readonly origin?: Document["origin"];
  readonly facts?: Document["facts"];
  readonly rememberAsIs?: boolean;
  readonly receipt?: Document["receipt"];
  readonly factsLeftOut?: number;
}

export interface DocumentQuery {
  readonly containerTags?: readonly string[] | undefined;
  /** How several tags combine. */
  readonly operator: "any" | "all";
  readonly statuses?: readonly DocumentStatus[] | undefined;
  readonly source?: string | undefined;
  /** Any of these. */
  readonly sources?: readonly string[] | undefined;
  readonly categories?: readonly DocumentCategory[] | undefined;
  /** Exact path, or a prefix when it ends in `/`. */
  readonly filepath?: string | undefined;
  readonly filters?: FilterExpression | undefined;
  /** Only those that are not forgotten yet at this moment (ISO 8601 in UTC). */
  readonly toldAt?: string | undefined;
  readonly sort: "createdAt" | "updatedAt";
  readonly order: "asc" | "desc";
  readonly offset: number;
  readonly limit: number;
  readonly includeContent: boolean;
}

/** What is needed to resolve the facts of a submission later. */
export type PendingFacts = Pick<Document, "facts" | "rememberAsIs">;

/** A submission of a document that another one replaces. */
export interface KeptRevision {
  readonly revision: number;
  readonly content: string;
  /** True when the text that replaces it begins with it: a text that grows must not be kept again and again. */
  readonly isPrefixOfNext: boolean;
  /** Set when its facts are still to be resolved. */
  readonly pending: PendingFacts | null;
}

/** The size of a document's text, and how it begins. */
export interface DocumentOutline {
  readonly id: string;
  /** The first characters of the text. */
  readonly excerpt: string;
  readonly characters: number;
  readonly words: number;
  readonly chunks: number;
  /** Characters of all its chunks together. */
  readonly chunkCharacters: number;
}

/** What a language model called a document; null where it said nothing that can be used. */
export interface DocumentDescription {
  /** Stands for the text that it was shown. */
  readonly textMark: string;
  readonly title: string | null;
  readonly summary: string | null;
}

export interface DocumentStore {
  insert(organizationId: string, draft: DocumentDraft): Promise<Document>;
  byId(organizationId: string, id: string): Promise<Document | null>;
  /** Which revision of it is the newest; null when it is not there. */
  newestRevision(organizationId: string, id: string): Promise<number | null>;
  /**
   * The document with this customId in any of these containers. Where several have it, one whose first container is among
   * these before others, then the one that changed last: an id that callers choose belongs to a container (contract 1.9).
   */
  byCustomId(
    organizationId: string,
    customId: string,
    containerTags: "all" | readonly string[],
  ): Promise<Document | null>;
  /** In the order in which they came. */
  headsByIds(organizationId: string, ids: readonly string[]): Promise<DocumentHead[]>;
  /** Those in any of these containers, the last changed last. */
  headsByCustomIds(
    organizationId: string,
    customIds: readonly string[],
    containerTags: "all" | readonly string[],
  ): Promise<DocumentHead[]>;
  update(organizationId: string, id: string, change: DocumentChange): Promise<void>;
  /** Keeps a submission that is about to be replaced; only its length when the text that follows begins with it. */
  keepRevision(organizationId: string, id: string, kept: KeptRevision): Promise<void>;
  /** The text of any revision, the newest one included; null when it was never kept. */
  revisionText(organizationId: string, id: string, revision: number): Promise<string | null>;
  /** Replaced submissions whose facts are still to be resolved, oldest first. */
  pendingRevisions(organizationId: string, id: string): Promise<({ readonly revision: number } & PendingFacts)[]>;
  /** Nothing of the submissions up to this revision is to be resolved any more. */
  settleRevisions(organizationId: string, id: string, revision: number): Promise<void>;
  /** Keeps what a language model said of a document, in place of what it said of an earlier text. */
  describe(organizationId: string, id: string, description: DocumentDescription): Promise<void>;
  /** What a language model said of the document last. */
  description(organizationId: string, id: string): Promise<DocumentDescription | null>;
  /** Keeps which file a document is read from, and what that gave, in place of what was known of an earlier file. */
  keepReading(organizationId: string, id: string, reading: FileReading): Promise<void>;
  /** The reading of the file that the document names; null where it names none, or one that is text as it is. */
  reading(organizationId: string, id: string): Promise<FileReading | null>;
  /** Notes that a document came as a file in the file of another. `digest` tells it from the others in that file. */
  attach(
    organizationId: string,
    id: string,
    attachment: { readonly attachedTo: string; readonly digest: string },
  ): Promise<void>;
  /** The documents that came in the file of a document, and are there. */
  attachments(organizationId: string, id: string): Promise<{ readonly id: string; readonly digest: string }[]>;
  /** Ids of those that are there, and of those that were deleted and not purged. */
  everAttached(organizationId: string, id: string): Promise<string[]>;
  /** The document in whose file one came; null for others. */
  attachedTo(organizationId: string, id: string): Promise<string | null>;
  /** Ids of documents whose time is over and whose chunks are not in the forgotten part of the index yet. */
  expired(organizationId: string, now: Date, limit: number): Promise<string[]>;
  /** Removes the document with its chunks, their index entries and its links to memories. */
  remove(organizationId: string, id: string): Promise<void>;
  /** One page; `content` only when the query asks for it, and only of as many as there is room for in one answer. */
  list(
    organizationId: string,
    query: DocumentQuery,
  ): Promise<{ documents: (DocumentHead & { content?: string })[]; total: number }>;
  /** Sizes of these documents with the first `excerpt` characters of their texts, or fewer where one answer has no room, in no order. */
  outlines(organizationId: string, ids: readonly string[], excerpt: number): Promise<DocumentOutline[]>;
  /** How many documents each category has, the most first; categories without any are left out. */
  countCategories(
    organizationId: string,
    containerTags: "all" | readonly string[],
  ): Promise<{ category: DocumentCategory; count: number }[]>;
  /** Documents of these containers whose chunks or memories are not ready yet. */
  countWaiting(organizationId: string, containerTags: "all" | readonly string[]): Promise<number>;
  /** Those of them that no search finds yet; the others are found, and only their memories are still to come. */
  countUnsearchable(organizationId: string, containerTags: "all" | readonly string[]): Promise<number>;
}

export interface ChunkDraft {
  readonly id: string;
  readonly content: string;
  readonly context: string;
  readonly metadata: ChunkMetadata | null;
}

/** Where a chunk stands: a position of a revision of a document. */
export type ChunkPlace = Pick<Chunk, "documentId" | "revision" | "position">;

export interface ChunkStore {
  /**
   * Makes these the chunks of the document, in the order given. One whose content, context and metadata are as before
   * stays: row, id, index entry and vectors. All others go, with their index entries.
   * @returns the chunks of the revision; those that are new carry the id of their draft, and are not findable yet
   */
  replace(
    organizationId: string,
    documentId: string,
    revision: number,
    drafts: readonly ChunkDraft[],
  ): Promise<Chunk[]>;
  /** What `replace` would change now: the drafts that it would write, and the row numbers of the chunks that would go. */
  difference(
    organizationId: string,
    documentId: string,
    drafts: readonly ChunkDraft[],
  ): Promise<{ readonly added: readonly ChunkDraft[]; readonly dropped: readonly number[] }>;
  /**
   * Writes chunks of the document behind those that are there, so that `replace` finds them and has less to do at once.
   * @returns them as they are; they are not findable yet
   */
  append(organizationId: string, documentId: string, revision: number, drafts: readonly ChunkDraft[]): Promise<Chunk[]>;
  /** Takes chunks of the document away by their row numbers, with their index entries. */
  drop(organizationId: string, documentId: string, seqs: readonly number[]): Promise<void>;
  /** Chunks of one revision, by position. */
  ofDocument(organizationId: string, documentId: string, revision: number): Promise<Chunk[]>;
  /** Chunks of the newest revision that has some, by position. */
  newest(organizationId: string, documentId: string): Promise<Chunk[]>;
  /** The chunks at these places, in no order; places without one are left out. */
  at(organizationId: string, places: readonly ChunkPlace[]): Promise<Chunk[]>;
  /** Chunks of one revision that have no vector in this space yet, by position; all of them without a space. */
  withoutVector(
    organizationId: string,
    documentId: string,
    revision: number,
    space: VectorSpace | null,
  ): Promise<Chunk[]>;
}
