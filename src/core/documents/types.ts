import type { Metadata, Origin, RememberedFact, StatedFact } from "../types.js";

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
 * What a person would call a document (contract 2.12); each has one category. What an MCP client sent is `mcp`, an upload
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

/** Document types that say where a document came from, whatever kind of file it was read from (contract 1.14). */
export const TYPES_BY_SOURCE: ReadonlySet<string> = new Set([
  "google_doc",
  "google_slide",
  "google_sheet",
  "gmail_thread",
  "notion_doc",
  "onedrive",
  "github_markdown",
  "granola",
]);

export type DreamingStatus = "dreaming" | "done";

export type TaskType = "memory" | "superrag";

export type Dreaming = "dynamic" | "instant";

/** A submission as stored in the record. */
export interface Document {
  readonly id: string;
  readonly organizationId: string;
  readonly customId: string | null;
  readonly containerTags: readonly string[];
  readonly content: string;
  /** Grows by one with every accepted change of the content; a job for an older revision stops. */
  readonly revision: number;
  /** The newest revision whose facts were resolved, 0 for none: earlier text is not read again. */
  readonly rememberedRevision: number;
  readonly title: string | null;
  readonly summary: string | null;
  /** Its source address, or `/files/{key}` for an uploaded file. */
  readonly url: string | null;
  readonly source: string | null;
  /** Name of the client that sent it, whose settings then apply. */
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
  /** The date of the content; relative dates in the text resolve against it. */
  readonly documentDate: string | null;
  /** The moment (ISO 8601 in UTC) from which neither its passages nor what only it states are shown; null for never. */
  readonly forgetAfter: string | null;
  readonly origin: Origin;
  readonly facts: readonly StatedFact[] | null;
  /** True when the caller asked for this exact text to be remembered: it becomes one fact if rules find none. */
  readonly rememberAsIs: boolean;
  /** The outcome for the facts of the newest revision; null until they are resolved. */
  readonly receipt: readonly RememberedFact[] | null;
  /** How many of its facts found no room within the limits of the settings, since it was last read as a whole. */
  readonly factsLeftOut: number;
  readonly createdAt: string;
  readonly updatedAt: string;
  /** The turns of a document that was sent as a conversation; its content is their transcript. */
  readonly turns: readonly Turn[] | null;
}

/** A document without its text, which may be large. */
export type DocumentHead = Omit<Document, "content" | "turns">;

/** What is stored about a chunk besides its text. */
export interface ChunkMetadata {
  readonly speakers?: readonly string[];
  /** ISO date or date-time of the conversation that the chunk is from. */
  readonly date?: string;
  /** Headings above the chunk in Markdown, outermost first. */
  readonly headings?: readonly string[];
  /** Set when the chunk is one piece of a turn that was too long to be one chunk. */
  readonly part?: { readonly number: number; readonly of: number };
  /** Its position in the file that the document was read from, as far as the format has it; each from 1. */
  readonly page?: number;
  readonly slide?: number;
  readonly sheet?: string;
  /** Cells of the sheet, such as `A2:D40`. */
  readonly range?: string;
  readonly entry?: number;
  /** Seconds from the beginning of a recording. */
  readonly time?: readonly [start: number, end: number];
  /** Set in what anybody may have written: a mail, a web page, an invitation. */
  readonly isByStranger?: true;
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

/** The record of an uploaded file; a `BlobStore` holds the bytes. */
export interface StoredFile {
  /** Unguessable; the file is at `/files/{key}`. */
  readonly key: string;
  readonly documentId: string;
  /** As uploaded, without folders. */
  readonly name: string | null;
  /** `type/subtype` as the uploader named it. */
  readonly mimeType: string;
  readonly bytes: number;
  readonly createdAt: string;
}

/** One turn of a conversation. */
export interface Turn {
  readonly speaker: string;
  readonly text: string;
  /** ISO date or date-time at which it was said, if the source knows it. */
  readonly date?: string;
  /** Digests of the pictures in it. */
  readonly pictures?: readonly string[];
  /** Set on the text read from a picture that the previous turn shows: its digest. Nobody has said it. */
  readonly picture?: string;
}

/** The most bytes of document texts in one answer, besides the first text: more would fill the memory and delay others. */
export const MOST_CONTENT_BYTES = 16 * 1024 * 1024;
