import { firstVersionId } from "./first-version-id.js";
import * as z from "zod";
import { createId } from "../../lib/ids.js";
import { iso } from "../../lib/time.js";
import { isOfActive, MISSING_JOB } from "../embeddings/roles.js";
import { sharedTimeZone } from "../containers/time-zone.js";
import { containerOfWrite } from "../containers/usual-container.js";
import type { AuthorizedCall, CoreContext } from "../context.js";
import { notFound } from "../errors.js";
import { resolveFacts, type Resolution } from "./resolve-facts.js";
import { findByExactText, findLatest, isActive, noSuchText } from "./find-memory.js";
import { forgetBatch, forgetDerived } from "./forget.js";
import { noteMemory } from "./memory-state.js";
import {
  checkMetadataSize,
  containerTagSchema,
  customIdSchema,
  dateSchema,
  invalid,
  metadataSchema,
  momentIn,
  noteSchema,
  parseInput,
  textSchema,
} from "../input.js";
import { refuseMerging } from "../containers/merge.js";
import { runOnce } from "../operations.js";
import type { ContainerRow, Repositories } from "../ports.js";
import { keepStatement, type Looking } from "./statements.js";
import { temporalContextSchema } from "./temporal-context.js";
import { trustOf, withoutLabel } from "./trust.js";
import { unitOf, type Actor, type Memory, type MemoryDraft } from "../types.js";

const MAX_TEXT = 10_000;

export const updateMemorySchema = z.object({
  /** Id of any version; the newest one is updated. Takes precedence over `content`. */
  id: customIdSchema.optional(),
  /** The exact text of a memory. */
  content: textSchema({ maxLength: MAX_TEXT }).optional(),
  /** May be omitted by an actor with exactly one container. */
  containerTag: containerTagSchema.optional(),
  newContent: textSchema({ maxLength: MAX_TEXT }),
  /** Replaces the old metadata, except its temporalContext; if omitted, the old metadata stays. */
  metadata: metadataSchema.optional(),
  /** Null removes an expiry and its reason; if omitted, the old one stays. */
  forgetAfter: dateSchema.nullish(),
  forgetReason: noteSchema(1_000).nullish(),
  temporalContext: temporalContextSchema.optional(),
  /** The reason, for the journal. */
  reason: noteSchema(1_000).optional(),
});
type Update = z.output<typeof updateMemorySchema> & { readonly containerTag: string };

/**
 * Writes the next version of a memory (contract 4.3), searchable at once. The old version stays in the record with `isLatest:
 * false`; the documents that stated it state the new one. An update that changes nothing returns the existing version, so a
 * call may be repeated.
 * The same text cannot be active twice: if another memory of the container already has the new text, it is forgotten as merged
 * into the new version, which takes over its documents, its strength and the later of both expiries, and is related to it as an
 * update.
 * @throws AppError `not_found` for a memory that is unknown, forgotten or expired, `invalid` for an invalid request, `conflict`
 * with `retryAfter` while the container is being merged
 */
export async function updateMemory(context: CoreContext, call: AuthorizedCall, raw: unknown): Promise<Memory> {
  const parsed = parseInput(updateMemorySchema, raw);
  const { actor } = call;
  const containerTag = containerOfWrite(actor, parsed.containerTag);
  const timeZone = sharedTimeZone(context, await context.store.containers.find(actor.organizationId, [containerTag]));
  const { forgetAfter } = parsed;
  const input = { ...parsed, containerTag, forgetAfter: forgetAfter && momentIn(forgetAfter, timeZone) };
  if (input.id === undefined && input.content === undefined)
    throw invalid([{ path: ["id"], message: "name the memory by id, or by its exact text as content" }]);
  checkMetadataSize("metadata", input.metadata, context.limits);
  if (input.forgetAfter && input.forgetAfter <= iso(context.clock.now()))
    throw invalid([{ path: ["forgetAfter"], message: "must be in the future" }]);
  const resolution = await embed(context, actor, input.newContent);
  const id = await runOnce(context, call, "updateMemory", async (repositories) => {
    await refuseMerging(repositories, actor, [input.containerTag]);
    const target = await findTarget({ ...context, store: repositories }, actor, input);
    return writeVersion(repositories, { actor, input, target, resolution, now: context.clock.now() });
  });
  context.wakeJobs();
  const memory = await context.store.memories.byId(actor.organizationId, id);
  if (!memory) throw notFound("memory", id);
  return memory;
}

async function findTarget(looking: Looking, actor: Actor, { id, content, containerTag }: Update): Promise<Memory> {
  const { clock, store } = looking;
  const { memories } = store;
  const found =
    id !== undefined
      ? await findLatest(memories, actor, id, containerTag)
      : await findByExactText(memories, actor, containerTag, content ?? "");
  if (found && isActive(found, clock.now())) return found;
  // A memory forgotten by id stays forgotten; other turns may still say its words.
  const named = id !== undefined ? { id, containerTag } : { text: content, containerTag };
  const kept = found && id !== undefined ? null : await keepStatement(looking, actor, named);
  if (kept) return kept;
  throw id !== undefined ? notFound("memory", id) : noSuchText(containerTag);
}

/** The vector of the new text. Slow: run outside the transaction. Without a container there is nothing to repeat. */
function embed(context: CoreContext, actor: Actor, text: string): Promise<Resolution> {
  const place = { organizationId: actor.organizationId, container: null, origin: "user" } as const;
  return resolveFacts(context, place, [{ text, kind: "fact", isStatic: false }]);
}

