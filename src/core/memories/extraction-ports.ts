import type { ModelUse } from "../ports.js";

/** What answers of language models cost, and which prompt they answered. */
export interface ExtractionStore {
  note(
    organizationId: string,
    entry: ModelUse & { readonly documentId: string; readonly revision: number },
  ): Promise<void>;
  /** Tokens and cost of all answers about all documents, or about one. */
  totals(organizationId: string, documentId?: string): Promise<ModelTotals>;
  /** US dollars of all answers since a moment (ISO), as far as prices were known. */
  costSince(organizationId: string, moment: string): Promise<number>;
  /** Which of these prompts a model answered about this revision of a document; null when none. */
  promptOf(
    organizationId: string,
    document: { readonly id: string; readonly revision: number },
    prompts: readonly string[],
  ): Promise<string | null>;
  /** Notes what found the facts of a document, e.g. `rules/1`, in place of what was noted before. */
  noteReading(documentId: string, extractor: string): Promise<void>;
  /**
   * Documents whose facts were found, or given up, oldest first: those that form memories, without the ones whose sender
   * stated the facts.
   */
  readings(organizationId: string, query: ReadingQuery): Promise<DocumentReading[]>;
  /** Notes how a document was cut into chunks, in place of what was noted before; null for as is usual. */
  noteCutting(documentId: string, chunking: string | null): Promise<void>;
  /** Documents that are cut into chunks and findable, oldest first. */
  cuttings(organizationId: string, query: Omit<ReadingQuery, "exceptBy">): Promise<DocumentCutting[]>;
}

/** What answers of language models took together. */
export interface ModelTotals {
  readonly answers: number;
  readonly inputTokens: number;
  readonly outputTokens: number;
  /** US dollars of those whose price is known; null when that is none of them. */
  readonly cost: number | null;
  /** Answers whose price is not known. */
  readonly unpricedAnswers: number;
}

export interface ReadingQuery {
  readonly ids?: readonly string[] | undefined;
  /** Only documents that lie in one of these. */
  readonly containerTags?: readonly string[] | undefined;
  /** Only documents that lie in no other containers. */
  readonly within: "all" | readonly string[];
  /** Without documents whose facts one of these found. */
  readonly exceptBy?: readonly string[] | undefined;
}

/** With what a document was read. */
export interface DocumentReading extends WorkedDocument {
  /** Null when nobody noted it. */
  readonly extractor: string | null;
}

/** How a document was cut into chunks. */
export interface DocumentCutting extends WorkedDocument {
  /** Who sent it, whose settings hold for it. */
  readonly client: string | null;
  /** Null for as is usual. */
  readonly chunking: string | null;
}

/** A document that work may be done on. */
export interface WorkedDocument {
  readonly id: string;
  readonly revision: number;
  /** The first container that it lies in. */
  readonly containerTag: string;
  /** Of its text. */
  readonly bytes: number;
}
