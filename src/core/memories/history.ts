import { firstVersionId } from "./first-version-id.js";
import * as z from "zod";
import { isId } from "../../lib/ids.js";
import { maySee } from "../auth.js";
import { documentSource } from "../documents/document-source.js";
import type { AuthorizedCall, CoreContext } from "../context.js";
import { notFound } from "../errors.js";
import { customIdSchema, parseInput } from "../input.js";
import type { JournalRow } from "../ports.js";
import { readAs } from "../journal/journal.js";
import type { DocumentHead, Memory } from "../types.js";
import { findLatest } from "./find-memory.js";
import { findStatement } from "./statements.js";
import type { StatedTurn } from "./told-turns.js";

/** How many of the newest entries are returned; the journal has the others. */
const ENTRIES = 200;

export const historySchema = z.object({ id: customIdSchema });

/** A document that states a version of a memory. */
export interface Source {
  readonly memoryId: string;
  readonly documentId: string;
  /** Null for a document without one. */
  readonly title: string | null;
  /** The path of its file or the address of its page; null for a text. */
  readonly source: string | null;
  /** The words of the document that state it, if known. */
  readonly quote: string | null;
  readonly addedAt: string;
}

export interface MemoryHistory {
  /** The version that holds now, or that was forgotten last; otherwise the requested one. */
  readonly memory: Memory;
  /** Oldest first. A version that was undone is neither the latest nor active. */
  readonly versions: readonly Memory[];
  /** Oldest first. */
  readonly sources: readonly Source[];
  /** Journal entries for all versions, oldest first: the last 200. */
  readonly entries: readonly JournalRow[];
}

function nameOf(head: DocumentHead | undefined): Pick<Source, "title" | "source"> {
  return { title: head?.title ?? null, source: head ? documentSource(head) : null };
}

/** The history of a statement that nobody has touched. */
async function historyOf(
  { store }: CoreContext,
  { memory, turn: { source }, said }: StatedTurn,
): Promise<MemoryHistory> {
  const [head] = await store.documents.headsByIds(source.organizationId, [source.id]);
  const stated = { memoryId: memory.id, documentId: source.id, quote: said, addedAt: memory.createdAt };
  return { memory, versions: [memory], sources: [{ ...stated, ...nameOf(head) }], entries: [] };
}

/**
 * Everything known about one memory: its versions, the documents that state them, and who changed what and why.
 * @throws AppError `not_found` for a memory that is unknown or not accessible to this actor
 */
export async function readHistory(
  context: CoreContext,
  { actor }: AuthorizedCall,
  raw: unknown,
): Promise<MemoryHistory> {
  const { id } = parseInput(historySchema, raw);
  const { organizationId } = actor;
  const { store } = context;
  const known = isId(id) ? await store.memories.byId(organizationId, id) : null;
  const statement = known ? null : await findStatement(context, actor, { id });
  if (statement) return historyOf(context, statement);
  if (!known || !maySee(actor, [known.containerTag])) throw notFound("memory", id);
  // A fact that was already out of date when it was learnt never was the latest version.
  const memory = (await findLatest(store.memories, actor, id)) ?? known;
  const chain = await store.memories.versions(organizationId, [firstVersionId(memory)], { withUndone: true });
  const versions = chain.filter(({ containerTag }) => maySee(actor, [containerTag]));
  const ids = versions.map((version) => version.id);
  const statements = await store.memories.statements(organizationId, ids);
  const heads = await store.documents.headsByIds(
    organizationId,
    statements.map(({ documentId }) => documentId),
  );
  const documents = new Map(heads.map((head) => [head.id, head]));
  const sources = statements.flatMap((statement) => {
    const document = documents.get(statement.documentId);
    return document && maySee(actor, document.containerTags) ? [{ ...statement, ...nameOf(document) }] : [];
  });
  const { entries } = await store.journal.list(organizationId, {
    subjectIds: ids,
    ...(actor.containers !== "all" && { containerTags: actor.containers }),
    offset: 0,
    limit: ENTRIES,
  });
  return { memory, versions, sources, entries: entries.map((entry) => readAs(actor, entry)).toReversed() };
}
