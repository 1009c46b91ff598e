import { READING_KINDS } from "../given-up.js";
import type { PutOffJob, Repositories } from "../ports.js";
import type { DocumentHead } from "../types.js";

/** The step that reads a document's source, while it waits to be retried; null otherwise. */
export async function findPutOffReading(
  { jobs }: Pick<Repositories, "jobs">,
  { id, revision, status }: Pick<DocumentHead, "id" | "revision" | "status">,
): Promise<PutOffJob | null> {
  if (status !== "extracting") return null;
  const [found = null] = await jobs.putOff(READING_KINDS.map((kind) => `${kind}:${id}:${revision}`));
  return found;
}
