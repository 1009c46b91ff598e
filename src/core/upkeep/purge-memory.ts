import { firstVersionId } from "../memories/first-version-id.js";
import { keepStatement } from "../memories/statements.js";
import { createId, isId } from "../../lib/ids.js";
import { mayChange, maySee } from "../auth.js";
import { refuseMerging } from "../containers/merge.js";
import type { AuthorizedCall, CoreContext } from "../context.js";
import { AppError, notFound } from "../errors.js";
import { findDone, runOnceWith } from "../operations.js";
import type { Repositories } from "../ports.js";
import { unitOf, type Actor, type Memory } from "../types.js";
import { cutFromDocument, type CutOutcome } from "./cut-from-document.js";
import { findRepeating, wordsOfMemories } from "./documents-repeating.js";
import { type Begun, dropJob, enqueueRest, entryOf, holdJob, leaveRest, type Remainder } from "./purge-remainder.js";

/** A memory to be purged, and the job that does so if nobody else does. */
type Named = NonNullable<Remainder["memory"]>;

/**
 * Purges a memory with all its versions. The first commit records the intention and removes the memory from search, lists and
 * profiles. Then what it says is cut out of one document after the other, each in a transaction of its own, so that other
 * writes need not wait for all of them. The last commit, once no document that states it has anything left to cut out, removes
 * it permanently. A job continues where this was interrupted.
 * @throws AppError as `purge` does
 */
export async function purgeMemory(context: CoreContext, call: AuthorizedCall, id: string): Promise<Begun> {
  const { actor } = call;
  type Kept = Begun | null;
  const operation = { useCase: "purge" as const, isKept: (begun: Kept) => begun !== null };
  const known = await findDone<Begun>(context, call, operation);
  const commit: Commit = (work) => runOnceWith<Kept>(context, call, operation, work);
  if (known) return (await commit(async () => known.result)) ?? known.result;
  const named = { id, by: actor.name, key: createId() };
  await context.store.transaction((repositories) => announce(context, repositories, actor, named));
  return carryOut(context, actor, named, { commit });
}

/** Continues with an announced memory; null when there is nothing left to do. */
export async function resumeMemory(
  context: CoreContext,
  { within, memory }: Remainder,
  signal: AbortSignal,
): Promise<Begun | null> {
  if (!memory) return null;
  const { store } = context;
  const actor: Actor = { organizationId: store.organizationId, name: memory.by, containers: within };
  try {
    return await carryOut(context, actor, memory, { commit: (work) => store.transaction(work), signal });
  } catch (error) {
    // Another call has purged it.
    if (error instanceof AppError && error.kind === "not_found") return null;
    throw error;
  }
}

/** Without a journal entry: none of this can be undone, and the purge has an entry of its own. */
async function announce(context: CoreContext, repositories: Repositories, actor: Actor, named: Named): Promise<void> {
  const isWritten = isId(named.id) && (await repositories.memories.byId(actor.organizationId, named.id)) !== null;
  if (!isWritten) await keepStatement({ ...context, store: repositories }, actor, { id: named.id });
  const { all } = await findAll(repositories, actor, named.id);
  for (const { id, seq } of all.filter(({ isLatest, isForgotten }) => isLatest && !isForgotten)) {
    await repositories.memories.update(actor.organizationId, id, { isForgotten: true });
    await repositories.units.unindex(unitOf("memory", seq));
  }
  await enqueueRest(context, repositories.jobs, {
    containerIds: [],
    files: [],
    within: actor.containers,
    memory: named,
  });
}

/** Runs the last transaction; null when something has changed before it. */
type Commit = (work: (repositories: Repositories) => Promise<Begun | null>) => Promise<Begun | null>;

async function carryOut(
  context: CoreContext,
  actor: Actor,
  named: Named,
  { commit, signal }: { readonly commit: Commit; readonly signal?: AbortSignal | undefined },
): Promise<Begun> {
  const { store } = context;
  const cuts = new Map<string, CutOutcome>();
  const quotes = new Set<string>();
  const beside = async (repositories: Repositories, { files }: CutOutcome) => {
    await holdJob(context, repositories, named.key);
    // Nothing else would know about them after this transaction.
    if (files.length > 0) await enqueueRest(context, repositories.jobs, { containerIds: [], files, within: [] });
  };
  for (;;) {
    const { all } = await findAll(store, actor, named.id);
    const wanted = new Set(idsOf(all));
    // Read before the cuts, which remove them.
    for (const quote of await wordsOfMemories(context, all)) quotes.add(quote);
    for (const documentId of await documentsToCut(store, actor, wanted, cuts)) {
      const cut = await cutFromDocument(context, actor, { documentId, wanted }, { beside, signal });
      if (cut) cuts.set(documentId, together(cuts.get(documentId), cut));
    }
    const repeating = await findRepeating(context, quotes, {
      within: actor.sees ?? actor.containers,
      known: new Set(cuts.keys()),
      signal,
    });
    const begun = await commit(async (repositories) => {
      const { memory, all: now } = await findAll(repositories, actor, named.id);
      const isChanged = now.length !== all.length || now.some(({ id }) => !wanted.has(id));
      if (isChanged || (await documentsToCut(repositories, actor, wanted, cuts)).length > 0) return null;
      await dropJob(repositories, named.key);
      return leaveRest(
        context,
        repositories,
        await remove(repositories, actor, { memory, all: now }, { cuts, repeating }),
      );
    });
    if (begun) return begun;
  }
}

