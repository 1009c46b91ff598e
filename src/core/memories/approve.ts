import { firstVersionId } from "./first-version-id.js";
import * as z from "zod";
import { createId } from "../../lib/ids.js";
import type { TimeZone } from "../../lib/time-zone.js";
import type { ContainerRow, Repositories } from "../ports.js";
import { unitOf, type Actor, type Memory } from "../types.js";
import { isActive } from "./find-memory.js";
import { forgetBatch, forgetDerived } from "./forget.js";
import { noteMemory, type Joined, stateOf } from "./memory-state.js";
import { relateFact, restatedAmong } from "./related-facts.js";
import type { StatedCandidate } from "./resolve-facts.js";
import { writeRestated } from "./write-restated.js";
import { newBatch, type FactWriting } from "./fact-writing.js";
import { MISSING_JOB } from "../embeddings/roles.js";
import { isFlagged } from "./trust.js";

/** What the journal calls it. */
const APPROVED = "memory.approved";

/** A guess under review by a person, inside a transaction. */
export interface Approval {
  readonly repositories: Repositories;
  readonly actor: Actor;
  readonly container: ContainerRow;
  readonly memory: Memory;
  readonly now: Date;
  /** Time zone in which days are counted. */
  readonly timeZone: TimeZone;
}

/**
 * Turns a guess into a stated fact, as one undoable batch. It now replaces what it was held back from replacing, as an ordinary
 * update would: it becomes the next version of the first, and the others are forgotten in its favour. If those have changed
 * meanwhile, rules decide.
 */
export async function approveMemory(approval: Approval): Promise<void> {
  const { repositories, actor, memory } = approval;
  const { organizationId } = actor;
  const batchId = createId();
  const noted = { batchId, action: APPROVED, cause: "reviewed" };
  const candidate = await candidateOf(approval);
  const replaced = await restated(approval, { candidate, replaced: await replacedBy(approval, candidate) }, batchId);
  const stated = {
    isInference: false,
    isStatic: memory.isStatic || replaced.some(({ isStatic }) => isStatic),
    metadata: { ...memory.metadata, reviewStatus: "approved" },
  };
  const [first] = replaced;
  const continued = first && (await standsAlone(approval)) ? first : null;
  if (continued) {
    const joined = joining(memory, continued);
    const lineage = { ...joined, version: continued.version + 1 };
    await forgetDerived(repositories, actor, [continued], batchId);
    await repositories.memories.update(organizationId, continued.id, { isLatest: false });
    await repositories.units.unindex(unitOf("memory", continued.seq));
    await repositories.memories.update(organizationId, memory.id, { ...stated, lineage });
    await noteMemory(repositories, actor, { ...noted, joined }, { before: continued, after: { id: memory.id } });
  } else {
    await repositories.memories.update(organizationId, memory.id, stated);
    await noteMemory(repositories, actor, noted, { before: memory, after: { id: memory.id } });
  }
  const others = replaced.filter(({ id }) => id !== continued?.id);
  if (others.length === 0) return;
  await forgetBatch(repositories, actor, others, { reason: `replaced by memory ${memory.id}`, batchId });
  for (const other of others) await repositories.memories.relate(organizationId, memory.id, other.id, "updates");
}

/** The batch of the approval in which a memory replaced others; null when it replaced nothing. */
export async function approvalThatReplaced({ repositories, actor, memory }: Approval): Promise<string | null> {
  const { organizationId } = actor;
  const query = { subjectIds: [memory.id], action: APPROVED, offset: 0, limit: 1 };
  const { entries } = await repositories.journal.list(organizationId, query);
  const [approved] = entries;
  if (!approved) return null;
  const hasJoined = z.object({ joined: z.unknown() }).safeParse(approved.after).data?.joined !== undefined;
  const isAlone = !hasJoined && (await repositories.journal.ofBatch(organizationId, approved.batchId)).length === 1;
  return isAlone ? null : approved.batchId;
}

/** False if it has versions of its own, which would be left without their root. */
async function standsAlone({ repositories, actor, memory }: Approval): Promise<boolean> {
  const { organizationId } = actor;
  const versions = await repositories.memories.versions(organizationId, [firstVersionId(memory)], { withUndone: true });
  return versions.length === 1;
}

