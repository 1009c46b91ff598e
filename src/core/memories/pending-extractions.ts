import * as z from "zod";
import { windowsOf } from "../../language/windows.js";
import { requireContainer } from "../auth.js";
import { sharedTimeZone, writtenWhen } from "../containers/time-zone.js";
import { usualContainer } from "../containers/usual-container.js";
import type { AuthorizedCall, CoreContext } from "../context.js";
import { contextFilter } from "../documents/context-filter.js";
import { guidanceFor } from "../documents/guidance.js";
import { formsMemories } from "../documents/memory-paths.js";
import { containerTagSchema, parseInput } from "../input.js";
import { runOnce } from "../operations.js";
import type { ContainerRow, ExtractionGuidance, ExtractionTask, Repositories, UnreadDocument } from "../ports.js";
import { retrieve } from "../search/retrieve.js";
import type { Document } from "../types.js";
import { isExpired } from "./find-memory.js";
import { EXTRACTION_FORM } from "./extraction-form.js";

/** Small enough to be read with attention; about 2,000 tokens. */
const WINDOW = { length: 8_000, overlap: 400 };
const MOST_CHARACTERS = 24_000;
/** How long a task is reserved, in milliseconds. */
const RESERVATION = 10 * 60_000;
/** How often more documents are looked for, if those found have nothing to read in them. */
const ROUNDS = 5;
/** Remaining tasks are counted up to here. */
export const MOST_COUNTED = 1_000;
/** Characters per search for known memories, and how many it returns. */
const QUESTION = { length: 2_000, overlap: 0 };
const LIKELY = { threshold: 0.3, limit: 10, isStatement: true };
const MOST_KNOWN = 20;
const MOST_KNOWN_CHARACTERS = 3_000;

export const pendingExtractionsSchema = z.object({
  containerTag: containerTagSchema.optional(),
  /** The most tasks of one call. */
  limit: z
    .number("must be a number")
    .int("must be a whole number")
    .min(1, "must be at least 1")
    .max(10, "must be at most 10")
    .default(3),
});

/** A text to read, or a part of one, and what is already known. */
export interface PendingTask {
  readonly taskId: string;
  readonly documentId: string;
  readonly title: string | null;
  /** ISO date or date-time that relative dates resolve against. */
  readonly date: string;
  /** Which part of how many, counted from 1. */
  readonly part: number;
  readonly parts: number;
  readonly text: string;
  /** Memories that a fact may relate to, under names valid for this task only. */
  readonly known: readonly { readonly id: string; readonly text: string }[];
  readonly guidance: ExtractionGuidance;
}

export interface PendingExtractions {
  readonly tasks: readonly PendingTask[];
  /** At least how many tasks remain besides these; up to 1,000. A document not yet cut into parts counts as one. */
  readonly remaining: number;
  /** Instructions for the agent, in words. */
  readonly instructions: string;
}

/**
 * Hands out texts of a container that no language model and no agent has read yet, so that the calling agent extracts their
 * facts. They are reserved for ten minutes; then they are free again, under other ids.
 */
export async function pendingExtractions(
  context: CoreContext,
  call: AuthorizedCall,
  raw: unknown,
): Promise<PendingExtractions> {
  const { containerTag = usualContainer(call.actor), limit } = parseInput(pendingExtractionsSchema, raw);
  const { organizationId, name } = call.actor;
  requireContainer(call.actor, containerTag);
  const instructions = EXTRACTION_FORM;
  const [container] = await context.store.containers.find(organizationId, [containerTag]);
  if (!container) return { tasks: [], remaining: 0, instructions };
  const { ids } = await runOnce(context, call, "pendingExtractions", async (repositories) => {
    await openTasks(repositories, organizationId, container, limit);
    const reservation = { limit, maxCharacters: MOST_CHARACTERS, forMs: RESERVATION, by: name };
    return { ids: await repositories.extractionTasks.reserve(organizationId, container.id, reservation) };
  });
  const tasks: PendingTask[] = [];
  for (const id of ids) tasks.push(...(await describeTask(context, organizationId, container, id)));
  const open = await context.store.extractionTasks.countOpen(organizationId, container.id, MOST_COUNTED);
  return { tasks, remaining: Math.max(0, open - tasks.length), instructions };
}

