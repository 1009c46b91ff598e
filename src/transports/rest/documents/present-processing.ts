import * as z from "zod";
import type { DocumentDetails, ModelFailure } from "../../../core/index.js";
import type { DocumentHead } from "../../../core/types.js";
import { iso } from "../../../lib/time.js";

/** Milliseconds since 1970. */
const moment = z.int();

const processingStep = z.object({
  name: z.string(),
  startTime: moment,
  endTime: moment.optional(),
  status: z.enum(["completed", "failed", "pending"]),
  error: z.string().optional(),
  metadata: z.object({
    /**
     * Extension: how often the model failed at it with an answer, and the earliest time of the next attempt by the model or file
     * reader.
     */
    attempts: z.int().optional(),
    nextAttemptAt: z.string().nullable().optional(),
    /** Extension: how many pages, slides, sheets, entries or seconds of a file were read, and out of how many, where known. */
    unit: z.string().optional(),
    done: z.number().optional(),
    total: z.number().nullable().optional(),
    /** Extension: what to know about how the file was read. */
    notes: z.array(z.string()).optional(),
  }),
  finalStatus: z.enum(["done", "failed"]).optional(),
});
type ProcessingStep = z.infer<typeof processingStep>;

/** The progress of reading a file, and what went wrong while a document was processed (contract 2.3). */
export const processingMetadata = z.object({
  startTime: moment,
  endTime: moment.optional(),
  duration: z.int().optional(),
  error: z.string().optional(),
  finalStatus: z.enum(["done", "failed"]).optional(),
  steps: z.array(processingStep).min(1),
});
export type ProcessingMetadata = z.infer<typeof processingMetadata>;

const NOTHING_READ = { reading: null, putOff: null, pictureNotes: [] };

/** Null where no file was read and a language model did everything it was asked to, or was asked nothing. */
export function presentProcessing(
  document: Pick<DocumentHead, "createdAt" | "status" | "errorReason" | "updatedAt">,
  failures: readonly ModelFailure[],
  { reading, putOff, pictureNotes }: Pick<DocumentDetails, "reading" | "putOff" | "pictureNotes"> = NOTHING_READ,
): ProcessingMetadata | null {
  const read = reading || putOff ? presentReading(document, reading, putOff) : null;
  const steps = [...(read ? [read] : []), ...presentPictures(pictureNotes), ...failures.map(presentFailure)];
  if (steps.length === 0) return null;
  const startTime = Date.parse(document.createdAt);
  const error = steps.find((step) => step.error !== undefined)?.error;
  if (read?.status === "pending") return { startTime, steps };
  const endTime = Math.max(startTime, ...steps.map((step) => step.endTime ?? startTime));
  return {
    startTime,
    endTime,
    duration: endTime - startTime,
    ...(error !== undefined && { error }),
    finalStatus: document.status === "failed" ? "failed" : "done",
    steps,
  };
}

function presentReading(
  {
    createdAt,
    updatedAt,
    status,
    errorReason,
  }: Pick<DocumentHead, "createdAt" | "status" | "errorReason" | "updatedAt">,
  reading: DocumentDetails["reading"],
  putOff: DocumentDetails["putOff"],
): ProcessingStep {
  const { outcome, running } = reading ?? { outcome: null, running: null };
  const name = "read";
  if (outcome) {
    const { notReadAgain } = outcome;
    const later = notReadAgain === undefined ? [] : [`The file could not be read again: ${notReadAgain}`];
    const notes = [...outcome.notes, ...later];
    return {
      name,
      startTime: Date.parse(outcome.startedAt),
      endTime: Date.parse(outcome.endedAt),
      status: "completed",
      metadata: notes.length > 0 ? { notes } : {},
    };
  }
  if (status === "failed")
    return {
      name,
      startTime: Date.parse(createdAt),
      endTime: Date.parse(updatedAt),
      status: "failed",
      ...(errorReason !== null && { error: errorReason }),
      metadata: {},
      finalStatus: "failed",
    };
  const startTime = Date.parse(running?.startedAt ?? createdAt);
  const pending = { name, startTime, status: "pending" } as const;
  if (!putOff) return { ...pending, metadata: { ...running?.progress } };
  return { ...pending, error: putOff.reason, metadata: { nextAttemptAt: iso(putOff.runAt) } };
}

function presentPictures(pictureNotes: DocumentDetails["pictureNotes"]): ProcessingStep[] {
  const times = pictureNotes.map(({ readAt }) => Date.parse(readAt));
  if (times.length === 0) return [];
  return [
    {
      name: "pictures",
      startTime: Math.min(...times),
      endTime: Math.max(...times),
      status: "completed",
      metadata: { notes: pictureNotes.map(({ note }) => note) },
    },
  ];
}

function presentFailure({ step, reason, attempts, failedAt, nextAt }: ModelFailure): ProcessingStep {
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
