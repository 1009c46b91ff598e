import * as z from "zod";
import { createId, isId } from "../../lib/ids.js";
import { iso } from "../../lib/time.js";
import { maySee } from "../auth.js";
import { MISSING_JOB } from "../embeddings/roles.js";
import { refuseMerging } from "../containers/merge.js";
import type { AuthorizedCall, CoreContext } from "../context.js";
import { AppError, notFound } from "../errors.js";
import { customIdSchema, parseInput } from "../input.js";
import { runOnce } from "../operations.js";
import type { ContainerRow, JournalRow, MemoryChange, Repositories } from "../ports.js";
import { unitOf, type Actor, type Memory, type VectorSpace } from "../types.js";
import { isActive } from "./find-memory.js";
import { forgetBatch, forgetDerived, lostGroundOf } from "./forget.js";
import { linkAgain, unlink } from "./source-links.js";
import { resolveFacts } from "./resolve-facts.js";
import { isAsNoted, memoryStateSchema, noteMemory, type Joined, type MemoryState } from "./memory-state.js";

/** How many reasons are reported when nothing could be undone. */
const REASONS_TOLD = 5;

/** Changes that belong to something else, which would have to be undone with them. */
const NOT_UNDOABLE: Readonly<Record<string, string>> = {
  "memory.moved": "it was moved with its document or its container; move that back instead",
  "memory.merged": "another memory that said the same was joined to it by a move, which is not undone",
};

export const undoBatchSchema = z.object({ batchId: customIdSchema });

/** A change that was not undone. */
export interface NotUndone {
  /** Null when the change was not to a memory. */
  readonly memoryId: string | null;
  /** The reason, worded for people. */
  readonly reason: string;
}

export interface Undone {
  /** The batch of the undo, which can be undone in turn. */
  readonly batchId: string;
  /** How many changes were undone. */
  readonly undone: number;
  readonly skipped: readonly NotUndone[];
}

/**
 * Undoes every change to memories that a batch of the journal made, newest first, in one transaction and as a batch of its own.
 * What later changes have overtaken is left as it is and reported.
 * @throws AppError `not_found` for a batch that is unknown, or of containers that the actor may not use; `conflict` with the
 * reasons when none of it can be undone, with `retryAfter` while one of its containers is being merged
 */
export async function undoBatch(context: CoreContext, call: AuthorizedCall, raw: unknown): Promise<Undone> {
  const { batchId } = parseInput(undoBatchSchema, raw);
  const { actor } = call;
  const vectors = await embedReturning(context, actor, batchId);
  const undone = await runOnce(context, call, "undoBatch", (repositories) =>
    undoEntries({ repositories, actor, now: context.clock.now(), batchId, undoId: createId(), vectors }),
  );
  context.wakeJobs();
  return undone;
}

/** Vectors of returning versions, by id: a replaced version has none. Slow: run outside the transaction. */
async function embedReturning(context: CoreContext, actor: Actor, batchId: string): Promise<Undoing["vectors"]> {
  const entries = await entriesOf(context.store, actor, batchId);
  const returning = entries.flatMap(({ before, after }) => {
    const states = z.tuple([memoryStateSchema, memoryStateSchema]).safeParse([before, after]);
    return states.success && states.data[0].id !== states.data[1].id ? [states.data[0]] : [];
  });
  const candidates = returning.map(({ text }) => ({ text, kind: "fact" as const, isStatic: false }));
  const place = { organizationId: actor.organizationId, container: null, origin: "user" } as const;
  const { facts, space } = await resolveFacts(context, place, candidates);
  const vectors = facts.flatMap(({ vector }, index) => {
    const id = returning[index]?.id;
    return vector && space && id !== undefined ? [[id, { vector, space }] as const] : [];
  });
  return new Map(vectors);
}

/** The entries of a batch that the actor may see, oldest first. */
async function entriesOf(
  { journal }: Pick<Repositories, "journal">,
  actor: Actor,
  batchId: string,
): Promise<JournalRow[]> {
  const found = isId(batchId) ? await journal.ofBatch(actor.organizationId, batchId) : [];
  return found.filter(({ containerTag }) => maySee(actor, containerTag === null ? [] : [containerTag]));
}

export interface Undoing {
  readonly repositories: Repositories;
  readonly actor: Actor;
  readonly now: Date;
  /** What is undone. */
  readonly batchId: string;
  /** The batch of the undo itself. */
  readonly undoId: string;
  /** Of returning versions, by id, as far as they could be created. */
  readonly vectors: ReadonlyMap<string, { readonly vector: Float32Array; readonly space: VectorSpace }>;
}

