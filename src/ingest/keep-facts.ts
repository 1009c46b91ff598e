import type { AppError } from "../core/errors.js";
import { systemActor } from "../core/auth.js";
import { ownTimeZone, sharedTimeZone } from "../core/containers/time-zone.js";
import { formsMemories } from "../core/documents/memory-paths.js";
import { isExpired } from "../core/memories/find-memory.js";
import { forgetUnsaid } from "../core/memories/forget-unsaid.js";
import { withoutPast } from "../core/memories/read-again.js";
import { resolveFacts, type Resolution, type StatedCandidate } from "../core/memories/resolve-facts.js";
import { writeFacts } from "../core/memories/write-facts.js";
import type { ContainerRow, Repositories } from "../core/ports.js";
import { forContainer } from "../core/profile/container-buckets.js";
import type { Document, RememberedFact } from "../core/types.js";
import { createId } from "../lib/ids.js";
import { iso } from "../lib/time.js";
import { withPlaces } from "./candidates.js";
import type { IngestContext } from "./context.js";
import { relateWithModel } from "./relate-with-model.js";
import { noteReading } from "./readings.js";
import type { QuietWait } from "./step.js";

/** How many of the newest memories are checked for ones that overtook a document. */
const NEWEST = 50;

/** The facts of a document, ready to be written into one of its containers. */
export interface Resolved {
  readonly container: ContainerRow;
  readonly resolution: Resolution;
  /** Why rules have to relate some of them in place of the language model; null if they do not. */
  readonly refusal: AppError | null;
}

/** Resolves candidates against what is known in each container of the document that is to form memories of it. */
export async function resolveForContainers(
  context: IngestContext,
  document: Document,
  found: readonly StatedCandidate[],
  signal: AbortSignal,
): Promise<Resolved[]> {
  const { organizationId, id } = document;
  const { store } = context;
  const placed = await withPlaces(found, document.content, signal);
  const candidates = (await isReadAgain(store, document))
    ? await withoutPast(store, { organizationId, documentId: id }, placed, context.clock.now())
    : placed;
  if (candidates.length === 0) return [];
  const resolved: Resolved[] = [];
  for (const container of await store.containers.ofDocument(organizationId, id)) {
    if (!(await formsMemories(store, organizationId, container.tag, document.filepath))) continue;
    const own = await forContainer(store, document, container.tag, candidates);
    const place = { organizationId, container, origin: document.origin, source: document };
    const ruled = await resolveFacts(context, place, own, signal);
    // What its sender stated is related by rules.
    const isStated = document.facts !== null;
    const related = isStated
      ? { resolution: ruled, refusal: null }
      : await relateWithModel(context, { document, container }, ruled, signal);
    resolved.push({ container, ...related });
  }
  return resolved;
}

/** True for a document that is read from the beginning once more: what it states is known, and its history must stay as it is. */
async function isReadAgain({ memories }: Pick<Repositories, "memories">, document: Document): Promise<boolean> {
  const { organizationId, id, revision, rememberedRevision } = document;
  if (revision === 1 || rememberedRevision > 0) return false;
  return (await memories.ofDocument(organizationId, id)).length > 0;
}

/** What is written, when it was said, and the batch it is recorded in when the document is not read for the first time. */
interface FactsToWrite {
  readonly resolved: readonly Resolved[];
  readonly statedAt: string | null;
  readonly readAgain: { readonly batchId: string; readonly cause: string } | undefined;
  readonly now: Date;
}

/**
 * Writes facts into the containers that the document is still in.
 * @returns all of them, and how many found no room in the container with the least
 */
