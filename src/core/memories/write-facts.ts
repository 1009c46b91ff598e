import { createId } from "../../lib/ids.js";
import { isOfActive, MISSING_JOB } from "../embeddings/roles.js";
import type { Repositories } from "../ports.js";
import type { Memory, RememberedFact } from "../types.js";
import { writeDerived } from "./derived-facts.js";
import { earlier } from "./expiry.js";
import {
  newBatch,
  outcomeOf,
  takeRoom,
  twinOf,
  type Batch,
  type FactWriting,
  type JudgedVector,
  type Written,
} from "./fact-writing.js";
import { saysOver } from "./ending-trust.js";
import { isExpired } from "./find-memory.js";
import { forgetFormerStatements, forgetReplaced, formerStatement, letRestatedGo } from "./former-statements.js";
import { activeWithText, insertMemory, strengthen } from "./insert-memory.js";
import { roomFor } from "./memory-room.js";
import { newcomers, relateFact, restatedAmong, type Related } from "./related-facts.js";
import type { ResolvedFact, StatedCandidate } from "./resolve-facts.js";
import { latestVersion, relateAsStated, type HeldRelation } from "./stated-relation.js";
import { writeRestated } from "./write-restated.js";
import { isFlagged, judgeFact, type JudgedFact } from "./trust.js";

/**
 * Commits resolved facts inside a transaction as one undoable batch: a new fact becomes a memory, an existing one is
 * strengthened, and one that replaces another becomes its next version. Nothing is overwritten. A replacement named by the
 * caller is applied; a relation stated by a model or an agent is applied where possible (`stated-relation.ts`); otherwise rules
 * decide (`relate.ts`).
 * @returns the outcome of each fact, in order; without derived facts that could not be kept, and without new ones for which the
 * settings leave no room
 */
export async function writeFacts(repositories: Repositories, writing: FactWriting): Promise<Written> {
  const { facts } = writing.resolution;
  const known = facts.length > 0 ? await newcomers(repositories, writing) : [];
  const batch = newBatch(writing.readAgain?.batchId ?? createId(), {
    documentEnd: writing.documentEnd,
    room: facts.length > 0 ? await roomFor(repositories, writing) : 0,
    known,
  });
  for (const fact of facts) {
    await letRestatedGo(repositories, writing, fact.candidate, batch);
    const isDerived = fact.candidate.relation?.kind === "derives";
    const written = await (isDerived ? writeDerived : writeFact)(repositories, writing, fact, batch);
    const one = written && withClose(written, fact);
    if (one) batch.stated.add(one.id);
    batch.written.push(one);
  }
  await forgetFormerStatements(repositories, writing, batch);
  if (
    facts.length > 0 &&
    (batch.lacksVectors ||
      facts.some((fact) => fact.vector === null) ||
      !(await isOfActive(repositories, writing.resolution.space)))
  )
    await repositories.jobs.enqueue([MISSING_JOB]);
  const { restated, leftOut } = batch;
  return { facts: batch.written.filter((one) => one !== null), restated, leftOut };
}

/** Adds to a new fact the memories close to it. */
function withClose(one: RememberedFact, { close }: ResolvedFact): RememberedFact {
  return one.outcome === "added" && close.length > 0 ? { ...one, closeTo: close } : one;
}

async function writeFact(
  repositories: Repositories,
  writing: FactWriting,
  fact: ResolvedFact,
  batch: Batch,
): Promise<RememberedFact | null> {
  const { updates } = fact.candidate;
  // What has already expired replaces nothing.
  const isPast = isExpired(
    { forgetAfter: earlier(fact.candidate.forgetAfter ?? null, batch.documentEnd) },
    writing.now,
  );
  const latest = updates && !isPast ? await latestVersion(repositories, writing, updates) : null;
  // Two facts may replace the same memory; the second must not replace the first.
  const replaceable = latest && (!batch.stated.has(latest.id) || isRestated(latest, batch)) ? latest : null;
  const judged = judgeFact(fact.candidate, writing.origin, replaceable, fact.judgement);
  const { candidate } = judged;
  const replaced = judged.isFlagged ? null : replaceable;
  const stated =
    updates || judged.isFlagged || isPast ? null : await relateAsStated(repositories, writing, candidate, batch);
  const repeated = stated?.kind === "duplicate" ? stated.memory : null;
  const existing =
    (await findExisting(repositories, writing, { ...fact, isFlagged: judged.isFlagged }, batch)) ?? repeated;
  const judgedVector = {
    ...judged,
    vector: fact.vector,
    judgement: fact.judgement,
    doubt: fact.doubt,
    restated: fact.restated,
  };
  const isWeak = judged.isFlagged || candidate.isInference === true || isPast;
  if (existing && (existing.id !== replaced?.id || existing.text === candidate.text)) {
    const again = replaced || isWeak ? null : await saidAgain(repositories, writing, { fact, stated, existing }, batch);
    const others = replaced
      ? [replaced]
      : again
        ? await replaceAgain(repositories, writing, { fact: judgedVector, related: again }, batch)
        : [];
    return strengthenKnown(repositories, writing, { existing, judged, others }, batch);
  }
  // A guess replaces nothing either.
  if (!replaced && (updates || isWeak)) {
    const held = replaceable ? [replaceable] : await namedBy(repositories, writing, fact, batch);
    return writeNew(repositories, writing, { ...judgedVector, ...(judged.isFlagged && { held }) }, batch, NEW);
  }
  const related = replaced
    ? await continuing(repositories, writing, { fact, replaced }, batch)
    : await relationOf(repositories, writing, { fact, stated }, batch);
  return writeNew(repositories, writing, judgedVector, batch, related);
}

