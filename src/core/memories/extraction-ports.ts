import type { ModelUse } from "../ports.js";

/** What answers of language models cost, and which prompt they answered. */
export interface ExtractionStore {
  note(
    organizationId: string,
    entry: ModelUse & { readonly documentId: string; readonly revision: number },
  ): Promise<void>;
  /** Tokens and cost of all answers about all documents, or about one. */
  totals(organizationId: string, documentId?: string): Promise<ModelTotals>;
  /** Cost in US dollars of all answers since a moment (ISO), as far as prices are known. */
  costSince(organizationId: string, moment: string): Promise<number>;
  /** Which of these prompts a model answered for this revision of a document; null for none. */
  promptOf(
    organizationId: string,
    document: { readonly id: string; readonly revision: number },
    prompts: readonly string[],
  ): Promise<string | null>;
  /** Records what extracted the facts of a document, e.g. `rules/1`, replacing the earlier record. */
  noteReading(documentId: string, extractor: string): Promise<void>;
  /**
   * Documents whose extraction was completed or abandoned, oldest first: those that form memories, except those whose sender
   * stated the facts, or which only stand for memories that were added directly.
   */
  readings(organizationId: string, query: ReadingQuery): Promise<DocumentReading[]>;
  /** Records how a document was cut into chunks, replacing the earlier record; null for the default. */
  noteCutting(documentId: string, chunking: string | null): Promise<void>;
  /** Documents that are chunked and searchable, oldest first. */
  cuttings(organizationId: string, query: Omit<ReadingQuery, "exceptBy">): Promise<DocumentCutting[]>;
}

/** Totals for answers of language models. */
export interface ModelTotals {
  readonly answers: number;
  readonly inputTokens: number;
  readonly outputTokens: number;
  /** US dollars of the answers whose price is known; null when none is. */
  readonly cost: number | null;
  /** Answers whose price is not known. */
  readonly unpricedAnswers: number;
}

export interface ReadingQuery {
  readonly ids?: readonly string[] | undefined;
  /** Only documents in one of these containers. */
  readonly containerTags?: readonly string[] | undefined;
  /** Only documents that are in no other containers. */
  readonly within: "all" | readonly string[];
  /** Excludes documents whose facts one of these extracted. */
  readonly exceptBy?: readonly string[] | undefined;
}

/** The extractor a document was read with. */
export interface DocumentReading extends WorkedDocument {
  /** Null when not recorded. */
  readonly extractor: string | null;
}

/** How a document was cut into chunks. */
export interface DocumentCutting extends WorkedDocument {
  /** The client that sent it, whose settings apply. */
  readonly client: string | null;
  /** Null for the default. */
  readonly chunking: string | null;
}

/** A document that may be processed again. */
export interface WorkedDocument {
  readonly id: string;
  readonly revision: number;
  /** The first container it is in. */
  readonly containerTag: string;
  /** Size of its text. */
  readonly bytes: number;
}
