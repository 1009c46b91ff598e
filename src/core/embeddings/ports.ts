import type { Embedder, PlainUnit } from "../ports.js";
import type { UnitKind, VectorSpace } from "../types.js";

/** Which embedder somebody wants. Never a secret: keys come from the configuration whenever the embedder is made. */
export type EmbedderChoice =
  | { readonly kind: "builtin" }
  /** `model` is a folder or the name of a model on the hub. */
  | { readonly kind: "static"; readonly model: string }
  | {
      readonly kind: "openai";
      readonly model: string;
      readonly baseUrl: string;
      /** Size to ask for; null leaves it to the model. */
      readonly dimensions: number | null;
    };

/** The embedders of the service. Which of them answers may change at any moment. */
export interface Embedders {
  /**
   * What answers searches and embeds what is written now. Whoever needs more than one thing of it (fingerprint, vectors,
   * calibration) asks once and keeps the answer, so that they belong together.
   */
  active(): Embedder;
  /** Lets another one answer. For the transaction that notes it in the record, so that both hold from the same moment. */
  activate(embedder: Embedder): void;
  /**
   * The embedder of a choice, made when it is asked for first; a failure is not remembered.
   * @throws AppError `unavailable` when it cannot be had now, `invalid` when it never can
   */
  prepare(choice: EmbedderChoice, waiting?: Waiting): Promise<Embedder>;
  /** Puts away what was prepared for a choice that nobody needs any more. */
  release(choice: EmbedderChoice): Promise<void>;
  /** Puts away everything. */
  close(): Promise<void>;
}

/** How somebody waits for an embedder that has to be fetched. */
export interface Waiting {
  readonly signal?: AbortSignal;
  readonly onProgress?: (progress: Download) => void;
}

/** Bytes that have come, of how many. */
export interface Download {
  readonly bytes: number;
  readonly total: number;
}

/** An embedder that may hold a file open. */
export interface MadeEmbedder extends Embedder {
  close?(): Promise<void>;
}

/** Makes embedders. */
export interface EmbedderMaker {
  /** @throws AppError `unavailable` when it cannot be had now (with `retryAfter`), `invalid` when it never can */
  make(choice: EmbedderChoice, waiting?: Waiting): Promise<MadeEmbedder>;
}

/** What an embedder is to the service: it answers, it is to answer next, or it answered before and may again. */
export type EmbedderRole = "active" | "next" | "previous";

/** How far the move to the next embedder is. */
export interface Move {
  readonly phase: "preparing" | "filling" | "comparing" | "ready";
  readonly isPaused: boolean;
  /** A person said that it may answer whatever the comparison says. */
  readonly isApproved: boolean;
  /** Units that have a vector, of how many. */
  readonly done: number;
  readonly total: number;
  /** Units a minute, lately; null before it is known. */
  readonly perMinute: number | null;
  /** Tokens that were sent to be embedded, as estimated from the length of the texts. */
  readonly tokens: number;
  readonly download: Download | null;
  /** What keeps it from going on, in words; null while nothing does. */
  readonly problem: string | null;
  readonly comparison: Comparison | null;
}

/** What the same searches find in two spaces. Shares are 0 to 1. */
export interface Comparison {
  readonly searches: number;
  /** Which share of the ten nearest is the same in both; null where the active one could not answer. */
  readonly overlap: number | null;
  /** How well each finds the text that a question was taken from; `active` is null where it could not answer. */
  readonly active: SelfRetrieval | null;
  readonly next: SelfRetrieval;
  /** False when the next one finds clearly less: then a person decides. */
  readonly isSane: boolean;
}

/** How a question that was cut out of a text finds that text. */
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
  /** ISO date-time since when it has the role. */
  readonly since: string;
  /** Of the next one only. */
  readonly move: Move | null;
  /** Of the previous one only: ISO date-time after which its vectors are removed. */
  readonly dropAfter: string | null;
}

/** Who has which role; the active one is missing in a store that was never opened. */
export type Placed = Readonly<Partial<Record<EmbedderRole, PlacedEmbedder>>>;

/** What the record knows of embedders and of units that lack a vector. */
export interface EmbeddingStore {
  placed(): Promise<Placed>;
  place(role: EmbedderRole, embedder: PlacedEmbedder): Promise<void>;
  remove(role: EmbedderRole): Promise<void>;
  /** What the environment asked for at the last start; null when nobody noted it. */
  lastAsked(): Promise<EmbedderChoice | null>;
  noteAsked(choice: EmbedderChoice): Promise<void>;
  /** Fingerprint of the embedder that an earlier version used; null when there was none. */
  formerFingerprint(): Promise<string | null>;
  /** How many units are to have a vector, and bytes of their texts. */
  totals(): Promise<{ readonly units: number; readonly bytes: number }>;
  /** Units that have a vector in a space. */
  countEmbedded(spaceId: number): Promise<number>;
  /**
   * Looks at the next `window` units of a kind after row `after` for those without a vector in the space, forgotten
   * memories too. @returns where it ended; null at the end
   * @param look `settled` leaves out documents that ingestion is still at work on
   */
  missing(
    space: VectorSpace,
    look: { readonly kind: UnitKind; readonly after: number; readonly window: number; readonly settled?: boolean },
  ): Promise<{ readonly units: readonly PlainUnit[]; readonly end: number | null }>;
  /** Up to which change of another space a space has every vector of it; null when nobody noted it. */
  followed(space: VectorSpace, from: VectorSpace): Promise<number | null>;
  /** Notes it. The log of the other space is kept from there on; a space follows one other at most. */
  noteFollowed(space: VectorSpace, from: VectorSpace, seq: number): Promise<void>;
  /** The space follows no other any more. */
  unfollow(space: VectorSpace): Promise<void>;
  /**
   * Units that got a vector in one space after a change of it and have none in another.
   * @returns `null` when the log no longer reaches back so far
   */
  lacking(
    from: VectorSpace,
    to: VectorSpace,
    options: { readonly after: number; readonly limit: number },
  ): Promise<readonly PlainUnit[] | null>;
  /** Units of a space by chance, with one of their containers and their text; forgotten memories left out. */
  sample(space: VectorSpace, count: number): Promise<readonly PlainUnit[]>;
  /**
   * Gives up the space of a fingerprint: from now on the fingerprint has none, and what the space held can be removed.
   * @returns its id; null when there is none
   */
  abandon(fingerprint: string): Promise<number | null>;
  /** Ids of the spaces that were given up and are still there. */
  abandoned(): Promise<readonly number[]>;
}