function joining(memory: Memory, continued: Memory): Joined {
  return { parentId: continued.id, rootId: firstVersionId(continued), alone: stateOf(memory) };
}

const heldSchema = z.object({ wouldReplace: z.array(z.string()) });

/** What it would have replaced when it was stated, if that still holds; otherwise what the rules say it replaces of that. */
async function replacedBy(approval: Approval, candidate: StatedCandidate): Promise<readonly Memory[]> {
  const { repositories, actor, container, memory, now } = approval;
  const { organizationId } = actor;
  // Newer versions of a guess are somebody's own words about the same thing.
  const added = await repositories.journal.latest(organizationId, firstVersionId(memory), "memory.added");
  const held = heldSchema.safeParse(added?.after).data?.wouldReplace ?? [];
  const named = await repositories.memories.byIds(organizationId, held);
  const mayGo = async (other: Memory): Promise<boolean> => {
    if (other.id === memory.id || !isActive(other, now) || isFlagged(other)) return false;
    return (await repositories.memories.containerOf(organizationId, other.id))?.id === container.id;
  };
  const byId = new Map(named.map((other) => [other.id, other]));
  const intact: Memory[] = [];
  const newer: string[] = [];
  for (const id of held) {
    const known = byId.get(id);
    const latest = known ? await repositories.memories.latestOf(organizationId, firstVersionId(known)) : null;
    if (!latest || !(await mayGo(latest))) continue;
    if (latest.id === id) intact.push(latest);
    else newer.push(latest.id);
  }
  if (intact.length > 0 || newer.length === 0) return intact;
  return decideAnew(approval, candidate, newer);
}

async function decideAnew(
  approval: Approval,
  candidate: StatedCandidate,
  related: readonly string[],
): Promise<readonly Memory[]> {
  const since = { newcomers: [], stated: new Set<string>() };
  const decided = await relateFact(approval.repositories, writingOf(approval), { candidate, related }, since);
  return decided.kind === "updates" ? decided.memories : [];
}

/**
 * Writes what the replaced memories say of the new value, as a correction does that nobody had to review.
 * @returns the others, which the approved memory itself replaces
 */
async function restated(
  approval: Approval,
  { candidate, replaced }: { readonly candidate: StatedCandidate; readonly replaced: readonly Memory[] },
  batchId: string,
): Promise<readonly Memory[]> {
  const { repositories, actor, memory } = approval;
  const none = { stated: new Set<string>() };
  const said = await restatedAmong(repositories, writingOf(approval), { candidate, replaced }, none);
  const [source] = await repositories.memories.sources(actor.organizationId, [memory.id]);
  if (!said || !source) return replaced;
  const batch = newBatch(batchId, { documentEnd: memory.forgetAfter, room: 1 });
  const fact = {
    candidate,
    isFlagged: false,
    label: { reviewStatus: "approved" },
    judgement: { trust: "trusted", reasons: [] },
    vector: null,
  } as const;
  const related = { kind: "updates", memories: replaced, restated: said } as const;
  const writing = { ...writingOf(approval), documentId: source.documentId };
  const left = await writeRestated(repositories, writing, { fact, related }, batch);
  if (batch.lacksVectors) await repositories.jobs.enqueue([MISSING_JOB]);
  return left.kind === "updates" ? left.memories : [];
}

async function candidateOf({ repositories, actor, memory }: Approval): Promise<StatedCandidate> {
  const { text, kind, isStatic, metadata, ownForgetAfter } = memory;
  const [statement] = await repositories.memories.statements(actor.organizationId, [memory.id]);
  const quote = statement?.quote ?? null;
  return {
    text,
    kind,
    isStatic,
    metadata,
    ...(quote !== null && { quote }),
    ...(ownForgetAfter !== null && { forgetAfter: ownForgetAfter }),
  };
}

/** The writing of an approved fact, as if it were said when it was. */
function writingOf({ actor, container, memory, now, timeZone }: Approval): FactWriting {
  return {
    actor,
    client: actor.client,
    container,
    documentId: "",
    documentEnd: null,
    origin: memory.origin,
    resolution: { facts: [], space: null, newestSeen: memory.seq },
    maxSuperseded: 0,
    now,
    statedAt: memory.createdAt,
    timeZone,
    isApproved: true,
  };
}
