import { groupBy } from "../../lib/group-by.js";
import { inTimeZone } from "../../lib/time-zone.js";
import { iso } from "../../lib/time.js";
import { firstVersionId } from "./first-version-id.js";
import type { Repositories } from "../ports.js";
import type { Memory } from "../types.js";
import type { FactWriting } from "./fact-writing.js";
import { isActive } from "./find-memory.js";
import { readingOfFact } from "./reading.js";
import { isBefore, type KnownFact } from "./decision.js";
import { decide, mayRelate } from "./relate.js";
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
  | {
      readonly kind: "outdated";
      readonly by: Memory;
      /** What the fact itself would replace. */
      readonly memories?: readonly Memory[];
    }
  | { readonly kind: "extends"; readonly memory: Memory };

/** The most memories expected to be written while a document is being resolved. */
const NEWCOMERS = 200;
/** How many of the newest memories are examined for what somebody may go back to. */
const CHANGED = 500;

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
  const changed = reading.returns ? await changedOnes(repositories, writing) : [];
  const ids = [...new Set([...related, ...late, ...changed])];
  if (ids.length === 0) return { kind: "new" };
  const found = await repositories.memories.byIds(writing.actor.organizationId, ids);
  const memories = found.filter((memory) => isActiveIn(memory, writing)).toSorted((one, other) => other.seq - one.seq);
  const said = saidAt(candidate, writing);
  const known = await withDates(repositories, writing, memories);
  // What the same text said before was not said later.
  const dated = known.map((one, index) =>
    since.stated.has(one.memory.id) && writtenDate(memories[index]?.metadata) === null ? { ...one, saidAt: said } : one,
  );
  const decision = decide(
    {
      text: candidate.text,
      quote: candidate.quote,
      isTakenBack: candidate.isTakenBack,
      saidAt: said,
      eventDates: candidate.eventDates,
      isTemporary: candidate.forgetAfter !== undefined,
      statedTogether: since.stated,
    },
    reading.returns ? await withFormerTexts(repositories, writing, memories, dated) : dated,
  );
  const memoryOf = (id: string) => memories.find((memory) => memory.id === id);
  switch (decision.kind) {
    case "updates":
      return { ...decision, memories: decision.ids.flatMap((id) => memoryOf(id) ?? []) };
    case "outdated": {
      const by = memoryOf(decision.by);
      return by
        ? { kind: "outdated", by, memories: decision.ids?.flatMap((id) => memoryOf(id) ?? []) ?? [] }
        : { kind: "new" };
    }
    case "extends": {
      const memory = memoryOf(decision.id);
      return memory ? { kind: "extends", memory } : { kind: "new" };
    }
    case "new":
      return decision;
  }
}

/** What memories that somebody named as replaced say now, by id, as far as the fact tells. */
export async function restatedAmong(
  repositories: Repositories,
  writing: FactWriting,
  { candidate, replaced }: { readonly candidate: StatedCandidate; readonly replaced: readonly Memory[] },
  { stated }: Pick<Since, "stated">,
): Promise<ReadonlyMap<string, string> | undefined> {
  const related = replaced.map(({ id }) => id);
  const byRules = await relateFact(repositories, writing, { candidate, related }, { newcomers: [], stated });
  return byRules.kind === "updates" ? byRules.restated : undefined;
}

/** Ids of the newest memories that once said something else. */
async function changedOnes({ memories }: Repositories, { actor, container }: FactWriting): Promise<readonly string[]> {
  const newest = await memories.active(actor.organizationId, container.tag, { limit: CHANGED });
  return newest.filter(({ version }) => version > 1).map(({ id }) => id);
}

async function withFormerTexts(
  { memories }: Repositories,
  { actor }: FactWriting,
  current: readonly Memory[],
  known: readonly KnownFact[],
): Promise<KnownFact[]> {
  const chains = groupBy(
    await memories.versions(actor.organizationId, [
      ...new Set(current.filter(({ version }) => version > 1).map(firstVersionId)),
    ]),
    firstVersionId,
  );
  return known.map((one, index) => {
    const memory = current[index];
    const chain = memory ? (chains.get(firstVersionId(memory)) ?? []) : [];
    const former = chain.filter(({ version }) => version < (memory?.version ?? 0));
    return { ...one, formerTexts: former.toReversed().map(({ text }) => text) };
  });
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