function isRestated({ id }: Memory, { restated }: Batch): boolean {
  return restated.some((one) => one.id === id);
}

/** What a fact that waits for review was said to replace: its approval applies it. */
async function namedBy(
  repositories: Repositories,
  writing: FactWriting,
  { candidate }: ResolvedFact,
  batch: Batch,
): Promise<readonly Memory[]> {
  const stated = await relateAsStated(repositories, writing, candidate, batch);
  return stated?.kind === "updates" ? stated.memories : [];
}

/**
 * The stated relation if it holds, otherwise what rules find; an author who was shown memories and related to none was not
 * shown the newest.
 */
async function relationOf(
  repositories: Repositories,
  writing: FactWriting,
  { fact, stated }: { readonly fact: ResolvedFact; readonly stated: HeldRelation | null },
  batch: Batch,
): Promise<Related> {
  if (stated && stated.kind !== "duplicate") return stated;
  const related = await relateByRules(repositories, writing, fact, batch);
  if (related.kind === "updates" || related.kind === "outdated") return related;
  const former = await formerStatement(repositories, writing, fact.candidate, batch);
  return former ? { kind: "updates", memories: [former] } : related;
}

function relateByRules(
  repositories: Repositories,
  writing: FactWriting,
  fact: ResolvedFact,
  batch: Batch,
): Promise<Related> {
  const isNew = fact.candidate.relation?.kind === "new";
  return relateFact(repositories, writing, isNew ? { ...fact, related: [] } : fact, batch);
}

/** Counts a repetition, and lets the existing memory replace others if the fact does. */
async function strengthenKnown(
  repositories: Repositories,
  writing: FactWriting,
  { existing, judged, others }: Known,
  batch: Batch,
): Promise<RememberedFact> {
  await strengthen(repositories, writing, existing, judged, batch);
  const replaced = others.filter(({ id }) => id !== existing.id);
  await forgetReplaced(repositories, writing, { by: existing.id, replaced }, batch);
  const [first] = replaced;
  return { id: existing.id, text: existing.text, outcome: "duplicate", ...(first && { replaced: first.id }) };
}

interface Known {
  readonly existing: Memory;
  readonly judged: JudgedFact<StatedCandidate>;
  /** Memories that the fact replaces. */
  readonly others: readonly Memory[];
}

/** What an already known fact replaces: as stated, or by rules if it says again that something changed, perhaps changed back. */
async function saidAgain(
  repositories: Repositories,
  writing: FactWriting,
  {
    fact,
    stated,
    existing,
  }: { readonly fact: ResolvedFact; readonly stated: HeldRelation | null; readonly existing: Memory },
  batch: Batch,
): Promise<Replacing | null> {
  if (stated?.kind === "updates") return stated;
  // A document that is read again says nothing again.
  if (writing.readAgain || !saysOver(fact.candidate) || (stated && stated.kind !== "duplicate")) return null;
  const related = await relateByRules(repositories, writing, fact, batch);
  if (related.kind !== "updates") return null;
  return { ...related, memories: related.memories.filter(({ id }) => id !== existing.id) };
}

/** Restates what an already known fact replaces, counted against the limit; returns what it only ends. */
async function replaceAgain(
  repositories: Repositories,
  writing: FactWriting,
  { fact, related }: { readonly fact: JudgedVector; readonly related: Replacing },
  batch: Batch,
): Promise<readonly Memory[]> {
  if (doubtOf(writing, fact, batch, related)) return [];
  batch.superseded += related.memories.length;
  const ended = await writeRestated(repositories, writing, { fact, related }, batch);
  return ended.kind === "updates" ? ended.memories : [];
}

type Replacing = Extract<Related, { readonly kind: "updates" }>;

const NEW: Related = { kind: "new" };

