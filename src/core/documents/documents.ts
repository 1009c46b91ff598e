import * as z from "zod";
import { createId, isId } from "../../lib/ids.js";
import { noteDocument } from "./revise-document.js";
import {
  asSeenBy,
  mayChange,
  maySee,
  reachableContainers,
  requireChangeable,
  requireContainer,
  requireWhole,
} from "../auth.js";
import type { TimeZone } from "../../lib/time-zone.js";
import { type FromConnection, withConnections } from "../connections/origin-of-documents.js";
import { sharedTimeZone } from "../containers/time-zone.js";
import type { AuthorizedCall, CoreContext } from "../context.js";
import type { FileReading, RunningReading } from "./content-ports.js";
import { AppError, notFound } from "../errors.js";
import { endUserSchema, filtersOf } from "../access/end-user.js";
import { findModelFailures } from "./find-model-failures.js";
import { findPutOffReading } from "./put-off-reading.js";
import { asOf, findLatest } from "../memories/find-memory.js";
import { forgetLeaving, isStatedAlone } from "../memories/forget-leaving.js";
import { containerTagSchema, customIdSchema, filepathSchema, parseInput } from "../input.js";
import type { ModelFailure, ModelTotals, PictureNote, PutOffJob, Repositories } from "../ports.js";
import { DOCUMENT_STATUSES, type Actor, type Document, type DocumentHead, type Memory } from "../types.js";

/** How a caller names one document: by its id or customId, and by a container it is in. */
export const documentNameSchema = z.object({ id: customIdSchema, within: containerTagSchema.optional() });
export type DocumentName = z.output<typeof documentNameSchema>;

/** @throws AppError as `lookUpNamed`, and `not_found`, both for a missing document and for one the actor may not see */
export async function findDocument(
  repositories: Pick<Repositories, "documents">,
  actor: Actor,
  name: DocumentName,
): Promise<Document> {
  const document = await lookUpNamed(repositories, actor, name);
  if (!document) throw notFound("document", name.id);
  return document;
}

/**
 * The document with a name, or null.
 * @throws AppError as `lookUpDocument`, and `forbidden` for a container that the actor may not use
 */
async function lookUpNamed(
  repositories: Pick<Repositories, "documents">,
  actor: Actor,
  { id, within }: DocumentName,
): Promise<Document | null> {
  if (within === undefined) return lookUpDocument(repositories, actor, id);
  requireContainer(actor, within);
  const document = await lookUpDocument(repositories, actor, id, [within]);
  return document?.containerTags.includes(within) ? document : null;
}

/**
 * The document with this id or customId; null both for a missing one and for one the actor may not see.
 * @param within containers to look for the customId in, all visible to the actor; by default all of those
 * @throws AppError `forbidden` for a document that the actor wants to change but may only read; `conflict` for a customId that
 * several of the containers have, unless exactly one container was named
 */
export async function lookUpDocument(
  { documents }: Pick<Repositories, "documents">,
  actor: Actor,
  id: string,
  within?: "all" | readonly string[],
): Promise<Document | null> {
  const { organizationId } = actor;
  const byId = isId(id) ? await documents.byId(organizationId, id) : null;
  const document = byId ?? (await findByCustomId(documents, actor, id, within));
  if (document) requireChangeable(actor, document);
  return document && maySee(actor, document.containerTags) ? document : null;
}

/** A customId belongs to a container: without one, or with several, it identifies a document only if it is unique. */
async function findByCustomId(
  documents: Repositories["documents"],
  actor: Actor,
  customId: string,
  within: "all" | readonly string[] | undefined,
): Promise<Document | null> {
  const { organizationId } = actor;
  const places = within ?? actor.sees ?? actor.containers;
  const isOne = within !== undefined && within.length === 1;
  const heads = isOne ? [] : await documents.headsByCustomIds(organizationId, [customId], places);
  if (heads.length < 2) return documents.byCustomId(organizationId, customId, places);
  const named = heads.map((head) => `${head.id} in ${asSeenBy(actor, head).containerTags.join(", ")}`);
  throw new AppError(
    "conflict",
    `Several documents have the customId ${customId}: ${named.join("; ")}. Name the one you mean by its id, or name its container if the request accepts one.`,
  );
}

