import type { Repositories } from "../ports.js";
import { readSettings } from "../upkeep/settings.js";
import type { Memory, ProfileBucket } from "../types.js";
import { verdictOn } from "./bucket-verdict.js";
import { presetJudge } from "./preset-cues.js";
import { judgeSubject, type ProfileSubject } from "./subject-words.js";

/** The default bucket if none are defined (contract 5.2). */
const PREFERENCES: ProfileBucket = {
  key: "preferences",
  description: "Likes, dislikes and settled choices: tools, food, style, ways of working.",
};

/**
 * The buckets of a profile: those of the organisation, or the client's instead, followed by the container's own. If both define
 * a key, the organisation's wins; without any there is one for preferences.
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
 * Sorts memories into their buckets, in the order given; one may belong to several, or to none. A verdict based on the current
 * definitions applies; otherwise rules decide.
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

/** Verdicts are cached: a profile is requested on every turn, and its facts hardly change between turns. */
const KEPT_CHARACTERS = 16_000_000;
/** Overhead of a verdict besides its text, in characters. */
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

/** Verdicts for this description of the bucket: another one may lead to different ones. */
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

function subjectOf({ key, description }: ProfileBucket): ProfileSubject {
  return { name: key.replaceAll(/[_-]/g, " "), description };
}
