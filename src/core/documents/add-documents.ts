import * as z from "zod";
import { truncate } from "../../lib/truncate.js";
import { yieldTurn } from "../../lib/time.js";
import { instantOf, type TimeZone } from "../../lib/time-zone.js";
import { ownTimeZone, sharedTimeZone } from "../containers/time-zone.js";
import { DEFAULT_CONTAINER } from "../containers/usual-container.js";
import type { AuthorizedCall, CoreContext } from "../context.js";
import { AppError, type ErrorKind } from "../errors.js";
import { containerTagSchema, customIdSchema, invalid, parseInput } from "../input.js";
import type { Warned } from "../memories/secret-warnings.js";
import { runOnce } from "../operations.js";
import { addDocumentSchema, prepareDocument, type PreparedDocument } from "./prepare-document.js";
import type { DocumentStatus } from "../types.js";
import { writeDocument } from "./write-document.js";

/** The most documents per transaction; more would delay other callers. */
const SLICE_DOCUMENTS = 100;
const SLICE_BYTES = 4 * 1024 * 1024;
/** Documents checked per turn of the event loop, and their characters. */
const CHECKED_AT_ONCE = 10;
const CHARACTERS_AT_ONCE = 1_000_000;
/** Longest reason reported for a refused document. */
const LONGEST_REASON = 500;
/** Documents written per turn of the event loop. */
const WRITTEN_AT_ONCE = 2;

/** Defaults for the documents of a batch. */
const defaultsSchema = addDocumentSchema
  .pick({
    containerTags: true,
    metadata: true,
    endUserId: true,
    filterByMetadata: true,
    entityContext: true,
    taskType: true,
    dreaming: true,
    filepath: true,
    documentDate: true,
    forgetAfter: true,
  })
  .extend({ containerTag: containerTagSchema.optional() });

export const addDocumentsSchema = defaultsSchema.extend({
  /** Each is a text, or an input of `addDocument`; `containerTag` is read as well as `containerTags`. */
  documents: z.array(z.unknown(), "must be an array").min(1, "must have at least 1 document"),
});
type Batch = z.output<typeof addDocumentsSchema>;

/** The outcome for one document of a batch. */
export type BatchItem =
  | ({ readonly id: string; readonly status: DocumentStatus; readonly isInstant?: true } & Warned)
  /** `id` is the customId that the document named, or `unknown`. */
  | { readonly id: string; readonly error: string };

export interface BatchReceipt {
  /** In the order of the documents. */
  readonly items: readonly BatchItem[];
}

/**
 * Adds many documents. Each one is accepted or refused on its own; oldest `documentDate` first, and those with the same
 * customId in the order of the request, as if they were added one after the other.
 * @throws AppError `invalid` for what is not a batch, `forbidden` if a document names a container that the caller may not use,
 * or what the store throws before anything is stored
 */
export async function addDocuments(context: CoreContext, call: AuthorizedCall, raw: unknown): Promise<BatchReceipt> {
  const { documents, ...defaults } = parseInput(addDocumentsSchema, raw);
  const { maxBatch } = context.limits;
  if (documents.length > maxBatch)
    throw invalid([
      {
        path: ["documents"],
        message: `has ${documents.length} entries, at most ${maxBatch} are accepted (RECOLLECT_MAX_BATCH); send them in parts`,
      },
    ]);
  const items: BatchItem[] = [];
  const checked = await checkAll(context, call, { documents, defaults }, items);
  const moments = await momentsOf(context, call, checked);
  for (const [number, slice] of slicesOf(inOrder(checked, moments)).entries()) {
    await yieldTurn();
    await writeSlice(context, call, slice, { number, items });
  }
  context.wakeJobs();
  return { items };
}

/** A document that may be written, and its index in the request. */
interface Checked {
  readonly index: number;
  readonly prepared: PreparedDocument;
}