export interface DocumentDetails {
  readonly document: Document & FromConnection;
  readonly memories: Memory[];
  /** What its memories wait for, why they never came, or why they come from rules; null when nothing is wrong. */
  readonly dreamingReason: string | null;
  /** The cost of language models for it so far. */
  readonly llmUse: ModelTotals;
  /** What a language model would not or could not do for it, so that rules did. */
  readonly modelFailures: readonly ModelFailure[];
  /** How its file was read; null if it was not read from one. */
  readonly reading: (FileReading & { readonly running: RunningReading | null }) | null;
  /** Why its source could not be read yet, and when that is retried; null while nothing delays it. */
  readonly putOff: Pick<PutOffJob, "reason" | "runAt"> | null;
  /** Notes on how the pictures in its messages were read. */
  readonly pictureNotes: readonly PictureNote[];
}

/** A document with the memories that it states. @throws AppError as `findDocument` */
export async function getDocument(context: CoreContext, call: AuthorizedCall, raw: unknown): Promise<DocumentDetails> {
  const name = parseInput(documentNameSchema, raw);
  const { actor } = call;
  const document = await lookUpNamed(context.store, actor, name);
  if (!document) throw await explainMissing(context, actor, name.id);
  const memories = await context.store.memories.ofDocument(actor.organizationId, document.id);
  const [shown = { ...document, connectionId: null, atSource: null }] = await withConnections(context, [document]);
  return {
    document: asSeenBy(actor, shown),
    memories: memories
      .filter(({ containerTag }) => maySee(actor, [containerTag]))
      .map((memory) => asOf(memory, context.clock.now())),
    dreamingReason: await findDreamingReason(context, document),
    llmUse: await context.store.extractions.totals(actor.organizationId, document.id),
    modelFailures: await findModelFailures(context, actor.organizationId, [document.id]),
    reading: await findRunningReading(context, document),
    putOff: await findPutOffReading(context.store, document),
    pictureNotes: await context.store.messagePictures.notes(actor.organizationId, document.id),
  };
}

async function findRunningReading(
  { store, readings }: CoreContext,
  { organizationId, id }: Document,
): Promise<DocumentDetails["reading"]> {
  const reading = await store.documents.reading(organizationId, id);
  return reading && { ...reading, running: readings.get(id) ?? null };
}

/** Why the memories of a document are still to come, never came, or come from rules; null when nothing is wrong. */
export async function findDreamingReason(
  context: Pick<CoreContext, "store" | "model">,
  document: Document,
): Promise<string | null> {
  const { organizationId, id, revision, dreamingStatus, errorReason } = document;
  if (dreamingStatus === "dreaming") return context.store.jobs.reasonOf(`remember:${id}:${revision}`);
  if (errorReason?.startsWith("remember:")) return errorReason;
  const failures = await findModelFailures(context, organizationId, [id]);
  const failure = failures.find(({ step }) => step === "facts");
  return failure ? `${failure.reason} It was read by rules, ${whenAgain(failure)}` : null;
}

function whenAgain({ nextAt }: ModelFailure): string {
  if (nextAt === null) return "and will be read again once there is another model.";
  return `and will be read again once the model answers, not before ${nextAt}.`;
}

/** Whoever asks for a document by the id of a memory is told where to look. */
async function explainMissing({ store }: CoreContext, actor: Actor, id: string): Promise<AppError> {
  const memory = await findLatest(store.memories, actor, id);
  if (!memory) return notFound("document", id);
  const sources = await store.memories.sources(actor.organizationId, [id]);
  const documentIds = sources.map(({ documentId }) => documentId);
  const heads = await store.documents.headsByIds(actor.organizationId, documentIds);
  const source = heads.find(({ containerTags }) => maySee(actor, containerTags));
  const hint = source ? `it comes from the document ${source.id}` : "its document is gone";
  return new AppError("not_found", `Document not found: ${id}. This is the id of a memory; ${hint}.`);
}

