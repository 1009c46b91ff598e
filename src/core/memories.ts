import * as z from "zod";
import { createId, isId } from "../lib/ids.js";
import { maySee, requireContainer } from "./auth.js";
import type { Call, CoreContext } from "./context.js";
import { AppError, notFound } from "./errors.js";
import { resolveFacts, writeFacts, type StatedCandidate } from "./facts.js";
import { forgetMemories } from "./forget.js";
import {
  checkMetadataSize,
  containerTagSchema,
  customIdSchema,
  dateSchema,
  invalid,
  metadataSchema,
  momentSchema,
  noteSchema,
  parseInput,
  refusePast,
  textSchema,
} from "./input.js";
import { once } from "./operations.js";
import { searchMemories } from "./search.js";
import type { Memory } from "./types.js";

export const createMemoriesSchema = z.object({
  containerTag: containerTagSchema,
  memories: z
    .array(
      z.object({
        content: textSchema({ maxLength: 10_000 }),
        isStatic: z.boolean().optional(),
        metadata: metadataSchema.optional(),
        forgetAfter: momentSchema.nullish(),
        forgetReason: noteSchema(1_000).nullish(),
        temporalContext: z
          .object({ documentDate: dateSchema.nullish(), eventDate: z.array(noteSchema(100)).max(100).nullish() })
          .optional(),
      }),
    )
    .min(1, "must have at least 1 entry")
    .max(100, "must have at most 100 entries"),
});
export type CreateMemoriesInput = z.input<typeof createMemoriesSchema>;

export interface CreatedMemories {
  readonly documentId: string;
  /** One for each entry, in order; an entry that repeats a memory answers with that memory. */
  readonly memories: readonly Memory[];
}

/** Keeps facts as they are given, searchable at once, with a light source document. */
export async function createMemories(context: CoreContext, call: Call, raw: unknown): Promise<CreatedMemories> {
  const input = parseInput(createMemoriesSchema, raw);
  const { organizationId } = call.actor;
  requireContainer(call.actor, input.containerTag);
  for (const [index, { metadata }] of input.memories.entries())
    checkMetadataSize(`memories.${index}.metadata`, metadata, context.limits);
  refusePast("memories", input.memories, context.clock.now());
  const [known] = await context.store.containers.find(organizationId, [input.containerTag]);
  const candidates = input.memories.map(candidateOf);
  const resolution = await resolveFacts(context, organizationId, known ?? null, candidates);
  const created = await once(context, call, "createMemories", async (nouns) => {
    const [container] = await nouns.containers.ensure(organizationId, [input.containerTag]);
    if (!container) throw new Error(`Container ${input.containerTag} could not be created`);
    const document = await nouns.documents.insert(organizationId, {
      id: createId(),
      customId: null,
      containerTags: [input.containerTag],
      content: input.memories.map((memory) => memory.content).join("\n"),
      turns: null,
      title: null,
      url: null,
      client: call.actor.client ?? null,
      type: "text",
      status: "done",
      dreamingStatus: "done",
      taskType: "memory",
      dreaming: "instant",
      metadata: null,
      filterByMetadata: null,
      source: null,
      filepath: null,
      documentDate: null,
      origin: "user",
      facts: null,
      rememberAsIs: false,
    });
    const facts = await writeFacts(nouns, {
      actor: call.actor,
      container,
      documentId: document.id,
      origin: "user",
      resolution,
      now: context.clock.now(),
    });
    return { documentId: document.id, ids: facts.map((fact) => fact.id) };
  });
  context.wakeJobs();
  const found = await context.store.memories.byIds(organizationId, created.ids);
  const byId = new Map(found.map((memory) => [memory.id, memory]));
  return { documentId: created.documentId, memories: created.ids.flatMap((id) => byId.get(id) ?? []) };
}

type MemoryInput = z.output<typeof createMemoriesSchema>["memories"][number];

