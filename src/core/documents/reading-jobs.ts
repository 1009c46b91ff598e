import type { JobDraft, JobStore } from "../ports.js";

/** A document to be read again as a whole, or rechunked. */
export interface QueuedReading {
  readonly documentId: string;
  readonly revision: number;
  readonly containerTag: string;
  /** Whether facts that are not found again are forgotten. */
  readonly replace: boolean;
  /** Whether its facts are extracted again. */
  readonly reads: boolean;
  /** How it is to be cut, null for the default; absent to keep its chunks. */
  readonly chunking?: string | null;
}

/**
 * Queues documents to be read again, each once: one that already waits for the same is not read twice, and a reading that only
 * adds gives way to one that also replaces.
 */
export async function enqueueReadings(jobs: JobStore, readings: readonly QueuedReading[]): Promise<void> {
  const replaced = await jobs.waitingWith(readings.map((one) => keyOf({ ...one, replace: true })));
  const awaited = new Set(replaced.map(({ key }) => key));
  const wanted = readings.filter((one) => one.replace || !awaited.has(keyOf({ ...one, replace: true })));
  const weaker = wanted.filter(({ replace }) => replace).map((one) => keyOf({ ...one, replace: false }));
  await jobs.drop((await jobs.waitingWith(weaker)).map(({ id }) => id));
  await jobs.enqueue(wanted.map(jobFor));
}

/** This kind of job has slots of its own, so that no new document waits for old ones. */
function jobFor(reading: QueuedReading): JobDraft {
  const { documentId, revision, containerTag, replace, reads, chunking } = reading;
  return {
    kind: "reprocess",
    payload: { documentId, revision, replace, reads, cuts: chunking !== undefined },
    group: containerTag,
    key: keyOf(reading),
    exclusive: true,
  };
}

function keyOf({ documentId, revision, replace, reads, chunking }: QueuedReading): string {
  const cut = chunking === undefined ? "" : `:${chunking}:${reads}`;
  return `reprocess:${documentId}:${revision}${cut}${replace ? ":replace" : ""}`;
}
