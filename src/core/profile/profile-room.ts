import type { Memory } from "../types.js";
import type { BucketContent } from "./digest.js";

/** Approximate bytes of text per token of a language model. */
const BYTES_PER_TOKEN = 4;
/** What a face adds to each fact, in tokens. */
const BESIDE_FACT = 2;
const BESIDE_RECENT = 10;
/** The share of the room for which lasting facts and the buckets have priority. */
const LASTING_SHARE = 0.5;
const BUCKETS_SHARE = 0.25;

interface Parts {
  /** Most important first. */
  readonly lasting: readonly Memory[] | undefined;
  /** Newest first. */
  readonly recent: readonly Memory[] | undefined;
  readonly buckets: Readonly<Record<string, BucketContent>> | undefined;
}

/**
 * As much of a profile as there is room for: the requested parts share it, and what one part leaves goes to the next. A single
 * fact that is too long leaves room for the others.
 * @param tokens about how many tokens it may have
 */
export function fitProfile({ lasting, recent, buckets }: Parts, tokens: number): Parts {
  const room = { left: tokens };
  const isAlone = recent === undefined && buckets === undefined;
  const first =
    lasting && fitFacts(lasting, room, { most: isAlone ? tokens : tokens * LASTING_SHARE, each: BESIDE_FACT });
  const most = recent === undefined ? room.left : tokens * BUCKETS_SHARE;
  const fitted = buckets && fitBuckets(buckets, room, most);
  const kept = recent && fitFacts(recent, room, { most: room.left, each: BESIDE_RECENT });
  const shown = new Set(first);
  const further =
    lasting &&
    fitFacts(
      lasting.filter((memory) => !shown.has(memory)),
      room,
      { most: room.left, each: BESIDE_FACT },
    );
  const isShown = new Set([...shown, ...(further ?? [])]);
  return { lasting: lasting?.filter((memory) => isShown.has(memory)), recent: kept, buckets: fitted };
}

function fitFacts(
  facts: readonly Memory[],
  room: { left: number },
  { most, each }: { readonly most: number; readonly each: number },
): Memory[] {
  const floor = room.left - most;
  return facts.filter(({ text }) => {
    const cost = tokensOf(text) + each;
    if (room.left - cost < Math.max(0, floor)) return false;
    room.left -= cost;
    return true;
  });
}

/** Every bucket has the same room. */
function fitBuckets(
  buckets: Readonly<Record<string, BucketContent>>,
  room: { left: number },
  most: number,
): Record<string, BucketContent> {
  const entries = Object.entries(buckets);
  const share = most / Math.max(1, entries.length);
  return Object.fromEntries(
    entries.map(([key, { recent, summary }]) => {
      const mine = { left: Math.min(share, room.left) };
      const before = mine.left;
      const kept = fitFacts(recent, mine, { most: mine.left, each: BESIDE_FACT });
      const cost = summary === null ? 0 : tokensOf(summary) + BESIDE_FACT;
      const isSummed = cost <= mine.left;
      room.left -= before - mine.left + (isSummed ? cost : 0);
      return [key, { recent: kept, summary: isSummed ? summary : null }];
    }),
  );
}

function tokensOf(text: string): number {
  return Math.ceil(Buffer.byteLength(text) / BYTES_PER_TOKEN);
}