/** Cuts documents into tasks until enough free ones exist, as far as there are documents. */
async function openTasks(
  repositories: Repositories,
  organizationId: string,
  container: ContainerRow,
  wanted: number,
): Promise<void> {
  const { extractionTasks } = repositories;
  for (let round = 0; round < ROUNDS; round++) {
    const missing = wanted - (await extractionTasks.countFree(organizationId, container.id, wanted));
    if (missing <= 0) return;
    const unread = await extractionTasks.unread(organizationId, container.id, missing);
    if (unread.length === 0) return;
    for (const one of unread) await openDocument(repositories, organizationId, container, one);
  }
}

async function openDocument(
  repositories: Repositories,
  organizationId: string,
  { id: containerId, tag }: ContainerRow,
  { id, readRevision }: UnreadDocument,
): Promise<void> {
  const document = await repositories.documents.byId(organizationId, id);
  if (!document) return;
  const { revision, content, filepath } = document;
  const isRead = await formsMemories(repositories, organizationId, tag, filepath);
  const known =
    readRevision === null ? null : await repositories.documents.revisionText(organizationId, document.id, readRevision);
  const start = known !== null && content.startsWith(known) ? known.length : 0;
  const windows = windowsOf(content.slice(start), WINDOW)
    .map((window) => ({ start: window.start + start, end: window.end + start }))
    .filter((window) => isRead && /[\p{L}\p{N}]/u.test(content.slice(window.start, window.end)));
  await repositories.extractionTasks.open(organizationId, { id, revision, containerId }, windows);
}

/** What the agent receives; empty for a task whose document has just been changed. */
async function describeTask(
  context: CoreContext,
  organizationId: string,
  container: ContainerRow,
  id: string,
): Promise<PendingTask[]> {
  const { store } = context;
  const task = await store.extractionTasks.byId(organizationId, id);
  const document = task && (await store.documents.byId(organizationId, task.documentId));
  if (!task || document?.revision !== task.revision || isExpired(document, context.clock.now())) return [];
  const text = document.content.slice(task.window.start, task.window.end);
  const known = task.handles
    ? await readKnown(context, organizationId, task)
    : await findKnown(context, document, container, text);
  if (!task.handles)
    await store.extractionTasks.setHandles(
      organizationId,
      id,
      known.map((memory) => memory.id),
    );
  const { buckets: _buckets, ...guidance } = await guidanceFor(store, document);
  return [
    {
      taskId: task.id,
      documentId: document.id,
      title: document.title,
      date: await writtenWhen(context, document),
      part: task.part,
      parts: task.parts,
      text,
      known: known.map((memory, index) => ({ id: handleOf(index), text: memory.text })),
      guidance,
    },
  ];
}

interface Known {
  readonly id: string;
  readonly text: string;
}

/** What was shown when the task was handed out, for a caller that lost the answer. */
async function readKnown(
  { store }: CoreContext,
  organizationId: string,
  { handles: shown, containerTag }: ExtractionTask,
): Promise<Known[]> {
  const handles = shown ?? [];
  const memories = await store.memories.byIds(organizationId, handles);
  const here = memories.filter((memory) => memory.containerTag === containerTag);
  const found = new Map(here.map((memory) => [memory.id, memory.text]));
  return handles.map((id) => ({ id, text: found.get(id) ?? "" }));
}

/** Stated memories of the container that the text may be about, most likely first, by meaning and by words. */
async function findKnown(
  context: CoreContext,
  { organizationId, filterByMetadata }: Document,
  container: ContainerRow,
  text: string,
): Promise<Known[]> {
  const scope = { containerIds: [container.id], kinds: ["memory"] as const, includeForgotten: false };
  const among = filterByMetadata
    ? await context.store.units.matching(organizationId, scope, { filters: contextFilter(filterByMetadata) })
    : undefined;
  const timeZone = sharedTimeZone(context, [container]);
  const found = new Map<string, Known & { readonly similarity: number }>();
  for (const { start, end } of windowsOf(text, QUESTION)) {
    const { ranked } = await retrieve(
      context,
      { organizationId, scope, kinds: scope.kinds, among, timeZone },
      text.slice(start, end),
      LIKELY,
    );
    for (const { detail, similarity } of ranked)
      if (detail.memory?.isInference === false && similarity > (found.get(detail.id)?.similarity ?? -1))
        found.set(detail.id, { id: detail.id, text: detail.text, similarity });
  }
  const known: Known[] = [];
  let characters = 0;
  for (const one of [...found.values()].toSorted((left, right) => right.similarity - left.similarity)) {
    characters += one.text.length;
    if (known.length === MOST_KNOWN || characters > MOST_KNOWN_CHARACTERS) break;
    known.push({ id: one.id, text: one.text });
  }
  return known;
}

/** The name of a known memory within a task. */
export function handleOf(index: number): string {
  return `m${index + 1}`;
}
