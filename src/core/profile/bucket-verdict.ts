import { sha256 } from "../../lib/crypto.js";
import type { BucketVerdict, FactCandidate, Memory, ProfileBucket } from "../types.js";

/**
 * Identifies one definition of a bucket: 8 characters that differ if its key or its description does. A verdict based on one
 * definition does not apply to the next.
 */
export function definitionMark({ key, description }: ProfileBucket): string {
  return sha256(`${key}\n${description}`).slice(0, 8);
}

/** What is stored with a memory about how its author classified it; nothing if the author said nothing. */
export function classificationOf({
  entities,
  buckets,
  bucketsFrom,
}: FactCandidate): Pick<Memory, "entities" | "buckets"> {
  return {
    ...(entities?.length && { entities }),
    ...(buckets && bucketsFrom?.length && { buckets: { keys: buckets, judged: bucketsFrom } }),
  };
}

/** What a further statement of a memory adds to its classification: names if there were none, and the newer verdict. */
export function addedClassification(memory: Memory, candidate: FactCandidate): Pick<Memory, "entities" | "buckets"> {
  const { entities, buckets } = classificationOf(candidate);
  return { ...(!memory.entities && entities && { entities }), ...(buckets && { buckets }) };
}

/**
 * Reads verdicts about one definition of a bucket.
 * @returns a function that tells whether a memory belongs to it; undefined when nobody has judged this exact definition
 */
export function verdictOn(definition: ProfileBucket): (verdict: BucketVerdict | undefined) => boolean | undefined {
  let mark: string | undefined;
  return (verdict) => {
    if (!verdict) return undefined;
    mark ??= definitionMark(definition);
    return verdict.judged.includes(mark) ? verdict.keys.includes(definition.key) : undefined;
  };
}

/**
 * The existing keys among those chosen, without duplicates, with the marks of the definitions they were chosen from. Nothing
 * when all chosen keys are unknown: an author who invents buckets has not read the definitions, so rules decide.
 */
export function chosenAmong(
  definitions: readonly ProfileBucket[],
  keys: readonly string[] | null | undefined,
): Pick<FactCandidate, "buckets" | "bucketsFrom"> {
  if (!keys || definitions.length === 0) return {};
  const said = new Set(keys.map((key) => key.trim()));
  const buckets = definitions.map(({ key }) => key).filter((key) => said.has(key));
  if (said.size > 0 && buckets.length === 0) return {};
  return { buckets, bucketsFrom: definitions.map(definitionMark) };
}
