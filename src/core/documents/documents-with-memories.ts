import * as z from "zod";
import { groupBy } from "../../lib/group-by.js";
import { asSeenBy, maySee, reachableContainers } from "../auth.js";
import { type FromConnection, withConnections } from "../connections/origin-of-documents.js";
import type { AuthorizedCall, CoreContext } from "../context.js";
import { containerTagSchema, customIdSchema, parseInput } from "../input.js";
import { endUserSchema, filtersOf } from "../access/end-user.js";
import { asOf } from "../memories/find-memory.js";
import { relationsBy } from "../memories/list-memories.js";
import { MAX_PAGE_SIZE, pageShape } from "../pages.js";
import type { DocumentOutline, ModelFailure, PlacedMemory } from "../ports.js";
import { findModelFailures } from "./find-model-failures.js";
import { DOCUMENT_CATEGORIES, type Actor, type DocumentCategory, type DocumentHead, type Relation } from "../types.js";

/** Characters of a text shown in lists. */
const EXCERPT = 2_000;
/** Up to this many documents requested by name are returned with their whole text; beyond that only with its beginning. */
const WHOLE_TEXTS = 100;
/** Longer than any text. */
const WHOLE = 2_147_483_647;

/** A memory of a document, superseded and forgotten ones included. */
export interface DocumentMemory {
  readonly memory: PlacedMemory;
  /** When it was established that the document states it. */
  readonly addedAt: string;
  /** Its relations to older memories, by their ids. */
  readonly relations: Readonly<Record<string, Relation>>;
}

/** A document as drawn in a graph of memories. */
export interface DocumentWithMemories {
  readonly document: DocumentHead & FromConnection;
  readonly outline: DocumentOutline;
  readonly memories: readonly DocumentMemory[];
  /** What a language model refused or failed to do for it, so that rules did it. */
  readonly modelFailures: readonly ModelFailure[];
}

export interface DocumentGraphPage {
  readonly documents: readonly DocumentWithMemories[];
  readonly total: number;
  readonly page: number;
  readonly limit: number;
}

const containerTags = z.array(containerTagSchema, "must be an array").max(1_000).optional();

export const documentGraphSchema = z.object({
  /** Absent or empty: everything the actor may see. */
  containerTags,
  /** Any of these. */
  sources: z
    .array(z.string("must be a string").max(255, "must have at most 255 characters"), "must be an array")
    .max(1_000)
    .optional(),
  /** Any of these. */
  categories: z
    .array(z.enum(DOCUMENT_CATEGORIES, `must be one of ${DOCUMENT_CATEGORIES.join(", ")}`), "must be an array")
    .max(1_000)
    .optional(),
  endUserId: endUserSchema.optional(),
  ...pageShape,
});

/** One page of documents with everything they state or stated (contract 2.12); a page beyond the end is empty. */
export async function listDocumentsWithMemories(
  context: CoreContext,
  { actor }: AuthorizedCall,
  raw: unknown,
): Promise<DocumentGraphPage> {
  const { sources, categories, ...input } = parseInput(documentGraphSchema, raw);
  const tags = reachableContainers(actor, input.containerTags);
  const { documents, total } = await context.store.documents.list(actor.organizationId, {
    containerTags: tags === "all" ? undefined : tags,
    operator: "any",
    filters: filtersOf(input),
    ...(sources && sources.length > 0 && { sources }),
    ...(categories && categories.length > 0 && { categories }),
    sort: input.sort,
    order: input.order,
    offset: (input.page - 1) * input.limit,
    limit: input.limit,
    includeContent: false,
  });
  return {
    documents: await withMemories(context, actor, documents, { tags, excerpt: EXCERPT }),
    total,
    page: input.page,
    limit: input.limit,
  };
}

export const documentsByIdsSchema = z.object({
  ids: z
    .array(customIdSchema, "must be an array of ids")
    .min(1, "must have at least 1 entry")
    .max(MAX_PAGE_SIZE, `must have at most ${MAX_PAGE_SIZE} entries`),
  by: z.enum(["id", "customId"], "must be id or customId").default("id"),
  containerTags,
});

/**
 * The same for documents by id or customId, in the order requested; unknown ones are left out, and a customId returns every
 * document that has it.
 */
export async function readDocumentsWithMemories(
  context: CoreContext,
  { actor }: AuthorizedCall,
  raw: unknown,
): Promise<readonly DocumentWithMemories[]> {
  const { ids, by, containerTags: named } = parseInput(documentsByIdsSchema, raw);
  const tags = reachableContainers(actor, named);
  const { documents } = context.store;
  const { organizationId } = actor;
  const heads =
    by === "id"
      ? await documents.headsByIds(organizationId, ids)
      : await documents.headsByCustomIds(organizationId, ids, tags);
  const byName = groupBy(heads, (head) => (by === "id" ? head.id : head.customId));
  const found = [...new Set(ids)].flatMap((id) => byName.get(id) ?? []);
  const visible = found.filter((head) => liesIn(tags, head.containerTags));
  return withMemories(context, actor, visible, { tags, excerpt: visible.length > WHOLE_TEXTS ? EXCERPT : WHOLE });
}

export interface CategoryCount {
  readonly category: DocumentCategory;
  readonly count: number;
}

const facetsSchema = z.object({ containerTags });

/** The number of documents per category, highest first; empty categories are left out. */
export async function countDocumentCategories(
  { store }: CoreContext,
  { actor }: AuthorizedCall,
  raw: unknown,
): Promise<readonly CategoryCount[]> {
  const input = parseInput(facetsSchema, raw);
  return store.documents.countCategories(actor.organizationId, reachableContainers(actor, input.containerTags));
}

function liesIn(tags: "all" | readonly string[], containerTags: readonly string[]): boolean {
  return tags === "all" || containerTags.some((tag) => tags.includes(tag));
}

/** Only memories of the requested containers: a document may also be in others. */
async function withMemories(
  context: CoreContext,
  actor: Actor,
  heads: readonly DocumentHead[],
  { tags, excerpt }: { tags: "all" | readonly string[]; excerpt: number },
): Promise<DocumentWithMemories[]> {
  if (heads.length === 0) return [];
  const { store, clock } = context;
  const { organizationId } = actor;
  const ids = heads.map(({ id }) => id);
  const outlines = new Map((await store.documents.outlines(organizationId, ids, excerpt)).map((one) => [one.id, one]));
  const stated = (await store.memories.ofDocuments(organizationId, ids)).filter(
    ({ memory }) => liesIn(tags, [memory.containerTag]) && maySee(actor, [memory.containerTag]),
  );
  const relationsOf = await relationsBy(
    store,
    organizationId,
    stated.map(({ memory }) => memory),
  );
  const byDocument = groupBy(stated, ({ documentId }) => documentId);
  const failures = groupBy(await findModelFailures(context, organizationId, ids), ({ documentId }) => documentId);
  return (await withConnections(context, heads)).flatMap((document) => {
    const outline = outlines.get(document.id);
    // Deleted since it was listed.
    if (!outline) return [];
    const memories = (byDocument.get(document.id) ?? []).map(({ memory, addedAt }) => ({
      memory: asOf(memory, clock.now()),
      addedAt,
      relations: relationsOf(memory),
    }));
    const modelFailures = failures.get(document.id) ?? [];
    return { document: asSeenBy(actor, document), outline, memories, modelFailures };
  });
}
