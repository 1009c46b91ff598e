import * as z from "zod";
import type { ModelFailure } from "../../../core/index.js";
import type { DocumentHead } from "../../../core/types.js";

/** Milliseconds since 1970. */
const moment = z.int();

const processingStep = z.object({
  name: z.string(),
  startTime: moment,
  endTime: moment,
  status: z.enum(["completed", "failed", "pending"]),
  error: z.string(),
  /** Extension: how often the model failed at it with an answer, and when it is asked again at the earliest. */
  metadata: z.object({ attempts: z.int(), nextAttemptAt: z.string().nullable() }),
  finalStatus: z.enum(["done", "failed"]),
});

/** What went wrong while a document was processed that ended well all the same (contract 2.3). */
export const processingMetadata = z.object({
  startTime: moment,
  endTime: moment,
  duration: z.int(),
  error: z.string(),
  finalStatus: z.enum(["done", "failed"]),
  steps: z.array(processingStep).min(1),
});
export type ProcessingMetadata = z.infer<typeof processingMetadata>;

/** Null where a language model did whatever it was asked for, or was asked for nothing. */
export function presentProcessing(
  { createdAt }: Pick<DocumentHead, "createdAt">,
  failures: readonly ModelFailure[],
): ProcessingMetadata | null {
  const [first] = failures;
  if (!first) return null;
  const startTime = Date.parse(createdAt);
  const endTime = Math.max(startTime, ...failures.map(({ failedAt }) => Date.parse(failedAt)));
  return {
    startTime,
    endTime,
    duration: endTime - startTime,
    error: first.reason,
    finalStatus: "done",
    steps: failures.map(presentStep),
  };
}

function presentStep({ step, reason, attempts, failedAt, nextAt }: ModelFailure): ProcessingMetadata["steps"][number] {
  const at = Date.parse(failedAt);
  return {
    name: step,
    startTime: at,
    endTime: at,
    status: "failed",
    error: reason,
    metadata: { attempts, nextAttemptAt: nextAt },
    finalStatus: "done",
  };
}