interface VersionWriting {
  readonly actor: Actor;
  readonly input: Update;
  readonly target: Memory;
  readonly resolution: Resolution;
  readonly now: Date;
}

async function writeVersion(repositories: Repositories, writing: VersionWriting): Promise<string> {
  const { actor, input, target, now } = writing;
  const { organizationId } = actor;
  const [container] = await repositories.containers.find(organizationId, [input.containerTag]);
  if (!container) throw notFound("memory", target.id);
  const twin = await repositories.memories.byText(organizationId, input.containerTag, input.newContent);
  const other = twin && twin.id !== target.id && isActive(twin, now) ? twin : null;
  const draft = draftOf(input, target, other);
  if (!other && changesNothing(draft, target)) return target.id;
  const batchId = createId();
  if (twin && twin.id !== target.id) {
    const reason = other ? `merged into memory ${draft.id}` : "its time was over";
    await forgetBatch(repositories, actor, [twin], { reason, batchId });
  }
  await forgetDerived(repositories, actor, [target], batchId);
  await repositories.memories.update(organizationId, target.id, { isLatest: false });
  await repositories.units.unindex(unitOf("memory", target.seq));
  const memory = await repositories.memories.insert(organizationId, draft, {
    parentId: target.id,
    rootId: firstVersionId(target),
    version: target.version + 1,
  });
  await repositories.memories.update(organizationId, memory.id, { strength: target.strength + (other?.strength ?? 0) });
  if (other) await repositories.memories.relate(organizationId, memory.id, other.id, "updates");
  await carrySources(repositories, organizationId, [target, ...(other ? [other] : [])], memory.id);
  await makeFindable(repositories, writing, memory, container);
  const noted = { batchId, action: "memory.updated", cause: input.reason ?? "asked to update" };
  await noteMemory(repositories, actor, noted, { before: target, after: { id: memory.id } });
  return memory.id;
}

function draftOf(input: Update, target: Memory, other: Memory | null): MemoryDraft {
  return {
    id: createId(),
    containerTag: target.containerTag,
    text: input.newContent,
    // In words other than those said, it is a fact that somebody states.
    kind: target.kind === "statement" ? "fact" : target.kind,
    isStatic: target.isStatic || (other?.isStatic ?? false),
    // Somebody states it now.
    isInference: false,
    ...expiryOf(input, target, other),
    origin: "user",
    metadata: metadataOf(input, target, other),
    // What was said about other words does not apply to these.
    ...(input.newContent === target.text && {
      ...(target.entities && { entities: target.entities }),
      ...(target.buckets && { buckets: target.buckets }),
    }),
  };
}

function expiryOf(
  { forgetAfter, forgetReason }: Update,
  target: Memory,
  other: Memory | null,
): Pick<MemoryDraft, "forgetAfter" | "ownForgetAfter" | "forgetReason"> {
  const inherited = other ? later(target, other) : target;
  const moment = forgetAfter === undefined ? inherited.forgetAfter : forgetAfter;
  if (forgetAfter === null || (other && moment === null)) return { forgetAfter: null, forgetReason: null };
  return {
    forgetAfter: moment,
    ...(forgetAfter === undefined && { ownForgetAfter: inherited.ownForgetAfter }),
    forgetReason: forgetReason === undefined ? inherited.forgetReason : forgetReason,
  };
}

/** The one of two memories that holds longer; no expiry is the longest. */
function later(one: Memory, other: Memory): Memory {
  if (one.forgetAfter === null || other.forgetAfter === null) return one.forgetAfter === null ? one : other;
  return one.forgetAfter > other.forgetAfter ? one : other;
}

function metadataOf(
  { metadata, temporalContext }: Update,
  target: Memory,
  other: Memory | null,
): MemoryDraft["metadata"] {
  // A review's verdict applies to the guess only.
  const { reviewStatus: _reviewed, ...inherited } = { ...statedPart(other), ...statedPart(target) };
  const temporal = temporalContext ?? inherited["temporalContext"];
  const merged = { ...(metadata ?? inherited), ...(temporal !== undefined && { temporalContext: temporal }) };
  return Object.keys(merged).length > 0 || metadata ? merged : null;
}

/** Doubts about a memory do not apply to what the user replaces it with. */
function statedPart(memory: Memory | null): Memory["metadata"] {
  return memory && trustOf(memory) !== "trusted" ? withoutLabel(memory.metadata) : (memory?.metadata ?? null);
}

function changesNothing(draft: MemoryDraft, target: Memory): boolean {
  return (
    !target.isInference &&
    draft.text === target.text &&
    draft.forgetAfter === target.forgetAfter &&
    draft.forgetReason === target.forgetReason &&
    JSON.stringify(draft.metadata) === JSON.stringify(target.metadata)
  );
}

async function carrySources(
  { memories }: Repositories,
  organizationId: string,
  from: readonly Memory[],
  toId: string,
): Promise<void> {
  const sources = await memories.sources(
    organizationId,
    from.map(({ id }) => id),
  );
  for (const { documentId } of sources) await memories.addSource(organizationId, toId, documentId, null);
}

async function makeFindable(
  repositories: Repositories,
  { resolution }: VersionWriting,
  memory: Memory,
  { id: containerId }: ContainerRow,
): Promise<void> {
  const unit = unitOf("memory", memory.seq);
  await repositories.units.indexText({ unit, containerIds: [containerId], text: memory.text, context: "" });
  const vector = resolution.facts[0]?.vector;
  if (vector && resolution.space) await repositories.units.addVector(unit, resolution.space, vector);
  if (!vector || !(await isOfActive(repositories, resolution.space))) await repositories.jobs.enqueue([MISSING_JOB]);
}
