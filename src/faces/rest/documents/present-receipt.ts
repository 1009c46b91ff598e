import * as z from "zod";
import type { DocumentReceipt } from "../../../core/index.js";
import { documentStatus } from "../schemas.js";

/** What is answered when a document was taken in (contract.md §3.1.2). */
export const receiptAnswer = z.object({
  id: z.string(),
  status: documentStatus,
  /** Extension: whether the memories of the document are formed. */
  dreamingStatus: z.enum(["dreaming", "done"]),
  /** Extension: why processing failed. */
  errorReason: z.string().optional(),
  /** Extension: what its memories wait for, after a wait that was too short. */
  dreamingReason: z.string().optional(),
});

export function presentReceipt({
  id,
  status,
  dreamingStatus,
  errorReason,
  dreamingReason,
}: DocumentReceipt): z.infer<typeof receiptAnswer> {
  return {
    id,
    status,
    dreamingStatus,
    ...(errorReason !== null && { errorReason }),
    ...(dreamingReason !== undefined && { dreamingReason }),
  };
}
