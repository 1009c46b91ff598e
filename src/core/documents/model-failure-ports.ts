/** How a language model did lately. */
export interface ModelStanding {
  /** Whether the newest question was answered; null when none was asked since the start. */
  readonly isAnswering: boolean | null;
  /** Why not, in words for people; null where nothing is known to be wrong. */
  readonly problem: string | null;
  /** Until when it is left alone, because its service refused everything; null when it is asked. */
  readonly restsUntil: Date | null;
}

/** What a language model is asked for about a document; where it does not do it, rules do, or nobody for a `picture`. */
export type ModelStep = "facts" | "description" | "picture";

/** That a language model did not do a step of a document. */
export interface ModelFailure {
  readonly documentId: string;
  readonly step: ModelStep;
  /** Why, in words for people, without any of the document. */
  readonly reason: string;
  /** How often this model failed at it with answers, which cost something. */
  readonly attempts: number;
  /** Of the language model. */
  readonly mark: string;
  /** ISO 8601, the last time. */
  readonly failedAt: string;
  /** When it is tried again at the earliest (ISO 8601); null: not before the model is another. */
  readonly nextAt: string | null;
}

/** A failure whose document can be read again. */
export interface DueFailure extends Pick<ModelFailure, "documentId" | "step"> {
  readonly revision: number;
  /** The first container that the document lies in. */
  readonly containerTag: string;
}

/** How many documents one reason holds for. */
export interface FailureReason {
  readonly reason: string;
  readonly documents: number;
}

export interface FailureTally {
  /** Documents of which a step was left to rules, whichever. */
  readonly documents: number;
  /** Those of them that are not tried again before the model is another. */
  readonly givenUp: number;
  /** The most frequent first, at most ten. A document may count for two, once for each step. */
  readonly reasons: readonly FailureReason[];
}

/** What language models would not or could not do, and rules did in their place. Goes with its document. */
export interface ModelFailureStore {
  /** Writes what is known of a failure, in place of what was noted for the same step of the document. */
  note(organizationId: string, failure: ModelFailure): Promise<void>;
  /** The model has done the step by now. */
  end(documentId: string, step: ModelStep): Promise<void>;
  ofDocuments(organizationId: string, documentIds: readonly string[]): Promise<ModelFailure[]>;
  /** Those of a step to be tried again with this model: their time has come, or another model failed. The earliest failure first. */
  due(
    organizationId: string,
    query: { readonly step: ModelStep; readonly mark: string; readonly now: string; readonly limit: number },
  ): Promise<DueFailure[]>;
  /** Says of failures that are being tried again with this model: not before `until` (ISO 8601), whatever becomes of it. */
  putOff(
    failures: readonly Pick<ModelFailure, "documentId" | "step">[],
    to: { readonly mark: string; readonly until: string },
  ): Promise<void>;
  /** How many documents there are of which a step failed, in these containers. */
  tally(
    organizationId: string,
    query: { readonly mark: string; readonly within: "all" | readonly string[] },
  ): Promise<FailureTally>;
}
