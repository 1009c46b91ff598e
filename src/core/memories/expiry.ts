import * as z from "zod";
import type { Memory } from "../types.js";
import { timeWasOver } from "./set-aside.js";

/** Why a memory is forgotten whose time is over: as its owner said, else when that was. */
export function expiryReason({ forgetReason, forgetAfter }: Pick<Memory, "forgetReason" | "forgetAfter">): string {
  return forgetReason ?? timeWasOver(forgetAfter ?? "");
}

const expiringSchema = z.object({ forgetReason: z.string().nullable(), forgetAfter: z.string() });

/** True when a memory was forgotten for this reason because its time was over. @param before what the journal says it was */
export function isExpiry(reason: string | null, before: unknown): boolean {
  const { success, data } = expiringSchema.safeParse(before);
  return success && reason === expiryReason(data);
}

/** Of two ends the earlier one; null is no end. */
export function earlier(one: string | null, other: string | null): string | null {
  if (one === null || other === null) return one ?? other;
  return one < other ? one : other;
}

/** Of two ends the later one; null is no end. What is stated again holds for as long as either statement says. */
export function later(one: string | null, other: string | null): string | null {
  if (one === null || other === null) return null;
  return one > other ? one : other;
}
