import * as z from "zod";
import type { DocumentReceipt, ExplainedFact } from "../../../core/index.js";
import { statedIn } from "../memories/stated-in.js";
import { dateTime, documentStatus } from "../schemas.js";
import { documentWarnings, presentLeftOut } from "./present-left-out.js";

/** The outcome of a fact. */
export const rememberedFact = z.object({
  id: z.string().length(22),
  memory: z.string(),
  outcome: z
    .enum(["added", "updated", "duplicate", "extended", "outdated", "review"])
    .describe("`review`: kept as a guess until it is reviewed, for example because the text does not state it."),
  replaced: z.string().length(22).optional().describe("The memory that it replaced."),
  statedIn: statedIn.optional().describe("Other documents whose text still states the memory that it replaced."),
  closeTo: z
    .array(z.object({ id: z.string().length(22), memory: z.string() }))
    .optional()
    .describe("Up to two memories about nearly the same thing: name one as `updates` if the fact replaces it."),
  searchableAt: dateTime.optional().describe("When it became searchable."),
});

export function presentFact({
  id,
  text,
  outcome,
  replaced,
  statedIn: stating,
  near,
  searchableAt,
}: ExplainedFact): z.infer<typeof rememberedFact> {
  return {
    id,
    memory: text,
    outcome,
    ...(replaced !== undefined && { replaced }),
    ...(stating && { statedIn: [...stating] }),
    ...(near && { closeTo: near.map((other) => ({ id: other.id, memory: other.text })) }),
    ...(searchableAt !== undefined && { searchableAt }),
  };
}

/** The answer when a document was accepted (contract 2.1). */
export const receiptAnswer = z.object({
  id: z.string(),
  status: documentStatus,
  /** Extension: whether the document's memories are complete. */
  dreamingStatus: z.enum(["dreaming", "done"]),
  /** Extension: why processing failed. */
  errorReason: z.string().optional(),
  /** Extension: what its memories wait for, if the requested wait was too short. */
  dreamingReason: z.string().optional(),
  /** Extension: what was left out of it, once known; only where something was. */
  warnings: documentWarnings.optional(),
  /** Extension: the outcome of facts that were sent along, once known. */
  facts: z.array(rememberedFact).optional(),
});

export function presentReceipt({
  id,
  status,
  dreamingStatus,
  errorReason,
  dreamingReason,
  factsLeftOut,
  warnings: ofCore = [],
}: DocumentReceipt): z.infer<typeof receiptAnswer> {
  const warnings = [...(presentLeftOut({ factsLeftOut }).warnings ?? []), ...ofCore];
  return {
    id,
    status,
    dreamingStatus,
    ...(errorReason !== null && { errorReason }),
    ...(dreamingReason !== undefined && { dreamingReason }),
    ...(warnings.length > 0 && { warnings }),
  };
}
