import type { Repositories } from "../ports.js";
import { readSettings } from "../upkeep/settings.js";
import type { Memory, ProfileBucket } from "../types.js";
import { verdictOn } from "./bucket-verdict.js";
import { presetJudge } from "./preset-cues.js";
import { judgeSubject, type Subject } from "./subject-words.js";

/** The bucket of those who have defined none (contract 5.2). */
const PREFERENCES: ProfileBucket = {
  key: "preferences",
  description: "Likes, dislikes and settled choices: tools, food, style, ways of working.",
};

/**
 * The buckets that a profile has: those of the organisation, or of the client in its place, and then the container's own.
 * On the same key the organisation wins; without any there is one for preferences.
 */
export async function effectiveBuckets(
  repositories: Pick<Repositories, "settings" | "containers">,
  organizationId: string,
  containerTag: string,
  client: string | undefined,
): Promise<ProfileBucket[]> {
  const { profileBuckets = [] } = await readSettings(repositories, organizationId, client);
  const container = await repositories.containers.get(organizationId, containerTag);
  const byKey = new Map<string, ProfileBucket>();
  for (const bucket of [...profileBuckets, ...(container?.profileBuckets ?? [])])
    if (!byKey.has(bucket.key)) byKey.set(bucket.key, bucket);
  return byKey.size > 0 ? [...byKey.values()] : [PREFERENCES];
}

/**
 * Puts memories into the buckets that they belong to, in the order given; one may belong to several, or to none. Whoever
 * chose for a memory among the buckets as they are now is believed; else rules decide.
 */
export function fillBuckets(memories: readonly Memory[], buckets: readonly ProfileBucket[]): Record<string, Memory[]> {
  return Object.fromEntries(
    buckets.map((bucket) => {
      const chosen = verdictOn(bucket);
      const belongs = judgeOf(bucket);
      return [bucket.key, memories.filter((memory) => chosen(memory.buckets) ?? belongs(memory))];
    }),
  );
}

/** Verdicts are kept ready: a profile is asked for at every turn, and its facts hardly change from one to the next. */
const KEPT_CHARACTERS = 16_000_000;
/** What a verdict takes besides the text that it is about, in characters. */
const VERDICT_OVERHEAD = 60;
let keptCharacters = 0;
const verdictsByBucket = new Map<string, Map<string, boolean>>();

function judgeOf(bucket: ProfileBucket): (memory: Memory) => boolean {
  const verdicts = verdictsOf(bucket);
  let judge: ((text: string) => boolean) | undefined;
  const isForPreferences = /^preferences?$/.test(bucket.key);
  return ({ text, kind }) => {
    if (isForPreferences && kind === "preference") return true;
    const known = verdicts.get(text);
    if (known !== undefined) return known;
    judge ??= presetJudge(bucket.key) ?? judgeSubject(subjectOf(bucket));
    const verdict = judge(text);
    verdicts.set(text, verdict);
    keptCharacters += text.length + VERDICT_OVERHEAD;
    return verdict;
  };
}

/** Of this description of the bucket: another one may decide otherwise. */
function verdictsOf({ key, description }: ProfileBucket): Map<string, boolean> {
  if (keptCharacters >= KEPT_CHARACTERS) {
    verdictsByBucket.clear();
    keptCharacters = 0;
  }
  const identity = `${key}\n${description}`;
  const known = verdictsByBucket.get(identity);
  if (known) return known;
  const verdicts = new Map<string, boolean>();
  verdictsByBucket.set(identity, verdicts);
  keptCharacters += identity.length + VERDICT_OVERHEAD;
  return verdicts;
}

function subjectOf({ key, description }: ProfileBucket): Subject {
  return { name: key.replaceAll(/[_-]/g, " "), description };
}
