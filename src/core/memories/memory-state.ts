import * as z from "zod";
import type { Repositories } from "../ports.js";
import type { Actor, Memory } from "../types.js";

/** A document that a change linked a memory to. */
const linkSchema = z.object({
  documentId: z.string(),
  quote: z.string().nullable(),
  /** Where the quote is in the text of the document. */
  quoteAt: z.object({ start: z.int(), end: z.int() }).nullish(),
});
export type SourceLink = z.output<typeof linkSchema>;

const plainStateSchema = z.object({
  id: z.string(),
  text: z.string(),
  version: z.int(),
  containerTag: z.string(),
  isLatest: z.boolean(),
  isForgotten: z.boolean(),
  forgetReason: z.string().nullable(),
  forgetAfter: z.string().nullable(),
  isStatic: z.boolean(),
  isInference: z.boolean(),
  strength: z.number(),
  metadata: z.record(z.string(), z.unknown()).nullable(),
});

/** How a standalone memory became a version of another one. */
const joinedSchema = z.object({
  parentId: z.string(),
  rootId: z.string(),
  /** Its state as a standalone memory, restored when that is undone. */
  alone: plainStateSchema,
});
export type Joined = z.output<typeof joinedSchema>;

/** The state of a memory before and after a change, as kept in the journal: enough to restore either. */
export const memoryStateSchema = plainStateSchema.extend({
  /** Only the documents that this change linked (after) or unlinked (before). */
  sources: z.array(linkSchema).optional(),
  /** Only for a memory that a change added to another chain, or removed from it. */
  joined: joinedSchema.optional(),
});
export type MemoryState = z.output<typeof memoryStateSchema>;

/** The state of a memory as the journal keeps it. */
export function stateOf(memory: Memory): Joined["alone"] {
  const { id, text, version, containerTag, isLatest, isForgotten, forgetReason, forgetAfter } = memory;
  const { isStatic, isInference, strength, metadata } = memory;
  const state = { id, text, version, containerTag, isLatest, isForgotten, forgetReason, forgetAfter };
  return { ...state, isStatic, isInference, strength, metadata };
}

/** True when a memory is as an entry recorded it, apart from its sources. */
export function isAsNoted(memory: Memory, state: MemoryState): boolean {
  const now = Object.entries(stateOf(memory));
  return now.every(([key, value]) => JSON.stringify(value) === JSON.stringify(state[key as keyof typeof state]));
}

/** What the journal entry of a change records besides the memory. */
export interface NotedChange {
  readonly batchId: string;
  readonly action: string;
  readonly cause: string | null;
  /** Documents that the change linked the memory to. */
  readonly linked?: readonly SourceLink[];
  /** Documents that the change unlinked it from. */
  readonly unlinked?: readonly SourceLink[];
  /** For a memory that was added to another chain, or removed from it. */
  readonly joined?: Joined | undefined;
  /** Ids of what it would have replaced if it did not wait for review. */
  readonly wouldReplace?: readonly string[] | undefined;
}

/**
 * Records a change of a memory in the journal, inside the transaction of the change and after it.
 * @param before the memory as it was; null for a new one, and the older version if a new one replaces it
 * @param after the memory as it is now; if only the id is given, it is read from the store
 */
export async function noteMemory(
  repositories: Pick<Repositories, "journal" | "memories">,
  actor: Actor,
  { batchId, action, cause, linked = [], unlinked = [], joined, wouldReplace = [] }: NotedChange,
  { before, after }: { readonly before: Memory | null; readonly after: Memory | { readonly id: string } },
): Promise<void> {
  const { organizationId } = actor;
  const memory = "seq" in after ? after : await repositories.memories.byId(organizationId, after.id);
  if (!memory) throw new Error(`Memory ${after.id} no longer exists`);
  const joining = ({ id }: Memory) => joined?.alone.id === id && { joined };
  await repositories.journal.append(organizationId, [
    {
      batchId,
      actor: actor.name,
      action,
      subject: "memory",
      subjectId: memory.id,
      containerTag: memory.containerTag,
      cause,
      before: before && { ...stateOf(before), ...(unlinked.length > 0 && { sources: unlinked }), ...joining(before) },
      after: {
        ...stateOf(memory),
        ...(linked.length > 0 && { sources: linked }),
        ...joining(memory),
        ...(wouldReplace.length > 0 && { wouldReplace }),
      },
    },
  ]);
}
