import type { ReadingProgress } from "../core/documents/content-ports.js";
import { iso } from "../lib/time.js";
import type { IngestContext } from "./context.js";

/** Reads the source of a document and reports progress meanwhile. @returns what was read, and when */
export async function watchReading<T>(
  { readings, clock, events }: Pick<IngestContext, "readings" | "clock" | "events">,
  documentId: string,
  read: (onProgress: (progress: ReadingProgress) => void) => Promise<T>,
): Promise<T & { readonly startedAt: string; readonly endedAt: string }> {
  const startedAt = iso(clock.now());
  readings.set(documentId, { startedAt, progress: null });
  try {
    const found = await read((progress) => {
      readings.set(documentId, { startedAt, progress });
      events.changed(documentId);
    });
    return { ...found, startedAt, endedAt: iso(clock.now()) };
  } finally {
    readings.delete(documentId);
  }
}
