import * as z from "zod";
import { createId } from "../../lib/ids.js";
import { requireContainer } from "../auth.js";
import type { AuthorizedCall, CoreContext } from "../context.js";
import { AppError, notFound } from "../errors.js";
import { type Approval, approveMemory, approvalThatReplaced } from "./approve.js";
import { findLatest, isActive } from "./find-memory.js";
import { forgetBatch, lostGroundOf } from "./forget.js";
import { noteMemory } from "./memory-state.js";
import { containerTagSchema, customIdSchema, parseInput } from "../input.js";
import { runOnce } from "../operations.js";
import { sharedTimeZone } from "../containers/time-zone.js";
import { undoEntries } from "./undo.js";
import type { ContainerRow, InferredMemory, Repositories } from "../ports.js";
import { unitOf, type Actor, type Memory } from "../types.js";

/** What the journal calls it. */
const DECLINED = "memory.declined";

/** The most guesses returned by one call (contract 4.8). */
const QUEUE = 50;

const inferredSchema = z.object({ containerTag: containerTagSchema });

/** Unreviewed guesses of a container, those with the most sources first; none for a container that does not exist. */
export async function listInferred(
  { store }: CoreContext,
  { actor }: AuthorizedCall,
  raw: unknown,
): Promise<readonly InferredMemory[]> {
  const { containerTag } = parseInput(inferredSchema, raw);
  requireContainer(actor, containerTag);
  return store.memories.inferred(actor.organizationId, containerTag, QUEUE);
}

export const reviewSchema = z.object({
  containerTag: containerTagSchema,
  id: customIdSchema,
  action: z.enum(["approve", "decline", "undo"], "must be approve, decline or undo"),
});
type Action = z.output<typeof reviewSchema>["action"];

export type ReviewStatus = "approved" | "declined";

export interface Reviewed {
  readonly id: string;
  readonly isInference: boolean;
  readonly isForgotten: boolean;
  readonly reviewStatus: ReviewStatus | null;
}

/**
 * Reviews a guess (contract 4.8): if approved, it becomes a stated fact and replaces what it was held back from replacing; if
 * declined, it leaves search and the queue; if undone, it returns to the queue, and what it replaced holds again.
 * @throws AppError `not_found` for a container or memory that does not exist, or a memory forgotten for another reason;
 * `conflict` for a memory that is not an open guess, when there is nothing to undo, when the text has become known again
 * meanwhile, or for an approval that cannot be undone as a whole
 */
export async function reviewInferred(context: CoreContext, call: AuthorizedCall, raw: unknown): Promise<Reviewed> {
  const input = parseInput(reviewSchema, raw);
  const { actor } = call;
  requireContainer(actor, input.containerTag);
  const reviewed = await runOnce(context, call, "reviewInferred", async (repositories) => {
    const [container] = await repositories.containers.find(actor.organizationId, [input.containerTag]);
    if (!container) throw new AppError("not_found", `Container not found: ${input.containerTag}`);
    const memory = await findLatest(repositories.memories, actor, input.id, container.tag);
    const status = memory && statusOf(memory);
    const isThere = memory && (status === "declined" || isActive(memory, context.clock.now()));
    if (!isThere || !(await liesIn(repositories, actor, memory, container))) throw notFound("memory", input.id);
    refuseWrongState(memory, status, input.action);
    const timeZone = sharedTimeZone(context, [container]);
    await STEPS[input.action]({ repositories, actor, container, memory, now: context.clock.now(), timeZone });
    const after = await repositories.memories.byId(actor.organizationId, memory.id);
    if (!after) throw notFound("memory", memory.id);
    const { id, isInference, isForgotten } = after;
    return { id, isInference, isForgotten, reviewStatus: statusOf(after) };
  });
  context.wakeJobs();
  return reviewed;
}

/** The review status of a guess; declined only while it is forgotten for that reason. */
function statusOf({ metadata, isForgotten }: Memory): ReviewStatus | null {
  const status = metadata?.["reviewStatus"];
  if (status === "declined") return isForgotten ? "declined" : null;
  return status === "approved" ? "approved" : null;
}