async function checkAll(
  context: CoreContext,
  call: AuthorizedCall,
  { documents, defaults }: { documents: readonly unknown[]; defaults: Omit<Batch, "documents"> },
  items: BatchItem[],
): Promise<Checked[]> {
  const checked: Checked[] = [];
  let characters = 0;
  for (const [index, document] of documents.entries()) {
    if (index % CHECKED_AT_ONCE === CHECKED_AT_ONCE - 1 || characters > CHARACTERS_AT_ONCE) {
      await yieldTurn();
      characters = 0;
    }
    try {
      const prepared = prepareDocument(context, call.actor, inputOf(document, defaults));
      characters += prepared.input.content.length;
      checked.push({ index, prepared });
    } catch (error) {
      // A request that reaches for somebody else's containers fails as a whole (contract 1.2).
      if (error instanceof AppError && error.kind === "forbidden") throw error;
      items[index] = refusalOf(error, document);
    }
  }
  return checked;
}

const itemSchema = z.union(
  [z.string().transform((content): Record<string, unknown> => ({ content })), z.record(z.string(), z.unknown())],
  "must be a string or an object",
);

/** A document with the defaults applied; its own values take precedence, and metadata is merged by key. */
function inputOf(document: unknown, defaults: Omit<Batch, "documents">): Record<string, unknown> {
  const item = parseInput(itemSchema, document);
  const { metadata, containerTags } = item;
  if (Array.isArray(containerTags) && containerTags.length === 0)
    throw invalid([
      {
        path: ["containerTags"],
        message: "must name at least one container, or be omitted to use those of the batch",
      },
    ]);
  const isRecord = typeof metadata === "object" && metadata !== null && !Array.isArray(metadata);
  return {
    ...defaults,
    ...withoutAbsent(item),
    containerTags: tagsOf(item) ?? tagsOf(defaults),
    metadata:
      defaults.metadata && (isRecord || metadata == null)
        ? { ...defaults.metadata, ...metadata }
        : (metadata ?? undefined),
    wait: undefined,
  };
}

/** Null fields count as absent, except where null means that a document never expires. */
function withoutAbsent(item: Record<string, unknown>): Record<string, unknown> {
  const says = ([key, value]: [string, unknown]) => value !== undefined && (value !== null || key === "forgetAfter");
  return Object.fromEntries(Object.entries(item).filter(says));
}

/** Both spellings of contract 1.7, unchecked; undefined when neither is present. */
function tagsOf({ containerTag, containerTags }: Record<string, unknown>): unknown {
  if (containerTag === undefined || containerTag === null) return containerTags ?? undefined;
  return Array.isArray(containerTags) ? [containerTag, ...(containerTags as unknown[])] : [containerTag];
}

/** The date of each document, in milliseconds: a date without an offset is read in the time zone of the document. */
async function momentsOf(
  context: CoreContext,
  { actor }: AuthorizedCall,
  checked: readonly Checked[],
): Promise<ReadonlyMap<Checked, number>> {
  const now = context.clock.now();
  const zones = new Map<string, TimeZone>();
  const moments = new Map<Checked, number>();
  for (const one of checked) {
    const { containerTags, input } = one.prepared;
    const tags = containerTags ?? (actor.containers === "all" ? [DEFAULT_CONTAINER] : actor.containers);
    const known = JSON.stringify(tags);
    const zone =
      zones.get(known) ?? sharedTimeZone(context, await context.store.containers.find(actor.organizationId, tags));
    zones.set(known, zone);
    const moment = instantOf(input.documentDate ?? "", ownTimeZone(input.metadata) ?? zone) ?? now;
    moments.set(one, moment.getTime());
  }
  return moments;
}

