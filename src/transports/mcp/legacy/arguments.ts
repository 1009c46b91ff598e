import * as z from "zod";
import { presentPagination } from "../../pagination.js";
import { readingPlaces, writingPlace } from "../places.js";
import type { ToolContext } from "../tool.js";
import { containerTag } from "../tools/arguments.js";

/** Longest text that tools of earlier generations accept and return (contract 7.4). */
export const LONGEST_CONTENT = 200_000;

/** Both names of a container. Bridges fill in the older one where it is missing, so the newer one wins. */
export const placeArguments = { containerTag, namespace: containerTag.describe("Same as containerTag") };

/** A container under both of its names. */
export const bothNamesSchema = { containerTag: z.string(), namespace: z.string() };

export function presentBothNames(tag: string): { containerTag: string; namespace: string } {
  return { containerTag: tag, namespace: tag };
}

interface Named {
  readonly containerTag?: string | undefined;
  readonly namespace?: string | undefined;
  readonly projectId?: string | undefined;
}

/** The container that a call writes to, under whichever name. @throws AppError as `writingPlace` does */
export function containerToWrite(context: ToolContext, named: Named): string {
  return writingPlace(context, nameIn(named));
}

/** The containers that a call reads in. */
export function containersToRead(context: ToolContext, named: Named): readonly string[] {
  return readingPlaces(context, nameIn(named));
}

/** The container that a call names, if any. */
export function nameIn({ namespace, containerTag: tag, projectId }: Named): string | undefined {
  return namespace ?? tag ?? projectId;
}

export const pageArguments = {
  page: z.int().min(1).max(1_000_000).default(1),
  limit: z.int().min(1).max(50).default(10),
};

export const paginationSchema = z.object({
  currentPage: z.number(),
  limit: z.number(),
  totalItems: z.number(),
  totalPages: z.number(),
});

interface Page {
  readonly page: number;
  readonly limit: number;
  readonly total: number;
}

/** The part of a list that is shown, in words. */
export function describePosition(page: Page, noun: string): string {
  const { currentPage, totalPages, totalItems } = presentPagination(page);
  return `Page ${currentPage} of ${Math.max(1, totalPages)}, ${totalItems} ${noun} in all.`;
}

/** Adds, and removes nothing. */
export const ADDS = {
  readOnlyHint: false,
  destructiveHint: false,
  idempotentHint: false,
  openWorldHint: false,
} as const;
/** Adds, or removes what it is told to. */
export const ADDS_OR_FORGETS = { ...ADDS, destructiveHint: true } as const;
