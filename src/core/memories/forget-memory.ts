import * as z from "zod";
import { createId } from "../../lib/ids.js";
import { requireContainer } from "../auth.js";
import { containerOfWrite } from "../containers/usual-container.js";
import { dropBlobs } from "../documents/blobs.js";
import type { AuthorizedCall, CoreContext } from "../context.js";
import { lookUpDocument, removeDocument } from "../documents/documents.js";
import { AppError, notFound } from "../errors.js";
import { findByExactText, findLatest, isExpired, noSuchText } from "./find-memory.js";
import { forgetBatch, forgetMemories } from "./forget.js";
import { containerTagSchema, customIdSchema, invalid, noteSchema, parseInput, textSchema } from "../input.js";
import { runOnce } from "../operations.js";
import { keepStatement, type Looking } from "./statements.js";
import { documentsMatching } from "./passages-matching.js";
import { documentsStating, memoriesSaying, type SayingMemory, type StatingDocument } from "./still-stated.js";
import { searchMemories } from "../search/search.js";
import { createWaits } from "../search/waits.js";
import type { Actor, Memory } from "../types.js";

const DEFAULT_REASON = "asked to forget";

export const forgetSchema = z.object({
  containerTag: containerTagSchema.optional(),
  /** Ids of memories to forget. */
  ids: z.array(customIdSchema).min(1).max(500).optional(),
  /** The exact text of a memory. */
  content: textSchema({ maxLength: 10_000 }).optional(),
  /** Lists what matches; forgets nothing. */
  query: textSchema({ maxLength: 2_000 }).optional(),
  threshold: z.number().min(0).max(1).optional(),
  limit: z.number().int().min(1).max(100).optional(),
  reason: noteSchema(1_000).optional(),
});
export type ForgetInput = z.input<typeof forgetSchema>;

export interface Forgotten {
  /** Memories forgotten by this call. */
  readonly forgotten: readonly { id: string; text: string }[];
  /** Memories that match the query and were left untouched. */
  readonly candidates: readonly { id: string; text: string; similarity: number }[];
  /**
   * Documents whose text still states what was forgotten or, for a query, that have passages on it and state none of the
   * candidates.
   */
  readonly statedIn: readonly StatingDocument[];
  /** Other memories that still say what was forgotten; absent for none. */
  readonly saidBy?: readonly SayingMemory[];
  /** The journal batch, by which it can be undone; null when nothing was forgotten. */
  readonly batchId: string | null;
}

/**
 * Forgets by id or by exact text; a query only lists candidates, so that nothing is forgotten by guesswork. All or nothing:
 * with one unknown id, nothing is forgotten.
 * @throws AppError `not_found`, `conflict` when a memory is already forgotten, `invalid` when nothing is named
 */
export async function forget(context: CoreContext, call: AuthorizedCall, raw: unknown): Promise<Forgotten> {
  const input = parseInput(forgetSchema, raw);
  if (input.containerTag) requireContainer(call.actor, input.containerTag);
  const named = [input.ids, input.content, input.query].filter((selector) => selector !== undefined);
  if (named.length !== 1)
    throw invalid([{ path: [], message: "name exactly one of id, content (the exact text) and query" }]);
  if (input.query !== undefined) return listCandidates(context, call, { ...input, query: input.query });
  return runOnce(context, call, "forget", async (repositories) => {
    const memories =
      input.content !== undefined
        ? [await findByText({ ...context, store: repositories }, call.actor, input.containerTag, input.content)]
        : await findByIds({ ...context, store: repositories }, call.actor, input.containerTag, input.ids ?? []);
    for (const memory of memories) refuseForgotten(memory, context.clock.now());
    const batchId = createId();
    await forgetBatch(repositories, call.actor, memories, { reason: input.reason ?? DEFAULT_REASON, batchId });
    const statedIn = await documentsStating(repositories, call.actor, memories);
    const saying = await memoriesSaying(repositories, call.actor, memories);
    const saidBy = saying.length > 0 && { saidBy: saying };
    return { forgotten: memories.map(({ id, text }) => ({ id, text })), candidates: [], statedIn, ...saidBy, batchId };
  });
}

async function listCandidates(
  plain: CoreContext,
  call: AuthorizedCall,
  input: z.output<typeof forgetSchema> & { query: string },
): Promise<Forgotten> {
  const context = { ...plain, waits: createWaits() };
  const { results } = await searchMemories(context, call, {
    q: input.query,
    searchMode: "memories",
    limit: input.limit ?? 10,
    ...(input.containerTag && { containerTags: [input.containerTag] }),
    ...(input.threshold !== undefined && { threshold: input.threshold }),
  });
  const candidates = results.map(({ id, text, similarity }) => ({ id, text, similarity }));
  // Once these memories are forgotten, searches leave out the sentences that state them.
  const stating = new Set(results.flatMap(({ documents }) => documents.map(({ id }) => id)));
  const matching = await documentsMatching(context, call, input);
  return { forgotten: [], candidates, statedIn: matching.filter(({ id }) => !stating.has(id)), batchId: null };
}

