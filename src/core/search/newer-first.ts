import { groupBy } from "../../lib/group-by.js";
import { isBefore } from "../memories/decision.js";
import { writtenDate } from "../memories/related-facts.js";
import { isExpired } from "../memories/find-memory.js";
import { trustOf, trustOfPassage } from "../memories/trust.js";
import type { CoreContext } from "../context.js";
import type { WholeUnit } from "../ports.js";
import type { RankedUnit } from "./rank.js";
import { changes, sayingsAmong, type Saying } from "./sayings.js";
import type { SearchScope } from "./search-scope.js";
import { kindOf, seqOf, TRUST, type Chunk, type DocumentHead, type Memory, type Trust, type Unit } from "../types.js";

/** How many of the best are examined; no answer has more. */
const LOOKED = 100;

/** Indexes of two ranked units, one of which may change what the other says. */
interface Pair {
  readonly earlier: number;
  readonly later: number;
}

/** Who says something, how far they are trusted, and when they said it. */
interface SourcedUnit {
  readonly unit: RankedUnit;
  readonly trust: Trust;
  /** ISO, if known. */
  readonly saidAt: string;
  /** False for what was forgotten or replaced, is over, or was only inferred. */
  readonly holds: boolean;
}

/**
 * Puts newer statements before what they change: a different figure for the same thing, or an explicit correction. Less trusted
 * statements never move before more trusted ones because they are newer. This serves statements from which the rules made no
 * facts; facts would already have been superseded.
 * @param ranked best first, of all kinds and before anything is cut off, so that each answer begins as a longer one does
 */
export async function newerFirst(
  context: Pick<CoreContext, "store" | "clock">,
  searchScope: Pick<SearchScope, "organizationId" | "tags">,
  ranked: readonly RankedUnit[],
): Promise<readonly RankedUnit[]> {
  const best = ranked.filter(({ isFurther }) => !isFurther).slice(0, LOOKED);
  const pairs = pairsAmong(best);
  if (pairs.length === 0) return ranked;
  const places = new Set(pairs.flatMap(({ earlier, later }) => [earlier, later]));
  const told = await readSources(
    context,
    searchScope,
    [...places].map((place) => best[place]!),
  );
  const ordered = [...ranked];
  const byEarlier = groupBy(pairs, ({ earlier }) => earlier);
  for (const [place, ofEarlier] of [...byEarlier].toSorted(([one], [other]) => one - other)) {
    const older = told.get(best[place]!.unit);
    if (!older) continue;
    const newer = new Set(ofEarlier.flatMap(({ later }) => told.get(best[later]!.unit) ?? []));
    const ahead = [...newer].filter((one) => one.holds && byTrustAndDate(one, older) < 0);
    for (const one of ahead.toSorted(byTrustAndDate)) moveBefore(ordered, one.unit.unit, older.unit.unit);
  }
  return ordered;
}

function pairsAmong(best: readonly RankedUnit[]): readonly Pair[] {
  const pairs: Pair[] = [];
  for (const group of saidOfTheSame(best))
    for (const earlier of group)
      for (const later of group)
        if (isPair(best, earlier, later)) pairs.push({ earlier: earlier.place, later: later.place });
  return pairs;
}

/** Statements by several units about the same thing, ordered by first mention, which breaks ties. */
function saidOfTheSame(best: readonly RankedUnit[]): readonly (readonly Placed[])[] {
  // Few things are mentioned by more than one unit: only those get a list.
  const groups = new Map<string, Placed | Placed[]>();
  for (const [place, sayings] of sayingsAmong(best.map(({ detail }) => detail)).entries())
    for (const saying of sayings) {
      const before = groups.get(saying.of);
      if (before === undefined) groups.set(saying.of, { place, saying });
      else if (Array.isArray(before)) before.push({ place, saying });
      else groups.set(saying.of, [before, { place, saying }]);
    }
  return [...groups.values()].filter((group) => Array.isArray(group));
}

