import type { Embedder, PlainUnit } from "../ports.js";
import type { UnitKind, VectorSpace } from "../types.js";

/** A choice of embedder. Never contains a secret: keys come from the configuration whenever the embedder is created. */
export type EmbedderChoice =
  | { readonly kind: "builtin" }
  /** `model` is a folder or the name of a model on the Hugging Face hub. */
  | { readonly kind: "static"; readonly model: string }
  | {
      readonly kind: "openai";
      readonly model: string;
      readonly baseUrl: string;
      /** Size to request; null leaves it to the model. */
      readonly dimensions: number | null;
    };

/** The embedders of the service. The active one may change at any moment. */
export interface Embedders {
  /**
   * The embedder for searches and for what is written now. A caller that needs several things of it (fingerprint, vectors,
   * calibration) calls this once and keeps the result, so that they belong together.
   */
  active(): Embedder;
  /** Activates another one. Called in the transaction that records it, so that both take effect at the same moment. */
  activate(embedder: Embedder): void;
  /**
   * The embedder of a choice, created on first request; a failure is not cached.
   * @throws AppError `unavailable` when it is not available now, `invalid` when it never can be
   */
  prepare(choice: EmbedderChoice, waiting?: Waiting): Promise<Embedder>;
  /** Releases what was prepared for a choice that is no longer needed. */
  release(choice: EmbedderChoice): Promise<void>;
  /** Releases everything. */
  close(): Promise<void>;
}

/** How a caller waits for an embedder that has to be downloaded. */
export interface Waiting {
  readonly signal?: AbortSignal;
  readonly onProgress?: (progress: Download) => void;
}

/** Bytes received, and their total. */
export interface Download {
  readonly bytes: number;
  readonly total: number;
}

/** An embedder that may hold a file open. */
export interface MadeEmbedder extends Embedder {
  close?(): Promise<void>;
}

/** Creates embedders. */
export interface EmbedderMaker {
  /** @throws AppError `unavailable` when it is not available now (with `retryAfter`), `invalid` when it never can be */
  make(choice: EmbedderChoice, waiting?: Waiting): Promise<MadeEmbedder>;
}

/** The role of an embedder: it is active, it is to be next, or it was active before and may be restored. */
export type EmbedderRole = "active" | "next" | "previous";

/** The progress of the move to the next embedder. */
export interface Move {
  readonly phase: "preparing" | "filling" | "comparing" | "ready";
  readonly isPaused: boolean;
  /** A person has approved it whatever the comparison says. */
  readonly isApproved: boolean;
  /** Units that have a vector, and their total. */
  readonly done: number;
  readonly total: number;
  /** Recent units per minute; null before it is known. */
  readonly perMinute: number | null;
  /** Tokens sent to be embedded, estimated from the length of the texts. */
  readonly tokens: number;
  readonly download: Download | null;
  /** What stops it from continuing, in words; null if nothing does. */
  readonly problem: string | null;
  readonly comparison: Comparison | null;
}

/** The results of the same searches in two spaces. Shares are 0 to 1. */
export interface Comparison {
  readonly searches: number;
  /** The share of the ten nearest that both have in common; null if the active one could not answer. */
  readonly overlap: number | null;
  /** How well each finds the text that a question was taken from; `active` is null if it could not answer. */
  readonly active: SelfRetrieval | null;
  readonly next: SelfRetrieval;
  /** False when the next one is clearly worse: then a person decides. */
  readonly isSane: boolean;
}

/** How well questions cut out of a text find that text. */
export interface SelfRetrieval {
  /** Share of questions that find it among the ten nearest. */
  readonly found: number;
  /** Mean of 1/rank: 1 when it is always the nearest. */
  readonly rank: number;
}

/** An embedder in its role. */
export interface PlacedEmbedder {
  readonly choice: EmbedderChoice;
  /** For people. */
  readonly name: string;
  /** Null before it was prepared for the first time. */
  readonly fingerprint: string | null;
  /** Since when it has the role (ISO date-time). */
  readonly since: string;
  /** Only for the next one. */
  readonly move: Move | null;
  /** Only for the previous one: ISO date-time after which its vectors are removed. */
  readonly dropAfter: string | null;
}

/** The embedder in each role; the active one is missing in a store that was never opened. */
export type Placed = Readonly<Partial<Record<EmbedderRole, PlacedEmbedder>>>;

/** What the record knows about embedders and units without a vector. */
export interface EmbeddingStore {
  placed(): Promise<Placed>;
  place(role: EmbedderRole, embedder: PlacedEmbedder): Promise<void>;
  remove(role: EmbedderRole): Promise<void>;
  /** What the environment specified at the last start; null when not recorded. */
  lastAsked(): Promise<EmbedderChoice | null>;
  noteAsked(choice: EmbedderChoice): Promise<void>;
  /** Fingerprint of the embedder that an earlier version used; null when there was none. */
  formerFingerprint(): Promise<string | null>;
  /** Number of units that should have a vector, and bytes of their texts. */
  totals(): Promise<{ readonly units: number; readonly bytes: number }>;
  /** Number of units that have a vector in a space. */
  countEmbedded(spaceId: number): Promise<number>;
  /**
   * Checks the next `window` units of a kind after row `after` for those without a vector in the space, including forgotten
   * memories.
   * @returns where it ended; null at the end
   * @param look `settled` leaves out documents that ingestion is still processing
   */
  missing(
    space: VectorSpace,
    look: { readonly kind: UnitKind; readonly after: number; readonly window: number; readonly settled?: boolean },
  ): Promise<{ readonly units: readonly PlainUnit[]; readonly end: number | null }>;
  /** The change of another space up to which a space has all its vectors; null when not recorded. */
  followed(space: VectorSpace, from: VectorSpace): Promise<number | null>;
  /** Records that. The log of the other space is kept from there on; a space follows at most one other. */
  noteFollowed(space: VectorSpace, from: VectorSpace, seq: number): Promise<void>;
  /** Stops the space from following any other. */
  unfollow(space: VectorSpace): Promise<void>;
  /**
   * Units that got a vector in one space after a change of it and have none in another.
   * @returns `null` when the log no longer reaches back that far
   */
  lacking(
    from: VectorSpace,
    to: VectorSpace,
    options: { readonly after: number; readonly limit: number },
  ): Promise<readonly PlainUnit[] | null>;
  /** A random sample of units of a space, with one of their containers and their text; without forgotten memories. */
  sample(space: VectorSpace, count: number): Promise<readonly PlainUnit[]>;
  /**
   * Abandons the space of a fingerprint: from now on the fingerprint has none, and its contents can be removed.
   * @returns its id; null when there is none
   */
  abandon(fingerprint: string): Promise<number | null>;
  /** Ids of abandoned spaces that still exist. */
  abandoned(): Promise<readonly number[]>;
}
