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
  /** Only those not expired at this moment (ISO 8601 in UTC). */
  readonly toldAt?: string | undefined;
  readonly sort: "createdAt" | "updatedAt";
  readonly order: "asc" | "desc";
  readonly offset: number;
  readonly limit: number;
  readonly includeContent: boolean;
}

/** What is needed to resolve the facts of a submission later. */
export type PendingFacts = Pick<Document, "facts" | "rememberAsIs">;

/** A submission of a document that another one replaced. */
export interface KeptRevision {
  readonly revision: number;
  readonly content: string;
  /** True when the next text begins with it: a growing text must not be stored again and again. */
  readonly isPrefixOfNext: boolean;
  /** Set when its facts are still to be resolved. */
  readonly pending: PendingFacts | null;
}

/** The size of a document's text, and its beginning. */
export interface DocumentOutline {
  readonly id: string;
  /** The first characters of the text. */
  readonly excerpt: string;
  readonly characters: number;
  readonly words: number;
  readonly chunks: number;
  /** Total characters of its chunks. */
  readonly chunkCharacters: number;
}

/** A language model's description of a document; null where it said nothing usable. */
export interface DocumentDescription {
  /** Identifies the text that it was shown. */
  readonly textMark: string;
  readonly title: string | null;
  readonly summary: string | null;
}

export interface DocumentStore {
  insert(organizationId: string, draft: DocumentDraft): Promise<Document>;
  byId(organizationId: string, id: string): Promise<Document | null>;
  /** Its newest revision; null when it does not exist. */
  newestRevision(organizationId: string, id: string): Promise<number | null>;
  /**
   * The document with this customId in any of these containers. If several have it, prefers one whose first container is among
   * these, then the one that changed last: a customId belongs to a container.
   */
  byCustomId(
    organizationId: string,
    customId: string,
    containerTags: "all" | readonly string[],
  ): Promise<Document | null>;
  /** In order of arrival. */
  headsByIds(organizationId: string, ids: readonly string[]): Promise<DocumentHead[]>;
  /** Those in any of these containers, the most recently changed last. */
  headsByCustomIds(
    organizationId: string,
    customIds: readonly string[],
    containerTags: "all" | readonly string[],
  ): Promise<DocumentHead[]>;
  update(organizationId: string, id: string, change: DocumentChange): Promise<void>;
  /** Stores a submission that is about to be replaced; only its length if the text that follows begins with it. */
  keepRevision(organizationId: string, id: string, kept: KeptRevision): Promise<void>;
  /** The text of any revision, including the newest; null when it was never stored. */
  revisionText(organizationId: string, id: string, revision: number): Promise<string | null>;
  /** Replaced submissions whose facts are still to be resolved, oldest first. */
  pendingRevisions(organizationId: string, id: string): Promise<({ readonly revision: number } & PendingFacts)[]>;
  /** Marks the submissions up to this revision as resolved. */
  settleRevisions(organizationId: string, id: string, revision: number): Promise<void>;
  /** Stores a language model's description of a document, replacing that of an earlier text. */
  describe(organizationId: string, id: string, description: DocumentDescription): Promise<void>;
  /** The last description of the document by a language model. */
  description(organizationId: string, id: string): Promise<DocumentDescription | null>;
  /** Stores which file a document is read from, and the outcome, replacing those of an earlier file. */
  keepReading(organizationId: string, id: string, reading: FileReading): Promise<void>;
  /** The reading of the file that the document names; null if it names none, or one that is plain text. */
  reading(organizationId: string, id: string): Promise<FileReading | null>;
  /**
   * Records that a document came as a file inside another document's file. `digest` distinguishes it from others in that file.
   */
  attach(
    organizationId: string,
    id: string,
    attachment: { readonly attachedTo: string; readonly digest: string },
  ): Promise<void>;
  /** The existing documents that came in the file of a document. */
  attachments(organizationId: string, id: string): Promise<{ readonly id: string; readonly digest: string }[]>;
  /** Ids of those that exist, and of those deleted but not purged. */
  everAttached(organizationId: string, id: string): Promise<string[]>;
  /** The document in whose file one came; null for others. */
  attachedTo(organizationId: string, id: string): Promise<string | null>;
  /** Ids of expired documents whose chunks are not in the forgotten part of the index yet. */
  expired(organizationId: string, now: Date, limit: number): Promise<string[]>;
  /** Removes the document with its chunks, their index entries and its links to memories. */
  remove(organizationId: string, id: string): Promise<void>;
  /** One page; `content` only on request, and only for as many as one answer has room for. */
  list(
    organizationId: string,
    query: DocumentQuery,
  ): Promise<{ documents: (DocumentHead & { content?: string })[]; total: number }>;
  /**
   * Sizes of these documents with the first `excerpt` characters of their texts, or fewer if one answer has no room, in no
   * order.
   */
  outlines(organizationId: string, ids: readonly string[], excerpt: number): Promise<DocumentOutline[]>;
  /** The number of documents per category, highest first; empty categories are left out. */
  countCategories(
    organizationId: string,
    containerTags: "all" | readonly string[],
  ): Promise<{ category: DocumentCategory; count: number }[]>;
  /** Number of documents in these containers whose chunks or memories are not ready yet. */
  countWaiting(organizationId: string, containerTags: "all" | readonly string[]): Promise<number>;
  /** Those of them that are not searchable yet; the others are, and only their memories are still to come. */
  countUnsearchable(organizationId: string, containerTags: "all" | readonly string[]): Promise<number>;
}

export interface ChunkDraft {
  readonly id: string;
  readonly content: string;
  readonly context: string;
  readonly metadata: ChunkMetadata | null;
}

/** The position of a chunk in a revision of a document. */
export type ChunkPlace = Pick<Chunk, "documentId" | "revision" | "position">;

export interface ChunkStore {
  /**
   * Makes these the chunks of the document, in the order given. A chunk with unchanged content, context and metadata keeps its
   * row, id, index entry and vectors. All others are deleted with their index entries.
   * @returns the chunks of the revision; new ones have the id of their draft, and are not searchable yet
   */
  replace(
    organizationId: string,
    documentId: string,
    revision: number,
    drafts: readonly ChunkDraft[],
  ): Promise<Chunk[]>;
  /** What `replace` would change now: the drafts that it would write, and the row numbers of the chunks that it would delete. */
  difference(
    organizationId: string,
    documentId: string,
    drafts: readonly ChunkDraft[],
  ): Promise<{ readonly added: readonly ChunkDraft[]; readonly dropped: readonly number[] }>;
  /**
   * Writes further chunks of the document after the existing ones, so that `replace` has less to do at once.
   * @returns them as they are; they are not searchable yet
   */
  append(organizationId: string, documentId: string, revision: number, drafts: readonly ChunkDraft[]): Promise<Chunk[]>;
  /** Deletes chunks of the document by row number, with their index entries. */
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