/**
 * Undoes the entries of a batch that can be undone, inside a transaction.
 * @throws AppError as `undoBatch` does
 */
export async function undoEntries(undoing: Undoing): Promise<Undone> {
  const { repositories, actor, batchId, undoId } = undoing;
  const entries = await entriesOf(repositories, actor, batchId);
  if (entries.length === 0) throw notFound("batch", batchId);
  await refuseMerging(repositories, actor, [...new Set(entries.flatMap(({ containerTag }) => containerTag ?? []))]);
  const skipped: NotUndone[] = [];
  for (const entry of entries.toReversed()) {
    const reason = await undoEntry(undoing, entry);
    if (reason !== null) skipped.push({ memoryId: entry.subject === "memory" ? entry.subjectId : null, reason });
  }
  if (skipped.length === entries.length) throw nothingUndone(batchId, skipped);
  if (entries.some(({ subject }) => subject === "memory")) await repositories.jobs.enqueue([MISSING_JOB]);
  return { batchId: undoId, undone: entries.length - skipped.length, skipped };
}

function nothingUndone(batchId: string, skipped: readonly NotUndone[]): AppError {
  const told = skipped
    .slice(0, REASONS_TOLD)
    .map(({ memoryId, reason }) => (memoryId === null ? reason : `memory ${memoryId}: ${reason}`));
  const more = skipped.length > told.length ? `; and ${skipped.length - told.length} more` : "";
  return new AppError("conflict", `Nothing of batch ${batchId} can be undone: ${told.join("; ")}${more}.`);
}

/** @returns why the change was not undone, or null when it was */
async function undoEntry(undoing: Undoing, entry: JournalRow): Promise<string | null> {
  if (entry.subject !== "memory")
    return `${entry.action} of ${entry.subject} ${entry.subjectId} is not a change to a memory, and only those can be undone`;
  const fixed = NOT_UNDOABLE[entry.action];
  if (fixed !== undefined) return fixed;
  const before = memoryStateSchema.nullable().safeParse(entry.before);
  const after = memoryStateSchema.safeParse(entry.after);
  if (entry.after === null) return "its details in the journal were permanently removed";
  if (!before.success || !after.success) return "it was recorded before changes could be undone";
  const place = await findChanged(undoing, after.data);
  if (typeof place === "string") return place;
  return before.data && before.data.id !== after.data.id
    ? switchVersion(undoing, place, before.data, after.data.joined)
    : restore(undoing, place, { before: before.data, after: after.data });
}

/** A memory still as the change left it, with its container. */
interface Changed {
  readonly memory: Memory;
  readonly container: ContainerRow;
}

async function findChanged({ repositories, actor }: Undoing, after: MemoryState): Promise<Changed | string> {
  const { organizationId } = actor;
  const memory = await repositories.memories.byId(organizationId, after.id);
  if (!memory) return "it was permanently removed";
  if (!maySee(actor, [memory.containerTag])) return "it is no longer in this container";
  const container = await repositories.memories.containerOf(organizationId, memory.id);
  if (!container) return "its container was deleted";
  if (isAsNoted(memory, after)) return { memory, container };
  const { entries } = await repositories.journal.list(organizationId, { subjectIds: [memory.id], offset: 0, limit: 1 });
  const [last] = entries;
  if (!memory.isLatest && !memory.isForgotten) return "a newer version has taken its place";
  return `it has been changed since${last ? ` (${last.action} in batch ${last.batchId})` : ""}`;
}

/** Restores a memory to its earlier state; a new one is forgotten. */
async function restore(
  undoing: Undoing,
  { memory, container }: Changed,
  { before, after }: { readonly before: MemoryState | null; readonly after: MemoryState },
): Promise<string | null> {
  const { repositories, actor } = undoing;
  const target: MemoryState = before ?? { ...after, isForgotten: true, forgetReason: causeOf(undoing) };
  const returns = memory.isForgotten && !target.isForgotten;
  const obstacle = returns && memory.isLatest ? await whatPreventsReturn(undoing, container, target) : null;
  if (obstacle !== null) return obstacle;
  if (target.isForgotten && !memory.isForgotten) await forgetDerived(repositories, actor, [memory], undoing.undoId);
  await repositories.memories.update(actor.organizationId, memory.id, changeTo(target));
  if (memory.isLatest && memory.isForgotten !== target.isForgotten)
    await repositories.units.setForgotten(unitOf("memory", memory.seq), container.id, target.isForgotten);
  const unlinked = await unlink(undoing, memory.id, after.sources ?? []);
  const linked = await linkAgain(undoing, memory.id, before?.sources ?? []);
  const action = returns ? "memory.restored" : target.isForgotten ? "memory.forgotten" : "memory.reverted";
  const noted = { batchId: undoing.undoId, action, cause: causeOf(undoing), linked, unlinked };
  await noteMemory(repositories, actor, noted, { before: memory, after: { id: memory.id } });
  return null;
}

