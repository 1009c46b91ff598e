import type { BucketVerdict } from "../types.js";

/** Where a fact came from; determines how far it is trusted. `mail` stands for a file attached to a mail. */
export type Origin = "user" | "agent" | "connector" | "web" | "mail" | "rules";

/**
 * How far a text is trusted. `unverified`: it came from a page, a connected service, a tool or the assistant itself, and holds
 * unless the user says otherwise. `flagged`: it reads like an instruction, or like an attempt to take over what is known, and
 * nobody has reviewed it.
 */
export const TRUST = ["trusted", "unverified", "flagged"] as const;

export type Trust = (typeof TRUST)[number];

export type MemoryKind = "fact" | "preference" | "episode" | "statement";

/** A fact that a caller provides ready-made, so that nothing has to be extracted. */
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
  /** What `forgetAfter` would be if none of the documents that state it ever expired. */
  readonly ownForgetAfter: string | null;
  readonly forgetReason: string | null;
  /** Number of documents that state this fact. */
  readonly sourceCount: number;
  /** How often the fact was stated, the first time included. */
  readonly strength: number;
  readonly origin: Origin;
  readonly metadata: Readonly<Record<string, unknown>> | null;
  /** Names of the people, places and things it is about, if its author gave them. */
  readonly entities?: readonly string[];
  /** Absent if only the rules have judged. */
  readonly buckets?: BucketVerdict;
  readonly createdAt: string;
  readonly updatedAt: string;
}

/** A memory to be written. */
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

/** The outcome for a candidate. */
export interface RememberedFact {
  readonly id: string;
  readonly text: string;
  /**
   * `extended`: added beside a memory about which it says more. `outdated`: stored as past only, since something newer is
   * known. `review`: a guess that waits for review, because it reads like an order, would replace what it may not, or is not
   * what the text says.
   */
  readonly outcome: "added" | "updated" | "duplicate" | "extended" | "outdated" | "review";
  /** The memory that was superseded, when `outcome` is `updated`. */
  readonly replaced?: string;
  readonly closeTo?: readonly string[]; // Ids of up to two memories that said nearly the same, nearest first.
  /** Since when search finds it (ISO); absent for what is stored as past only, and where it was not recorded. */
  readonly searchableAt?: string;
}

/** How one memory relates to an older one. `updates` is a new version; the others leave both true. */
export type Relation = "updates" | "extends" | "derives";