/** False for a memory of a deleted container whose tag now belongs to a new one. */
async function liesIn(
  { units }: Repositories,
  { organizationId }: Actor,
  memory: Memory,
  container: ContainerRow,
): Promise<boolean> {
  const scope = { containerIds: [container.id], kinds: ["memory"] as const, includeForgotten: true };
  return (await units.details(organizationId, scope, [unitOf("memory", memory.seq)])).length > 0;
}

function refuseWrongState(memory: Memory, status: ReviewStatus | null, action: Action): void {
  if (action === "undo") {
    if (status === null)
      throw new AppError("conflict", `Memory ${memory.id} was not reviewed: there is nothing to undo.`);
    return;
  }
  if (status !== null)
    throw new AppError("conflict", `Memory ${memory.id} is already ${status}. Undo that first to ${action} it.`);
  if (!memory.isInference)
    throw new AppError("conflict", `Memory ${memory.id} was stated, not inferred: there is nothing to review.`);
}

const STEPS: Readonly<Record<Action, (step: Approval) => Promise<void>>> = {
  approve: approveMemory,

  async decline({ repositories, actor, memory }) {
    await forgetBatch(repositories, actor, [memory], {
      reason: "declined in review",
      batchId: createId(),
      action: DECLINED,
      metadata: { reviewStatus: "declined" },
    });
  },

  async undo(step) {
    const { repositories, actor, container, memory } = step;
    const approval = memory.isForgotten ? null : await approvalThatReplaced(step);
    if (approval !== null) return undoApproval(step, approval);
    const { reviewStatus: _reviewed, ...metadata } = memory.metadata ?? {};
    if (memory.isForgotten) await refuseKnownAgain(step);
    if (memory.isForgotten) await refuseGroundless(step);
    await repositories.memories.update(actor.organizationId, memory.id, {
      isInference: true,
      metadata: Object.keys(metadata).length > 0 ? metadata : null,
      ...(memory.isForgotten && { isForgotten: false, forgetReason: await reasonBeforeDecline(step) }),
    });
    if (memory.isForgotten) await repositories.units.setForgotten(unitOf("memory", memory.seq), container.id, false);
    await note(step, "memory.review_undone");
  },
};

/** Restores what the memory replaced, all of it or nothing. */
async function undoApproval({ repositories, actor, memory, now }: Approval, batchId: string): Promise<void> {
  const { skipped } = await undoEntries({ repositories, actor, now, batchId, undoId: createId(), vectors: new Map() });
  const [first] = skipped;
  if (first) throw new AppError("conflict", `The approval of memory ${memory.id} cannot be undone: ${first.reason}.`);
}

/** The reason for its expiry, from before the decline replaced it. */
async function reasonBeforeDecline({ repositories, actor, memory }: Approval): Promise<string | null> {
  const declined = await repositories.journal.latest(actor.organizationId, memory.id, DECLINED);
  const before = z.object({ forgetReason: z.string().nullable() }).safeParse(declined?.before);
  return before.success ? before.data.forgetReason : null;
}

async function refuseGroundless({ repositories, actor, memory }: Approval): Promise<void> {
  const lost = await lostGroundOf(repositories, actor.organizationId, memory);
  if (lost !== null)
    throw new AppError(
      "conflict",
      `Memory ${memory.id} cannot be restored: ${lost}, from which it was derived, is gone.`,
    );
}

async function refuseKnownAgain({ repositories, actor, container, memory }: Approval): Promise<void> {
  const known = await repositories.memories.byText(actor.organizationId, container.tag, memory.text);
  if (known)
    throw new AppError(
      "conflict",
      `Memory ${known.id} now says the same as ${memory.id}, so that one cannot be restored.`,
    );
}

async function note({ repositories, actor, memory }: Approval, action: string): Promise<void> {
  const noted = { batchId: createId(), action, cause: "reviewed" };
  await noteMemory(repositories, actor, noted, { before: memory, after: { id: memory.id } });
}
