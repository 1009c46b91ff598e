import { AppError } from "../errors.js";
import type { SourceAccess, SourceItem } from "../ports.js";
import type { KeptItem } from "../types.js";
import { ItemTooLarge } from "./connector-errors.js";

/** What is kept of an item that is skipped: for its size, with the limit that it was held against. */
export function skippedItem(item: SourceItem, error: unknown, { maximumBytes }: SourceAccess): KeptItem {
  const isTooLarge = error instanceof ItemTooLarge || (error instanceof AppError && error.kind === "too_large");
  return isTooLarge ? { ...item, tooLargeFor: maximumBytes } : item;
}

/**
 * Whether an item would be skipped again: the reason may lie in whatever is said of it, such as its storage class or its
 * name, and not in its version alone.
 */
export function isSkippedStill(kept: KeptItem, item: SourceItem, { maximumBytes }: SourceAccess): boolean {
  const { tooLargeFor = maximumBytes, ...before } = kept;
  return tooLargeFor === maximumBytes && JSON.stringify(before) === JSON.stringify(item);
}
