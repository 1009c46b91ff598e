import { timeZoneOf } from "../core/containers/time-zone.js";
import { contextFilter } from "../core/documents/context-filter.js";
import { isActiveIn, withDates } from "../core/memories/related-facts.js";
import type { Resolution, ResolvedFact } from "../core/memories/resolve-facts.js";
import { temporalContextSchema } from "../core/memories/temporal-context.js";
import { systemActor } from "../core/auth.js";
import type { ContainerRow } from "../core/ports.js";
import type { Document, Memory, Unit } from "../core/types.js";
import { queryWords } from "../language/words.js";
import type { IngestContext } from "./context.js";

/** Maximum number of memories shown with a fact. */
const MOST_NEIGHBOURS = 12;
/** How many of them are found by meaning; the others are found by words. */
const BY_MEANING = 8;
/** Texts below this cosine similarity have nothing in common. */
const FAR = 0.3;

/** A memory that may be related to a fact, with when it was stated (ISO) and the days it is about. */
export interface Neighbour {
  readonly memory: Memory;
  readonly saidAt: string;
  readonly days: readonly string[];
}

/** What is told of a container now. */
export interface RelationScope {
  readonly document: Document;
  readonly container: ContainerRow;
  readonly resolution: Resolution;
}

/**
 * For each fact, the memories of the container that may be related to it, by meaning and by words, likeliest first:
 * more than rules would look at. Nothing that awaits review, and only what matches the document's `filterByMetadata`
 * (contract 2.1).
 */
export async function neighboursOf(context: IngestContext, searchScope: RelationScope): Promise<Neighbour[][]> {
  const { document, container, resolution } = searchScope;
  const { organizationId } = document;
  const allowed = await allowedUnits(context, searchScope);
  const idsByFact: string[][] = [];
  for (const fact of resolution.facts) idsByFact.push(await findIds(context, searchScope, fact, allowed));
  const ids = [...new Set(idsByFact.flat())];
  if (ids.length === 0) return idsByFact.map(() => []);
  const timeZone = await timeZoneOf(context, document);
  const writing = { actor: systemActor(organizationId), container, now: context.clock.now(), timeZone };
  const found = (await context.store.memories.byIds(organizationId, ids)).filter(
    (memory) => isActiveIn(memory, writing) && !memory.isInference,
  );
  const saidAt = new Map(
    (await withDates(context.store, writing, found)).map(({ memory, saidAt: said }) => [memory.id, said]),
  );
  const byId = new Map(found.map((memory) => [memory.id, memory]));
  return idsByFact.map((some) =>
    some.flatMap((id): Neighbour[] => {
      const memory = byId.get(id);
      return memory ? [{ memory, saidAt: saidAt.get(id) ?? memory.createdAt, days: daysOf(memory) }] : [];
    }),
  );
}

async function allowedUnits(
  { store }: IngestContext,
  { document, container }: RelationScope,
): Promise<ReadonlySet<Unit> | null> {
  const { organizationId, filterByMetadata } = document;
  if (!filterByMetadata) return null;
  return new Set(
    await store.units.matching(organizationId, scopeOf(container), { filters: contextFilter(filterByMetadata) }),
  );
}

async function findIds(
  { store, vectors }: IngestContext,
  { document, container, resolution: { space } }: RelationScope,
  { candidate, vector, twin, related }: ResolvedFact,
  allowed: ReadonlySet<Unit> | null,
): Promise<string[]> {
  const scope = scopeOf(container);
  const near =
    space && vector
      ? await vectors.nearest({
          space,
          vector,
          limit: BY_MEANING,
          containerIds: scope.containerIds,
          kinds: scope.kinds,
        })
      : [];
  const words = queryWords(candidate.text);
  const said = await store.units.searchText(scope, words, { limit: MOST_NEIGHBOURS });
  const units = [...near.filter(({ cosine }) => cosine >= FAR), ...said.hits].map(({ unit }) => unit);
  const found = new Set(units.filter((unit) => allowed === null || allowed.has(unit)));
  const details = found.size > 0 ? await store.units.details(document.organizationId, scope, [...found]) : [];
  const idOf = new Map(details.map(({ unit, id }) => [unit, id]));
  const likeliest = allowed === null ? [...(twin === null ? [] : [twin]), ...related] : [];
  const ids = [...likeliest, ...[...found].flatMap((unit) => idOf.get(unit) ?? [])];
  return [...new Set(ids)].slice(0, MOST_NEIGHBOURS);
}

function scopeOf({ id }: ContainerRow) {
  return { containerIds: [id], kinds: ["memory"] as const, includeForgotten: false };
}

/** The days (YYYY-MM-DD) that a memory is about. */
function daysOf({ metadata }: Memory): readonly string[] {
  return temporalContextSchema.safeParse(metadata?.["temporalContext"]).data?.eventDate?.slice(0, 5) ?? [];
}