interface Placed {
  readonly place: number;
  readonly saying: Saying;
}

function isPair(best: readonly RankedUnit[], earlier: Placed, later: Placed): boolean {
  if (earlier.place === later.place || !changes(later.saying, earlier.saying)) return false;
  return best[earlier.place]?.detail.containerId === best[later.place]?.detail.containerId;
}

async function readSources(
  { store, clock }: Pick<CoreContext, "store" | "clock">,
  { organizationId, tags }: Pick<SearchScope, "organizationId" | "tags">,
  units: readonly RankedUnit[],
): Promise<ReadonlyMap<Unit, SourcedUnit>> {
  const ids = [...new Set(units.flatMap(({ detail }) => detail.documentIds))];
  const [heads, whole] = await Promise.all([
    ids.length > 0 ? store.documents.headsByIds(organizationId, ids) : [],
    store.units.load(
      organizationId,
      units.map(({ unit }) => unit),
    ),
  ]);
  const documents = heads.filter(
    ({ containerTags }) => tags === "all" || containerTags.some((tag) => tags.includes(tag)),
  );
  const byUnit = new Map(whole.map((one) => [one.unit, one]));
  return new Map(
    units.flatMap((unit) => {
      const found = byUnit.get(unit.unit);
      if (!found) return [];
      const own = documents.filter(({ id }) => unit.detail.documentIds.includes(id));
      return [[unit.unit, sourcedUnit(unit, found, { documents: own, now: clock.now() })]];
    }),
  );
}

function sourcedUnit(
  unit: RankedUnit,
  { memory, chunk }: WholeUnit,
  { documents, now }: { readonly documents: readonly DocumentHead[]; readonly now: Date },
): SourcedUnit {
  const lasting = memory ?? documents[0];
  const isGone = unit.isOutOfDate || memory?.isForgotten === true || (lasting !== undefined && isExpired(lasting, now));
  return {
    unit,
    trust: memory ? trustOf(memory) : trustOfPassage(documents[0]?.origin ?? "user", chunk?.metadata),
    saidAt: saidAt(memory, chunk, documents),
    holds: !isGone && memory?.isLatest !== false && memory?.isInference !== true,
  };
}

/** When something was last said (ISO), if known. */
function saidAt(memory: Memory | null, chunk: Chunk | null, documents: readonly DocumentHead[]): string {
  const kept = (memory ?? chunk)?.createdAt ?? "";
  const dates = documents.map(({ documentDate }) => documentDate ?? kept);
  const own = writtenDate(memory?.metadata) ?? chunk?.metadata?.date;
  return own ?? dates.reduce((one, other) => (isBefore(one, other) ? other : one), dates[0] ?? kept);
}

/** Negative if `one` is more trusted, or equally trusted and said later. */
function byTrustAndDate(one: SourcedUnit, other: SourcedUnit): number {
  const byTrust = TRUST.indexOf(one.trust) - TRUST.indexOf(other.trust);
  if (byTrust !== 0) return byTrust;
  if (isBefore(one.saidAt, other.saidAt)) return 1;
  if (isBefore(other.saidAt, one.saidAt)) return -1;
  const [mine, theirs] = [one.unit, other.unit];
  return kindOf(mine.unit) === kindOf(theirs.unit) ? seqOf(theirs.unit) - seqOf(mine.unit) : 0;
}

/** Moves the newer unit before the older one and gives it that one's similarity, so that similarities never rise. */
function moveBefore(ranked: RankedUnit[], newer: Unit, older: Unit): void {
  const placeOf = (wanted: Unit) => ranked.findIndex(({ unit }) => unit === wanted);
  const [from, to] = [placeOf(newer), placeOf(older)];
  const moved = ranked[from];
  if (!moved || to === -1 || from <= to) return;
  ranked.splice(from, 1);
  ranked.splice(to, 0, { ...moved, similarity: ranked[to]!.similarity });
}
