import * as z from "zod";
import type { Memory } from "../types.js";
import { timeWasOver } from "./set-aside.js";

/** Why an expired memory is forgotten: the reason its owner gave, otherwise when it expired. */
export function expiryReason({ forgetReason, forgetAfter }: Pick<Memory, "forgetReason" | "forgetAfter">): string {
  return forgetReason ?? timeWasOver(forgetAfter ?? "");
}

const expiringSchema = z.object({ forgetReason: z.string().nullable(), forgetAfter: z.string() });

/**
 * True when a memory was forgotten for this reason because it expired.
 * @param before its earlier state according to the journal
 */
export function isExpiry(reason: string | null, before: unknown): boolean {
  const { success, data } = expiringSchema.safeParse(before);
  return success && reason === expiryReason(data);
}

/** The earlier of two expiries; null means none. */
export function earlier(one: string | null, other: string | null): string | null {
  if (one === null || other === null) return one ?? other;
  return one < other ? one : other;
}

/** The later of two expiries; null means none. A fact that is stated again holds for as long as either statement says. */
export function later(one: string | null, other: string | null): string | null {
  if (one === null || other === null) return null;
  return one > other ? one : other;
}
