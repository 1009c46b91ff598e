/** The recent state of a language model. */
export interface ModelStanding {
  /** Whether the latest request was answered; null when none has been made since the start. */
  readonly isAnswering: boolean | null;
  /** Why not, in words for people; null if no problem is known. */
  readonly problem: string | null;
  /** Until when it is left alone, because its service refused everything; null while it is used. */
  readonly restsUntil: Date | null;
}

/** What a language model is asked for about a document; if it fails, rules do it, or nobody for a `picture`. */
export type ModelStep = "facts" | "description" | "picture";

/** The failure of a language model to do a step of a document. */
export interface ModelFailure {
  readonly documentId: string;
  readonly step: ModelStep;
  /** Why, in words for people, without any of the document. */
  readonly reason: string;
  /** How often this model gave an unusable answer, which costs something. */
  readonly attempts: number;
  /** Identifies the language model. */
  readonly mark: string;
  /** The last time, ISO 8601. */
  readonly failedAt: string;
  /** Earliest retry (ISO 8601); null: not until the model changes. */
  readonly nextAt: string | null;
}

/** A failure whose document can be read again. */
export interface DueFailure extends Pick<ModelFailure, "documentId" | "step"> {
  readonly revision: number;
  /** The first container that the document is in. */
  readonly containerTag: string;
}

/** The number of documents that a reason applies to. */
export interface FailureReason {
  readonly reason: string;
  readonly documents: number;
}

export interface FailureTally {
  /** Number of documents with any step left to rules. */
  readonly documents: number;
  /** Those of them that are not retried until the model changes. */
  readonly givenUp: number;
  /** The most frequent first, at most ten. A document may count for two, once for each step. */
  readonly reasons: readonly FailureReason[];
}

/** What language models refused or failed to do, and rules did instead. Deleted with the document. */
export interface ModelFailureStore {
  /** Records a failure, replacing the earlier record for the same step of the document. */
  note(organizationId: string, failure: ModelFailure): Promise<void>;
  /** Records that the model has now done the step. */
  end(documentId: string, step: ModelStep): Promise<void>;
  ofDocuments(organizationId: string, documentIds: readonly string[]): Promise<ModelFailure[]>;
  /** Failures of a step to be retried with this model: they are due, or a different model failed. Earliest failure first. */
  due(
    organizationId: string,
    query: { readonly step: ModelStep; readonly mark: string; readonly now: string; readonly limit: number },
  ): Promise<DueFailure[]>;
  /** Marks failures that are being retried with this model: not before `until` (ISO 8601), whatever the outcome. */
  putOff(
    failures: readonly Pick<ModelFailure, "documentId" | "step">[],
    to: { readonly mark: string; readonly until: string },
  ): Promise<void>;
  /** The number of documents in these containers with a failed step. */
  tally(
    organizationId: string,
    query: { readonly mark: string; readonly within: "all" | readonly string[] },
  ): Promise<FailureTally>;
}