/** Makes another version of a fact the newest one. */
async function switchVersion(
  undoing: Undoing,
  { memory: leaving, container }: Changed,
  target: MemoryState,
  leaves: Joined | undefined,
): Promise<string | null> {
  const { repositories, actor } = undoing;
  const { organizationId } = actor;
  const returning = await repositories.memories.byId(organizationId, target.id);
  if (!returning) return `version ${target.version}, which would take its place, was permanently removed`;
  if (returning.containerTag !== leaving.containerTag) return "an older version of it is in another container";
  const { joined } = target;
  if (joined && !isAsNoted(returning, joined.alone)) return `memory ${returning.id} has been changed since`;
  const obstacle = await whatPreventsReturn(undoing, container, target, leaving.id);
  if (obstacle !== null) return `${obstacle} (concerns version ${target.version}, which would take its place)`;
  await forgetDerived(repositories, actor, [leaving], undoing.undoId);
  if (leaves) await standAlone(undoing, leaves);
  else await leave(undoing, leaving, target);
  await repositories.memories.update(organizationId, returning.id, {
    ...changeTo(target),
    isLatest: true,
    ...(joined && { lineage: { ...joined, version: target.version } }),
  });
  await makeFindable(undoing, returning, container);
  const change = { batchId: undoing.undoId, action: "memory.reverted", cause: causeOf(undoing) };
  const noted = { ...change, joined: joined ?? leaves };
  await noteMemory(repositories, actor, noted, { before: leaving, after: { id: returning.id } });
  return null;
}

/** A statement is found by its turn. */
async function makeFindable(
  { repositories, vectors }: Undoing,
  memory: Memory,
  container: ContainerRow,
): Promise<void> {
  if (memory.kind === "statement") return;
  const unit = unitOf("memory", memory.seq);
  await repositories.units.indexText({ unit, containerIds: [container.id], text: memory.text, context: "" });
  const embedded = vectors.get(memory.id);
  if (embedded) await repositories.units.addVector(unit, embedded.space, embedded.vector);
}

/** Removes a memory from the chain it was added to; it becomes what it was before. */
async function standAlone({ repositories, actor }: Undoing, { alone }: Joined): Promise<void> {
  const lineage = { parentId: null, rootId: null, version: alone.version };
  await repositories.memories.update(actor.organizationId, alone.id, { ...changeTo(alone), lineage });
}

/** If the version is older than the one that returns, it becomes history; if newer, it counts as never written. */
async function leave(undoing: Undoing, leaving: Memory, target: MemoryState): Promise<void> {
  const { repositories, actor } = undoing;
  await repositories.memories.update(actor.organizationId, leaving.id, {
    isLatest: false,
    ...(leaving.version > target.version && { isForgotten: true, forgetReason: causeOf(undoing) }),
  });
  await repositories.units.unindex(unitOf("memory", leaving.seq));
}

/** Why a memory cannot be active again, or null. An expired one that says the same makes room. */
async function whatPreventsReturn(
  { repositories, actor, now, undoId }: Undoing,
  { tag }: ContainerRow,
  target: MemoryState,
  leavingId?: string,
): Promise<string | null> {
  if (target.forgetAfter !== null && target.forgetAfter <= iso(now)) return `it expired at ${target.forgetAfter}`;
  const lost = target.isInference ? await lostGroundOf(repositories, actor.organizationId, target) : null;
  if (lost !== null) return `${lost}, from which it was derived, is gone`;
  const twin = await repositories.memories.byText(actor.organizationId, tag, target.text);
  if (!twin || twin.id === leavingId || twin.id === target.id) return null;
  if (isActive(twin, now)) return `memory ${twin.id} now says the same`;
  await forgetBatch(repositories, actor, [twin], { reason: twin.forgetReason ?? "its time was over", batchId: undoId });
  return null;
}

function changeTo(state: MemoryState): MemoryChange {
  const { isForgotten, forgetAfter, forgetReason, isStatic, isInference, strength, metadata } = state;
  return { isForgotten, forgetAfter, forgetReason, isStatic, isInference, strength, metadata };
}

function causeOf({ batchId }: Undoing): string {
  return `undo of ${batchId}`;
}
