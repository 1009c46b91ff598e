import type { JobDraft, JobStore } from "../ports.js";

/** A document that is to be read again as a whole, or cut anew. */
export interface ReadingAgain {
  readonly documentId: string;
  readonly revision: number;
  readonly containerTag: string;
  /** Whether what is not found again is forgotten. */
  readonly replace: boolean;
  /** Whether its facts are found again. */
  readonly reads: boolean;
  /** How it is to be cut, null for as is usual; absent where it stays as it is. */
  readonly chunking?: string | null;
}

/**
 * Has documents read again, each once: one that waits for the same already is not read twice, and a reading that only adds
 * makes room for one that replaces as well.
 */
export async function enqueueReadings(jobs: JobStore, readings: readonly ReadingAgain[]): Promise<void> {
  const replaced = await jobs.waitingWith(readings.map((one) => keyOf({ ...one, replace: true })));
  const awaited = new Set(replaced.map(({ key }) => key));
  const wanted = readings.filter((one) => one.replace || !awaited.has(keyOf({ ...one, replace: true })));
  const weaker = wanted.filter(({ replace }) => replace).map((one) => keyOf({ ...one, replace: false }));
  await jobs.drop((await jobs.waitingWith(weaker)).map(({ id }) => id));
  await jobs.enqueue(wanted.map(jobFor));
}

/** Its kind has slots of its own, so that no new document waits for old ones. */
function jobFor(reading: ReadingAgain): JobDraft {
  const { documentId, revision, containerTag, replace, reads, chunking } = reading;
  return {
    kind: "reprocess",
    payload: { documentId, revision, replace, reads, cuts: chunking !== undefined },
    group: containerTag,
    key: keyOf(reading),
    exclusive: true,
  };
}

function keyOf({ documentId, revision, replace, reads, chunking }: ReadingAgain): string {
  const cut = chunking === undefined ? "" : `:${chunking}:${reads}`;
  return `reprocess:${documentId}:${revision}${cut}${replace ? ":replace" : ""}`;
}