/** Documents with the same customId keep the set of positions they have by date, but fill them in the order of the request. */
function inOrder(checked: readonly Checked[], moments: ReadonlyMap<Checked, number>): Checked[] {
  const byDate = checked.toSorted((left, right) => (moments.get(left) ?? 0) - (moments.get(right) ?? 0));
  const queues = new Map<string, Checked[]>();
  for (const one of checked) {
    const { customId } = one.prepared.input;
    if (customId !== undefined) queues.set(customId, [...(queues.get(customId) ?? []), one]);
  }
  return byDate.map((one) => queues.get(one.prepared.input.customId ?? "")?.shift() ?? one);
}

function slicesOf(checked: readonly Checked[]): Checked[][] {
  const slices: Checked[][] = [];
  let bytes = 0;
  for (const one of checked) {
    const size = Buffer.byteLength(one.prepared.input.content);
    const slice = slices.at(-1);
    if (!slice || slice.length === SLICE_DOCUMENTS || bytes + size > SLICE_BYTES) {
      slices.push([one]);
      bytes = size;
    } else {
      slice.push(one);
      bytes += size;
    }
  }
  return slices;
}

/** Where a slice reports its outcomes. */
interface SliceReport {
  readonly number: number;
  readonly items: BatchItem[];
}

/** Writes a slice in one transaction; if one of its documents is refused, each in a transaction of its own. */
async function writeSlice(
  context: CoreContext,
  call: AuthorizedCall,
  slice: readonly Checked[],
  { number, items }: SliceReport,
): Promise<void> {
  try {
    await writeTogether(context, call, slice, { name: `slice ${number}`, items });
  } catch (error) {
    if (isOfDocument(error)) return writeEach(context, call, slice, items);
    if (items.every((item) => "error" in item)) throw error;
    // Reported per document: a sender who repeated the whole request would store twice what is already stored.
    const told = tell(context, error);
    for (const { index, prepared } of slice) items[index] = refusalOf(told, prepared.input);
  }
}

async function writeEach(
  context: CoreContext,
  call: AuthorizedCall,
  slice: readonly Checked[],
  items: BatchItem[],
): Promise<void> {
  for (const one of slice) {
    try {
      await writeTogether(context, call, [one], { name: `document ${one.index}`, items });
    } catch (error) {
      items[one.index] = refusalOf(tell(context, error), one.prepared.input);
    }
  }
}

async function writeTogether(
  context: CoreContext,
  call: AuthorizedCall,
  some: readonly Checked[],
  { name, items }: { name: string; items: BatchItem[] },
): Promise<void> {
  const receipts = await runOnce(context, call, `addDocuments:${name}`, async (repositories) => {
    const written: (readonly [index: number, item: BatchItem])[] = [];
    for (const { index, prepared } of some) {
      if (written.length % WRITTEN_AT_ONCE === WRITTEN_AT_ONCE - 1) await yieldTurn();
      const { id, status, isInstant, warnings } = await writeDocument(repositories, call.actor, prepared);
      written.push([index, { id, status, ...(isInstant && { isInstant }), ...(warnings && { warnings }) }]);
    }
    return written;
  });
  for (const [index, item] of receipts) items[index] = item;
}

/** Errors that concern one document. All others concern the whole service. */
const DOCUMENT_KINDS: ReadonlySet<ErrorKind> = new Set(["invalid", "forbidden", "not_found", "conflict", "too_large"]);

function isOfDocument(error: unknown): boolean {
  return error instanceof AppError && DOCUMENT_KINDS.has(error.kind);
}

/** Unexpected errors go to the log. */
function tell({ log }: CoreContext, error: unknown): AppError {
  if (error instanceof AppError) return error;
  log.error("unexpected error in a batch", { error });
  return new AppError("internal", "Something went wrong on the server. Its log has the details.", { cause: error });
}

function refusalOf(error: unknown, document: unknown): BatchItem {
  if (!(error instanceof AppError)) throw error;
  const named = z.object({ customId: customIdSchema }).safeParse(document);
  return { id: named.success ? named.data.customId : "unknown", error: truncate(error.publicMessage, LONGEST_REASON) };
}