export async function writeResolved(
  context: IngestContext,
  repositories: Repositories,
  document: Document,
  { resolved, statedAt, readAgain, now }: FactsToWrite,
): Promise<{ readonly facts: readonly RememberedFact[]; readonly leftOut: number }> {
  const { organizationId, id } = document;
  const containers = await repositories.containers.ofDocument(organizationId, id);
  const stillIn = new Set(containers.map((container) => container.id));
  const timeZone = ownTimeZone(document.metadata) ?? sharedTimeZone(context, containers);
  const facts: RememberedFact[] = [];
  let leftOut = 0;
  for (const { container, resolution } of resolved.filter((one) => stillIn.has(one.container.id))) {
    const written = await writeFacts(repositories, {
      actor: systemActor(organizationId),
      client: document.client,
      container,
      documentId: id,
      documentEnd: document.forgetAfter,
      origin: document.origin,
      resolution,
      now,
      statedAt,
      timeZone,
      maxSuperseded: context.limits.maxSuperseded,
      readAgain,
    });
    facts.push(...written.facts, ...written.restated);
    leftOut = Math.max(leftOut, written.leftOut);
  }
  return { facts, leftOut };
}

/**
 * Writes the facts of a document with its receipt, inside the transaction that ends its job. A revision that is already
 * remembered is not written twice.
 */
export async function keepFacts(
  context: IngestContext,
  repositories: Repositories,
  document: Document,
  { resolved, statedAt }: { readonly resolved: readonly Resolved[]; readonly statedAt: string | null },
): Promise<void> {
  const { organizationId, id, revision, rememberedRevision } = document;
  const isRemembered = rememberedRevision >= revision;
  const readAgain = (await isReadAgain(repositories, document))
    ? { batchId: createId(), cause: "read again" }
    : undefined;
  const now = context.clock.now();
  const told = { resolved: isRemembered ? [] : resolved, statedAt, readAgain, now };
  const { facts, leftOut } = await writeResolved(context, repositories, document, told);
  if (!isRemembered) await forgetUnsaid(repositories, document);
  await noteReading(context, repositories, document);
  if (revision > 1) await repositories.documents.settleRevisions(organizationId, id, revision);
  await repositories.documents.update(organizationId, id, {
    dreamingStatus: "done",
    rememberedRevision: revision,
    ...(!isRemembered && { receipt: await withTimes(repositories, organizationId, facts, now) }),
    ...(leftOut > 0 && { factsLeftOut: document.factsLeftOut + leftOut }),
  });
}

/** Sets since when each fact can be found: earlier for one already known, never for one that is over. */
async function withTimes(
  { memories }: Repositories,
  organizationId: string,
  receipt: readonly RememberedFact[],
  now: Date,
): Promise<RememberedFact[]> {
  const kept = await memories.byIds(organizationId, [...new Set(receipt.map(({ id }) => id))]);
  const byId = new Map(kept.map((memory) => [memory.id, memory]));
  return receipt.map((fact) => {
    const memory = byId.get(fact.id);
    if (fact.outcome === "outdated" || (memory && isExpired(memory, now))) return fact;
    const isKnown = fact.outcome === "duplicate" && memory !== undefined;
    return { ...fact, searchableAt: isKnown ? memory.createdAt : iso(now) };
  });
}

/**
 * The time at which a document speaks, null for now: the date of its content, or its arrival if something that came
 * later was remembered while it waited. Older statements must not replace newer ones.
 */
export async function saidWhen(
  { store }: IngestContext,
  { organizationId, documentDate, containerTags }: Document,
  waits: QuietWait | undefined,
): Promise<string | null> {
  if (documentDate !== null || !waits) return documentDate;
  for (const tag of containerTags) {
    const newest = await store.memories.active(organizationId, tag, { limit: NEWEST });
    const later = newest.filter(({ createdAt }) => createdAt > waits.last).map(({ id }) => id);
    if (later.length === 0) continue;
    const sources = await store.memories.sources(organizationId, later);
    const ids = [...new Set(sources.map(({ documentId }) => documentId))];
    const heads = await store.documents.headsByIds(organizationId, ids);
    if (heads.some(({ createdAt }) => createdAt > waits.last)) return waits.last;
  }
  return null;
}