async function continuing(
  repositories: Repositories,
  writing: FactWriting,
  { fact: { candidate }, replaced }: { readonly fact: ResolvedFact; readonly replaced: Memory },
  batch: Batch,
): Promise<Related & { readonly isNamed: true }> {
  const restated = await restatedAmong(repositories, writing, { candidate, replaced: [replaced] }, batch);
  return { kind: "updates", memories: [replaced], isNamed: true, ...(restated && { restated }) };
}

/** Writes a fact that is not known yet, according to its relation to what is known. */
async function writeNew(
  repositories: Repositories,
  writing: FactWriting,
  fact: JudgedVector,
  batch: Batch,
  stated: Related & { readonly isNamed?: true },
): Promise<RememberedFact | null> {
  const { organizationId } = writing.actor;
  const replaceable = stated.kind === "updates" || stated.kind === "outdated" ? (stated.memories ?? []) : [];
  if (!stated.isNamed && (stated.kind !== "outdated" || replaceable.length > 0)) {
    const replacing = stated.kind === "updates" ? stated : { memories: replaceable };
    const doubt = doubtOf(writing, fact, batch, replacing);
    if (doubt && !takeRoom(batch)) return null;
    if (doubt) return outcomeOf(await insertMemory(repositories, writing, doubt, { batch }), "added");
    batch.superseded += replaceable.length;
  }
  const related = await writeRestated(repositories, writing, { fact, related: stated }, batch);
  // A replacement or an expired fact adds no memory to the total.
  if ((related.kind === "new" || related.kind === "extends") && !takeRoom(batch)) return null;
  const [replaced = null, ...others] = related.kind === "updates" ? related.memories : [];
  const isPast = related.kind === "outdated";
  const memory = await insertMemory(repositories, writing, fact, { batch, replaced, isPast });
  switch (related.kind) {
    case "new":
      return outcomeOf(memory, "added");
    case "extends":
      await repositories.memories.relate(organizationId, memory.id, related.memory.id, "extends");
      return outcomeOf(memory, "extended");
    case "outdated":
      await repositories.memories.relate(organizationId, related.by.id, memory.id, "updates");
      await forgetReplaced(repositories, writing, { by: related.by.id, replaced: replaceable }, batch);
      return outcomeOf(memory, "outdated");
    case "updates":
      await forgetReplaced(repositories, writing, { by: memory.id, replaced: others }, batch);
      return { ...outcomeOf(memory, "updated"), ...(replaced && { replaced: replaced.id }) };
  }
}

/** The fact as one that waits for review, when it may not replace these memories, or not be lasting; otherwise null. */
function doubtOf(
  { origin, maxSuperseded }: FactWriting,
  fact: JudgedVector,
  { superseded }: Batch,
  { memories, restated }: Pick<Replacing, "memories" | "restated">,
): JudgedVector | null {
  const { candidate } = fact;
  const judged = memories
    .flatMap((memory) => {
      const direct = judgeFact(candidate, origin, memory, fact.judgement);
      const text = restated?.get(memory.id);
      if (text === undefined) return [direct];
      return [direct, judgeFact({ ...candidate, text }, origin, memory, fact.restated?.get(text))];
    })
    .find(({ isFlagged: is }) => is);
  const waiting = { ...fact, candidate: { ...candidate, isStatic: false }, isFlagged: true, held: memories };
  if (judged) return { ...waiting, label: judged.label };
  const isTooMany = superseded + memories.length > maxSuperseded;
  const isDoubted = memories.length > 0 || (candidate.isStatic && fact.doubt?.mayNotLast);
  const doubted = isDoubted ? fact.doubt?.reason : undefined;
  const reason = doubted ?? (isTooMany ? `its document would replace more than ${maxSuperseded} memories` : null);
  if (reason === null) return null;
  return { ...waiting, label: { trust: "flagged", flagged: [reason] } };
}

/** The active memory that says the same, if it is still true; an expired one makes room. */
async function findExisting(
  repositories: Repositories,
  writing: FactWriting,
  fact: ResolvedFact & { readonly isFlagged: boolean },
  batch: Batch,
): Promise<Memory | null> {
  const { organizationId } = writing.actor;
  const byText = await activeWithText(repositories, writing, fact.candidate.text, batch);
  if (byText) return byText;
  const twinId = twinOf(fact, batch);
  const twin = twinId === null ? null : await repositories.memories.byId(organizationId, twinId);
  // The flagged words differ from these: they must not become stated through a fact that merely resembles them.
  if (twin && isFlagged(twin) && !fact.isFlagged) return null;
  const isHere = twin?.containerTag === writing.container.tag;
  return isHere && twin.isLatest && !twin.isForgotten ? twin : null;
}
