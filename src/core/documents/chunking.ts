import * as z from "zod";
import type { Issue } from "../errors.js";

/** How documents may be cut: depending on their type, or all in one way. */
const CHUNKING_STRATEGIES = ["auto", "recursive", "markdown", "sentence", "token"] as const;
export type ChunkingStrategy = (typeof CHUNKING_STRATEGIES)[number];

/**
 * Limits in characters, and in tokens for the token strategy. A smaller piece says nothing, and a larger one is too mixed for
 * one vector.
 */
const SIZES = { least: 100, most: 8_000, mostTokens: 2_000 };
/** Default target size of a piece, in characters. */
const USUAL_SIZE = 500;
const DEFAULT = -1;
const SIZE_RULE = { error: `must be ${SIZES.least} to ${SIZES.most}, or -1 for the default`, abort: true };
/** Used for token estimates throughout the service. */
export const BYTES_PER_TOKEN = 4;

/** Settings for chunking (contract 6.2, and two that the contract does not name). */
export const chunkingShape = {
  /** -1 and null stand for the default. */
  chunkSize: z
    .number("must be a number")
    .int("must be a whole number")
    .min(DEFAULT, SIZE_RULE)
    .max(SIZES.most, SIZE_RULE)
    .refine((size) => size === DEFAULT || size >= SIZES.least, SIZE_RULE)
    .nullable(),
  /** The most that a piece repeats of the previous one; in the unit of `chunkSize`. */
  chunkOverlap: z
    .number("must be a number")
    .int("must be a whole number")
    .min(0, "must be at least 0")
    .max(SIZES.most / 2, `must be at most ${SIZES.most / 2}`)
    .nullable(),
  chunkingStrategy: z.enum(CHUNKING_STRATEGIES, `must be one of ${CHUNKING_STRATEGIES.join(", ")}`).nullable(),
};

interface ChunkingSettings {
  readonly chunkSize?: number | null | undefined;
  readonly chunkOverlap?: number | null | undefined;
  readonly chunkingStrategy?: ChunkingStrategy | null | undefined;
}

/** How a document is cut. */
export interface Chunking {
  readonly strategy: ChunkingStrategy;
  /** The longest piece, in characters, or tokens for `token`; null for the default size. */
  readonly size: number | null;
  readonly overlap: number;
}

/** The chunking for these settings, kept within limits even if they were stored separately. */
export function chunkingOf({ chunkSize, chunkOverlap, chunkingStrategy }: ChunkingSettings): Chunking {
  const strategy = chunkingStrategy ?? "auto";
  const most = strategy === "token" ? SIZES.mostTokens : SIZES.most;
  const size = typeof chunkSize === "number" && chunkSize > 0 ? Math.min(most, Math.max(SIZES.least, chunkSize)) : null;
  return { strategy, size, overlap: Math.min(chunkOverlap ?? 0, Math.floor((size ?? usualSize(strategy)) / 2)) };
}

function usualSize(strategy: ChunkingStrategy): number {
  return strategy === "token" ? USUAL_SIZE / BYTES_PER_TOKEN : USUAL_SIZE;
}

/** A key that is equal for documents cut alike; null for the default. */
export function chunkingMark({ strategy, size, overlap }: Chunking): string | null {
  return strategy === "auto" && size === null && overlap === 0 ? null : `${strategy}/${size ?? "usual"}/${overlap}`;
}

/** Problems with settings that are each valid on their own. */
export function chunkingIssues(settings: ChunkingSettings): Issue[] {
  const { strategy, size } = chunkingOf(settings);
  const { chunkSize, chunkOverlap } = settings;
  const issues: Issue[] = [];
  if (size !== null && (chunkSize ?? 0) > size)
    issues.push({ path: ["chunkSize"], message: `must be at most ${size} where tokens are counted` });
  const longest = size ?? usualSize(strategy);
  if ((chunkOverlap ?? 0) > longest / 2)
    issues.push({ path: ["chunkOverlap"], message: `must be at most half of chunkSize, which is ${longest}` });
  return issues;
}