export const forgetOneSchema = z.object({
  /** Id of any version of a memory, or id or customId of a document. Takes precedence over `content`. */
  id: customIdSchema.optional(),
  /** The exact text of a memory. */
  content: textSchema({ maxLength: 10_000 }).optional(),
  /** May be omitted only by a caller limited to some containers that has a default one. */
  containerTag: containerTagSchema.optional(),
  reason: noteSchema(1_000).optional(),
});

/** What was removed, by its own id: for a memory, that of the newest version. */
export interface ForgottenOne {
  readonly id: string;
  readonly removed: "memory" | "document";
  /** Documents whose text still states what was forgotten. */
  readonly statedIn: readonly StatingDocument[];
  /** Other memories that still say what was forgotten; absent for none. */
  readonly saidBy?: readonly SayingMemory[];
}

/**
 * Forgets one memory of a container (contract 4.4) with its whole chain of versions; or, if the id is a document's, removes
 * that document from the container with what only it stated.
 * @throws AppError `not_found`, `conflict` when the memory is already forgotten, `invalid` when nothing is named, `forbidden`
 * for a document that is also in containers that the actor may not use
 */
export async function forgetOne(context: CoreContext, call: AuthorizedCall, raw: unknown): Promise<ForgottenOne> {
  const parsed = parseInput(forgetOneSchema, raw);
  const { actor } = call;
  const input = { ...parsed, containerTag: containerOfWrite(actor, parsed.containerTag) };
  if (input.id === undefined && input.content === undefined)
    throw invalid([{ path: ["id"], message: "name the memory by id, or by its exact text as content" }]);
  const { forgotten, files } = await runOnce(context, call, "forgetOne", (repositories) =>
    removeNamed({ ...context, store: repositories }, actor, input),
  );
  if (forgotten.removed === "document") {
    await dropBlobs(context, files);
    context.events.changed(forgotten.id);
  }
  return forgotten;
}

async function removeNamed(
  looking: Looking,
  actor: Actor,
  {
    id,
    content,
    containerTag,
    reason = DEFAULT_REASON,
  }: z.output<typeof forgetOneSchema> & { readonly containerTag: string },
): Promise<{ forgotten: ForgottenOne; files: readonly string[] }> {
  const repositories = looking.store;
  const memory =
    id !== undefined
      ? await findOrKeep(looking, actor, id, containerTag)
      : await findByText(looking, actor, containerTag, content ?? "");
  if (memory) {
    refuseForgotten(memory, looking.clock.now());
    await forgetMemories(repositories, actor, [memory], reason);
    const statedIn = await documentsStating(repositories, actor, [memory]);
    const saying = await memoriesSaying(repositories, actor, [memory]);
    const saidBy = saying.length > 0 && { saidBy: saying };
    return { forgotten: { id: memory.id, removed: "memory", statedIn, ...saidBy }, files: [] };
  }
  const document = await lookUpDocument(repositories, actor, id ?? "", [containerTag]);
  if (!document?.containerTags.includes(containerTag)) throw notFound("memory", id ?? "");
  const files = await removeDocument(repositories, actor, document);
  return { forgotten: { id: document.id, removed: "document", statedIn: [] }, files };
}

async function findByText(
  looking: Looking,
  actor: Actor,
  containerTag: string | undefined,
  text: string,
): Promise<Memory> {
  if (!containerTag) throw invalid([{ path: ["containerTag"], message: "is required to forget by text" }]);
  const found = await findByExactText(looking.store.memories, actor, containerTag, text);
  const memory =
    found && !found.isForgotten ? found : ((await keepStatement(looking, actor, { text, containerTag })) ?? found);
  if (!memory) throw noSuchText(containerTag);
  return memory;
}

async function findByIds(
  looking: Looking,
  actor: Actor,
  containerTag: string | undefined,
  ids: readonly string[],
): Promise<Memory[]> {
  const found = new Map<string, Memory>();
  for (const id of new Set(ids)) {
    const memory = await findOrKeep(looking, actor, id, containerTag);
    if (!memory) throw notFound("memory", id);
    found.set(memory.id, memory);
  }
  return [...found.values()];
}

/** The newest version of a memory, or the turn of a conversation told under the id. */
async function findOrKeep(
  looking: Looking,
  actor: Actor,
  id: string,
  containerTag: string | undefined,
): Promise<Memory | null> {
  const memory = await findLatest(looking.store.memories, actor, id, containerTag);
  return memory ?? keepStatement(looking, actor, { id, containerTag });
}

/** @throws AppError `conflict` if it is already forgotten or expired */
function refuseForgotten({ id, isForgotten, forgetAfter }: Memory, now: Date): void {
  if (isForgotten || isExpired({ forgetAfter }, now))
    throw new AppError("conflict", `Memory ${id} is already forgotten. Nothing was changed.`);
}