function candidateOf(memory: MemoryInput): StatedCandidate {
  const temporal = memory.temporalContext;
  const metadata = temporal ? { ...memory.metadata, temporalContext: temporal } : (memory.metadata ?? null);
  return {
    text: memory.content,
    kind: "fact",
    isStatic: memory.isStatic ?? false,
    ...(memory.forgetAfter && { forgetAfter: memory.forgetAfter }),
    forgetReason: memory.forgetReason ?? null,
    metadata,
  };
}

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
  /** Memories that were forgotten by this call. */
  readonly forgotten: readonly { id: string; text: string }[];
  /** Memories that match the query and were not touched. */
  readonly candidates: readonly { id: string; text: string; similarity: number }[];
}

/**
 * Forgets by id or by exact text; a query only lists what could be meant, so that nothing is forgotten by a guess.
 * All or nothing: one unknown id and nothing is forgotten.
 * @throws AppError `not_found`, `conflict` when a memory is forgotten already, `invalid` when nothing is named
 */
export async function forget(context: CoreContext, call: Call, raw: unknown): Promise<Forgotten> {
  const input = parseInput(forgetSchema, raw);
  if (input.containerTag) requireContainer(call.actor, input.containerTag);
  const named = [input.ids, input.content, input.query].filter((selector) => selector !== undefined);
  if (named.length !== 1)
    throw invalid([{ path: [], message: "name exactly one of id, content (the exact text) and query" }]);
  if (input.query !== undefined) return listCandidates(context, call, { ...input, query: input.query });
  const forgotten = await once(context, call, "forget", async (nouns) => {
    const memories =
      input.content !== undefined
        ? [await findByText(nouns.memories, call, input.containerTag, input.content)]
        : await findByIds(nouns.memories, call, input.containerTag, input.ids ?? []);
    await forgetMemories(nouns, call.actor, memories, input.reason ?? "asked to forget");
    return memories.map(({ id, text }) => ({ id, text }));
  });
  return { forgotten, candidates: [] };
}

async function listCandidates(
  context: CoreContext,
  call: Call,
  input: z.output<typeof forgetSchema> & { query: string },
): Promise<Forgotten> {
  const { results } = await searchMemories(context, call, {
    q: input.query,
    searchMode: "memories",
    limit: input.limit ?? 10,
    ...(input.containerTag && { containerTags: [input.containerTag] }),
    ...(input.threshold !== undefined && { threshold: input.threshold }),
  });
  const candidates = results.map(({ id, text, similarity }) => ({ id, text, similarity }));
  return { forgotten: [], candidates };
}

type Memories = CoreContext["store"]["memories"];

async function findByText(
  memories: Memories,
  { actor }: Call,
  containerTag: string | undefined,
  text: string,
): Promise<Memory> {
  if (!containerTag) throw invalid([{ path: ["containerTag"], message: "is needed to forget by text" }]);
  const [memory] = await memories.byExactText(actor.organizationId, containerTag, text);
  if (!memory)
    throw new AppError(
      "not_found",
      `No memory with exactly this text in ${containerTag}. Search for it and forget it by id.`,
    );
  if (memory.isForgotten) throw alreadyForgotten(memory.id);
  return memory;
}

async function findByIds(
  memories: Memories,
  { actor }: Call,
  containerTag: string | undefined,
  ids: readonly string[],
): Promise<Memory[]> {
  const found = new Map<string, Memory>();
  for (const id of new Set(ids)) {
    const memory = isId(id) ? await memories.byId(actor.organizationId, id) : null;
    const isForeign = memory && containerTag !== undefined && memory.containerTag !== containerTag;
    if (!memory || isForeign || !maySee(actor, [memory.containerTag])) throw notFound("memory", id);
    const latest = memory.isLatest ? memory : await memories.latestOf(actor.organizationId, memory.rootId ?? memory.id);
    if (!latest || latest.isForgotten) throw alreadyForgotten(id);
    found.set(latest.id, latest);
  }
  return [...found.values()];
}

function alreadyForgotten(id: string): AppError {
  return new AppError("conflict", `Memory ${id} is forgotten already. Nothing was changed.`);
}
