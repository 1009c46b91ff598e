import type { Repositories } from "../ports.js";
import type { Document, FactCandidate, ProfileBucket } from "../types.js";
import { definitionMark } from "./bucket-verdict.js";
import { effectiveBuckets } from "./buckets.js";

/** Candidates of a document as one of its containers may see them: without the buckets of other containers. */
export async function forContainer<Candidate extends FactCandidate>(
  repositories: Pick<Repositories, "settings" | "containers">,
  { organizationId, client, containerTags }: Pick<Document, "organizationId" | "client" | "containerTags">,
  containerTag: string,
  candidates: readonly Candidate[],
): Promise<readonly Candidate[]> {
  if (containerTags.length < 2 || !candidates.some(({ buckets }) => buckets)) return candidates;
  const definitions = await effectiveBuckets(repositories, organizationId, containerTag, client ?? undefined);
  return candidates.map((candidate) => forBuckets(candidate, definitions));
}

function forBuckets<Candidate extends FactCandidate>(
  candidate: Candidate,
  definitions: readonly ProfileBucket[],
): Candidate {
  if (!candidate.buckets) return candidate;
  const marks = new Set(definitions.map(definitionMark));
  const judged = definitions.filter((definition) => candidate.bucketsFrom?.includes(definitionMark(definition)));
  const keys = new Set(judged.map(({ key }) => key));
  return {
    ...candidate,
    buckets: candidate.buckets.filter((key) => keys.has(key)),
    bucketsFrom: candidate.bucketsFrom?.filter((mark) => marks.has(mark)) ?? [],
  };
}
