import { sha256 } from "../../lib/crypto.js";
import type { BucketVerdict, FactCandidate, Memory, ProfileBucket } from "../types.js";

/**
 * Stands for one definition of a bucket: 8 characters, others when its key or its description is another. What was judged
 * by one definition says nothing of the next.
 */
export function definitionMark({ key, description }: ProfileBucket): string {
  return sha256(`${key}\n${description}`).slice(0, 8);
}

/** What is kept beside a memory of how its author read it; nothing where its author said nothing of it. */
export function readingOf({ entities, buckets, bucketsFrom }: FactCandidate): Pick<Memory, "entities" | "buckets"> {
  return {
    ...(entities?.length && { entities }),
    ...(buckets && bucketsFrom?.length && { buckets: { keys: buckets, judged: bucketsFrom } }),
  };
}

/** What a further statement of a memory adds to how it is read: names where there were none, and the newer verdict. */
export function addedReading(memory: Memory, candidate: FactCandidate): Pick<Memory, "entities" | "buckets"> {
  const { entities, buckets } = readingOf(candidate);
  return { ...(!memory.entities && entities && { entities }), ...(buckets && { buckets }) };
}

/**
 * Reads verdicts about one definition of a bucket.
 * @returns a function that says whether a memory belongs to it; undefined when nobody said so of this very definition
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
 * The keys that exist among those that somebody chose, each once, with the marks of what they were chosen from. Nothing
 * when only keys were chosen that do not exist: whoever invents buckets did not read the definitions, so rules decide.
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