/**
 * Removes a document with everything that depends on it, inside a transaction. Memories that other documents also state stay,
 * the others are forgotten. Its attachments go with it, except those in containers where the actor may not change them.
 * @returns the keys of its files, whose bytes may be deleted once the transaction is committed
 * @throws AppError `forbidden` when it is also in containers other than the actor's, before anything is written
 */
export async function removeDocument(repositories: Repositories, actor: Actor, document: Document): Promise<string[]> {
  requireWhole(actor, document);
  const attached = await removeAttached(repositories, actor, document);
  const memories = await repositories.memories.ofDocument(actor.organizationId, document.id);
  const files = await repositories.files.ofDocument(actor.organizationId, document.id);
  await repositories.documents.remove(actor.organizationId, document.id);
  await repositories.jobs.dropDead(document.id);
  const batchId = createId();
  await noteDocument(repositories, actor, document, {
    action: "document.deleted",
    before: { title: document.title },
    batchId,
  });
  const orphans = memories.filter((memory) => isStatedAlone(memory) && maySee(actor, [memory.containerTag]));
  const leaving = { documentId: document.id, reason: `document ${document.id} was deleted`, batchId };
  await forgetLeaving(repositories, actor, orphans, leaving);
  return [...files.map(({ key }) => key), ...attached];
}

async function removeAttached(repositories: Repositories, actor: Actor, { id }: Document): Promise<string[]> {
  const { organizationId } = actor;
  const files: string[] = [];
  for (const attachment of await repositories.documents.attachments(organizationId, id)) {
    const attached = await repositories.documents.byId(organizationId, attachment.id);
    if (attached && mayChange(actor, attached.containerTags))
      files.push(...(await removeDocument(repositories, actor, attached)));
  }
  return files;
}

export const listDocumentsSchema = z.object({
  containerTags: z.array(containerTagSchema).optional(),
  operator: z.enum(["any", "all"]).default("any"),
  statuses: z.array(z.enum(DOCUMENT_STATUSES)).optional(),
  source: z.string().optional(),
  /** Name of the connector that the document came through, which is then its source. */
  provider: z.string().optional(),
  filepath: filepathSchema.optional(),
  filters: z.unknown().optional(),
  endUserId: endUserSchema.optional(),
  sort: z.enum(["createdAt", "updatedAt"]).default("createdAt"),
  order: z.enum(["asc", "desc"]).default("desc"),
  page: z.number().int().positive().max(1_000_000_000).default(1),
  limit: z.number().int().positive().max(1_100).default(10),
  includeContent: z.boolean().default(false),
});

export interface DocumentPage {
  readonly documents: readonly (DocumentHead & FromConnection & { content?: string })[];
  readonly total: number;
  readonly page: number;
  readonly limit: number;
  /** Time zone for showing the days of the documents. */
  readonly timeZone: TimeZone;
}

/** One page of documents; a page beyond the end is empty. */
export async function listDocuments(context: CoreContext, call: AuthorizedCall, raw: unknown): Promise<DocumentPage> {
  const { provider, ...input } = parseInput(listDocumentsSchema, raw);
  const tags = reachableContainers(call.actor, input.containerTags);
  const filters = filtersOf(input);
  const { page, limit, source = provider } = input;
  const timeZone = sharedTimeZone(context, await context.store.containers.find(call.actor.organizationId, tags));
  if (provider !== undefined && source !== provider) return { documents: [], total: 0, page, limit, timeZone };
  const { documents, total } = await context.store.documents.list(call.actor.organizationId, {
    ...input,
    containerTags: tags === "all" ? undefined : tags,
    // Without tags in the request, any container that the actor may see matches.
    operator: input.containerTags?.length ? input.operator : "any",
    source,
    filters,
    offset: (input.page - 1) * input.limit,
  });
  const shown = await withConnections(context, documents);
  return { documents: shown.map((document) => asSeenBy(call.actor, document)), total, page, limit, timeZone };
}
