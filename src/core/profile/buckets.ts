import { backgroundShare } from "../../lib/english/common-words.js";
import { contentRoot, relatedRoots } from "../../lib/english/relations.js";
import { tokenise } from "../../lib/words.js";
import type { StoreNouns } from "../ports.js";
import { readSettings } from "../service/settings.js";
import type { Memory, ProfileBucket } from "../types.js";

/** The bucket of those who have defined none (contract.md §6.2). */
const PREFERENCES: ProfileBucket = {
  key: "preferences",
  description: "Likes, dislikes and settled choices: tools, food, style, ways of working.",
};

/**
 * The buckets that a profile has: those of the organisation, or of the client in its place, and then the container's own.
 * On the same key the organisation wins; without any there is one for preferences.
 */
export async function effectiveBuckets(
  nouns: Pick<StoreNouns, "settings" | "containers">,
  organizationId: string,
  containerTag: string,
  client: string | undefined,
): Promise<ProfileBucket[]> {
  const { profileBuckets = [] } = await readSettings(nouns, organizationId, client);
  const container = await nouns.containers.get(organizationId, containerTag);
  const byKey = new Map<string, ProfileBucket>();
  for (const bucket of [...profileBuckets, ...(container?.profileBuckets ?? [])])
    if (!byKey.has(bucket.key)) byKey.set(bucket.key, bucket);
  return byKey.size > 0 ? [...byKey.values()] : [PREFERENCES];
}

/**
 * Puts memories into the buckets that they belong to, in the order given; one may belong to several, or to none.
 * @param perBucket the most of each
 */
export function fillBuckets(
  memories: readonly Memory[],
  buckets: readonly ProfileBucket[],
  perBucket: number,
): Record<string, Memory[]> {
  const filling = buckets.map((bucket) => ({ key: bucket.key, belongs: judgeOf(bucket), memories: [] as Memory[] }));
  for (const memory of memories) {
    const words = tokenise(memory.text);
    const roots = new Set(words.map(contentRoot));
    for (const { belongs, memories } of filling)
      if (memories.length < perBucket && belongs({ memory, words, roots })) memories.push(memory);
  }
  return Object.fromEntries(filling.map(({ key, memories }) => [key, memories]));
}

/** A memory, with its folded words and the roots of those that carry a subject. */
interface Candidate {
  readonly memory: Memory;
  readonly words: readonly string[];
  readonly roots: ReadonlySet<string>;
}

function judgeOf(bucket: ProfileBucket): (candidate: Candidate) => boolean {
  return /^preferences?$/.test(bucket.key) ? isPreference : judgeByWords(bucket);
}

const PREFERENCE_WORDS: ReadonlySet<string> = new Set(
  (
    "prefer prefers preferred preference preferences favourite favourites favorite favorites likes loves enjoys adores " +
    "dislikes hates loathes detests"
  ).split(" "),
);
/** Before `like` or `love`, which mean something else in most other places. */
const BEFORE_LIKING: ReadonlySet<string> = new Set("not t doesnt dont didnt never really also they we i".split(" "));

function isPreference({ memory, words }: Candidate): boolean {
  return (
    memory.kind === "preference" ||
    words.some(
      (word, index) =>
        PREFERENCE_WORDS.has(word) ||
        ((word === "like" || word === "love") && BEFORE_LIKING.has(words[index - 1] ?? "")),
    )
  );
}

/** From here on a word is a synonym or a kind of the other, below it they only have something to do with each other. */
const CLOSE = 0.5;
const SAME = 0.8;
/** Words that more texts have than this say little by themselves, and have too many meanings to follow. */
const COMMON = 0.001;

/**
 * A memory belongs to a bucket that shares a telling word with it, or a close relative of one: any word of the key, and
 * those of the description that are not common. Of its common ones it takes two.
 */
function judgeByWords({ key, description }: ProfileBucket): (candidate: Candidate) => boolean {
  const named = rootsOf(key.replaceAll(/[_-]/g, " "));
  const described = rootsOf(description);
  const own = [...named, ...described.filter(isTelling)];
  const telling = new Set(own);
  for (const root of own)
    for (const [relative, strength] of relatedRoots(root))
      if (strength >= (isTelling(relative) ? CLOSE : SAME)) telling.add(relative);
  const common = new Set(described.filter((root) => !telling.has(root)));
  return ({ roots }) => {
    let shared = 0;
    for (const root of roots) {
      if (telling.has(root)) return true;
      if (common.has(root)) shared += 1;
    }
    return shared >= 2;
  };
}

function isTelling(root: string): boolean {
  return backgroundShare(root) <= COMMON;
}

function rootsOf(text: string): string[] {
  return tokenise(text)
    .map(contentRoot)
    .filter((root) => root !== "");
}
