import { AppError } from "../errors.js";
import type { SourceAccess, SourceItem } from "../ports.js";
import type { KeptItem } from "../types.js";
import { ItemTooLarge } from "./connector-errors.js";

/** The stored form of a skipped item: if skipped for its size, with the limit that applied. */
export function skippedItem(item: SourceItem, error: unknown, { maximumBytes }: SourceAccess): KeptItem {
  const isTooLarge = error instanceof ItemTooLarge || (error instanceof AppError && error.kind === "too_large");
  return isTooLarge ? { ...item, tooLargeFor: maximumBytes } : item;
}

/**
 * Whether an item would be skipped again: the reason may be anything the source says about it, such as its storage class or its
 * name, not just its version.
 */
export function isSkippedStill(kept: KeptItem, item: SourceItem, { maximumBytes }: SourceAccess): boolean {
  const { tooLargeFor = maximumBytes, ...before } = kept;
  return tooLargeFor === maximumBytes && JSON.stringify(before) === JSON.stringify(item);
}
