import { groupBy } from "../../lib/group-by.js";
import { inTimeZone } from "../../lib/time-zone.js";
import { iso } from "../../lib/time.js";
import type { Repositories } from "../ports.js";
import type { Memory } from "../types.js";
import type { FactWriting } from "./fact-writing.js";
import { isActive } from "./find-memory.js";
import { readingOfFact } from "./reading.js";
import { decide, isBefore, mayRelate, type KnownFact } from "./relate.js";
import type { ResolvedFact, StatedCandidate } from "./resolve-facts.js";
import { temporalContextSchema } from "./temporal-context.js";
import { isFlagged, isTrusted } from "./trust.js";

/** How a fact relates to current memories. */
export type Related =
  | { readonly kind: "new" }
  /** Never empty; the fact continues the first. */
  | {
      readonly kind: "updates";
      readonly memories: readonly Memory[];
      /** What some of them say now, by id. */
      readonly restated?: ReadonlyMap<string, string>;
    }
  | { readonly kind: "outdated"; readonly by: Memory }
  | { readonly kind: "extends"; readonly memory: Memory };

/** The most memories expected to be written while a document is being resolved. */
const NEWCOMERS = 200;

/** Memories written since a resolution looked, perhaps by another document. */
export async function newcomers(
  repositories: Repositories,
  { actor, container, resolution }: FactWriting,
): Promise<Memory[]> {
  const afterSeq = resolution.newestSeen;
  return repositories.memories.active(actor.organizationId, container.tag, { limit: NEWCOMERS, afterSeq });
}

/** What has been written since a fact was resolved, for the decision inside the transaction. */
export interface Since {
  readonly newcomers: readonly Memory[];
  /** Ids of what the same text stated. */
  readonly stated: ReadonlySet<string>;
}

/** Decides by rules how a fact relates to the memories of its container, as they are in this transaction. */
export async function relateFact(
  repositories: Repositories,
  writing: FactWriting,
  { candidate, related }: Pick<ResolvedFact, "candidate" | "related">,
  since: Since,
): Promise<Related> {
  const reading = readingOfFact(candidate);
  const late = since.newcomers.filter(({ text }) => mayRelate(reading, text)).map(({ id }) => id);
  const ids = [...new Set([...related, ...late])];
  if (ids.length === 0) return { kind: "new" };
  const found = await repositories.memories.byIds(writing.actor.organizationId, ids);
  const memories = found.filter((memory) => isActiveIn(memory, writing)).toSorted((one, other) => other.seq - one.seq);
  const decision = decide(
    {
      text: candidate.text,
      quote: candidate.quote,
      saidAt: saidAt(candidate, writing),
      eventDates: candidate.eventDates,
      isTemporary: candidate.forgetAfter !== undefined,
      statedTogether: since.stated,
    },
    await withDates(repositories, writing, memories),
  );
  const memoryOf = (id: string) => memories.find((memory) => memory.id === id);
  switch (decision.kind) {
    case "updates":
      return { ...decision, memories: decision.ids.flatMap((id) => memoryOf(id) ?? []) };
    case "outdated": {
      const by = memoryOf(decision.by);
      return by ? { kind: "outdated", by } : { kind: "new" };
    }
    case "extends": {
      const memory = memoryOf(decision.id);
      return memory ? { kind: "extends", memory } : { kind: "new" };
    }
    case "new":
      return decision;
  }
}

/** Whether a memory is active in this container, and not waiting for review of its content. */
export function isActiveIn(memory: Memory, { container, now }: Pick<FactWriting, "container" | "now">): boolean {
  // What waits for review says nothing yet, not even that something else is outdated.
  return isActive(memory, now) && memory.containerTag === container.tag && !isFlagged(memory);
}

/** When a fact was said (ISO), in local time of its zone. */
export function saidAt({ metadata }: StatedCandidate, { statedAt, now, timeZone }: FactWriting): string {
  return inTimeZone(writtenDate(metadata) ?? statedAt ?? iso(now), timeZone);
}

/** The date given by the author of a memory (contract 4.1). */
export function writtenDate(metadata: Readonly<Record<string, unknown>> | null | undefined): string | null {
  return temporalContextSchema.safeParse(metadata?.["temporalContext"]).data?.documentDate ?? null;
}

/** A memory counts as said on the date of its newest document, or when it was written. */
export async function withDates(
  repositories: Repositories,
  { actor, timeZone }: Pick<FactWriting, "actor" | "timeZone">,
  memories: readonly Memory[],
): Promise<KnownFact[]> {
  const { organizationId } = actor;
  const sources = await repositories.memories.sources(
    organizationId,
    memories.map(({ id }) => id),
  );
  const heads = await repositories.documents.headsByIds(organizationId, [
    ...new Set(sources.map(({ documentId }) => documentId)),
  ]);
  const dateOf = new Map(heads.map(({ id, documentDate }) => [id, documentDate]));
  const byMemory = groupBy(sources, ({ memoryId }) => memoryId);
  return memories.map((memory) => {
    const written = writtenDate(memory.metadata);
    const dates = (byMemory.get(memory.id) ?? []).map(({ documentId }) => dateOf.get(documentId) ?? memory.createdAt);
    const said =
      written ?? dates.reduce((one, other) => (isBefore(one, other) ? other : one), dates[0] ?? memory.createdAt);
    return { memory, saidAt: inTimeZone(said, timeZone), isUnverified: !isTrusted(memory) };
  });
}