interface Found {
  readonly memory: Memory;
  /** All versions, and whatever else says the same. */
  readonly all: readonly Memory[];
}

/** @throws AppError `not_found`, `forbidden`, `conflict` */
async function findAll(repositories: Repositories, actor: Actor, id: string): Promise<Found> {
  const { organizationId } = actor;
  const memory = isId(id) ? await repositories.memories.byId(organizationId, id) : null;
  if (!memory || !maySee(actor, [memory.containerTag])) throw notFound("memory", id);
  const versions = await repositories.memories.versions(organizationId, [firstVersionId(memory)], { withUndone: true });
  const tags = [...new Set(versions.map(({ containerTag }) => containerTag))];
  if (!mayChange(actor, tags))
    throw new AppError("forbidden", `Versions of memory ${id} are in other containers, which this key may not use.`);
  await refuseMerging(repositories, actor, tags);
  return { memory, all: await withRepetitions(repositories, actor, versions) };
}

/**
 * Versions with those of other chains that say the same in the same container, or in another one that contains a document of
 * theirs: what was forgotten and stated again is a different memory, and none of them may stay.
 */
async function withRepetitions(
  repositories: Repositories,
  actor: Actor,
  versions: readonly Memory[],
): Promise<readonly Memory[]> {
  const { organizationId } = actor;
  const { memories } = repositories;
  const all = new Map(versions.map((version) => [version.id, version]));
  const shared = await tagsOfSources(repositories, organizationId, idsOf(versions));
  const places = versions.flatMap(({ containerTag, text }) =>
    [...new Set([containerTag, ...shared])].map((tag) => ({ tag, text })),
  );
  for (const { tag, text } of places)
    for (const same of await memories.byExactText(organizationId, tag, text)) {
      if (all.has(same.id)) continue;
      const chain = await memories.versions(organizationId, [firstVersionId(same)], { withUndone: true });
      if (chain.every((version) => mayChange(actor, [version.containerTag])))
        for (const version of chain) all.set(version.id, version);
    }
  return [...all.values()];
}

/** The containers of all documents that memories come from. */
async function tagsOfSources(
  { documents, memories }: Repositories,
  organizationId: string,
  ids: readonly string[],
): Promise<string[]> {
  const sources = new Set((await memories.sources(organizationId, ids)).map(({ documentId }) => documentId));
  const found = await Promise.all([...sources].map((id) => documents.byId(organizationId, id)));
  return [...new Set(found.flatMap((document) => document?.containerTags ?? []))];
}

/** Documents that state these memories, except those unchanged since they were cut. */
async function documentsToCut(
  { documents, memories }: Repositories,
  { organizationId }: Actor,
  wanted: ReadonlySet<string>,
  cuts: ReadonlyMap<string, CutOutcome>,
): Promise<string[]> {
  const stating = new Set((await memories.sources(organizationId, [...wanted])).map(({ documentId }) => documentId));
  const open: string[] = [];
  for (const id of stating) {
    const revision = await documents.newestRevision(organizationId, id);
    if (revision !== null && revision !== cuts.get(id)?.revision) open.push(id);
  }
  return open;
}

/** The combined outcome for a document processed twice, because it was changed meanwhile. */
function together(earlier: CutOutcome | undefined, later: CutOutcome): CutOutcome {
  if (!earlier) return later;
  const mayStillSay = later.passages > 0 || later.isRemoved ? later.mayStillSay : earlier.mayStillSay;
  return {
    ...later,
    passages: earlier.passages + later.passages,
    files: [...earlier.files, ...later.files],
    mayStillSay,
  };
}

async function remove(
  repositories: Repositories,
  actor: Actor,
  { memory, all }: Found,
  { cuts, repeating }: { readonly cuts: ReadonlyMap<string, CutOutcome>; readonly repeating: readonly string[] },
): Promise<Begun> {
  const { memories } = await repositories.purges.memories(actor.organizationId, idsOf(all), {
    documents: [],
    within: actor.containers,
  });
  await repositories.journal.append(actor.organizationId, [entryOf(actor, "memory", memory.id, memory.containerTag)]);
  const done = [...cuts.values()];
  const files = done.flatMap((cut) => cut.files);
  return {
    counts: {
      documents: done.filter(({ isRemoved }) => isRemoved).length,
      memories,
      files: files.length,
      passages: done.reduce((sum, { passages }) => sum + passages, 0),
      statedIn: [...[...cuts].flatMap(([id, { mayStillSay }]) => (mayStillSay ? [id] : [])), ...repeating],
    },
    remainder: { containerIds: [], files, within: [] },
    documentIds: [],
  };
}

function idsOf(rows: readonly { readonly id: string }[]): string[] {
  return rows.map(({ id }) => id);
}
