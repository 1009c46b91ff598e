import * as z from "zod";
import { isLasting } from "./lasting.js";
import { createId } from "../../lib/ids.js";
import type { TimeZone } from "../../lib/time-zone.js";
import { sharedTimeZone } from "../containers/time-zone.js";
import { containerOfWrite } from "../containers/usual-container.js";
import { keepEntityContext } from "../containers/entity-context.js";
import type { AuthorizedCall, CoreContext } from "../context.js";
import type { AppError } from "../errors.js";
import { endUserOfAddition, withEndUser } from "../access/end-user.js";
import { resolveFacts, type StatedCandidate } from "./resolve-facts.js";
import { writeFacts } from "./write-facts.js";
import {
  checkMetadataSize,
  containerTagSchema,
  dateSchema,
  invalid,
  metadataSchema,
  momentIn,
  noteSchema,
  parseInput,
  refusePast,
  textSchema,
} from "../input.js";
import { refuseMerging } from "../containers/merge.js";
import { runOnce } from "../operations.js";
import { temporalContextSchema } from "./temporal-context.js";
import type { DocumentDraft } from "../ports.js";
import type { Memory } from "../types.js";

/** Separates the memories in their light document. */
const BETWEEN = "\n";

export const createMemoriesSchema = z.object({
  /** May be omitted only by a caller limited to some containers that has a default one. */
  containerTag: containerTagSchema.optional(),
  memories: z
    .array(
      z.object({
        content: textSchema({ maxLength: 10_000 }),
        isStatic: z.boolean().optional(),
        metadata: metadataSchema.optional(),
        forgetAfter: dateSchema.nullish(),
        forgetReason: noteSchema(1_000).nullish(),
        temporalContext: temporalContextSchema.optional(),
      }),
      "must be an array",
    )
    .min(1, "must have at least 1 entry")
    .max(100, "must have at most 100 entries"),
  endUserId: endUserOfAddition,
  /** Guidance for extraction, kept on the container (contract 5.3, 4.1). */
  entityContext: noteSchema(1_500).nullish(),
});
export type CreateMemoriesInput = z.input<typeof createMemoriesSchema>;

export interface CreatedMemories {
  readonly documentId: string;
  /** One per entry, in order; an entry that repeats a memory returns that memory. */
  readonly memories: readonly Memory[];
}

/**
 * Stores facts as given, searchable at once, with a light source document (contract 4.1).
 * A fact that the container already has is strengthened instead of being stored twice, and its entry returns the existing
 * memory. Storing it twice would also be allowed (contract 4.2), but then a repeated call, or two agents that learn the same,
 * would fill every search with the same line.
 * @throws AppError `invalid`, also when the settings leave no room for all of them: then none is stored
 */
export async function createMemories(
  context: CoreContext,
  call: AuthorizedCall,
  raw: unknown,
): Promise<CreatedMemories> {
  const parsed = parseInput(createMemoriesSchema, raw);
  const { organizationId } = call.actor;
  const input = { ...parsed, containerTag: containerOfWrite(call.actor, parsed.containerTag) };
  for (const [index, { metadata }] of input.memories.entries())
    checkMetadataSize(`memories.${index}.metadata`, metadata, context.limits);
  const [known] = await context.store.containers.find(organizationId, [input.containerTag]);
  const timeZone = sharedTimeZone(context, known ? [known] : []);
  const candidates = candidatesOf(input.memories, timeZone);
  refusePast("memories", candidates, context.clock.now());
  const place = { organizationId, container: known ?? null, origin: "user" } as const;
  const resolution = await resolveFacts(context, place, candidates);
  const created = await runOnce(context, call, "createMemories", async (repositories) => {
    await refuseMerging(repositories, call.actor, [input.containerTag]);
    const [container] = await repositories.containers.ensure(organizationId, [input.containerTag]);
    if (!container) throw new Error(`Container ${input.containerTag} could not be created`);
    if (input.entityContext)
      await keepEntityContext(repositories, call.actor, [input.containerTag], input.entityContext);
    const document = await repositories.documents.insert(organizationId, lightDocument(call, input));
    const { facts } = await writeFacts(repositories, {
      actor: call.actor,
      client: call.actor.client,
      container,
      documentId: document.id,
      documentEnd: null,
      origin: "user",
      resolution,
      now: context.clock.now(),
      timeZone,
      maxSuperseded: context.limits.maxSuperseded,
    });
    if (facts.length < candidates.length) throw noRoom(candidates.length - facts.length);
    return { documentId: document.id, ids: facts.map((fact) => fact.id) };
  });
  context.wakeJobs();
  const found = await context.store.memories.byIds(organizationId, created.ids);
  const byId = new Map(found.map((memory) => [memory.id, memory]));
  return { documentId: created.documentId, memories: created.ids.flatMap((id) => byId.get(id) ?? []) };
}

type MemoriesInput = z.output<typeof createMemoriesSchema> & { readonly containerTag: string };

/** The source document of the memories. */
function lightDocument({ actor }: AuthorizedCall, { containerTag, memories, endUserId }: MemoriesInput): DocumentDraft {
  return {
    id: createId(),
    customId: null,
    containerTags: [containerTag],
    content: memories.map((memory) => memory.content).join(BETWEEN),
    turns: null,
    title: null,
    url: null,
    client: actor.client ?? null,
    type: "text",
    status: "done",
    dreamingStatus: "done",
    taskType: "memory",
    dreaming: "instant",
    // Not set on the memories: one that several users state belongs to each of them.
    metadata: withEndUser(undefined, endUserId) ?? null,
    filterByMetadata: null,
    source: null,
    filepath: null,
    documentDate: null,
    forgetAfter: null,
    origin: "user",
    facts: null,
    rememberAsIs: false,
  };
}

function noRoom(count: number): AppError {
  const message = `has ${count} more than the settings allow (maxMemoriesPerContainer, maxMemoriesPerDocument); forget some, or raise the limit`;
  return invalid([{ path: ["memories"], message }]);
}

type MemoryInput = z.output<typeof createMemoriesSchema>["memories"][number];

/** Each with its position in the light document, where a purge finds it. */
function candidatesOf(memories: readonly MemoryInput[], timeZone: TimeZone): StatedCandidate[] {
  let start = 0;
  return memories.map((memory) => {
    const quoteAt = { start, end: start + memory.content.length };
    start = quoteAt.end + BETWEEN.length;
    return { ...candidateOf(memory, timeZone), quoteAt };
  });
}

function candidateOf(memory: MemoryInput, timeZone: TimeZone): StatedCandidate {
  const temporal = memory.temporalContext;
  const metadata = temporal ? { ...memory.metadata, temporalContext: temporal } : (memory.metadata ?? null);
  return {
    text: memory.content,
    kind: "fact",
    speaker: "User",
    isStatic: memory.isStatic ?? (!memory.forgetAfter && isLasting(memory.content)),
    ...(memory.forgetAfter && { forgetAfter: momentIn(memory.forgetAfter, timeZone) }),
    forgetReason: memory.forgetReason ?? null,
    metadata,
  };
}
